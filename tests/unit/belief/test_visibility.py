from __future__ import annotations

from uuid import UUID

import pytest

from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.visibility import Standing, conflicts, current, past, standing
from shared.contract.candidates import Change
from shared.contract.operations import ClosePayload
from shared.contract.records import EpistemicType, EvidenceRef, MemoryVersion, Operation
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief
from tests.unit.belief.statements import Stream, Word


@pytest.fixture
def stream() -> Stream:
    return Stream()


def tell(stream: Stream, *words: Word) -> list[UUID]:
    """Say things, each an episode too; the ids of the episodes."""
    episodes = []
    for word in words:
        stated = stream.hear(word)
        episodes += stream.ledger.open_episodes(stated.candidate.evidence[0].sequence)
        stream.resolve([stated.claim.key])
    return episodes


def objects(versions: tuple[MemoryVersion, ...]) -> list[str]:
    return [version.claim.object for version in versions if version.claim]


def episodes_of(stream: Stream) -> list[MemoryVersion]:
    return [version for version in stream.versions() if version.epistemic_type is EpistemicType.EVIDENCE]


def past_at(stream: Stream, when: int) -> dict[UUID, list[str]]:
    found = past(episodes_of(stream), stream.versions(), at=at(when))
    return {episode: objects(instead) for episode, instead in found.items()}


VARNA = Word(number=1, object="Varna", day=0)
PORTO = Word(number=2, object="Porto", day=5)


# Beliefs.


def test_what_is_true_at_a_time_is_current_then(stream: Stream) -> None:
    tell(stream, VARNA, PORTO)
    found = {when: objects(current(stream.versions(), at=at(when))) for when in (-1, 0, 4, 5, 9)}
    assert found == {-1: [], 0: ["Varna"], 4: ["Varna"], 5: ["Porto"], 9: ["Porto"]}


def test_how_a_belief_stands_to_a_time(stream: Stream) -> None:
    tell(stream, Word(number=1, object="Varna", day=2, until=4))
    [version] = stream.held("mira\x1flives_in")
    stands = [standing(version, at(when)) for when in (1, 2, 4)]
    assert stands == [Standing.TO_COME, Standing.TRUE, Standing.ENDED]


def test_what_has_no_beginning_is_true_at_any_time_before_its_end(stream: Stream) -> None:
    tell(stream, Word(number=1, object="Varna", day=None), PORTO)
    assert objects(current(stream.versions(), at=at(-999))) == ["Varna"]


def test_what_was_retracted_is_never_true_but_was_known(stream: Stream) -> None:
    tell(stream, VARNA)
    known = stream.ledger.events[-1].recorded_at
    tell(stream, Word(number=2, object="Varna", day=6, change=Change.NEVER))
    assert [objects(current(stream.versions(), at=at(when))) for when in (0, 3, 9)] == [[], [], []]
    assert objects(current(stream.versions(), at=at(3), known_at=known)) == ["Varna"]


def test_what_was_known_then_ends_as_was_known_then(stream: Stream) -> None:
    tell(stream, VARNA)
    known = stream.ledger.events[-1].recorded_at
    tell(stream, PORTO)
    assert objects(current(stream.versions(), at=at(9), known_at=known)) == ["Varna"]
    assert objects(current(stream.versions(), at=at(9), known_at=at(-1))) == []


@pytest.mark.parametrize("how", [Operation.EXPIRE, Operation.QUARANTINE])
def test_what_policy_closed_is_not_current(stream: Stream, how: Operation) -> None:
    tell(stream, VARNA)
    memory = stream.held("mira\x1flives_in")[0].memory_id
    stream.ledger.do(ClosePayload.model_validate({"op": how, "reason": "policy", "memory": memory}))
    assert current(stream.versions(), at=at(1)) == ()


def test_episodes_are_not_beliefs_and_what_has_no_key_is_current_as_it_is(stream: Stream) -> None:
    tell(stream, VARNA)
    stream.ledger.believe(belief(1, text="Mira likes the sea", valid_from=at(0)))
    found = current(stream.versions(), at=at(1))
    assert [version.text for version in found] == ["Mira lives_in Varna, as said in 1", "Mira likes the sea"]


# What a tenant holds for all.


def test_what_the_tenant_holds_hides_what_its_user_said_of_the_same_and_closes_nothing(stream: Stream) -> None:
    tenant = Stream(ledger=Ledger(stream="tenant"))
    tell(tenant, Word(number=1, subject="office", predicate="timezone", object="Lisbon", day=3, until=7))
    tell(stream, Word(number=2, subject="office", predicate="timezone", object="Sofia"), VARNA)
    found = {}
    for when in (1, 4, 8):
        above = current(tenant.versions(), at=at(when))
        found[when] = objects(current(stream.versions(), at=at(when), before=above))
    assert found == {1: ["Sofia", "Varna"], 4: ["Varna"], 8: ["Sofia", "Varna"]}


