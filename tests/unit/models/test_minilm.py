import threading

import numpy as np
import pytest

from shared.models._input import CHARS_PER_TOKEN
from shared.models._minilm import BATCH_TOKENS, DIMENSION, MOST_TOKENS, Ids, MiniLm, Network
from shared.models._vectors import Vectors


class FakeNetwork:
    """A token a character; its state points along the axis of its id. Padding points somewhere loud."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self.longest_text = 0

    def tokenise(self, text: str) -> list[int]:
        self.longest_text = max(self.longest_text, len(text))
        return [1, *(ord(character) % DIMENSION for character in text[: MOST_TOKENS - 2]), 2]

    def run(self, ids: Ids, mask: Ids) -> Vectors:
        self.shapes.append(ids.shape)
        states = np.eye(DIMENSION, dtype=np.float32)[ids]
        states[mask == 0] = 1e6
        return states


@pytest.fixture
def network() -> FakeNetwork:
    return FakeNetwork()


def made(network: FakeNetwork, batch: int = 32, threads: int = 2) -> MiniLm:
    return MiniLm(
        revision="0", threads=threads, batch=batch, load=lambda: Network(tokenise=network.tokenise, run=network.run)
    )


def test_padding_leaves_no_trace_in_a_vector(network: FakeNetwork) -> None:
    alone = made(network).encode_documents(["abc"])[0]
    beside_a_long_one = made(network).encode_documents(["abc", "d" * 60])[0]
    np.testing.assert_allclose(alone, beside_a_long_one, atol=1e-6)


def test_a_vector_is_the_mean_of_its_tokens_scaled_to_length_one(network: FakeNetwork) -> None:
    vector = made(network).encode_query("a")
    expected = np.zeros(DIMENSION)
    expected[[1, 2, ord("a")]] = 1 / np.sqrt(3)
    np.testing.assert_allclose(vector, expected, atol=1e-6)


def test_vectors_come_in_the_order_of_the_texts(network: FakeNetwork) -> None:
    texts = ["x" * length for length in (40, 1, 200, 7, 90, 2)]
    rows = made(network, batch=2).encode_documents(texts)
    for row, text in zip(rows, texts, strict=True):
        np.testing.assert_allclose(row, made(network).encode_query(text), atol=1e-6)


def test_a_batch_is_bounded_by_texts_and_by_tokens(network: FakeNetwork) -> None:
    made(network, batch=8).encode_documents(["short"] * 20 + ["l" * 250] * 5)
    assert all(texts <= 8 for texts, _ in network.shapes)
    assert all(texts * tokens <= BATCH_TOKENS for texts, tokens in network.shapes)
    assert len(network.shapes) == 6


@pytest.mark.parametrize("threads", [1, 2, 64])
def test_any_number_of_threads_gives_the_same_rows_and_leaves_no_thread(network: FakeNetwork, threads: int) -> None:
    before = threading.active_count()
    texts = ["x" * (length % 200) for length in range(0, 5_000, 37)]
    rows = made(network, threads=threads).encode_documents(texts)
    np.testing.assert_array_equal(rows, made(network, threads=3).encode_documents(texts))
    assert threading.active_count() == before


def test_a_network_that_fails_on_another_thread_fails_the_call(network: FakeNetwork) -> None:
    def broken(ids: Ids, mask: Ids) -> Vectors:
        raise MemoryError(ids.shape, mask.shape)

    model = MiniLm(revision="0", threads=2, batch=1, load=lambda: Network(tokenise=network.tokenise, run=broken))
    with pytest.raises(MemoryError):
        model.encode_documents(["a", "b", "c"])


def test_the_tokeniser_never_sees_more_than_the_model_could_use(network: FakeNetwork) -> None:
    made(network).encode_query("word " * 800_000)
    assert network.longest_text == MOST_TOKENS * CHARS_PER_TOKEN


def test_the_model_is_known_and_no_texts_are_encoded_without_loading() -> None:
    model = MiniLm(revision="7", threads=1, batch=1, load=lambda: pytest.fail("loaded"))
    assert model.model.key == "minilm-int8@7/384"
    assert model.encode_documents([]).shape == (0, DIMENSION)
