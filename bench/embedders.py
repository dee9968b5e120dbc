"""Embedders for measuring: one that embeds nothing twice, and two whose document vectors are made up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from shared.models import ModelId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.kept import Kept
    from shared.models import Embedder, Vectors

SPREAD: Final = 0.75
"""Length of the noise on a cluster's centre; a vector then has a cosine of .8 with it."""


class Remembering:
    """An embedder that embeds a text once, so that the product and the bare embedder have the same vectors."""

    def __init__(self, inner: Embedder, kept: Kept | None = None) -> None:
        """`kept` has vectors of earlier runs and is given those of this one."""
        self._inner = inner
        self._kept = kept
        self._documents: dict[str, Vectors] = {}
        self._queries: dict[str, Vectors] = {}

    @property
    def model(self) -> ModelId:
        """The inner one's."""
        return self._inner.model

    def encode_query(self, text: str) -> Vectors:
        """(dim,) float32, unit length."""
        if text not in self._queries:
            self._queries[text] = self._inner.encode_query(text)
        return self._queries[text]

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, unit length, in the order of the texts."""
        if self._kept is not None:
            self._documents.update(self._kept.of(text for text in texts if text not in self._documents))
        new = [text for text in dict.fromkeys(texts) if text not in self._documents]
        if new:
            made = dict(zip(new, self._inner.encode_documents(new), strict=True))
            self._documents.update(made)
            if self._kept is not None:
                self._kept.add(made)
        if not texts:
            return self._inner.encode_documents(texts)
        return np.stack([self._documents[text] for text in texts])

    def forget(self) -> None:
        """Start anew: a conversation is done with, and what is kept is written."""
        if self._kept is not None:
            self._kept.save()
        self._documents.clear()
        self._queries.clear()


class Clustered:
    """An embedder whose document vectors are made up around the given centres, one centre for each call.

    Queries are embedded by the real model, whose id the vectors bear: what is stored costs nothing to make and is
    searched at the real price.
    """

    def __init__(self, inner: Embedder, centres: Vectors, *, seed: int) -> None:
        """`centres` is (n, dim) float32, unit length."""
        self._inner = inner
        self._centres = centres
        self._random = np.random.default_rng(seed)

    @property
    def model(self) -> ModelId:
        """The inner one's."""
        return self._inner.model

    def encode_query(self, text: str) -> Vectors:
        """(dim,) float32, unit length."""
        return self._inner.encode_query(text)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, unit length, all about one centre."""
        size = (len(texts), self._centres.shape[1])
        centre = self._centres[self._random.integers(len(self._centres))]
        return _unit(centre + SPREAD * _unit(self._random.standard_normal(size, dtype=np.float32)))


class MadeUp:
    """An embedder of a model that does not exist, whose vectors are drawn by chance and cost nothing."""

    def __init__(self, name: str, *, dimension: int = 384) -> None:
        self.model = ModelId(name=name, revision="1", dimension=dimension)
        self._random = np.random.default_rng(0)

    def encode_query(self, text: str) -> Vectors:
        """(dim,) float32, unit length."""
        drawn: Vectors = self.encode_documents([text])[0]
        return drawn

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, unit length."""
        return _unit(self._random.standard_normal((len(texts), self.model.dimension), dtype=np.float32))


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
