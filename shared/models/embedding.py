"""Texts to vectors: the port, and the embedder that the settings name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from shared.models import _minilm
from shared.models._minilm import make_minilm
from shared.models._sentence_transformers import make_sentence_transformers, name_of
from shared.models._vectors import ModelId, Vectors
from shared.settings import Settings


class Embedder(Protocol):
    """Turns texts into vectors of one model. Safe with threads and across forks.

    A blank text has a vector like any other; a text longer than the model can see is cut. The same text always has the
    same vector up to rounding (cosine above 0.99999), whatever texts it is embedded with.
    """

    @property
    def model(self) -> ModelId:
        """Which model it is; kept beside each stored vector."""

    def encode_query(self, text: str) -> Vectors:
        """The vector of a question: (dim,) float32, unit length."""

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of what is to be found: (n, dim) float32, unit length, in the order of the texts."""


_made: dict[tuple[str, int, int], Embedder] = {}


def embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name: one for each process, which loads its weights with the first text.

    A child made by fork gets one that works, whatever its parent had loaded.

    Raises:
        Misconfigured: a package it needs is not installed. The first use of a sentence-transformers model raises it
            too, when the model cannot be loaded.
    """
    key = (settings.embedding_model, settings.embedding_threads, settings.embedding_batch)
    if key not in _made:
        # Threads that meet here each make a handle, which costs nothing; all get the first one, and it loads once.
        _made.setdefault(key, _make(*key))
    return _made[key]


def may_be_of(settings: Settings, model_id: str) -> bool:
    """Whether a stored model id may be of the model that the settings name, as far as is known without loading it."""
    name = settings.embedding_model
    if name == _minilm.NAME:
        return model_id == embedder(settings).model.key
    return model_id.startswith(f"{name_of(name)}@")


def _make(name: str, threads: int, batch: int) -> Embedder:
    if name == _minilm.NAME:
        return make_minilm(threads=threads, batch=batch)
    return make_sentence_transformers(name, threads=threads, batch=batch)
