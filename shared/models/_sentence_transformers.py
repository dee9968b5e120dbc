"""Any sentence-transformers model by name or path (the extra `models`)."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from shared.contract.errors import Misconfigured
from shared.models._input import bounded
from shared.models._per_process import PerProcess
from shared.models._torch import loading, sentence_transformers
from shared.models._vectors import ModelId, Vectors, unit_rows

# For a model that states no limit; the longest that current text models take.
MOST_TOKENS: Final = 8192
_SAMPLES_PER_TENSOR: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a process loads. `lock` is held while encoding."""

    network: Any
    model: ModelId
    most_tokens: int
    # Each call sets padding and truncation of the one tokeniser: two threads at once raise "Already borrowed".
    lock: threading.Lock = field(default_factory=threading.Lock)


class SentenceTransformers:
    """An embedder that loads its model on first use, in each process anew. Threads take turns."""

    def __init__(self, *, batch: int, load: Callable[[], Loaded]) -> None:
        self._batch = batch
        self._loaded = PerProcess(load)

    @property
    def model(self) -> ModelId:
        """Loads the model: only its weights say which they are.

        Raises:
            Misconfigured: it cannot be loaded.
        """
        return self._loaded.get().model

    def encode_query(self, text: str) -> Vectors:
        """(dim,) float32, unit length, with the model's prompt for queries if any."""
        loaded = self._loaded.get()
        vector: Vectors = self._encode(loaded, loaded.network.encode_query, [text])[0]
        return vector

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, unit length, in the order of the texts, with the model's prompt for documents if any."""
        loaded = self._loaded.get()
        if not texts:
            return np.empty((0, loaded.model.dimension), dtype=np.float32)
        return self._encode(loaded, loaded.network.encode_document, texts)

    def _encode(self, loaded: Loaded, encode: Callable[..., Any], texts: Sequence[str]) -> Vectors:
        cut = [bounded(text, loaded.most_tokens) for text in texts]
        with loaded.lock:
            rows = encode(cut, batch_size=self._batch, convert_to_numpy=True, show_progress_bar=False)
        return unit_rows(np.asarray(rows, dtype=np.float32))


def make_sentence_transformers(name: str, *, threads: int, batch: int) -> SentenceTransformers:
    """An embedder for a model by name or by path; loads nothing yet.

    Raises:
        Misconfigured: the extra is not installed.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise Misconfigured(
            f"the embedding model {name!r} needs the extra `models`: pip install 'daybook-memory[models]'. "
            "Without a GPU, install torch from PyTorch's index of CPU wheels first, or pip fetches gigabytes of CUDA. "
            "The default, minilm-int8, needs neither",
            model=name,
        )
    return SentenceTransformers(batch=batch, load=lambda: _load(name, threads))


def _load(name: str, threads: int) -> Loaded:
    library = sentence_transformers(threads)
    with loading("embedding model", name):
        network = library.SentenceTransformer(name, local_files_only=True)
    return Loaded(network=network, model=_identity(name, network), most_tokens=network.max_seq_length or MOST_TOKENS)


def name_of(name: str) -> str:
    """What a model is called in ids: a path by its last folder, so that moving a model does not make it another one."""
    folder = Path(name)
    return folder.resolve().name if folder.is_dir() else name


def _identity(name: str, network: Any) -> ModelId:
    rows = network.encode(["a"], convert_to_numpy=True, show_progress_bar=False)
    return ModelId(
        name=name_of(name),
        revision=_fingerprint(network),
        dimension=int(rows.shape[1]),
    )


def _fingerprint(network: Any) -> str:
    """12 hexadecimal digits that change with the weights, the pooling, the prompts or the cut.

    A folder has no revision, and a model trained further keeps its files' names and sizes, so a few values of each
    tensor are read: some milliseconds, where hashing the weights takes a second for each gigabyte.
    """
    parts = [(type(module).__name__, str(getattr(module, "pooling_mode", ""))) for module in network]
    digest = hashlib.sha256(json.dumps([parts, network.prompts, network.max_seq_length], sort_keys=True).encode())
    for tensor_name, tensor in sorted(network.state_dict().items()):
        values = tensor.flatten()
        sample = values[:: max(1, values.numel() // _SAMPLES_PER_TENSOR)].double().cpu().numpy()
        digest.update(f"{tensor_name}{tuple(tensor.shape)}".encode() + sample.tobytes())
    return digest.hexdigest()[:12]
