"""Embedders for measuring keep the port's promises."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bench.embedders import Clustered, Remembering
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
