"""What scopes are filled with in bulk."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bench import loading
from bench.synthetic import SESSION_TURNS, Writer
from shared.contract.operations import AddPayload
from tests.unit.belief.ledgers import Ledger

CENTRES = np.eye(4, 32, dtype=np.float32)


def heard(count: int, first: int = 0):
    """Messages as they stand in a ledger."""
    ledger, texts = Ledger(), Writer(1).sentences(count)
    for new in loading.messages(texts, first=first):
        ledger.hear(new.payload["text"], session=new.session_id)
    return ledger.events


def test_of_ten_memories_six_are_episodes_two_are_beliefs_and_two_are_claims() -> None:
    operations = loading.operations(heard(60), Writer(2).sentences(20), first=0)
    entries = [entry for each in operations for entry in each.entries]
    assert all(isinstance(each, AddPayload) for each in operations)
    forms = Counter("episode" if each.form == "verbatim" else "claim" if each.claim else "belief" for each in entries)
    assert forms == {"episode": 60, "belief": 20, "claim": 20}


def test_one_belief_in_five_says_what_the_one_before_it_says() -> None:
    texts = Writer(2).sentences(11)
    operations = loading.operations(heard(33), texts, first=0)
    beliefs = [each.entries[0].text for each in operations[1:] if each.entries[0].claim is None]
    twins = [place for place in range(1, 11) if beliefs[place].rstrip(".!") == beliefs[place - 1].rstrip(".!")]
    assert twins == [5, 10]
    assert len(set(beliefs)) == 11


def test_claims_are_spread_over_people() -> None:
    operations = loading.operations(heard(60), Writer(2).sentences(20), first=0)
    said_of = Counter(each.entries[0].claim.subject for each in operations[1:] if each.entries[0].claim)
    assert set(said_of.values()) <= {loading.CLAIMS_OF_ONE, 20 % loading.CLAIMS_OF_ONE}


def test_more_beliefs_than_there_is_evidence_for_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        loading.operations(heard(1), Writer(2).sentences(2), first=0)


def test_messages_of_a_portion_are_in_sessions_of_their_own() -> None:
    sessions = [
        {each.session_id for each in loading.messages(["Said."] * SESSION_TURNS * 2, first=first)} for first in (0, 100)
    ]
    assert [len(each) for each in sessions] == [2, 2]
    assert sessions[0].isdisjoint(sessions[1])


def test_what_says_the_same_has_one_vector_and_nothing_else_has() -> None:
    one, same, other = loading.vectors_of(["Mira rows.", "Mira rows!", "Mira swims."], CENTRES)
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-6)
    assert one.dtype == np.float32
    assert one @ same == pytest.approx(1, abs=1e-6)
    assert one @ other < 0.97
