"""A made-up corpus of one conversation, and a memory that answers it by heart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from bench.bundles import rendered
from bench.corpus import Conversation, Corpus, Question, Remark, Turn
from bench.systems import WHOLE, Variant
from shared.contract.bundle import Bundle, Item, Repeat, Source, Verdict
from shared.contract.turns import TurnId
from shared.language.tokens import DEFAULT_COUNTER
from shared.settings import load, using


def _turn(turn_id: str, session_id: str, speaker: str, text: str) -> Turn:
    at = datetime(2022, 4, int(session_id), tzinfo=UTC)
    return Turn(id=turn_id, session_id=session_id, speaker=speaker, at=at, text=text, role="user")


TURNS = (
    _turn("a1", "1", "Ines", "I planted tomatoes on the balcony."),
    _turn("a2", "1", "Tom", "Mine never get enough sun."),
    _turn("b1", "2", "Ines", "The kayak leaks again."),
    _turn("b2", "2", "Tom", "Take my roof rack."),
)


def _question(question_id: str, kind: str, query: str, *gold: str) -> Question:
    sessions = {turn.id: turn.session_id for turn in TURNS}
    return Question(
        id=question_id,
        conversation_id="c",
        query=query,
        kind=kind,
        answer="",
        gold_turn_ids=gold,
        gold_session_ids=tuple(dict.fromkeys(sessions[turn_id] for turn_id in gold)),
        answerable=bool(gold),
    )


@pytest.fixture
def corpus() -> Corpus:
    return Corpus(
        name="Made-up",
        conversations=(
            Conversation(id="c", turns=TURNS, participants=("Ines", "Tom")),
            Conversation(id="nobody asks", turns=(), participants=()),
        ),
        questions=(
            _question("q1", "single-hop", "Who planted tomatoes?", "a1"),
            _question("q2", "multi-hop", "What have the kayak and the roof rack in common?", "b1", "b2"),
            _question("q3", "adversarial", "When was the piano tuned?"),
        ),
        remarks=(Remark(kind="repaired", subject="q1", rule="zero-padded id"),),
    )


def item(ordinal: int, turn: Turn, *, rank: int | None, also: tuple[str, ...] = ()) -> Item:
    """A turn as an item of a bundle; `also` are turns that say the same."""
    return Item(
        ordinal=ordinal,
        memory_id=UUID(int=ordinal << 112),
        text=turn.text,
        kind="episodic",
        epistemic_type="evidence",
        speaker=turn.speaker,
        role=turn.role,
        origin="user",
        trust=3,
        event_time=turn.at,
        session_id=turn.session_id,
        sources=_sources(turn.id),
        score=1.0,
        rank=rank,
        repeats=tuple(Repeat(memory_id=UUID(int=9), event_time=turn.at, sources=_sources(turn_id)) for turn_id in also),
    )


def _sources(turn_id: str) -> tuple[Source, ...]:
    return (Source(run_id="r", message_id=turn_id, stream="s", sequence=1),)


def bundle(items: Sequence[Item] = (), verdict: Verdict = Verdict.SUPPORTED, degraded: tuple[str, ...] = ()) -> Bundle:
    """A bundle of items, rendered as its block would be."""
    text = rendered(items, UTC) if items else ""
    return Bundle(
        turn_id=TurnId(UUID(int=7)),
        items=tuple(items),
        text=text,
        tokens=DEFAULT_COUNTER.count(text),
        counter=DEFAULT_COUNTER.name,
        verdict=verdict,
        reason="",
        degraded=degraded,
        omitted=0,
        hits=(),
        watermarks=(),
        fresh_runs=0,
        timings_ms={"search": 2.0, "total": 3.0},
        plan=(),
    )


WITH_REPEAT = (item(1, TURNS[0], rank=1), item(2, TURNS[1], rank=None), item(3, TURNS[2], rank=2, also=("b2",)))
"""Gold of the first question is a hit; of the second, a hit and what repeats it."""


@dataclass(slots=True)
class HeartMemory:
    """Ranks as told by variant, as the whole of recall where nothing is told; supports what is about tomatoes."""

    rankings: dict[str, list[str]] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    asked: list[tuple[str, datetime | None]] = field(default_factory=list)
    ranked: list[str] = field(default_factory=list)

    def rank(self, _query: str, _at: datetime | None = None, variant: Variant | None = None) -> list[str]:
        name = WHOLE if variant is None else variant.name
        self.ranked.append(name)
        return self.rankings.get(name, self.rankings[WHOLE])

    def ask(self, query: str, at: datetime | None = None) -> Bundle:
        self.asked.append((query, at))
        return bundle(WITH_REPEAT, Verdict.SUPPORTED if "tomatoes" in query else Verdict.UNKNOWN, self.degraded)

    def ask_for_ten(self, _query: str, _at: datetime | None = None) -> Bundle:
        return bundle(WITH_REPEAT)

    def ask_with_twins(self, _query: str, _at: datetime | None = None) -> Bundle:
        return bundle(WITH_REPEAT[:2])


@dataclass(slots=True)
class HeartProduct:
    """Gives the same memory for every conversation it is fed."""

    memory: HeartMemory
    fed: list[str] = field(default_factory=list)

    def feed(self, conversation: Conversation, advance: Callable[[int], None]) -> HeartMemory:
        self.fed.append(conversation.id)
        advance(len(conversation.turns))
        return self.memory


@pytest.fixture(autouse=True)
def configured() -> Iterator[None]:
    with using(load()):
        yield


@pytest.fixture
def product() -> HeartProduct:
    rankings = {
        WHOLE: ["b1", "b2", "a1"],
        "recall, sparse alone": ["a2", "b1", "b2", "a1"],
        "recall, dense alone": ["a2"],
        "without sparse": ["b1"],
    }
    return HeartProduct(memory=HeartMemory(rankings=rankings))


@pytest.fixture
def two(corpus: Corpus) -> Corpus:
    """The corpus with a second conversation that is asked about."""
    other = Conversation(id="d", turns=TURNS, participants=("Ines", "Tom"))
    question = replace(corpus.questions[0], id="q4", conversation_id="d", asked_at=datetime(2022, 4, 1, tzinfo=UTC))
    return replace(corpus, conversations=(*corpus.conversations, other), questions=(*corpus.questions, question))


@pytest.fixture
def made() -> tuple[Item, ...]:
    return WITH_REPEAT


@pytest.fixture
def bundled() -> Bundle:
    return bundle(WITH_REPEAT)
