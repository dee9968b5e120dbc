"""What was said again and again, and what is made of it."""

from __future__ import annotations

from typing import Any

import pytest

from shared.belief.fold import open_memories
from shared.belief.often import said_often
from shared.belief.validating import refused
from shared.contract.operations import AbstractPayload
from shared.contract.records import EpistemicType, Kind, MemoryVersion
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief

SHORT = "Please keep your answers short and without lists."
WALK = "I walked along the canal before work."


class Stream:
    """A stream in which people say things, each in a session of its own unless it is named."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self._sessions = 0

    def say(self, text: str, *days: int, session: str | None = None, **fields: Any) -> list[int]:
        heard = []
        for day in days:
            self._sessions += 1
            named = session or f"session-{self._sessions}"
            heard.append(self.ledger.hear(text, day=day, session=named, **fields))
            self.ledger.open_episodes(heard[-1])
        return heard

    @property
    def memories(self) -> list[MemoryVersion]:
        return open_memories(self.ledger.state)

    def found(self) -> list[AbstractPayload]:
        episodes = [each for each in self.memories if each.epistemic_type is EpistemicType.EVIDENCE]
        beliefs = [each for each in self.memories if each.epistemic_type is not EpistemicType.EVIDENCE]
        proposed = list(said_often(episodes, beliefs))
        held = {each.memory_id: each for each in self.memories}
        assert [refused(each, held) for each in proposed] == [None] * len(proposed)
        return [each.operation for each in proposed if isinstance(each.operation, AbstractPayload)]

    def do(self) -> None:
        for each in self.found():
            self.ledger.do(each)


def test_what_was_said_in_three_sessions_on_three_days_becomes_one_memory_that_cites_every_time() -> None:
    stream = Stream()
    heard = stream.say(SHORT, 1, 5, 9)
    (found,) = stream.found()
    entry = found.entry
    assert (entry.text, entry.kind, entry.epistemic_type) == (SHORT, Kind.SEMANTIC, EpistemicType.PREFERENCE)
    assert [ref.sequence for ref in entry.evidence] == heard
    assert (entry.valid_from, entry.confidence) == (at(1), 0.7)
    stream.do()
    assert stream.found() == [], "a second pass proposes nothing"
    stream.say(SHORT, 12)
    assert stream.found() == []


def test_what_is_no_wish_is_an_inference() -> None:
    stream = Stream()
    stream.say(WALK, 1, 5, 9)
    (found,) = stream.found()
    assert found.entry.epistemic_type is EpistemicType.INFERENCE


@pytest.mark.parametrize(
    ("text", "days", "fields"),
    [
        (SHORT, (1, 5), {}),
        (SHORT, (1, 1, 1), {}),
        (SHORT, (1, 5, 9), {"session": "one"}),
        (SHORT, (1, 5, 9), {"origin": Origin.WEB}),
        (SHORT, (1, 5, 9), {"origin": Origin.TOOL}),
        ("Good morning!", (1, 5, 9), {}),
        ("When does the library open?", (1, 5, 9), {}),
        ("I have diabetes and walk along the canal.", (1, 5, 9), {}),
        (f"{WALK} " * 10, (1, 5, 9), {}),
    ],
    ids=["twice", "one day", "one session", "web", "tool", "greeting", "question", "delicate", "pasted"],
)
def test_anything_less_is_left_as_it_was_said(text: str, days: tuple[int, ...], fields: dict[str, Any]) -> None:
    stream = Stream()
    stream.say(text, *days, **fields)
    assert stream.found() == []


def test_another_number_name_or_speaker_is_another_thing() -> None:
    stream = Stream()
    for day, number in enumerate((17, 18, 19)):
        stream.say(f"I ran {number} laps around the park.", day)
    for day, speaker in enumerate(("Mira", "Tove", "Oskar")):
        stream.say(WALK, day, speaker=speaker)
    assert stream.found() == []


def test_what_a_belief_rests_on_already_is_not_said_once_more() -> None:
    stream = Stream()
    heard = stream.say(WALK, 1, 5, 9)
    stream.ledger.believe(belief(*heard[:2], text="Mira usually walks to work."))
    assert stream.found() == []
