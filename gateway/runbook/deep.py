"""A deep question, whole: lay out -> search -> compare the files -> map spans to memories -> look what still holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final
from uuid import UUID

from gateway.runbook.actions import Finish, Span
from gateway.runbook.agents import Agent, Ended, Errand
from gateway.runbook.answers import (
    Budget,
    DeepAnswer,
    DeepVerdict,
    Evidence,
    Failure,
    FoundSpan,
    Stopped,
    Used,
)
from gateway.runbook.folder import changed, written
from gateway.runbook.pages import quoted
from gateway.runbook.stale import try_to_sweep, write_note
from gateway.runbook.tree import Tree, cost, grown
from shared.contract.bundle import Source
from shared.contract.errors import InvalidQuery
from shared.contract.scope import Scope, checked_scope
from shared.language.text import normalise
from shared.store import memories, trajectories
from shared.store.db import Database, Role, Row
from shared.store.trajectories import Told

LONGEST_QUESTION_CHARS: Final = 8_000
_NEEDED: Final[Mapping[DeepVerdict, int]] = MappingProxyType(
    {DeepVerdict.UNKNOWN: 0, DeepVerdict.SUPPORTED: 1, DeepVerdict.CONFLICTING: 2}
)
"""Cited messages that a verdict rests on at least."""
_SHOWN_CHARS: Final = 120
_LEAST_READING_MS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cited:
    """A span whose lines are there."""

    span: Span
    told: Sequence[Told]


def deep(
    database: Database, scope: Scope, question: str, *, agent: Agent, budget: Budget, data_dir: Path, keep: bool = False
) -> DeepAnswer:
    """Have an agent search all that a scope may read, as files, and answer with the lines that say it.

    Takes as long as `budget` lets it, and some seconds to write the files, below `data_dir`. What is wrong with the
    agent is told in the answer. With `keep` the files stay where `folder` says. What killed processes have left of
    theirs goes first, with their agents.

    Raises:
        InvalidScope, InvalidQuery: an argument does not fit; nothing has been read.
        DatabaseUnavailable, Misconfigured: the memories cannot be read, or the files not be written.
    """
    asked = _question(question)
    try_to_sweep(data_dir)
    tree = _laid_out(database, checked_scope(scope), budget)
    with written(tree, data_dir, lambda root, kept: write_note(root, scope, kept=kept), keep=keep) as folder:
        if tree.places:
            ended = agent(Errand(question=asked, folder=folder, tree=tree, budget=budget))
        else:
            ended = Ended(used=Used(), finish=Finish(verdict=DeepVerdict.UNKNOWN), reason="there is nothing to search")
        touched = changed(folder, tree)
    if touched is not None:
        reason = f"the agent changed the files: {quoted(touched, _SHOWN_CHARS)} is not as it was written"
        ended = replace(ended, finish=None, failure=Failure.CHANGED_FILES, reason=reason)
    answer = _answer(database, scope, tree, ended, budget)
    return replace(answer, folder=folder.tree if keep else None)


def _question(question: object) -> str:
    if not isinstance(question, str):
        raise InvalidQuery(f"the question must be a string, not {type(question).__name__}")
    cleaned, _ = normalise(question)
    if not cleaned.strip():
        raise InvalidQuery("the question is blank; ask something")
    if len(cleaned) > LONGEST_QUESTION_CHARS:
        raise InvalidQuery(f"the question has {len(cleaned):,} characters; the limit is {LONGEST_QUESTION_CHARS:,}")
    return cleaned.strip()


def _laid_out(database: Database, scope: Scope, budget: Budget) -> Tree:
    """What the scope may read, rooms and what the tenant shares included, as recall reads it."""
    with database.transaction(
        Role.READER,
        scope.tenant_id,
        [scope.owner],
        read_only=True,
        timeout_ms=_ms(budget),
        agent_id=scope.agent_id,
    ) as session:
        in_scope = trajectories.counted(session)
        told = list(_fitting(trajectories.newest(session, most=budget.memories), budget))
    return grown(told, of=in_scope, budget=budget)


def _fitting(told: Iterable[Told], budget: Budget) -> Iterable[Told]:
    """The first of them, until they alone fill the folder."""
    left = budget.tree_bytes
    for each in told:
        left -= cost(each)
        if left < 0:
            return
        yield each


def _answer(database: Database, scope: Scope, tree: Tree, ended: Ended, budget: Budget) -> DeepAnswer:
    finish = ended.finish
    if finish is None:
        return _without(ended, tree, budget)
    cited, wrong = _resolved(tree, finish)
    if wrong is not None:
        return _without(replace(ended, failure=wrong[0], reason=wrong[1]), tree, budget)
    kept = _within(cited, budget)
    if len(kept) < len(cited):
        ended = replace(ended, stopped=Stopped.CITED)
    if len(_distinct(kept)) < _NEEDED[finish.verdict]:
        reason = f"the answer cites more than {budget.cited} messages at once; cite the lines that say it"
        return _without(replace(ended, reason=reason), tree, budget)
    sources, gone = _held(database, scope, tree, kept, budget)
    if gone:
        reason = f"{gone} of the messages were forgotten while they were searched; ask again"
        return _without(replace(ended, failure=Failure.FORGOTTEN, reason=reason), tree, budget)
    spans = tuple(_found(each, sources) for each in kept)
    answer = _without(replace(ended, reason=ended.reason or _reason(finish.verdict, kept)), tree, budget)
    return replace(answer, verdict=finish.verdict, answer=finish.answer, spans=spans)


def _without(ended: Ended, tree: Tree, budget: Budget) -> DeepAnswer:
    """An answer of an agent that gave none that holds: nothing that it said is handed on."""
    return DeepAnswer(
        verdict=DeepVerdict.UNKNOWN,
        reason=ended.reason,
        answer=None,
        spans=(),
        stopped=ended.stopped,
        failure=ended.failure,
        used=ended.used,
        budget=budget,
        left_out=tree.left_out,
        folder=None,
    )


def _resolved(tree: Tree, finish: Finish) -> tuple[list[_Cited], tuple[Failure, str] | None]:
    """The spans with the memories on them, and what is wrong with them, if anything is."""
    cited = []
    for span in dict.fromkeys(finish.spans):
        told = tree.on(span.file, span.start_line, span.end_line)
        if not told:
            where = f"{quoted(span.file, _SHOWN_CHARS)}, lines {span.start_line} to {span.end_line}"
            return [], (Failure.NO_SUCH_SPAN, f"the answer cites {where}: no message is there")
        cited.append(_Cited(span=span, told=told))
    needed = _NEEDED[finish.verdict]
    if len(_distinct(cited)) < needed:
        reason = f"the verdict {finish.verdict} needs at least {needed} cited messages"
        return [], (Failure.WITHOUT_EVIDENCE, reason)
    return cited, None


def _within(cited: Sequence[_Cited], budget: Budget) -> list[_Cited]:
    """The spans whose memories together are no more than an answer may hold, whole spans in order."""
    kept: list[_Cited] = []
    for each in cited:
        if len(_distinct([*kept, each])) > budget.cited:
            break
        kept.append(each)
    return kept


def _distinct(cited: Iterable[_Cited]) -> set[UUID]:
    return {told.memory_id for each in cited for told in each.told}


def _held(
    database: Database, scope: Scope, tree: Tree, cited: Sequence[_Cited], budget: Budget
) -> tuple[dict[UUID, tuple[Source, ...]], int]:
    """What the cited memories rest on, and how many of the folder's are forgotten, or no longer the scope's to read.

    Not of the cited alone: an answer in the agent's words may quote any.
    """
    in_folder = {place.told.memory_id for places in tree.places.values() for place in places}
    with database.transaction(
        Role.READER,
        scope.tenant_id,
        [scope.owner],
        read_only=True,
        timeout_ms=_ms(budget),
        agent_id=scope.agent_id,
    ) as session:
        gone = len(in_folder - trajectories.still_held(session, in_folder)) if in_folder else 0
        rows = memories.sources(session, sorted(_distinct(cited))) if cited else {}
    return {memory_id: tuple(map(_source, found)) for memory_id, found in rows.items()}, gone


def _ms(budget: Budget) -> int:
    """How long reading may take: no longer than searching, but long enough for a server that is busy."""
    return max(_LEAST_READING_MS, round(budget.timeout_s * 1000))


def _source(row: Row) -> Source:
    return Source(run_id=row["run_id"], message_id=row["message_id"], stream=row["stream"], sequence=row["sequence"])


def _found(cited: _Cited, sources: dict[UUID, tuple[Source, ...]]) -> FoundSpan:
    span = cited.span
    evidence = tuple(
        Evidence(
            memory_id=told.memory_id,
            text=told.text,
            kind=told.kind,
            epistemic_type=told.epistemic_type,
            speaker=told.speaker,
            role=told.role,
            origin=told.origin,
            trust=told.trust,
            event_time=told.at,
            ended_at=told.ended_at,
            session_id=told.session_id,
            run_id=told.run_id,
            sources=sources.get(told.memory_id, ()),
        )
        for told in cited.told
    )
    return FoundSpan(file=span.file, start_line=span.start_line, end_line=span.end_line, evidence=evidence)


def _reason(verdict: DeepVerdict, cited: Sequence[_Cited]) -> str:
    count = len(_distinct(cited))
    messages = "1 message" if count == 1 else f"{count} messages"
    return f"the agent says {verdict} of {messages} in {len(cited)} spans" if count else f"the agent says {verdict}"
