"""Embedders for measuring keep the port's promises."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from bench.embedders import Clustered, MadeUp, Remembering
from shared.testing import HashEmbedder


@dataclass
class Counting:
    """Notes what it is asked to embed."""

    model = HashEmbedder().model
    embedded: list[str] = field(default_factory=list)

    def encode_query(self, text):
        self.embedded.append(text)
        return HashEmbedder().encode_query(text)

    def encode_documents(self, texts):
        self.embedded += texts
        return HashEmbedder().encode_documents(texts)


def test_a_text_is_embedded_once_and_given_in_the_order_asked_for() -> None:
    inner = Counting()
    encoder = Remembering(inner)
    first = encoder.encode_documents(["oak", "elm", "oak"])
    again = encoder.encode_documents(["elm", "ash"])
    assert inner.embedded == ["oak", "elm", "ash"]
    assert np.array_equal(first[[0, 2]], HashEmbedder().encode_documents(["oak", "oak"]))
    assert np.array_equal(again[0], first[1])


def test_a_query_is_embedded_once_until_all_is_forgotten() -> None:
    inner = Counting()
    encoder = Remembering(inner)
    encoder.encode_query("oak")
    encoder.encode_query("oak")
    assert inner.embedded == ["oak"]
    encoder.forget()
    encoder.encode_query("oak")
    assert inner.embedded == ["oak", "oak"]


def test_no_texts_have_no_vectors() -> None:
    assert Remembering(HashEmbedder()).encode_documents([]).shape == (0, 384)


def test_made_up_vectors_of_one_call_lie_around_one_centre() -> None:
    centres = HashEmbedder().encode_documents(["oak", "elm", "ash"])
    vectors = Clustered(HashEmbedder(), centres, seed=7).encode_documents([""] * 20)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    nearness = vectors @ centres.T
    assert len(set(nearness.argmax(axis=1))) == 1
    assert 0.7 < nearness.max(axis=1).mean() < 0.9


def test_made_up_vectors_are_the_same_for_a_seed() -> None:
    centres = HashEmbedder().encode_documents(["oak", "elm", "ash"])
    one, other = (Clustered(HashEmbedder(), centres, seed=7).encode_documents(["x"]) for _ in range(2))
    assert np.array_equal(one, other)


def test_made_up_vectors_are_unit_vectors_of_a_model_of_their_own() -> None:
    made_up = MadeUp("nobody")
    vectors = made_up.encode_documents(["oak", "elm"])
    assert vectors.shape == (2, made_up.model.dimension)
    assert vectors.dtype == made_up.encode_query("oak").dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], rel=1e-5)
    assert made_up.model.key not in {MadeUp("other").model.key, HashEmbedder().model.key}
