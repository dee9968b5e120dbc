"""A parent that has encoded forks children that encode; prints what they saw as JSON. Run by test_forks.py.

Every second child ends in the ordinary way, which frees what it inherited; the others end as worker pools end theirs.
"""

import json
import os
import sys

import numpy as np

from shared.models import Embedder, embedder
from shared.settings import load

CHILDREN = 4
TEXTS = ["Ana moved to Porto.", "ok", "The invoice was paid twice. " * 20]


def child(model: Embedder, writing: int, *, ordinary_end: bool) -> None:
    os.write(writing, model.encode_documents(TEXTS).tobytes())
    os.close(writing)
    if ordinary_end:
        sys.exit(0)
    os._exit(0)


def forked(model: Embedder, number: int) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(model, writing, ordinary_end=number % 2 == 0)
    os.close(writing)
    return pid, reading


def everything(reading: int) -> bytes:
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read()


def main(name: str) -> None:
    model = embedder(load(embedding_model=name))
    own = model.encode_documents(TEXTS)
    children = [forked(model, number) for number in range(CHILDREN)]
    rows = [np.frombuffer(everything(reading), dtype=np.float32).reshape(own.shape) for _, reading in children]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid, _ in children]
    furthest = max(float(np.abs(own - of_child).max()) for of_child in rows)
    sys.stdout.write(json.dumps({"codes": codes, "furthest": furthest}))


if __name__ == "__main__":
    main(sys.argv[1])
