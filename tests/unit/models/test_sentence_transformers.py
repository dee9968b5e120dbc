import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from shared.models import ModelId, Vectors
from shared.models._input import CHARS_PER_TOKEN
from shared.models._sentence_transformers import Loaded, SentenceTransformers


class FakeModel:
    """Two dimensions: the text's length, and whether it was a query. Two threads inside at once are noticed."""

    def __init__(self) -> None:
        self.inside = threading.Semaphore(1)
        self.collided = False
        self.longest_text = 0

    def encode_query(self, texts: Sequence[str], **_: Any) -> Vectors:
        return self._encode(texts, query=1.0)

    def encode_document(self, texts: Sequence[str], **_: Any) -> Vectors:
        return self._encode(texts, query=0.0)

    def _encode(self, texts: Sequence[str], query: float) -> Vectors:
        if not self.inside.acquire(blocking=False):
            self.collided = True
            return np.zeros((len(texts), 2), dtype=np.float32)
        self.longest_text = max(self.longest_text, *map(len, texts))
        rows = np.array([[len(text), query] for text in texts], dtype=np.float32)
        self.inside.release()
        return rows


@pytest.fixture
def fake() -> FakeModel:
    return FakeModel()


def made(fake: FakeModel) -> SentenceTransformers:
    model = ModelId(name="fake", revision="0", dimension=2)
    return SentenceTransformers(batch=4, load=lambda: Loaded(network=fake, model=model, most_tokens=10))


def test_questions_and_documents_go_to_their_own_prompts(fake: FakeModel) -> None:
    np.testing.assert_allclose(made(fake).encode_query("a"), [np.sqrt(0.5), np.sqrt(0.5)], atol=1e-6)
    np.testing.assert_allclose(made(fake).encode_documents(["a"]), [[1.0, 0.0]], atol=1e-6)


def test_threads_never_share_the_tokeniser(fake: FakeModel) -> None:
    model = made(fake)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda size: model.encode_documents(["x" * size] * 50), range(1, 200)))
    assert not fake.collided


def test_a_text_is_cut_to_what_the_model_can_see(fake: FakeModel) -> None:
    made(fake).encode_query("x" * 1_000_000)
    assert fake.longest_text == 10 * CHARS_PER_TOKEN


def test_a_text_the_model_knows_nothing_of_still_has_a_vector(fake: FakeModel) -> None:
    np.testing.assert_allclose(made(fake).encode_documents([""]), [[np.sqrt(0.5), np.sqrt(0.5)]], atol=1e-6)


def test_no_texts_give_no_vectors(fake: FakeModel) -> None:
    assert made(fake).encode_documents([]).shape == (0, 2)
