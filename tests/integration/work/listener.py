"""A worker's program, set up as all are, whose one task notes on the broker what it was told.

To be run, never to be imported: its task has the name of a stage's, and a process has one task of a name.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import redis

from shared.settings import load
from shared.work.broker import make_app, task


def _url() -> str:
    given = load().redis_url
    assert given is not None, "DAYBOOK_REDIS_URL says which broker"
    return given.get_secret_value()


app: Final = make_app("listener", load(), _url)


@task("append")
def _note(heard: str, word: str, until: str = "") -> None:
    """Note a word in the list `heard`, and be at it until there is a file."""
    with redis.Redis.from_url(_url()) as client:
        client.rpush(heard, word)
    while until and not Path(until).exists():
        time.sleep(0.02)
