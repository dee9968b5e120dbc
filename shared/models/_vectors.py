"""Vectors, and the name of the model that made them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shared.contract.errors import Misconfigured

Vectors: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelId:
    """Which model made a vector. Vectors of two ids are never compared.

    `revision` changes whenever the same text would get another vector.
    """

    name: str
    revision: str
    dimension: int

    @property
    def key(self) -> str:
        """The id in one string, as it is stored beside a vector: `name@revision/dimension`."""
        return f"{self.name}@{self.revision}/{self.dimension}"


def unit_rows(rows: Vectors) -> Vectors:
    """Scale each row of (n, dim) to length 1.

    A row of zeros has no direction (some models give one for a blank text): it gets equal components, so that every
    text has a vector that cosine distance accepts.

    Raises:
        Misconfigured: a component is not a finite number.
    """
    if not np.isfinite(rows).all():
        raise Misconfigured("the embedding model gave values that are not finite: its weights are damaged or overflow")
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows, dtype=np.float64))[:, None]
    alike = 1.0 / np.sqrt(rows.shape[1])
    scaled = np.where(lengths > 0.0, rows / np.where(lengths > 0.0, lengths, 1.0), alike)
    return scaled.astype(np.float32)
