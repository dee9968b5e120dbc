"""What a job would do in a stream, for people to read: what is held beside what would be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final
from uuid import UUID

from shared.contract.records import Operation

if TYPE_CHECKING:
    from coldpath._due import Due
    from coldpath.proposals import Done
    from coldpath.retain import Forgetting
    from shared.contract.operations import WrittenEntry
    from shared.contract.proposals import Proposable, Proposal
    from shared.contract.questions import Question
    from shared.contract.records import MemoryVersion
    from shared.contract.scope import Owner
    from shared.store.db import Database

_MOST_LISTED: Final = 1_000
"""Messages of a stream that are shown one by one; all are counted."""
_FOOTING: Final = ("kind", "epistemic_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One proposal for people to read: what is held is put beside what would be."""

    owner: str
    operation: str
    rule: str
    """Why, as the operation's reason says it."""
    gone: tuple[str, ...]
    """Texts that are held no more by themselves; of what is new, those that it is made of, which stay."""
    left: str
    """The text that stands for them."""
    confidence: tuple[float, float]
    """Before and after."""
    footing: tuple[str, str]
    """What it is held as, before and after: `semantic fact`; the second is empty where it is held no more."""
    relation: str | None = None
    """Of a link: what `left` is to `tied`."""
    tied: tuple[str, ...] = ()
    """What stays as it is: the other end of a link, or what a new text was made from."""
    recalls: int = 0
    """How many logged recalls showed what goes: they would have come out otherwise."""
    refused: str | None = None
    """Why it is not done."""
    session_id: str | None = None
    """The session of what is summarised, or leaves the hot tier."""
    messages: int = 0
    """How many that is; 0 of any other change."""
    tokens: tuple[int, int] | None = None
    """What they come to, and what the summary does that stands for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """What a job would do in one stream."""

    done: Done
    forgotten: int
    """Messages that would be forgotten."""
    kept: int
    """Messages that were due to be, and that a rule keeps."""
    unlisted: int
    """How many of both are not among the changes: there are too many for anybody to read."""
    changes: Sequence[Change]
    recalls: int
    newest: Sequence[UUID]


def rehearsed(database: Database, tenant_id: str, done: Done, takes: Forgetting | None) -> Rehearsed:
    """What was judged of a job, with all that it would forget, and how many logged recalls showed what goes."""
    from shared.store import recalls
    from shared.store.db import Role

    with database.transaction(Role.READER, tenant_id, [done.owner], read_only=True) as widened:
        session = replace(widened, owners=(done.owner,))
        going = _Going()
        for each in takes.all_due(session) if takes else ():
            going.take(each)
        done = replace(done, accepted=tuple(each for each in done.accepted if not _goes(each, going.memories)))
        closing = {each.operation.memory for each in done.accepted if each.operation.op is Operation.EXPIRE}
        held_no_more = closing | going.memories
        listed = closing | {memory.memory_id for each in going.listed for memory in each.goes}
        shown = recalls.showing(session, listed) if listed else {}
        count, newest = recalls.showing_any(session, held_no_more) if held_no_more else (0, [])
    changes = [*(_forgets(done.owner, each, shown) for each in going.listed), *_changes(done, shown)]
    return Rehearsed(
        done=done,
        forgotten=going.forgotten,
        kept=going.kept,
        unlisted=going.forgotten + going.kept - len(going.listed),
        changes=changes,
        recalls=count,
        newest=newest,
    )


@dataclass(slots=True)
class _Going:
    """What would be forgotten of a stream, and what of it is listed."""

    forgotten: int = 0
    kept: int = 0
    memories: set[UUID] = field(default_factory=set)
    listed: list[Due] = field(default_factory=list)

    def take(self, due: Due) -> None:
        """Count one in."""
        if due.kept_by is None:
            self.forgotten += 1
            self.memories |= {memory.memory_id for memory in due.goes}
        else:
            self.kept += 1
        if len(self.listed) < _MOST_LISTED:
            self.listed.append(due)


def _goes(proposal: Proposal, going: Collection[UUID]) -> bool:
    """Whether what would be held no longer is forgotten before."""
    operation = proposal.operation
    return operation.op is Operation.EXPIRE and operation.memory in going


def _forgets(owner: Owner, due: Due, shown: Mapping[UUID, int]) -> Change:
    first = due.goes[0] if due.goes else None
    return Change(
        owner=owner,
        operation=Operation.FORGET.value,
        rule=due.rule,
        gone=tuple(each.text for each in due.goes if each.text != due.text),
        left=due.text,
        confidence=(first.confidence, 0.0) if first else (0.0, 0.0),
        footing=(f"{first.kind} {first.epistemic_type}" if first else "no memory", ""),
        recalls=max((shown.get(each.memory_id, 0) for each in due.goes), default=0),
        refused=due.kept_by and f"kept by {due.kept_by}",
    )


def _changes(done: Done, shown: Mapping[UUID, int]) -> list[Change]:
    refusals = {id(proposal): reason.value for proposal, reason in done.refused}
    proposals = [*done.accepted, *(proposal for proposal, _ in done.refused)]
    return [*(_change(done, each, refusals.get(id(each)), shown) for each in proposals), *_asked(done)]


def _change(done: Done, proposal: Proposal, refused: str | None, shown: Mapping[UUID, int]) -> Change:
    operation = proposal.operation
    summary = _summary(done, operation)
    if summary is not None:
        return _summarised(done, proposal, summary, refused)
    entry: WrittenEntry | None = getattr(operation, "entry", None)
    kept, others = _read(done, proposal)
    after = getattr(entry or operation, "confidence", None)
    before = kept.confidence if kept else 0.0
    relation = getattr(operation, "relation", None)
    texts = tuple(each.text for each in others)
    return Change(
        owner=done.owner,
        operation=operation.op.value,
        rule=operation.reason,
        gone=() if relation else texts,
        relation=relation,
        tied=texts if relation else (),
        left=entry.text if entry else kept.text if kept else "",
        confidence=(before, before if after is None else after),
        footing=_footing(operation, kept),
        recalls=shown.get(kept.memory_id, 0) if kept and operation.op is Operation.EXPIRE else 0,
        refused=refused,
    )


def _read(done: Done, proposal: Proposal) -> tuple[MemoryVersion | None, Sequence[MemoryVersion]]:
    """The memory that stays or changes, and the others; of what is new, its least certain source and all of them."""
    from shared.contract.proposals import named

    held = [done.held[memory] for memory in named(proposal.operation) if memory in done.held]
    if hasattr(proposal.operation, "entry"):
        return min(held, key=lambda each: each.confidence, default=None), held
    return held[0] if held else None, held[1:]


def _footing(operation: Proposable, kept: MemoryVersion | None) -> tuple[str, str]:
    entry: WrittenEntry | None = getattr(operation, "entry", None)
    if entry is not None:
        return "", f"{entry.kind} {entry.epistemic_type}"
    if kept is None:
        return "", ""
    kind, epistemic_type = (getattr(operation, name, None) or getattr(kept, name) for name in _FOOTING)
    closes = operation.op is Operation.EXPIRE
    return f"{kept.kind} {kept.epistemic_type}", "" if closes else f"{kind} {epistemic_type}"


def _asked(done: Done) -> list[Change]:
    """Questions, as changes that are none."""
    return [_asking(done, question) for question in done.questions]


def _asking(done: Done, question: Question) -> Change:
    first, *others = (done.held[memory] for memory in question.memories)
    return Change(
        owner=done.owner,
        operation="ask",
        rule=question.why,
        gone=tuple(each.text for each in others),
        left=first.text,
        confidence=(first.confidence, first.confidence),
        footing=(f"{first.kind} {first.epistemic_type}",) * 2,
    )


def _summary(done: Done, operation: Proposable) -> str | None:
    """The text of the summary that is made of old episodes, or that they leave the hot tier behind."""
    from shared.belief.compressing import SUMMARISED
    from shared.contract.operations import AbstractPayload, StandingPayload

    if isinstance(operation, AbstractPayload) and operation.reason == SUMMARISED:
        return operation.entry.text
    behind = operation.behind if isinstance(operation, StandingPayload) else None
    return done.held[behind].text if behind in done.held else None  # type: ignore[index]


def _summarised(done: Done, proposal: Proposal, summary: str, refused: str | None) -> Change:
    """What a summary stands for, or would: how much it is, and not all of its words."""
    from shared.contract.proposals import named
    from shared.language.tokens import DEFAULT_COUNTER

    sources = [done.held[memory] for memory in named(proposal.operation) if memory in done.held]
    certain = min((each.confidence for each in sources), default=0.0)
    return Change(
        owner=done.owner,
        operation=proposal.operation.op.value,
        rule=proposal.operation.reason,
        gone=(),
        left=summary,
        confidence=(certain, certain),
        footing=("episodic evidence", "episodic evidence"),
        refused=refused,
        session_id=next((each.session_id for each in sources), None),
        messages=len(sources),
        tokens=(sum(DEFAULT_COUNTER.count(each.text) for each in sources), DEFAULT_COUNTER.count(summary)),
    )
