"""Query and texts to how well each answers: the port, and a cross-encoder by name or path (the extra `models`)."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shared.contract.errors import Misconfigured
from shared.models._input import bounded
from shared.models._per_process import PerProcess
from shared.models._torch import loading, sentence_transformers
from shared.settings import Settings

Scores: TypeAlias = NDArray[np.float64]

MOST_TOKENS: Final = 512
"""Of a query with a text, for a model that states no limit: what the usual cross-encoders were trained with."""


class Reranker(Protocol):
    """Reads a query and a text together and says how well the text answers. Safe with threads and across forks."""

    def scores(self, query: str, texts: Sequence[str]) -> Scores:
        """(n,) finite, parallel to the texts; the higher the better, comparable within one call alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a process loads. `lock` is held while it reads: the tokeniser's settings are one for all threads."""

    network: Any
    most_tokens: int
    lock: threading.Lock = field(default_factory=threading.Lock)


class CrossEncoder:
    """A sentence-transformers cross-encoder that loads on first use, in each process anew. Threads take turns."""

    def __init__(self, name: str, *, threads: int, batch: int) -> None:
        self._name = name
        self._batch = batch
        self._loaded = PerProcess(lambda: _load(name, threads))

    def scores(self, query: str, texts: Sequence[str]) -> Scores:
        """See `Reranker`.

        Raises:
            Misconfigured: the model cannot be loaded, has more than one output for a pair, or gives no finite numbers.
        """
        if not texts:
            return np.empty(0)
        loaded = self._loaded.get()
        pairs = [(bounded(query, loaded.most_tokens), bounded(text, loaded.most_tokens)) for text in texts]
        with loaded.lock:
            found = loaded.network.predict(
                pairs, batch_size=self._batch, show_progress_bar=False, convert_to_numpy=True
            )
        return self._checked(np.asarray(found, np.float64), len(texts))

    def _checked(self, found: Scores, wanted: int) -> Scores:
        if found.shape != (wanted,):
            raise Misconfigured(
                f"the reranker {self._name!r} gives an array of {found.shape} for {wanted} pairs: it is a classifier "
                "of several labels, not a model of relevance; name one with a single output",
                model=self._name,
            )
        if not np.isfinite(found).all():
            raise Misconfigured(
                f"the reranker {self._name!r} gave values that are not finite: its weights are damaged or overflow",
                model=self._name,
            )
        return found


_made: dict[tuple[str, int, int], Reranker] = {}


def cross_encoder(name: str, settings: Settings) -> Reranker:
    """The cross-encoder of a name or path: one for each process, which loads its weights on first use.

    Raises:
        Misconfigured: the extra is not installed. The first use raises it too, when the model cannot be loaded.
    """
    key = (name, settings.embedding_threads, settings.embedding_batch)
    if key not in _made:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise Misconfigured(
                f"the reranker {name!r} needs the extra `models`: pip install 'daybook-memory[models]'. "
                "DAYBOOK_RERANKER=features, the default, needs no model",
                model=name,
            )
        _made.setdefault(key, CrossEncoder(name, threads=settings.embedding_threads, batch=settings.embedding_batch))
    return _made[key]


def _load(name: str, threads: int) -> Loaded:
    library = sentence_transformers(threads)
    with loading("reranker", name):
        network = library.CrossEncoder(name, local_files_only=True)
    # Of the library's version 5; before, another name, under which a newer one warns.
    most_tokens = getattr(network, "max_seq_length", None) or MOST_TOKENS
    return Loaded(network=network, most_tokens=most_tokens)
