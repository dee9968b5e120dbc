"""What runs by itself, started by a real beat and done by real workers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator

import pytest

from shared.contract.scope import AUDIT_OWNER, Owner
from shared.embedded import open_database
from shared.store import streams
from shared.store.db import forget_pools
from tests.acceptance.conftest import Daybook, until

Ends = Callable[[], dict[Owner, int]]

RUN = {"run_id": "run-7", "messages": [{"id": "m1", "text": "I keep two beehives on the roof."}]}


@pytest.fixture
def ends(daybook: Daybook) -> Iterator[Ends]:
    """How far each stream of the tenant goes, asked past the command line, which writes into one of them itself."""

    def look() -> dict[Owner, int]:
        return {owner: last for _, owner, last in streams.of_tenant(open_database(daybook.settings), "acme")}

    yield look
    forget_pools()


def test_beat_has_what_nobody_was_rung_for_found_and_a_sample_verified(daybook: Daybook, ends: Ends) -> None:
    hasty = dataclasses.replace(daybook, variables={"DAYBOOK_SWEEP_EVERY_S": "1", "DAYBOOK_VERIFY_EVERY_S": "2"})
    hasty.json("up")
    deaf = dataclasses.replace(daybook, variables={"DAYBOOK_REDIS_URL": "redis://127.0.0.1:1/0"})
    deaf.json("observe", "-", "--tenant", "acme", "--user", "mira", feed=json.dumps(RUN))
    until(lambda: ends().get(Owner("mira"), 0) >= 2, "the sweep had the run appended")
    until(lambda: ends().get(AUDIT_OWNER, 0) >= 1, "a verification stands in the audit stream")
