"""A question answered once, rung by rung, with how fresh each rung is; and the questions that stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from gateway.wiki.reading import pages_named, wiki_of
from shared.accept.scrub import scrub
from shared.belief.composing import Composed, Sentence
from shared.belief.materials import Turn
from shared.contract.bundle import Bundle, Item, Verdict
from shared.contract.records import EpistemicType
from shared.contract.scope import Scope
from shared.language.names import names_in
from shared.language.text import normalise
from shared.store import memories
from shared.store.asked import Standing, ask, standing, take_back
from shared.store.db import Database, Role, Session

if TYPE_CHECKING:
    from gateway import Daybook
    from shared.belief.profiles import Profile
    from shared.belief.wiki.draft import Page

_NO_ANSWER: Final = frozenset({Verdict.UNKNOWN, Verdict.PREMISE_UNSUPPORTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """What one kind of memory says to a question."""

    name: str
    says: tuple[str, ...]
    memory_ids: tuple[UUID, ...]
    newest: datetime | None
    """The world time of the newest of it."""
    behind: int | None = None
    """How many events have come since what was read was built; None where that is not known."""
    pages: tuple[str, ...] = ()
    """The files of the wiki's pages that it was read from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a sentence of a composed answer follows from."""

    memory_ids: tuple[UUID, ...]
    rung: str
    """`evidence` where any of it is what somebody said, else `facts`."""
    newest: datetime | None
    """The world time of the newest of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflected:
    """What is held says to a question."""

    question: str
    answer: tuple[str, ...]
    """What was composed of it, if it stands and a model has; else what the first rung says that says anything, each
    with a memory; empty where nothing held answers it."""
    rung: str | None
    """`composed`, or whose answer it is; None where there is none, or all rungs are."""
    verdict: str
    reason: str
    conflicts: int
    """Contradictions among what was found: they are said, and not decided here."""
    rungs: tuple[Rung, ...]
    composed: tuple[Step, ...] = ()
    """Of an answer that was composed, one for each of its sentences."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """How many sentences of it do not follow from what they name, by why."""


def reflect(daybook: Daybook, scope: Scope, question: str) -> Reflected:
    """Answer a question from what a scope may read: profile, else pages, else inferences, else facts, else evidence.

    The pages are those of whom and what the question names; they are compiled now, so nothing has come since. Where
    what was found contradicts itself, no rung stands for the others, and all of it is the answer. A question that
    stands in the same words, and that a model has answered, is answered so; nobody is asked now.

    Raises:
        InvalidScope, InvalidQuery: as recall does.
    """
    found = daybook.recall(scope, question)
    pages = pages_named(wiki_of(daybook.database(), daybook.settings, scope), question) if names_in(question) else []
    rungs = tuple(_rungs(found, daybook.profile(scope), pages))
    saying = [rung for rung in rungs if rung.says] if found.verdict not in _NO_ANSWER else []
    is_split = found.verdict is Verdict.CONFLICTING
    answer = [text for rung in saying for text in rung.says] if is_split else list(saying[0].says) if saying else []
    filed = _composed(daybook.database(), scope, question)
    sentences = () if is_split else filed.sentences
    return Reflected(
        question=question,
        answer=tuple(each.text for each in sentences) or tuple(dict.fromkeys(answer)),
        rung="composed" if sentences else None if is_split or not saying else saying[0].name,
        composed=tuple(map(_step, sentences)),
        dropped=filed.rejected,
        verdict=found.verdict.value,
        reason=found.reason,
        conflicts=found.conflicts,
        rungs=rungs,
    )


def _composed(database: Database, scope: Scope, question: str) -> Composed:
    """What a model has composed for a question that stands in the same words, as far as it stands by now."""
    with database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as widened:
        session = replace(widened, owners=(scope.owner,))
        if as_it_stands(question) not in {each.question for each in standing(session)}:
            return Composed()
        from coldpath._composing import MOST_LOOKED_AT, composed_by_model

        beliefs = memories.beliefs(session, keyed=True, limit=MOST_LOOKED_AT)
        found = composed_by_model(session, beliefs).composed
    return found.get(Turn(as_it_stands(question), scope.agent_id), Composed())


def _step(sentence: Sentence) -> Step:
    is_said = any(each.epistemic_type is EpistemicType.EVIDENCE for each in sentence.sources)
    times = [each.valid_from for each in sentence.sources if each.valid_from is not None]
    return Step(
        memory_ids=tuple(each.memory_id for each in sentence.sources),
        rung="evidence" if is_said else "facts",
        newest=max(times, default=None),
    )


def _rungs(found: Bundle, profile: Profile, pages: list[Page]) -> Iterator[Rung]:
    ranked = sorted((each for each in found.items if each.rank is not None), key=lambda each: each.rank or 0)
    held = {
        value.memory_id for block in profile.blocks for field in block.fields for value in field.values
    }  # fmt: skip
    ends: dict[str, int] = {each.owner: each.last_sequence for each in found.watermarks}
    behind = sum(max(ends.get(owner, 0) - reach, 0) for owner, reach in profile.built_to.items())
    yield _rung("profile", [each for each in ranked if each.memory_id in held], behind)
    quoted = frozenset[UUID]().union(*(page.memories for page in pages))
    on_pages = [each for each in ranked if each.memory_id in quoted]
    told = tuple(page.file for page in pages if not page.memories.isdisjoint(each.memory_id for each in on_pages))
    yield replace(_rung("pages", on_pages, 0), pages=told)
    yield _rung("inferences", [each for each in ranked if each.epistemic_type == "inference"], 0)
    firm = {"fact", "preference", "opinion"}
    yield _rung("facts", [each for each in ranked if each.epistemic_type in firm], 0)
    yield _rung("evidence", [each for each in ranked if each.epistemic_type == "evidence"], 0)


def _rung(name: str, items: list[Item], behind: int) -> Rung:
    times = [each.event_time for each in items if each.event_time is not None]
    return Rung(
        name=name,
        says=tuple(each.text for each in items),
        memory_ids=tuple(each.memory_id for each in items),
        newest=max(times, default=None),
        behind=behind,
    )


def asked_of(database: Database, scope: Scope) -> list[Standing]:
    """The questions that stand for a user."""
    with database.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as session:
        return standing(session)


def file(database: Database, scope: Scope, question: str) -> Standing:
    """Have a question stand for a user, so that `reflect` answers it whenever something has happened.

    Secrets are taken out of it first, as of all that comes in.

    Raises:
        InvalidInput: it is blank or too long, or too many stand.
    """
    with _writing(database, scope, Role.WORKER) as session:
        return ask(session, as_it_stands(question))


def as_it_stands(question: str) -> str:
    """A question as it is kept: without secrets, and with one space between words."""
    return scrub(" ".join(normalise(question)[0].split())).text


def remove(database: Database, scope: Scope, number: int) -> Standing:
    """Have a question stand no more; its words are gone for good.

    Raises:
        NotFound: none of that number stands.
    """
    with _writing(database, scope, Role.ERASER) as session:
        return take_back(session, number)


@contextmanager
def _writing(database: Database, scope: Scope, role: Role) -> Iterator[Session]:
    with database.transaction(role, scope.tenant_id, [scope.owner]) as session:
        yield session
