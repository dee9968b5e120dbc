"""A Celery worker whose parent has done all that a fork may not inherit; its arguments are those of `celery worker`.

Before the pool is forked, the parent has loaded the model and encoded, asked Postgres, and recalled, on several
threads. Run by the test of case S42.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import hotpath
from hotpath import _log
from shared.contract.scope import Scope
from shared.models.embedding import embedder
from shared.settings import settings
from warmpath.app import app


def main(arguments: list[str]) -> None:
    model = embedder(settings())
    model.encode_documents(["Warm up.", "And a longer text. " * 30])
    asked = Scope(tenant_id="acme", user_id="nobody")
    with ThreadPoolExecutor(3) as threads:
        bundles = list(threads.map(lambda n: hotpath.recall(asked, f"warm {n}", deadline_ms=60_000), range(3)))
    if any(bundle.degraded for bundle in bundles):
        raise SystemExit(f"the parent was to have a database and a model: {bundles[0].degraded}")
    # The log's thread asks Postgres when it likes: done now, the worker closes its connection with the others.
    if not _log.flush():
        raise SystemExit("the parent was to have logged what it recalled")
    app.worker_main(["worker", *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
