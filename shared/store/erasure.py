"""What an erasure does to each table and each key of Redis: the list that a test compares with what there is.

A table or a kind of key that is new and not in the list fails that test, so nobody can forget to say whether it holds
something of a person. `coldpath.erase` does what it says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Fate(StrEnum):
    """What becomes of a user's rows."""

    CLEARED = "cleared"
    """None is left."""
    EMPTIED = "emptied"
    """They stay, and say nothing."""
    KEPT = "kept"
    """They stay, and hold nothing that was said."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A table, or a kind of key."""

    name: str
    fate: Fate
    why: str


TABLES: Final = (
    Kind("inbox", Fate.CLEARED, "accepted runs, at whatever stage, with their text until it is in the ledger"),
    Kind("participant", Fate.CLEARED, "the rooms that the user takes part in"),
    Kind("event_payload", Fate.EMPTIED, "what was said, answered or written goes; operations name events and memories"),
    Kind("decision", Fate.CLEARED, "what was decided about the user's messages"),
    Kind("receipt", Fate.CLEARED, "what became of the user's runs"),
    Kind("memory", Fate.CLEARED, "texts; of rooms, those made from what the user said"),
    Kind("memory_evidence", Fate.CLEARED, "what they rest on"),
    Kind("memory_link", Fate.CLEARED, "which took the place of which"),
    Kind("candidate", Fate.CLEARED, "what was proposed to be remembered"),
    Kind("review", Fate.CLEARED, "what a person was asked to decide"),
    Kind("batch", Fate.CLEARED, "which of the user's memories a job has changed, by their operations"),
    Kind("job_mark", Fate.CLEARED, "how far jobs have looked at what is gone"),
    Kind("measure", Fate.CLEARED, "how the user's memory did, in numbers"),
    Kind("memory_vector", Fate.CLEARED, "numbers from which a text can be guessed"),
    Kind("memory_use", Fate.CLEARED, "how the user's memories have fared"),
    Kind("recall_log", Fate.CLEARED, "that the user asked, and when; never what"),
    Kind("recall_item", Fate.CLEARED, "which memories a recall brought"),
    Kind("posting", Fate.CLEARED, "the words of texts"),
    Kind("entity", Fate.CLEARED, "the names in texts"),
    Kind("entity_alias", Fate.CLEARED, "their other forms"),
    Kind("mention", Fate.CLEARED, "which memory mentions which"),
    Kind("profile", Fate.CLEARED, "what is held of each subject, in fields"),
    Kind("profile_stream", Fate.CLEARED, "how far the profile goes"),
    Kind("community", Fate.CLEARED, "which names are spoken of together"),
    Kind("community_stream", Fate.CLEARED, "what those groups were made of"),
    Kind("dense_stream", Fate.CLEARED, "how many vectors there are"),
    Kind(
        "sparse_stream", Fate.EMPTIED, "counts of nothing, and up to which number memories were entered: none is reused"
    ),
    Kind("graph_stream", Fate.EMPTIED, "the same of names"),
    Kind("event", Fate.KEPT, "headers: the hash chain must be followed, and a message that comes again be known"),
    Kind("stream", Fate.KEPT, "the end of the hash chain"),
    Kind("suppression", Fate.KEPT, "which events nothing may rest on again"),
    Kind("generation", Fate.KEPT, "of a tenant: which build of a view is live"),
    Kind("job", Fate.KEPT, "of a tenant: which job is how far"),
    Kind("turn", Fate.KEPT, "of a tenant: when it was served"),
    Kind("hold", Fate.KEPT, "of a tenant: what a gate on a metric has set"),
    Kind("spending", Fate.KEPT, "of a tenant: what its calls of models have cost"),
)

QUEUES: Final = "<queue>"
"""Stands for the names in `shared.work.queues`."""

REDIS: Final = (
    Kind(QUEUES, Fate.KEPT, "rings: a tenant, an owner and the id of a row that is gone; void when they are heard"),
    Kind("unacked", Fate.KEPT, "rings that a worker holds"),
    Kind("_kombu.binding", Fate.KEPT, "which queues there are"),
    Kind("reply.celery.pidbox", Fate.KEPT, "answers of workers that were asked whether they are there"),
    Kind("celery@", Fate.KEPT, "questions to one worker"),
)
"""By the beginning of a key."""
