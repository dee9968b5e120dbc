"""A process whose clock is so many seconds ahead (or behind, below 0): it observes a run and does its work, or recalls.

    process_with_a_clock.py SECONDS observe '{"run_id": ..., "messages": [...]}'
    process_with_a_clock.py SECONDS recall '{"query": ...}'

Prints JSON. Run by the test of case S17.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from typing import Any

import hotpath
import warmpath
from hotpath import _embed
from shared import clock
from shared.contract.scope import Scope
from shared.testing import HashEmbedder
from warmpath import _door

MIRA = Scope(tenant_id="acme", user_id="mira")


def shift(seconds: float) -> None:
    right = clock.now
    clock.now = lambda: right() + timedelta(seconds=seconds)


def observe(run_id: str, messages: list[dict[str, Any]]) -> dict[str, str]:
    warmpath.observe(MIRA, messages, run_id=run_id, inline=True)
    return {"clock": clock.now().isoformat()}


def recall(query: str) -> dict[str, Any]:
    bundle = hotpath.recall(MIRA, query, budget_tokens=2_000, deadline_ms=30_000)
    items = {item.memory_id: item for item in bundle.items}
    shown = [(items[hit.memory_id], hit.score) for hit in bundle.hits]
    return {
        "hits": [{"text": item.text, "at": str(item.event_time), "score": score} for item, score in shown],
        "degraded": list(bundle.degraded),
    }


def main(seconds: str, doing: str, arguments: str) -> None:
    shift(float(seconds))
    _door.embedder = lambda _: HashEmbedder()
    _embed.embedder = lambda _: HashEmbedder()
    sys.stdout.write(json.dumps({"observe": observe, "recall": recall}[doing](**json.loads(arguments))))


if __name__ == "__main__":
    main(*sys.argv[1:])
