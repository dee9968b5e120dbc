"""A made-up corpus of one conversation, and a memory that answers it by heart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from bench.corpus import Conversation, Corpus, Question, Remark, Turn
from hotpath._plan import CHANNELS
from shared.contract.bundle import Bundle, Verdict


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


@dataclass(slots=True)
class HeartMemory:
    """Ranks as told for the whole of recall and for each channel; supports what is about tomatoes."""

    rankings: dict[frozenset[str], list[str]] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)

    def rank(self, _query: str, channels: frozenset[str] = CHANNELS) -> list[str]:
        return self.rankings[channels]

    def ask(self, query: str) -> Bundle:
        self.asked.append(query)
        return Bundle(
            items=(),
            text="",
            tokens=len(query),
            counter="letters",
            verdict=Verdict.SUPPORTED if "tomatoes" in query else Verdict.UNKNOWN,
            reason="",
            degraded=self.degraded,
            omitted=0,
            hits=(),
            watermarks=(),
            fresh_runs=0,
            timings_ms={"search": 2.0, "total": 3.0},
            plan=(),
        )


@dataclass(slots=True)
class HeartProduct:
    """Gives the same memory for every conversation it is fed."""

    memory: HeartMemory
    fed: list[str] = field(default_factory=list)

    def feed(self, conversation: Conversation, advance: Callable[[int], None]) -> HeartMemory:
        self.fed.append(conversation.id)
        advance(len(conversation.turns))
        return self.memory


@pytest.fixture
def product() -> HeartProduct:
    rankings = {
        CHANNELS: ["b1", "b2", "a1"],
        frozenset({"sparse"}): ["a2", "b1", "b2", "a1"],
        frozenset({"dense"}): ["a2"],
    }
    return HeartProduct(memory=HeartMemory(rankings=rankings))
