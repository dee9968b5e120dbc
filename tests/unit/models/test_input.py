from hypothesis import given
from hypothesis import strategies as st

from shared.models._input import CHARS_PER_TOKEN, batches, bounded


def test_a_short_text_is_left_alone() -> None:
    assert bounded("Ana moved to Porto", 256) == "Ana moved to Porto"


def test_four_megabytes_are_cut_before_anything_reads_them() -> None:
    assert len(bounded("x" * 4_000_000, 256)) == 256 * CHARS_PER_TOKEN


def test_a_lone_surrogate_becomes_text_a_tokeniser_accepts() -> None:
    assert bounded("a\ud800b", 256) == "a?b"


@given(
    lengths=st.lists(st.integers(min_value=2, max_value=256), max_size=80),
    most_texts=st.integers(min_value=1, max_value=40),
    most_tokens=st.integers(min_value=1, max_value=2_000),
)
def test_every_text_is_in_one_batch_and_every_batch_within_its_limits(
    lengths: list[int], most_texts: int, most_tokens: int
) -> None:
    made = list(batches(lengths, most_texts=most_texts, most_tokens=most_tokens))
    assert sorted(position for batch in made for position in batch) == list(range(len(lengths)))
    for batch in made:
        padded = len(batch) * max(lengths[position] for position in batch)
        assert 1 <= len(batch) <= most_texts
        assert padded <= most_tokens or len(batch) == 1


def test_texts_of_like_length_go_together() -> None:
    assert list(batches([9, 2, 9, 2], most_texts=2, most_tokens=512)) == [[1, 3], [0, 2]]
