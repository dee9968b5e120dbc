"""Passages cover a message, and what is indexed of it is bounded."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from shared.language.indexing import (
    LONGEST_WHOLE_CHARS,
    MAX_PASSAGES,
    MAX_TERMS,
    PASSAGE_CHARS,
    found_up_to,
    indexed,
    passages,
)


@given(st.text(alphabet=st.sampled_from("ab .\n漢。"), max_size=9_000))
def test_passages_cover_a_text_in_order_and_lose_only_blanks(text: str) -> None:
    spans = passages(text)
    covered = 0
    for start, end in spans:
        assert covered <= start <= end <= len(text)
        assert not text[covered:start].strip()
        assert end - start <= LONGEST_WHOLE_CHARS
        covered = end
    assert not text[covered:].strip()


def test_a_short_message_is_one_passage() -> None:
    assert passages("I keep two beehives.") == [(0, 20)]


def test_a_cut_falls_between_sentences_rather_than_words() -> None:
    sentence = "The eastern field was not sown in May and nobody knows why. "
    text = sentence * 60
    first, *_ = passages(text)
    assert text[: first[1]].endswith("why. ")
    assert first[1] > PASSAGE_CHARS // 2


def test_a_text_without_any_boundary_is_cut_by_length() -> None:
    spans = passages("x" * 10_000)
    assert [end - start for start, end in spans[:-1]] == [PASSAGE_CHARS] * (len(spans) - 1)


def test_passages_of_a_huge_message_are_bounded_and_begin_at_its_start() -> None:
    spans = passages("word " * 800_000)
    assert len(spans) == MAX_PASSAGES
    assert spans[0][0] == 0


@given(st.integers(150, 400), st.sampled_from(["word ", "x", "Nobody knows why. ", "\n\n line"]))
def test_how_far_a_message_is_found_is_where_its_passages_end(thousands: int, unit: str) -> None:
    text = (unit * (1_000 * thousands))[: 1_000 * thousands].rstrip()
    end = passages(text)[-1][1]
    assert found_up_to(text) == (end if text[end:].strip() else len(text))
    assert (found_up_to(text) < len(text)) == (len(passages(text)) == MAX_PASSAGES and end < len(text))


def test_of_a_message_of_blanks_nothing_is_missed() -> None:
    assert found_up_to("lamp" + " " * 1_000_000) == 1_000_004
    assert found_up_to(" " * 1_000_000) == 1_000_000


def test_a_date_is_indexed_as_people_ask_for_it() -> None:
    at = datetime(2018, 3, 4, 18, 20, tzinfo=UTC)
    found = indexed(doc=3, session=1, text="We bought Marigold.", speaker="tove", at=at)
    assert {"tove", "march", "2018", "marigold"} <= set(found.counts)
    assert found.length == sum(found.counts.values())


def test_a_chat_formats_word_for_everybody_is_no_name() -> None:
    found = indexed(doc=1, session=1, text="beehives", speaker="user", at=None)
    assert set(found.counts) == {"beehiv"}


def test_terms_of_one_memory_are_bounded() -> None:
    found = indexed(doc=1, session=1, text=" ".join(f"w{n}" for n in range(9_000)), speaker=None, at=None)
    assert found.length == MAX_TERMS
    assert "w0" in found.counts
