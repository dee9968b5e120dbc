"""The only door to weights and to model providers. Importing it loads no model and starts no thread."""

from shared.models._vectors import ModelId, Vectors
from shared.models.embedding import Embedder, embedder, may_be_of

__all__ = ["Embedder", "ModelId", "Vectors", "embedder", "may_be_of"]
