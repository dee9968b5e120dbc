"""What waits, since when, what was done lately, and how far the views go, counted past every tenant's policy."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from shared.store.db import Database
from shared.store.progress import Build, Counts, StageProgress, look
from shared.work.queues import FOLLOWING

SPAN = timedelta(minutes=5)


def put(owner: psycopg.Connection, stage: str, age_s: int, *, lease_s: int | None = None, **more: object) -> None:
    owner.execute(
        """
        insert into inbox (
            tenant_id, inbox_id, user_id, run_id, message_digests, messages, stage, state, attempts, lease_until,
            accepted_at, changed_at
        ) values (
            %(tenant_id)s, gen_random_uuid(), 'mira', 'run', '{}', 1, %(stage)s, %(state)s, %(attempts)s,
            now() + make_interval(secs => %(lease_s)s),
            now() - make_interval(secs => %(age_s)s + 100), now() - make_interval(secs => %(age_s)s)
        )
        """,
        {"tenant_id": "acme", "state": "waiting", "attempts": 0}
        | more
        | {"stage": stage, "age_s": age_s, "lease_s": lease_s},
    )


def stage(counts: Counts, name: str) -> StageProgress:
    return next(each for each in counts.stages if each.stage == name)


def age_s(counts: Counts, at: object) -> int:
    return round((counts.now - at).total_seconds())  # type: ignore[operator]


def test_work_is_claimable_since_nobody_holds_it(opened: Database, owner: psycopg.Connection) -> None:
    put(owner, "append", 500, lease_s=60)
    put(owner, "append", 400, lease_s=-20)
    put(owner, "append", 10)
    put(owner, "gate", 300, lease_s=60)
    put(owner, "index", 30, state="parked")
    counts = look(opened, SPAN)
    append = stage(counts, "append")
    assert (append.waiting, age_s(counts, append.oldest), age_s(counts, append.claimable_since)) == (3, 600, 20)
    gate = stage(counts, "gate")
    assert (gate.waiting, gate.claimable_since) == (1, None)
    assert (stage(counts, "index").waiting, counts.parked) == (0, 1)


def end(owner: psycopg.Connection, stage: str, age_s: int, outcome: str = "stored") -> None:
    owner.execute(
        """
        insert into receipt values (
            'acme', gen_random_uuid(), %s, 'mira', 'run', %s, '', '{}', now(), now() - make_interval(secs => %s)
        )
        """,
        (stage, outcome, age_s),
    )


def test_a_stage_has_done_what_it_gave_receipts_for_lately_and_was_active_then(
    opened: Database, owner: psycopg.Connection
) -> None:
    end(owner, "append", 20)
    end(owner, "append", 40)
    end(owner, "append", 900)
    end(owner, "gate", 30, "passed")
    end(owner, "gate", 5, "failed")
    counts = look(opened, SPAN)
    assert [(each.done, each.failed) for each in counts.stages] == [(2, 0), (1, 1), *[(0, 0)] * 3]
    assert [age_s(counts, each.active_at) if each.active_at else None for each in counts.stages] == [20, 5, *[None] * 3]


def test_a_stage_that_took_a_run_was_active_too(opened: Database, owner: psycopg.Connection) -> None:
    put(owner, "gate", 90)
    owner.execute("insert into turn values ('acme', 'gate', now() - interval '7 seconds')")
    counts = look(opened, SPAN)
    assert age_s(counts, stage(counts, "gate").active_at) == 7


def test_one_tenant_is_counted_alone(opened: Database, owner: psycopg.Connection) -> None:
    put(owner, "append", 10)
    put(owner, "append", 10, tenant_id="other")
    assert stage(look(opened, SPAN), "append").waiting == 2
    assert stage(look(opened, SPAN, "acme"), "append").waiting == 1


@pytest.mark.parametrize("tenant_id", [None, "acme"])
def test_words_are_behind_by_numbers_and_vectors_by_what_words_have_and_they_have_not(
    opened: Database, owner: psycopg.Connection, tenant_id: str | None
) -> None:
    owner.execute(
        """
        insert into generation (tenant_id, view, live, model_id, changed_at, building, building_model) values
            ('acme', 'sparse', 2, null, now(), null, null), ('acme', 'dense', 1, 'a', now(), 2, 'b'),
            ('acme', 'graph', 1, null, now(), null, null),
            ('even', 'sparse', 1, null, now(), null, null), ('even', 'dense', 1, 'a', now(), null, null),
            ('even', 'graph', 1, null, now(), null, null)
        """
    )
    owner.execute(
        """
        insert into sparse_stream (tenant_id, generation, user_id, documents, length_sum, sessions, doc) values
            ('acme', 1, 'mira', 99, 0, 0, 99), ('acme', 2, 'mira', 10, 0, 0, 12), ('acme', 2, 'oz', 5, 0, 0, 5),
            ('even', 1, 'mira', 7, 0, 0, 7)
        """
    )
    owner.execute(
        """
        insert into stream
        select tenant_id, 'user:' || user_id, user_id, 50, '', now(), doc
        from (values ('acme', 'mira', 12), ('acme', 'oz', 8), ('even', 'mira', 7)) as given (tenant_id, user_id, doc)
        """
    )
    owner.execute(
        """
        insert into dense_stream (tenant_id, generation, user_id, vectors) values
            ('acme', 1, 'mira', 8), ('acme', 2, 'mira', 4), ('even', 1, 'mira', 7)
        """
    )
    owner.execute(
        """
        insert into graph_stream (tenant_id, generation, user_id, documents, doc) values
            ('acme', 1, 'mira', 9, 12), ('acme', 2, 'mira', 1, 1), ('acme', 1, 'oz', 0, 5), ('even', 1, 'mira', 7, 7)
        """
    )
    counts = look(opened, SPAN, tenant_id)
    both = 7 if tenant_id is None else 0
    assert [(view.view, view.memories, view.behind, view.tenants_behind) for view in counts.views] == [
        ("sparse", 15 + both, 3, 1),
        ("dense", 8 + both, 7, 1),
        ("graph", 9 + both, 3, 1),
    ]
    assert counts.builds == (Build(tenant_id="acme", view="dense", generation=2, model_id="b", done=4, total=15),)


def test_where_there_is_nothing_nothing_is_behind(opened: Database) -> None:
    counts = look(opened, SPAN)
    assert [(each.waiting, each.done, each.active_at) for each in counts.stages] == [(0, 0, None)] * len(FOLLOWING)
    assert [(view.memories, view.behind) for view in counts.views] == [(0, 0)] * 3
