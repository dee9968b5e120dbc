"""The view of usefulness as recall reads it: by number, of the session's owners alone, and by an index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import pytest

from shared.contract.scope import Owner
from shared.contract.turns import Use
from shared.store import uses
from shared.store.db import Database, Role
from shared.store.keys import DOC_BITS

MIRA, OSKAR = Owner("mira"), Owner("oskar")


def use(doc: int, used: int, misled: int) -> Use:
    return Use(memory_id=UUID(int=doc), doc=doc, used=used, misled=misled)


def by_id(*uses: Use) -> dict[UUID, Use]:
    return {each.memory_id: each for each in uses}


@pytest.fixture
def counted(opened: Database) -> None:
    for owner, held in ((MIRA, [use(1, 2, 0), use(2, 0, 3)]), (OSKAR, [use(2, 5, 5)])):
        with opened.transaction(Role.WORKER, "acme", [owner]) as session:
            uses.put(session, held)


def test_what_is_changed_counts_on_and_what_is_put_counts_anew(counted: None, opened: Database) -> None:
    with opened.transaction(Role.WORKER, "acme", [MIRA]) as session:
        uses.change(session, {}, by_id(use(1, 1, 1), use(2, 1, 0), use(3, 0, 1)))
        assert uses.stored(session) == [use(1, 3, 1), use(2, 1, 3), use(3, 0, 1)]
        uses.change(session, by_id(use(1, 1, 0), use(2, 1, 0)), by_id(use(1, 0, 1), use(2, 1, 0)))
        uses.put(session, [use(3, 1, 1)])
        assert uses.stored(session) == [use(1, 2, 2), use(2, 1, 3), use(3, 1, 1)]
        uses.change(session, {}, {})
        uses.put(session, [])


def test_recall_reads_the_candidates_of_the_owners_that_it_may_see_and_no_others(
    counted: None, opened: Database
) -> None:
    keys = np.array([1, 2, 3, (1 << DOC_BITS) | 1, (1 << DOC_BITS) | 2], np.int64)
    with opened.transaction(Role.APP, "acme", [MIRA, OSKAR]) as session:
        found = uses.of(session, keys)
    assert dict(
        zip(found.keys.tolist(), zip(found.used.tolist(), found.misled.tolist(), strict=True), strict=True)
    ) == {
        1: (2, 0),
        2: (0, 3),
        (1 << DOC_BITS) | 2: (5, 5),
    }
    for tenant, owner in (("acme", Owner("tove")), ("globex", MIRA)):
        with opened.transaction(Role.APP, tenant, [owner], read_only=True) as session:
            assert uses.of(session, keys).keys.tolist() == []


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", []):
        yield from nodes(each)


def test_the_look_up_goes_by_the_index_of_numbers(owner: psycopg.Connection, opened: Database) -> None:
    owner.execute(
        "insert into memory_use select 'acme', 'user-' || n % 10, n, gen_random_uuid(), 1, 0 "
        "from generate_series(1, 20000) as n"
    )
    owner.execute("analyze memory_use")
    with opened.transaction(Role.APP, "acme", [Owner("user-3")], read_only=True) as session:
        (row,) = session.rows(f"explain (format json) {uses._SQL['of']}", docs=list(range(3, 2000, 10)))
    reads = [each for each in nodes(row["QUERY PLAN"][0]["Plan"]) if each.get("Relation Name") == "memory_use"]
    assert {each["Node Type"] for each in reads} <= {"Index Scan", "Bitmap Heap Scan"}
    conditions = [str(each.get("Index Cond")) for each in nodes(row["QUERY PLAN"][0]["Plan"])]
    assert any("user_id" in each and "doc" in each for each in conditions)
