"""The command `daybook`, or a worker, with an embedder that needs no weights in the place of the configured one.

    python another_model.py NAME REVISION DIMENSION (daybook|worker) [arguments]

`HOLD_AFTER` is after how many texts it stops for good, as if it had frozen, `VISIBILITY_S` after how long the broker
hands a worker's task out again. Run by the tests of cases S36 to S38.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from shared.models import embedding
from shared.models._vectors import ModelId, Vectors
from shared.testing import HashEmbedder


@dataclass(frozen=True, slots=True)
class Stub:
    """An embedder whose vectors depend on all that its model's id names."""

    name: str
    revision: str
    dimension: int

    @property
    def model(self) -> ModelId:
        return ModelId(name=self.name, revision=self.revision, dimension=self.dimension)

    def encode_query(self, text: str) -> Vectors:
        return HashEmbedder(self.model.key, self.dimension).encode_query(text)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        return HashEmbedder(self.model.key, self.dimension).encode_documents(texts)


@dataclass(slots=True)
class Held:
    """A stub that stops after so many texts."""

    stub: Stub
    left: int

    @property
    def model(self) -> ModelId:
        return self.stub.model

    def encode_query(self, text: str) -> Vectors:
        return self.stub.encode_query(text)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        self.left -= len(texts)
        if self.left < 0:
            threading.Event().wait()
        return self.stub.encode_documents(texts)


def main(name: str, revision: str, dimension: str, program: str, *arguments: str) -> int:
    stub = Stub(name, revision, int(dimension))
    held = os.environ.get("HOLD_AFTER")
    embedding._make = lambda *_: Held(stub, int(held)) if held else stub  # type: ignore[assignment]
    if program == "worker":
        from coldpath.app import app

        if visibility_s := os.environ.get("VISIBILITY_S"):
            options = app.conf.broker_transport_options
            app.conf.broker_transport_options = options | {"visibility_timeout": float(visibility_s)}
        app.worker_main(["worker", *arguments])
        return 0
    from gateway.cli import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
