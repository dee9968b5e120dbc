"""What a later belief puts into the past without a key: by times and words, or asked about."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.contradictions import Contradictions
from shared.belief.fold import open_memories
from shared.belief.outdated import contrary, ends_at, outdated, outdates, unsettled
from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.validating import refused
from shared.contract.operations import CorroboratePayload, SupersedePayload
from shared.contract.proposals import Refusal
from shared.contract.records import EpistemicType, EvidenceRef, Kind, MemoryVersion
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief

CODE, NOW = "The gate code is 4417.", "The gate code is now 4471."


class Stream:
    """A stream that beliefs are put into."""

    def __init__(self) -> None:
        self.ledger = Ledger()

    def hold(self, text: str, day: int | None, **fields: Any) -> MemoryVersion:
        heard = {name: fields.pop(name) for name in ("origin", "speaker", "importance") if name in fields}
        said = self.ledger.hear(text, day=day, **heard)
        claim = fields.pop("claim", None)
        keyed = claim_of(*claim, BUILT_IN) if claim else None
        valid_from = None if day is None else at(day)
        self.ledger.believe(belief(said, text=text, claim=keyed, valid_from=valid_from, **fields))
        return self.memories[-1]

    @property
    def memories(self) -> list[MemoryVersion]:
        return open_memories(self.ledger.state)

    @property
    def said_at(self) -> dict[int, datetime | None]:
        return {event.sequence: event.occurred_at for event in self.ledger.events}

    def found(self) -> Contradictions:
        found = outdated(self.memories, self.said_at)
        held = {each.memory_id: each for each in self.memories}
        assert [refused(each, held) for each in found.superseded] == [None] * len(found.superseded)
        return found


def pair(earlier: str, later: str, **fields: Any) -> tuple[Stream, MemoryVersion, MemoryVersion]:
    stream = Stream()
    return stream, stream.hold(earlier, 1), stream.hold(later, 2, **fields)


@pytest.mark.parametrize(
    ("earlier", "later", "why"),
    [
        (CODE, NOW, "numbers"),
        (CODE, "From now on the gate code is 4471.", "numbers"),
        (CODE, "As of today, the gate code is 4471.", "numbers"),
        ("Mira eats meat.", "Mira no longer eats meat.", "negations"),
        ("The shop is open on Sundays.", "The shop is not open on Sundays any more.", "negations"),
        ("Mira works at Acme.", "Mira now works at Globex.", "claims"),
        ("Mira weighs 60 kg.", "Mira weighs 62 kg now.", "claims"),
        ("The ticket costs 20 for adults.", "The ticket costs 19.50 for adults now.", "claims"),
        ("The report is due on Monday.", "The report is due on Friday now.", "claims"),
        ("The shop is open on Sundays.", "The shop isn't open on Sundays any more.", "negations"),
        ("Tove has two boats.", "Tove has three boats now.", "numbers"),
    ],
)
def test_what_the_later_one_says_is_otherwise_now_ends_when_that_began(earlier: str, later: str, why: str) -> None:
    stream, first, second = pair(earlier, later)
    (proposal,) = stream.found().superseded
    operation = proposal.operation
    assert isinstance(operation, SupersedePayload)
    assert (operation.memory, operation.by, operation.valid_to) == (first.memory_id, second.memory_id, at(2))
    how = contrary(first, second)
    assert how is not None
    assert how.why == why
    assert stream.found().questions == ()


@pytest.mark.parametrize(
    ("earlier", "later", "named"),
    [
        ("Mira works at Acme.", "Mira's employer is Globex.", True),
        ("Mira works at Acme.", "Mira's employer was Globex.", False),
        ("Mira lives in Leeds.", "Mira now lives in York.", True),
        ("Mira lives in Graz.", "Mira lives in Austria now.", True),
        ("Mira works at Acme.", "Mira works at Globex in Graz now.", True),
        ("Mira works as a nurse.", "Mira now works as a teacher.", True),
        ("The ticket costs 20.", "The ticket costs 10 for children now.", True),
        ("Mira eats meat.", "Mira hardly eats meat now.", True),
        ("The keys are in the box.", "The keys are not on the box now.", True),
        ("The concert is on Monday.", "The concert is now on Friday.", True),
        ("Mira's boat is Ada.", "Mira's boat is now Bea.", True),
    ],
)
def test_what_only_a_reader_could_decide_is_asked_about(
    earlier: str,
    later: str,
    named: bool,  # noqa: FBT001 - by its parameter
) -> None:
    stream, first, second = pair(earlier, later)
    found = stream.found()
    assert (found.superseded, [each.memories for each in found.questions]) == (
        (),
        [(first.memory_id, second.memory_id)],
    )
    assert outdates(first, second) is named


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Mira likes tea.", "Mira now likes coffee."),
        ("Mira's friend is Tove.", "Mira's friend is now Ines."),
        ("Mira was in Leeds.", "Mira was now in York."),
        (CODE, "The front gate code is now 4471."),
        (CODE, "The gate code is 4417 now."),
        ("Mira lives in Oslo.", "Mira lives in Oslo, Norway."),
        ("Tove's gate code is 4417.", "Ines's gate code is now 4471."),
        ("The ticket costs 20 for adults.", "The ticket costs 10 for children now."),
        ("Mira lives in Graz.", "Mira lives in a big house in Graz now."),
        ("Mira lives in Graz.", "Mira lives in peace now."),
        ("Mira lives in Graz.", "Mira lives in fear of the dog now."),
        ("Mira works at Acme.", "Mira works at home now."),
        ("Mira works at Acme.", "Mira works at night now."),
        ("Mira works at Acme.", "Mira works at the Acme office in Graz now."),
        ("Mira works for Acme.", "Mira works for two hours a day now."),
        ("Mira works at Acme on Mondays.", "Mira works at Globex on Fridays now."),
        ("Mira weighs 60 kg.", "Mira weighs 60 kilos now."),
        ("Oskar lives in Bergen.", "Oskar lives in a boat in Bergen now."),
        ("Oskar studies at Leeds.", "Oskar studies at weekends now."),
        ("Oskar earns 400 for washing.", "Oskar earns 300 for cooking now."),
        ("Mira has met 3 bears.", "Every now and then Mira has met 4 bears."),
    ],
)
def test_what_may_both_be_so_is_left_alone(earlier: str, later: str) -> None:
    stream, first, second = pair(earlier, later)
    assert stream.found() == Contradictions()
    assert not outdates(first, second)


def test_what_opposed_sees_by_itself_is_left_to_it() -> None:
    stream, _, _ = pair(CODE, "The gate code is 4471.")
    assert stream.found() == Contradictions()


@pytest.mark.parametrize("day", [None, 2, 3])
def test_an_unknown_time_or_one_that_is_not_before_ends_nothing(day: int | None) -> None:
    stream = Stream()
    stream.hold(CODE, day)
    stream.hold(NOW, 2)
    assert stream.found().superseded == ()


def test_what_came_late_ends_as_if_it_had_come_in_order() -> None:
    stream = Stream()
    later, earlier = stream.hold(NOW, 2), stream.hold(CODE, 1)
    (proposal,) = stream.found().superseded
    assert list(proposal.read) == [earlier.memory_id, later.memory_id]


def test_what_was_said_again_since_is_asked_about() -> None:
    stream = Stream()
    first = stream.hold(CODE, 1)
    stream.hold(NOW, 2)
    again = stream.ledger.hear(CODE, day=3)
    stream.ledger.do(
        CorroboratePayload(reason="said_again", memory=first.memory_id, evidence=(EvidenceRef(sequence=again),))
    )
    found = stream.found()
    assert (found.superseded, len(found.questions)) == ((), 1)


def test_of_several_that_followed_each_other_each_ends_by_the_next() -> None:
    stream = Stream()
    texts = (CODE, NOW, "The gate code is now 4488.")
    first, second, third = (stream.hold(text, day) for day, text in enumerate(texts, 1))
    ended = [each.operation for each in stream.found().superseded]
    assert [(each.memory, each.by) for each in ended if isinstance(each, SupersedePayload)] == [
        (first.memory_id, second.memory_id),
        (second.memory_id, third.memory_id),
    ]


def test_what_another_person_says_or_says_to_another_agent_contradicts_nothing() -> None:
    stream = Stream()
    first = stream.hold(CODE, 1, speaker="Ann")
    second = stream.hold(NOW, 2, speaker="Bob")
    assert stream.found() == Contradictions()
    assert not outdates(first, second)
    elsewhere = replace(second, speaker="Ann", agent_id="scout")
    assert outdated([first, elsewhere], stream.said_at) == Contradictions()
    assert ends_at(first, elsewhere, stream.said_at) is None


@pytest.mark.parametrize(
    "fields", [{"kind": Kind.PROCEDURAL}, {"epistemic_type": EpistemicType.INFERENCE}, {"kind": Kind.EPISODIC}]
)
def test_only_what_somebody_said_is_so_is_compared(fields: dict[str, Any]) -> None:
    stream = Stream()
    stream.hold(CODE, 1)
    stream.hold(NOW, 2, **fields)
    assert stream.found() == Contradictions()


def test_what_is_trusted_less_ends_nothing() -> None:
    stream = Stream()
    stream.hold(CODE, 1)
    stream.hold(NOW, 2, origin=Origin.WEB)
    found = stream.found()
    assert (found.superseded, len(found.questions)) == ((), 1)


def test_what_has_a_claim_is_ended_by_its_key_alone() -> None:
    stream = Stream()
    stream.hold("Mira works at Acme.", 1, claim=("Mira", "works_for", "Acme"))
    stream.hold("Mira now works at Globex.", 2)
    found = stream.found()
    assert (found.superseded, len(found.questions)) == ((), 1)


def test_a_proposal_that_words_do_not_support_is_refused() -> None:
    stream, first, second = pair("Mira likes tea.", "Mira likes coffee.")
    claimed = _proposal(first, second)
    assert refused(claimed, {each.memory_id: each for each in stream.memories}) is Refusal.NOT_OPPOSED


def _proposal(first: MemoryVersion, second: MemoryVersion) -> Any:
    (proposal,) = pair(CODE, NOW)[0].found().superseded
    assert isinstance(proposal.operation, SupersedePayload)
    operation = proposal.operation.model_copy(update={"memory": first.memory_id, "by": second.memory_id})
    return replace(proposal, operation=operation, read={first.memory_id: 1, second.memory_id: 1})


@pytest.mark.parametrize(
    ("decided", "came", "pinned", "comes_to"),
    [
        (None, 1, 0.8, "ended"),
        (2, 1, 0.8, "left"),
        (2, 3, 0.8, "asked"),
        (None, 1, 0.5, "asked"),
    ],
    ids=["nobody decided", "it was known", "it came since", "important"],
)
def test_what_somebody_decided_on_or_called_important_does_not_end(
    decided: int | None, came: int, pinned: float, comes_to: str
) -> None:
    stream = Stream()
    first = stream.hold(CODE, 1, importance=0.6)
    first = replace(first, importance=0.6)
    second = stream.hold(NOW, 2)
    held = {each.memory_id: each for each in (first, second)}
    left = unsettled(
        stream.found(),
        held,
        decided={} if decided is None else {first.memory_id: at(decided)},
        recorded={ref.sequence: at(came) for ref in second.evidence},
        pinned=pinned,
    )
    assert (len(left.superseded), len(left.questions)) == {"ended": (1, 0), "left": (0, 0), "asked": (0, 1)}[comes_to]


_SAID = "Mira Tove the gate code is now not no longer 4417 4471 York Leeds works at lives in Acme any more was"
_WORDS = st.sampled_from(_SAID.split())


@given(st.lists(st.lists(_WORDS, min_size=2, max_size=8), min_size=2, max_size=6), st.data())
def test_whatever_is_said_only_the_earlier_in_the_world_ends_and_a_second_look_finds_nothing_new(
    said: list[list[str]], data: st.DataObject
) -> None:
    stream = Stream()
    for words in said:
        stream.hold(" ".join(words), data.draw(st.one_of(st.none(), st.integers(0, 4))))
    memories, times = stream.memories, stream.said_at
    by_id = {each.memory_id: each for each in memories}
    for _ in range(len(memories) + 1):
        found = outdated(memories, times)
        for each in found.superseded:
            operation = each.operation
            assert isinstance(operation, SupersedePayload)
            earlier, later = by_id[operation.memory], by_id[operation.by]
            assert earlier.valid_from is not None
            assert earlier.valid_from < operation.valid_to == later.valid_from
            assert outdates(earlier, later)
        ended = {each.operation.memory: each.operation.valid_to for each in found.superseded}  # type: ignore[union-attr]
        memories = [
            replace(each, valid_to=ended[each.memory_id]) if each.memory_id in ended else each for each in memories
        ]
    assert outdated(memories, times).superseded == ()
