from hypothesis import given
from hypothesis import strategies as st

from shared.belief.segments import MOST_CERTAIN
from warmpath._around import Basis

SURE = st.floats(0.0, 1.0)


@given(SURE, st.lists(SURE, max_size=20))
def test_however_many_confirm_it_it_may_still_be_wrong(first, others):
    confidence = first
    for each in others:
        confidence = Basis(evidence=(), confidence=confidence).confirmed_by(each, independent=True)
    assert first <= confidence <= max(first, MOST_CERTAIN)


@given(SURE, SURE)
def test_an_echo_makes_nothing_more_certain(first, other):
    assert Basis(evidence=(), confidence=first).confirmed_by(other, independent=False) == first
