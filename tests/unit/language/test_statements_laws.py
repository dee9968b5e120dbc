from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.language.statements import statements_in
from shared.models.parsing import english_tagger

_SAID = """
    I i we my our sister wife Ana dog called Rex live lived in moved to Leeds from York not no longer never used don't
    can't eat like love hate allergic am 'm is was have had got a an the two job at Acme as nurse on Monday last week
    next month 14th May 2030 since until if because that who said thinks and but , . ? ! " ( ) - call me always answer
    French switch switched stopped quit born named years old 34 vegan diet blind
"""
_WORDS = st.sampled_from(_SAID.split())
_TALK = st.lists(_WORDS, min_size=1, max_size=25).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(
    text=st.one_of(_TALK, st.text(max_size=60)),
    said_on=st.one_of(st.none(), st.dates(date(1990, 1, 1), date(2090, 1, 1))),
)
def test_any_text_is_read_and_what_is_stated_points_into_it(text: str, said_on: date | None) -> None:
    for found in statements_in(text, tag=english_tagger(), speaker="mira", said_on=said_on):
        assert 0 <= found.start < found.end <= len(text)
        assert text[found.start : found.end].strip()
        assert found.subject.strip() and found.object.strip() and found.text.strip()  # noqa: PT018 - one law
        assert not (found.since and found.until and found.until < found.since)


@settings(max_examples=100, deadline=None)
@given(text=_TALK)
def test_a_text_states_the_same_whenever_it_is_read(text: str) -> None:
    once, again = (
        statements_in(text, tag=english_tagger(), speaker="mira", said_on=date(2031, 5, 24)) for _ in range(2)
    )
    assert once == again


@settings(max_examples=100, deadline=None)
@given(text=_TALK)
def test_what_is_asked_states_nothing(text: str) -> None:
    asked = f"do you know {text.replace('.', '').replace('!', '').replace('?', '')}?"
    assert statements_in(asked.replace("\n", " "), tag=english_tagger(), speaker="mira", said_on=None) == []
