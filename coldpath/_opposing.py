"""What supersede asks its model: which of two that are near to each other cannot both be so; and what it answered.

It is asked about what is new since it was, each new belief beside a handful of others that words and vectors find near.
A pair is shown once in the versions that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import combinations, islice
from typing import Final
from uuid import UUID

from coldpath._answered import COMPARING, answers, is_settled, seen_by
from coldpath._consulting import Matter, Preparing, Shown
from shared.belief.comparing import (
    MOST_PAIRS,
    Answer,
    Compared,
    Pair,
    comparable,
    compared,
    lines,
    may_be_shown,
    same_pair,
)
from shared.belief.contradictions import Contradictions, SaidAt
from shared.belief.neighbours import Sentence, by_words, in_turns
from shared.contract.events import Event, Json
from shared.contract.records import MemoryVersion
from shared.store import batches, ledger, memories, reviews, vectors
from shared.store.db import Session
from shared.store.reviews import ReviewState
from shared.work.queues import SUPERSEDE

_SOONEST: Final = timedelta(hours=20)
"""A nightly pass that comes earlier than the last one did still asks."""
MOST_NEW: Final = 100
"""New beliefs that one pass looks up the neighbours of, in the order they came; the next goes on behind them."""
PER_BELIEF: Final = 4
"""Neighbours that one is shown beside."""
_PER_CHANNEL: Final = 8
"""Neighbours that words find, and vectors: some may not be shown, or were."""
LOOKED: Final = "supersede/model"
"""By which is marked how far the neighbours of what is new were looked up."""

Together = frozenset[tuple[UUID, int]]
"""A pair, by the memories and versions."""


def compared_by_model(session: Session, after: int, held: Mapping[UUID, MemoryVersion], said_at: SaidAt) -> Compared:
    """What the answers come to that were stored behind a sequence, on what is held by now."""
    found = Compared()
    for answer in answers(session, COMPARING, after=after):
        each = compared(answer.entries, answer.shown(held), _pairs_of(answer.account), said_at)
        found = Compared(
            found=Contradictions(
                superseded=(*found.found.superseded, *each.found.superseded),
                questions=(*found.found.questions, *each.found.questions),
            ),
            rejected=found.rejected + each.rejected,
        )
    return found


def _has_new(session: Session, asked: Sequence[Event], _last_doc: int) -> bool:
    return bool(memories.sentences_after(session, _since(session, asked), limit=1))


def _since(session: Session, asked: Sequence[Event]) -> int:
    """Up to which event the neighbours of what is new were looked up, and shown if there were any."""
    seen = (int((each.payload or {}).get("until", 0)) for each in asked if is_settled(each))
    return max(batches.marked(session, LOOKED), *seen, 0)


def _shows(of: Preparing, session: Session, asked: Sequence[Event]) -> list[Shown]:
    """One call about the pairs of what is new, in the order it came; what there is no room for waits.

    Nothing is looked up of what still waits for its vector: what came behind the last new one that has one.
    """
    new = _ready(session, memories.sentences_after(session, _since(session, asked), limit=MOST_NEW))
    near = _near(session, new)
    docs = {*near, *(one for each in near.values() for one in each)}
    held = {each.doc: each for each in memories.numbered(session, docs)} if docs else {}
    found, until = _chosen([(each.doc, each.opened_by) for each in new], near, held, _known(session, asked))
    if not found:
        _mark(of, session, until)
        return []
    shown = list({each.doc: each for pair in found for each in pair}.values())
    place = {each.doc: number for number, each in enumerate(shown)}
    pairs = [(place[one.doc], place[other.doc]) for one, other in found]
    about = {"pairs": [list(each) for each in pairs], "until": until}
    tries = sum(each.tries for each in seen_by(asked, lambda _: None).values())
    return [Shown(memories=shown, text=lines(shown, pairs), about=about, tries=tries)]


def _ready(session: Session, new: Sequence[memories.SentenceRow]) -> list[memories.SentenceRow]:
    """Those up to the last that has its vector; of what the last event has opened, all or none where some may lack."""
    embedded = vectors.having(session, [each.doc for each in new]) if new else set()
    until = max((each.opened_by for each in new if each.doc in embedded), default=0)
    found = [each for each in new if each.opened_by <= until]
    whole = [each for each in found if each.opened_by < until]
    return whole if whole and len(found) == MOST_NEW else found


def _mark(of: Preparing, session: Session, until: int) -> None:
    """Note that what is new up to an event has nothing that it could be held against."""
    if until:
        of.fence(session)
        ledger.lock(session, of.owner)
        batches.mark(session, LOOKED, until)


def _near(session: Session, new: Sequence[memories.SentenceRow]) -> dict[int, list[int]]:
    """What is near to each new belief, by number: by words and by vectors, in turns."""
    if not new:
        return {}
    sentences = [Sentence(*each) for each in new]
    by_word = by_words(sentences, (Sentence(*each) for each in memories.sentences(session)), most=_PER_CHANNEL)
    by_vector = vectors.beside(session, [each.doc for each in new], limit=_PER_CHANNEL)
    return {doc: in_turns(by_vector.get(doc, ()), words) for doc, words in by_word.items()}


def _known(session: Session, asked: Sequence[Event]) -> Callable[[Together], bool]:
    """Whether a model was shown a pair, or a person asked about it, in the versions that it has.

    In whatever versions, where they have not answered yet, or said that all is true.
    """
    shown: set[Together] = set()
    about: set[frozenset[UUID]] = set()
    for event in filter(is_settled, asked):
        account = event.payload or {}
        told = [(UUID(memory), version) for memory, version in account.get("shown", ())]
        shown |= {frozenset((told[one], told[other])) for one, other in _pairs_of(account)}
    for each in reviews.questions(session):
        if each.question:
            pairs = [*combinations(zip(each.question.memories, each.question.versions, strict=True), 2)]
            shown |= {frozenset(pair) for pair in pairs}
            if each.state in {ReviewState.OPEN, ReviewState.REJECTED}:
                about |= {frozenset(memory for memory, _ in pair) for pair in pairs}
    return lambda pair: pair in shown or frozenset(memory for memory, _ in pair) in about


def _chosen(
    new: Sequence[tuple[int, int]],
    near: Mapping[int, Sequence[int]],
    held: Mapping[int, MemoryVersion],
    is_known: Callable[[Together], bool],
) -> tuple[list[tuple[MemoryVersion, MemoryVersion]], int]:
    """The pairs to show, the earlier in the stream first, and up to which event that is all there are.

    `new` are numbers, each with the event that opened it.
    """
    found: dict[Together, tuple[MemoryVersion, MemoryVersion]] = {}
    until = 0
    for place, (doc, opened_by) in enumerate(new):
        unknown = (each for each in _beside(doc, near, held) if not is_known(each[0]) and each[0] not in found)
        more = dict(islice(unknown, PER_BELIEF))
        if found and len(found) + len(more) > MOST_PAIRS:
            return list(found.values()), min(until, opened_by - 1)
        found |= more
        is_last_of_event = place + 1 == len(new) or new[place + 1][1] > opened_by
        until = opened_by if is_last_of_event else until
    return list(found.values()), until


def _beside(
    doc: int, near: Mapping[int, Sequence[int]], held: Mapping[int, MemoryVersion]
) -> Iterator[tuple[Together, tuple[MemoryVersion, MemoryVersion]]]:
    """One new belief with each of those near to it that may be shown beside it, the nearest first."""
    one = held.get(doc)
    if one is None or not may_be_shown(one):
        return
    for other in (held[number] for number in near.get(doc, ()) if number in held):
        if may_be_shown(other) and comparable(one, other):
            yield same_pair(one, other), (one, other) if one.doc < other.doc else (other, one)


def _pairs_of(account: Json) -> list[Pair]:
    return [(one, other) for one, other in account.get("pairs", ())]


MATTER: Final = Matter(
    job=SUPERSEDE,
    kinds=COMPARING,
    schema=Answer,
    is_wanted=lambda settings: settings.supersede_by_model,
    may_have_more=_has_new,
    shows=_shows,
    soonest=_SOONEST,
)
