"""Under which topic a profile files what is claimed: one for each predicate, and one for each thing with records.

A change of a topic goes together with `daybook profile --rebuild`: until then stored blocks are filed as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from shared.belief.predicates import RECORD


class Topic(StrEnum):
    """What a block is about, in the order in which a profile shows them."""

    INSTRUCTIONS = "instructions"
    """How the subject wants to be answered."""
    IDENTITY = "identity"
    PLACES = "places"
    WORK = "work"
    RELATIONS = "relations"
    HEALTH = "health"
    PREFERENCES = "preferences"
    PLANS = "plans"
    CONTACT = "contact"
    THINGS = "things"
    OTHER = "other"
    """What no topic is known for, as of predicates that somebody made up."""


_FAVOURITE: Final = "favourite_"
_NAMES: Final[Mapping[Topic, str]] = {
    Topic.INSTRUCTIONS: "instruction preferred_language preferred_name preferred_tone",
    Topic.IDENTITY: "name gender pronouns birthday birthplace age hometown religion marital_status nationality"
    " also_known_as different_from speaks",
    Topic.PLACES: "lives_in address timezone located_in visited",
    Topic.WORK: "works_at job studies_at manager income second_job worked_at skill learns graduated_from degree"
    " member_of achieved",
    Topic.RELATIONS: "partner mother father doctor dentist therapist emergency_contact child sibling parent relative"
    " friend colleague former_partner knows pet",
    Topic.HEALTH: "diet blood_type height weight shoe_size clothing_size allergic_to intolerant_to has_condition takes"
    " eats drinks fears",
    Topic.PREFERENCES: "likes dislikes avoids prefers hobby interest habit plays believes",
    Topic.PLANS: "plans goal appointment travels_to task decided wants deadline scheduled_for",
    Topic.CONTACT: "email phone work_email work_phone website",
    Topic.THINGS: "owns uses lost code price status",
}
TOPICS: Final[Mapping[str, Topic]] = {name: topic for topic, names in _NAMES.items() for name in names.split()}
"""By name of predicate, as claims have it."""


def topic_of(predicate: str) -> str:
    """The topic of a claim's predicate; of a record's that is its schema, as `record:contact`."""
    if predicate.startswith(RECORD):
        return predicate
    if predicate.startswith(_FAVOURITE):
        return Topic.PREFERENCES
    return TOPICS.get(predicate, Topic.OTHER)


def place_of(topic: str) -> int:
    """A topic's place in a profile; records come last."""
    return list(Topic).index(Topic(topic)) if topic in TOPICS.values() or topic == Topic.OTHER else len(Topic)
