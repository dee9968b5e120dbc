"""Vectors of texts that earlier runs embedded, in a folder: to embed ninety histories takes half an hour."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from shared.models import ModelId, Vectors

_DIGEST_BYTES = 16


class Kept:
    """The vectors of one model, a file for each addition. A text is kept as its digest, and nobody's words."""

    def __init__(self, folder: Path, model: ModelId) -> None:
        """Read what there is.

        Raises:
            InvalidInput: the folder cannot be read or made, or a file in it is damaged.
        """
        self._folder = folder / re.sub(r"[^\w.-]+", "-", model.key)
        self._vectors: dict[bytes, Vectors] = {}
        self._added: dict[bytes, Vectors] = {}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for path in sorted(self._folder.glob("*.npz")):
                self._read(path)
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise InvalidInput(f"cannot take vectors from {self._folder}: {error}; give another folder") from error

    def of(self, texts: Iterable[str]) -> dict[str, Vectors]:
        """The vectors of those of the texts that it has, each (dim,) float32."""
        digests = {text: _digest(text) for text in texts}
        return {text: self._vectors[digest] for text, digest in digests.items() if digest in self._vectors}

    def add(self, vectors: Mapping[str, Vectors]) -> None:
        """Take in vectors of texts; `save` writes them."""
        self._added |= {_digest(text): vector for text, vector in vectors.items()}

    def save(self) -> None:
        """Write what was added to a file of its own.

        Raises:
            InvalidInput: it cannot be written.
        """
        if not self._added:
            return
        digests = np.frombuffer(b"".join(self._added), np.uint8).reshape(-1, _DIGEST_BYTES)
        vectors = np.stack(list(self._added.values()))
        path = self._folder / f"{hashlib.sha256(digests.tobytes()).hexdigest()[:24]}.npz"
        half = path.with_suffix(".half")
        try:
            with half.open("wb") as file:
                np.savez(file, digests=digests, vectors=vectors)
            half.replace(path)
        except OSError as error:
            raise InvalidInput(f"cannot keep vectors in {self._folder}: {error}; give another folder") from error
        self._vectors |= self._added
        self._added = {}

    def _read(self, path: Path) -> None:
        with np.load(path) as file:
            digests, vectors = file["digests"], file["vectors"]
        self._vectors.update((digest.tobytes(), vector) for digest, vector in zip(digests, vectors, strict=True))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_DIGEST_BYTES]
