"""Which old episodes leave the hot tier, and what stands for them there. Pure.

A session leaves as a whole, once each of its episodes that can be stood for is: behind a summary that cites all that
it rests on, of the same speaker, agent and trust, and delicate in the same way. Where there is none, one is proposed
first, of words that were said, and the session leaves when that can be found. What is alone of its sort in a session,
was of use lately, is held as of lasting use, or matters by an app's own word stays where it is. And what has left comes
back when nothing stands for it any more.

Nothing of an episode changes but where recall looks for it; what was said stays in the ledger, byte for byte.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.belief.rules.sensitivity import classes_of
from shared.belief.validating import refused
from shared.contract.operations import AbstractPayload, StandingPayload, WrittenEntry
from shared.contract.proposals import Proposal
from shared.contract.records import EpistemicType, EvidenceRef, Kind, MemoryVersion, Operation, Span, Tier
from shared.language.summaries import MOST_CHARS, summary_of

SUMMARISED, OLD, ALONE = "summarised", "old", "left_alone"
MOST_SOURCES: Final = 40
"""Episodes that one summary stands for: its five sentences tell of no more."""
PINNED: Final = 0.8
"""An episode that matters as much, by an app's own word (0 to 1), does not leave."""
CONFIDENCE: Final = 0.5
"""Of a summary at most: that these sentences stand for the others is a guess."""
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What is held of the sessions that are looked at."""

    episodes: Sequence[MemoryVersion]
    """Their episodes in the hot tier, those of each in order of their numbers."""
    summaries: Sequence[MemoryVersion]
    """What is held in words of its own that rests on any of what they rest on."""
    findable: Collection[UUID]
    """Those of the summaries that recall finds as well as the episodes that they stand for."""
    of_use: Collection[UUID]
    """Those of the episodes that recalls lately rested on."""


def proposals(held: Held) -> Iterator[Proposal]:
    """What should be summarised, and what should leave, session by session in the order that they are given."""
    sessions: dict[int, list[MemoryVersion]] = {}
    for each in held.episodes:
        sessions.setdefault(each.session_doc, []).append(each)
    for episodes in sessions.values():
        yield from _of_session(episodes, held)


def returns(alone: Iterable[MemoryVersion]) -> Iterator[Proposal]:
    """What should come back into the hot tier, session by session: episodes that no summary stands for any more."""
    sessions: dict[int, list[MemoryVersion]] = {}
    for each in alone:
        sessions.setdefault(each.session_doc, []).append(each)
    for episodes in sessions.values():
        first, *others = (each.memory_id for each in episodes)
        yield Proposal(
            operation=StandingPayload(
                op=Operation.PROMOTE, reason=ALONE, memory=first, others=tuple(others), tier=Tier.HOT
            ),
            read={each.memory_id: each.version for each in episodes},
        )


def _of_session(episodes: Sequence[MemoryVersion], held: Held) -> Iterator[Proposal]:
    groups = [_Group.of(group, held.summaries) for group in _sorts(episodes)]
    lacking = [each for group in groups for each in group.summaries_needed()]
    if lacking:
        yield from lacking
        return
    if all(summary.memory_id in held.findable for group in groups for summary, _ in group.behind):
        yield from (proposal for group in groups for proposal in group.leaving(held.of_use))


def _sorts(episodes: Iterable[MemoryVersion]) -> Iterator[list[MemoryVersion]]:
    """Episodes that one summary may stand for."""
    found: dict[object, list[MemoryVersion]] = {}
    for each in episodes:
        sort = (each.agent_id, each.speaker, each.trust, classes_of(each.text, holds_secret=False))
        found.setdefault(sort, []).append(each)
    return iter(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Episodes of one sort in a session: those that a summary stands for, with it, and the others."""

    behind: Sequence[tuple[MemoryVersion, Sequence[MemoryVersion]]]
    uncovered: Sequence[MemoryVersion]

    @classmethod
    def of(cls, episodes: Sequence[MemoryVersion], summaries: Iterable[MemoryVersion]) -> _Group:
        """Each episode under the first of the summaries that stands for it."""
        first = episodes[0]
        fitting = [each for each in summaries if _may_stand_for(each, first)]
        behind = []
        for summary in fitting:
            cited = _spans(summary)
            mine = [each for each in episodes if _spans(each) <= cited]
            behind += [(summary, mine)] if mine else []
            episodes = [each for each in episodes if not _spans(each) <= cited]
        return cls(behind=behind, uncovered=episodes)

    def summaries_needed(self) -> Iterator[Proposal]:
        """A summary of each part of what none stands for, if that is more than one."""
        if len(self.uncovered) < _FEWEST:
            return
        parts = -(-len(self.uncovered) // MOST_SOURCES)
        size = -(-len(self.uncovered) // parts)
        for start in range(0, len(self.uncovered), size):
            yield _summarised(self.uncovered[start : start + size])

    def leaving(self, of_use: Collection[UUID]) -> Iterator[Proposal]:
        """What leaves the hot tier, summary by summary."""
        for summary, episodes in self.behind:
            leaving = [each for each in episodes if not _stays(each, of_use)]
            if leaving:
                yield _left(summary, leaving)


def _stays(episode: MemoryVersion, of_use: Collection[UUID]) -> bool:
    matters = episode.importance is not None and episode.importance >= PINNED
    return matters or episode.kind is not Kind.EPISODIC or episode.memory_id in of_use


def _may_stand_for(summary: MemoryVersion, episode: MemoryVersion) -> bool:
    same = (summary.agent_id, summary.trust) == (episode.agent_id, episode.trust)
    is_summary = summary.kind is Kind.EPISODIC and summary.epistemic_type is not EpistemicType.EVIDENCE
    return is_summary and same and summary.is_open and summary.valid_to is None


def _left(summary: MemoryVersion, episodes: Sequence[MemoryVersion]) -> Proposal:
    first, *others = (each.memory_id for each in episodes)
    return Proposal(
        operation=StandingPayload(
            op=Operation.DEMOTE,
            reason=OLD,
            memory=first,
            others=tuple(others),
            tier=Tier.COLD,
            behind=summary.memory_id,
        ),
        read={each.memory_id: each.version for each in (*episodes, summary)},
    )


def _summarised(episodes: Sequence[MemoryVersion]) -> Proposal:
    """A summary of episodes of one sort: sentences that stand for them, or else the one of them that says the most."""
    held = {each.memory_id: each for each in episodes}
    lines = [each.text for each in episodes]
    picked = "\n".join(" ".join(lines[at.line][at.start : at.end].split()) for at in summary_of(lines))
    longest = max(lines, key=lambda line: (len(line) <= MOST_CHARS, len(line)))
    texts = [text for text in (picked, longest) if text.strip()]
    found = [_abstract(episodes, text) for text in texts]
    return next((each for each in found if refused(each, held) is None), found[-1])


def _abstract(episodes: Sequence[MemoryVersion], text: str) -> Proposal:
    times = [each.valid_from for each in episodes if each.valid_from]
    entry = WrittenEntry(
        kind=Kind.EPISODIC,
        epistemic_type=EpistemicType.INFERENCE,
        text=text,
        valid_from=min(times, default=None),
        evidence=_cited(episodes),
        confidence=min(CONFIDENCE, *(each.confidence for each in episodes)),
    )
    return Proposal(
        operation=AbstractPayload(reason=SUMMARISED, sources=tuple(each.memory_id for each in episodes), entry=entry),
        read={each.memory_id: each.version for each in episodes},
    )


def _cited(episodes: Iterable[MemoryVersion]) -> tuple[EvidenceRef, ...]:
    by_span: dict[Span, EvidenceRef] = {}
    for ref in (ref for each in episodes for ref in each.evidence):
        by_span.setdefault(ref.span, ref)
    return tuple(by_span.values())


def _spans(version: MemoryVersion) -> set[Span]:
    return {ref.span for ref in version.evidence}
