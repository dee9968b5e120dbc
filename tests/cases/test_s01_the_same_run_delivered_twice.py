"""S01: a client that saw a time-out sends its run again, at once or much later; nothing is stored twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from shared.contract.receipts import Stage, Work
from shared.embedded import open_database
from shared.settings import settings
from shared.store import inbox
from tests.cases.adapter import Words, said, scope
from warmpath import append
from warmpath._door import Door, services
from warmpath._work import Services

pytestmark = pytest.mark.usefixtures("embedder")

BEES = said("I keep two beehives behind the garage.", "m1", ts="2025-03-04T09:00Z")
SISTER = said("My sister is called Tove.", "m2", ts="2025-03-04T09:05Z")
ACCOUNT = said("喬さんは毎週木曜日に泳ぎます。🏊", "m3", ts="2025-03-04T09:06Z")


def stored(words: Words, user: str = "mira") -> tuple[int, int]:
    return len(words.ledger("acme", user)), len(words.current("acme", user))


def taken(work: Work) -> inbox.Claim:
    claim = inbox.claim(open_database(settings()), work, Stage.APPEND, lease=timedelta(seconds=300))
    assert claim is not None
    return claim


@pytest.mark.parametrize(
    "messages",
    [
        [BEES],
        [BEES, SISTER, ACCOUNT],
        [{"role": "user", "text": "No message of this client has an id."}, {"role": "assistant", "text": "Noted so."}],
    ],
    ids=["one message", "several", "no ids"],
)
def test_s01_a_run_sent_at_once_after_its_work_and_after_a_restart_is_stored_once(words: Words, messages) -> None:
    first = words.accept("acme", "mira", "run-7", messages)
    at_once = words.accept("acme", "mira", "run-7", messages)
    words.drain()
    once = stored(words)
    assert once == (len(messages) + 1, len(messages)), "the messages and the operation that opens their memories"

    after_drain = words.accept("acme", "mira", "run-7", messages)
    assert words.drain() == []
    assert stored(words) == once

    words.restart()
    after_restart = words.ingest("acme", "mira", "run-7", messages)
    words.drain()
    assert stored(words) == once
    assert words.count("memory_vector") == len(messages)
    for again in (at_once, after_drain, after_restart):
        assert again.repeated
        assert (again.subject, again.outcome, again.counts, again.finished_at) == (
            first.subject,
            first.outcome,
            first.counts,
            first.finished_at,
        )


def test_s01_of_another_run_that_repeats_a_message_only_the_new_one_is_stored(words: Words) -> None:
    words.ingest("acme", "mira", "run-7", [BEES])
    before = stored(words)
    words.ingest("acme", "mira", "run-8", [BEES, SISTER])
    assert stored(words) == (before[0] + 2, before[1] + 1)
    assert [event.message_id for event in words.evidence("acme", "mira")] == ["m1", "m2"]
    assert [row["text"] for row in words.current("acme", "mira")] == [BEES["text"], SISTER["text"]]


def test_s01_a_run_that_grows_from_delivery_to_delivery_stores_each_message_once(words: Words) -> None:
    for messages in ([BEES], [BEES, SISTER], [BEES, SISTER, ACCOUNT], [SISTER, BEES]):
        words.ingest("acme", "mira", "run-7", messages)
    assert [event.message_id for event in words.evidence("acme", "mira")] == ["m1", "m2", "m3"]
    assert len(words.current("acme", "mira")) == 3


def test_s01_the_same_run_id_of_another_user_or_tenant_is_another_run(words: Words) -> None:
    for tenant, user in (("acme", "mira"), ("acme", "oskar"), ("beta", "mira")):
        assert not words.ingest(tenant, user, "run-7", [BEES]).repeated
        assert len(words.current(tenant, user)) == 1


def test_s01_eight_clients_sending_one_run_at_the_same_moment_make_one_delivery(words: Words) -> None:
    barrier = Barrier(8)

    def send(_: int) -> bool:
        barrier.wait(30)
        return words.accept("acme", "mira", "run-7", [BEES, SISTER]).repeated

    with ThreadPoolExecutor(8) as threads:
        repeated = list(threads.map(send, range(8)))
    assert sorted(repeated) == [False] + [True] * 7
    words.drain()
    assert stored(words) == (3, 2)


def test_s01_workers_that_all_believe_the_work_is_theirs_have_one_effect(words: Words) -> None:
    """As when the leases ran out while they were at it: only the row's lock stands between them."""
    words.accept("acme", "mira", "run-7", [BEES, SISTER])
    _, work = words.bell.rung[0]
    claim = taken(work)
    barrier = Barrier(4)

    def do(_: int) -> bool:
        mine = services(settings())
        barrier.wait(30)
        return bool(append.run(mine, claim))

    with ThreadPoolExecutor(4) as threads:
        effects = list(threads.map(do, range(4)))
    assert sorted(effects) == [False, False, False, True]
    assert stored(words) == (3, 2)
    assert [each.stage for each in words.receipts("acme", "mira", "run-7")] == [Stage.OBSERVE, Stage.APPEND]


def test_s01_two_runs_with_one_message_appended_at_the_same_moment_store_it_once(words: Words) -> None:
    for run in range(6):
        words.accept("acme", "mira", f"run-{run}", [BEES, said(f"Note number {run} of this afternoon.", f"n{run}")])
    barrier = Barrier(6)

    def do(claim) -> None:
        mine = services(settings())
        barrier.wait(30)
        append.run(mine, claim)

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(do, [taken(work) for _, work in words.bell.rung]))
    assert len(words.evidence("acme", "mira")) == 7
    assert [row["text"] for row in words.current("acme", "mira")].count(BEES["text"]) == 1


def test_s01_a_delivery_whose_reply_was_lost_after_the_commit_is_answered_as_the_first(words: Words) -> None:
    class Deaf:
        def ring(self, *_: object) -> None:
            raise ConnectionError("the client went away")

    made = services(settings())
    door = Door(Services(database=open_database(settings()), settings=settings(), bell=Deaf(), embedder=made.embedder))
    with pytest.raises(ConnectionError):
        door.observe(scope("acme", "mira", {}), [BEES], run_id="run-7")
    assert words.ingest("acme", "mira", "run-7", [BEES]).repeated
    assert stored(words) == (2, 1)