# Contradictions.


def test_what_is_current_together_and_contradicts_itself_is_told_by_its_key(stream: Stream) -> None:
    tell(stream, Word(number=1, object="Varna", day=None), Word(number=2, object="Porto", day=None))
    tell(stream, Word(number=3, predicate="speaks", object="Czech"), Word(number=4, predicate="speaks", object="Greek"))
    found = conflicts(current(stream.versions(), at=at(1)))
    assert {key: objects(each) for key, each in found.items()} == {"mira\x1flives_in": ["Varna", "Porto"]}


def test_a_less_trusted_word_for_the_same_is_no_contradiction_and_for_another_thing_is_one(stream: Stream) -> None:
    tell(stream, VARNA, Word(number=2, object="Varna", day=2, origin=Origin.WEB))
    assert conflicts(current(stream.versions(), at=at(9))) == {}
    tell(stream, Word(number=3, object="Oslo", day=3, origin=Origin.WEB))
    assert list(conflicts(current(stream.versions(), at=at(9)))) == ["mira\x1flives_in"]


# Episodes.


def test_an_episode_whose_claim_has_ended_is_of_the_past_beside_what_took_its_place(stream: Stream) -> None:
    varna, _ = tell(stream, VARNA, PORTO)
    assert past_at(stream, 9) == {varna: ["Porto"]}


def test_as_of_a_time_when_its_claim_was_true_an_episode_is_as_any_other(stream: Stream) -> None:
    tell(stream, VARNA, PORTO)
    assert past_at(stream, 3) == {}


def test_an_episode_whose_claim_never_was_so_is_of_the_past_at_any_time(stream: Stream) -> None:
    varna, _, _ = tell(stream, VARNA, PORTO, Word(number=3, object="Varna", day=7, change=Change.NEVER))
    assert past_at(stream, 9) == {varna: ["Porto"]}
    assert past_at(stream, 3) == {varna: []}


def test_what_ended_without_a_successor_is_of_the_past_beside_nothing(stream: Stream) -> None:
    varna, _ = tell(stream, VARNA, Word(number=2, object="Varna", day=5, change=Change.ENDED))
    assert past_at(stream, 9) == {varna: []}


def test_an_episode_from_which_nothing_was_claimed_stays(stream: Stream) -> None:
    [rain] = stream.ledger.open_episodes(stream.ledger.hear("It rained on the beehives."))
    tell(stream, VARNA, PORTO)
    assert rain not in past_at(stream, 9)


def test_an_episode_that_supports_anything_still_true_stays(stream: Stream) -> None:
    both = stream.hear(VARNA)
    sequence = both.candidate.evidence[0].sequence
    stream.ledger.open_episodes(sequence)
    stream.resolve([both.claim.key])
    keeps = claim_of("Mira", "pet", "bees", BUILT_IN)
    stream.ledger.believe(belief(sequence, text="Mira keeps bees", claim=keeps, valid_from=at(0)))
    tell(stream, PORTO)
    assert past_at(stream, 9) == {}


def test_a_claim_that_was_merged_or_set_aside_says_nothing_of_the_world(stream: Stream) -> None:
    tell(stream, Word(number=3, object="Varna", day=4), VARNA)
    assert past_at(stream, 9) == {}
    for version in stream.latest():
        if version.claim and version.is_open:
            stream.ledger.do(ClosePayload(op=Operation.EXPIRE, reason="unused", memory=version.memory_id))
    assert past_at(stream, 9) == {}


def test_what_was_merged_ends_with_what_stands_for_it(stream: Stream) -> None:
    later, earlier, _ = tell(
        stream, Word(number=3, object="Varna", day=4), VARNA, Word(number=4, object="Porto", day=6)
    )
    assert past_at(stream, 9) == {later: ["Porto"], earlier: ["Porto"]}


def test_what_is_to_come_is_not_of_the_past(stream: Stream) -> None:
    tell(stream, Word(number=1, object="Porto", day=0, since=30))
    assert past_at(stream, 9) == {}


def test_the_passages_of_a_long_message_are_judged_each_by_its_own_claims(stream: Stream) -> None:
    sequence = stream.ledger.hear("I live in Varna. " * 3, day=0)
    first, second = (EvidenceRef(sequence=sequence, start=start, end=start + 16) for start in (0, 17))
    episodes = [stream.ledger.open_stretch(ref) for ref in (first, second)]
    stated = stream.hear(VARNA, sequence=sequence, evidence=(first,))
    stream.resolve([stated.claim.key])
    tell(stream, PORTO)
    assert list(past_at(stream, 9)) == [episodes[0]]


def test_an_episode_is_judged_by_what_was_known_then(stream: Stream) -> None:
    tell(stream, VARNA)
    known = stream.ledger.events[-1].recorded_at
    tell(stream, PORTO)
    assert past(episodes_of(stream), stream.versions(), at=at(9), known_at=known) == {}
