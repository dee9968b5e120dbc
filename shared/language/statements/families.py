"""Which rules are asked of a clause, by whom or what it is about. Pure data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.attributes import attributes
from shared.language.statements.belongings import belongings
from shared.language.statements.bodies import bodies
from shared.language.statements.diets import diets
from shared.language.statements.duties import duties, goals, promised, skills
from shared.language.statements.endings import endings
from shared.language.statements.frames import frames
from shared.language.statements.habits import habits
from shared.language.statements.health import health
from shared.language.statements.identity import identity
from shared.language.statements.places import places
from shared.language.statements.plans import plans
from shared.language.statements.relations import relations
from shared.language.statements.remembering import PEOPLE
from shared.language.statements.routines import routines
from shared.language.statements.saying import Said
from shared.language.statements.settled import decisions
from shared.language.statements.stated import Statement
from shared.language.statements.studies import studies
from shared.language.statements.subjects import About
from shared.language.statements.talk import Message
from shared.language.statements.tastes import tastes
from shared.language.statements.things import things
from shared.language.statements.whereabouts import whereabouts
from shared.language.statements.work import work

Family = Callable[[Said, str], Iterator[Statement]]
_OF_SOMEBODY: Final[tuple[Family, ...]] = (
    identity,
    places,
    work,
    studies,
    relations,
    belongings,
    tastes,
    habits,
    health,
    bodies,
    diets,
    frames,
    routines,
    skills,
    whereabouts,
)
_OF_STRANGERS: Final[tuple[Family, ...]] = (
    identity, relations, belongings, tastes, health, diets, frames, skills, endings,
)  # fmt: skip
"""Of whoever is only named: that Google moves to Postgres says of nobody where they live."""
_OF_THINGS: Final[tuple[Family, ...]] = (attributes, plans, things, bodies, goals, whereabouts, endings)
OF_THE_SPEAKER: Final[frozenset[Family]] = frozenset({relations, belongings, plans, endings})
"""These are told who speaks, and find out for themselves whose it is."""


def families_of(said: Said, message: Message) -> tuple[Family, ...]:
    """Which rules are asked of a subject."""
    about = said.subject.about
    if about in {About.OWN, About.THING}:
        return _OF_THINGS
    if about is About.NAMED:
        if said.subject.name.casefold().split()[0] in message.talk.people:
            return _OF_SOMEBODY
        more = {"live": (places,), "eat": (habits,), "drink": (habits,), "work": (work,)}.get(said.verb, ())
        if said.verb in {"move", "relocate"} and is_known(said.subject.name, message):
            more = (places,)
        return (*_OF_STRANGERS, *more)
    if about is About.THEY:
        return _OF_SOMEBODY
    if about is About.RELATED:
        return (relations,) if said.subject.former else (*_OF_SOMEBODY, plans)
    several = (promised,) if len(message.talk.people) > 1 else ()
    return (*_OF_SOMEBODY, plans, decisions, endings, things, duties, goals, *several)


def is_known(name: str, message: Message) -> bool:
    """Whether a name was given before to somebody, or to one who lives somewhere: a firm moves elsewhere, too."""
    earlier = [*message.talk.stated.get(message.speaker, []), *message.found]
    held = [each for each in earlier if each.change is Change.HOLDS]
    lives = any(each.subject == name and each.predicate in _OF_PEOPLE for each in held)
    related = any(each.object == name and each.predicate in PEOPLE for each in earlier)
    return lives or related or name in message.talk.named.get(message.speaker, {})


_OF_PEOPLE: Final = frozenset({"lives_in", "age", "birthday", "hometown", "job"})
"""What is said of people alone."""
