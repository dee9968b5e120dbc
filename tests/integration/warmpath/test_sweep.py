"""The sweep finds every run that was left alone, and adds little to a queue that nobody hears."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from shared.contract.errors import BrokerUnavailable
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Scope
from shared.store import inbox
from shared.store.db import Role
from shared.testing import RecordingBell
from shared.work.doorbell import lost_after_s, ring_life_s
from warmpath import sweep
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform, serve

MIRA = Scope(tenant_id="acme", user_id="mira")
BEES = {"id": "m1", "role": "user", "text": "I keep two beehives behind the garage."}


def wait_at(
    owner: psycopg.Connection, stage: Stage, runs: int, *, older_s: int = 0, streams: int | None = None
) -> None:
    """Runs that have waited for an hour and a second more each, the first the longest; each in a stream of its own."""
    owner.execute(
        """
        insert into inbox (
            tenant_id, inbox_id, user_id, run_id, message_digests, messages, stage, accepted_at, changed_at
        )
        select 'acme', gen_random_uuid(), 'user-' || n %% %(streams)s, %(stage)s || n, '{}', 1, %(stage)s, at, at
        from (
            select n, now() - make_interval(secs => 3600 + %(older_s)s + %(runs)s - n) as at
            from generate_series(1, %(runs)s) as n
        ) as moment
        """,
        {"stage": stage, "runs": runs, "older_s": older_s, "streams": streams or runs},
    )


def pass_time(owner: psycopg.Connection, seconds: float) -> None:
    owner.execute(
        """
        update inbox set
            changed_at = changed_at - %(by)s, rung_at = rung_at - %(by)s, lease_until = lease_until - %(by)s,
            retry_at = retry_at - %(by)s
        """,
        {"by": timedelta(seconds=seconds)},
    )


def sweeps(services: Services, owner: psycopg.Connection, times: int) -> None:
    for _ in range(times):
        sweep.run(services)
        pass_time(owner, services.settings.sweep_every_s)


def test_a_dead_stages_backlog_keeps_no_other_stages_work_from_being_found(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 1_050, older_s=7_200)
    wait_at(owner, Stage.APPEND, 5)
    sweep.run(services)
    assert bell.waiting()[Stage.APPEND] == 5


def test_a_backlog_is_rung_for_from_its_oldest_run_on_each_run_once(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 1_050)
    heard: list[Work] = []
    while sweep.run(services):
        heard += [work for _, work in bell.rung]
        bell.rung.clear()
    by_age = owner.execute("select inbox_id from inbox order by changed_at").fetchall()
    assert [work.inbox_id for work in heard] == [inbox_id for (inbox_id,) in by_age]


def test_the_queue_of_a_dead_worker_stays_bounded(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 100)
    hour = round(3600 / services.settings.sweep_every_s)
    sweeps(services, owner, hour)
    after_an_hour = len(bell.rung)
    sweeps(services, owner, hour)
    assert 100 <= after_an_hour <= len(bell.rung) < 1_000


def test_a_queue_that_holds_enough_is_added_nothing_while_the_others_are(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 1_200)
    sweeps(services, owner, 10)
    assert bell.waiting() == {Stage.INDEX: 500}
    wait_at(owner, Stage.GATE, 3)
    sweep.run(services)
    assert bell.waiting() == {Stage.INDEX: 500, Stage.GATE: 3}


def test_a_run_is_rung_for_again_only_when_its_last_ring_is_void(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 1)
    assert sweep.run(services) == 1
    pass_time(owner, ring_life_s(services.settings) - 5)
    assert sweep.run(services) == 0
    pass_time(owner, 6)
    assert sweep.run(services) == 1
    assert len(set(bell.rung)) == 1


def test_a_ring_that_nobody_will_hear_is_missed_within_some_sweeps_however_long_a_task_may_take(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    """It was refused, dropped, or died with whoever was handed it: its queue is empty, and nobody is at the stream."""
    assert lost_after_s(services.settings) == 4 * services.settings.sweep_every_s < services.settings.task_deadline_s
    wait_at(owner, Stage.INDEX, 1)
    wait_at(owner, Stage.GATE, 1)
    assert sweep.run(services) == 2
    bell.rung = [(stage, work) for stage, work in bell.rung if stage is Stage.GATE]
    pass_time(owner, lost_after_s(services.settings) - 5)
    assert sweep.run(services) == 0
    pass_time(owner, 6)
    assert sweep.run(services) == 1
    assert [stage for stage, _ in bell.rung] == [Stage.GATE, Stage.INDEX], "what waits for a busy worker is not missed"


def test_a_ring_lives_for_the_deadline_of_a_task_and_four_sweeps_at_least(services: Services) -> None:
    settings = services.settings
    assert ring_life_s(settings.model_copy(update={"task_deadline_s": 300, "sweep_every_s": 15.0})) == 300
    assert ring_life_s(settings.model_copy(update={"task_deadline_s": 30, "sweep_every_s": 15.0})) == 60


def test_a_run_that_went_a_stage_on_or_failed_is_found_again_without_waiting_for_the_old_ring(
    door: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    pass_time(owner, 60)
    sweep.run(services)
    _, work = bell.rung[-1]
    perform(services, Stage.APPEND, STAGES[Stage.APPEND], work)
    bell.rung.clear()
    pass_time(owner, 60)
    assert sweep.run(services) == 1, "the ring for gate was lost"

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        perform(services, Stage.GATE, fail, work)
    pass_time(owner, 60)
    assert sweep.run(services) == 1
    assert [stage for stage, _ in bell.rung] == [Stage.GATE, Stage.GATE]


@pytest.mark.timeout(60)  # one that waits for the other would wait for ever here
def test_two_sweeps_at_once_ring_for_a_run_once(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 10)
    with services.database.claiming() as other:
        other.execute("select inbox_id from inbox order by changed_at limit 4 for update")
        assert sweep.run(services) == 6, "what another holds is passed over, not waited for"
    assert sweep.run(services) == 4
    assert set(Counter(bell.rung).values()) == {1}


def test_while_the_broker_is_away_nothing_is_marked_as_rung(services: Services, owner: psycopg.Connection) -> None:
    class Away(RecordingBell):
        def waiting(self) -> Mapping[Stage, int]:
            raise BrokerUnavailable

    wait_at(owner, Stage.INDEX, 3)
    away = Services(database=services.database, settings=services.settings, bell=Away(), embedder=services.embedder)
    assert sweep.run(away) == 0
    assert sweep.run(services) == 3


def test_of_a_stream_one_run_is_rung_for_its_oldest(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 1_000, streams=2)
    assert sweep.run(services) == 2
    oldest = owner.execute("select inbox_id from inbox order by accepted_at limit 2").fetchall()
    assert [work.inbox_id for _, work in bell.rung] == [inbox_id for (inbox_id,) in oldest]
    pass_time(owner, services.settings.sweep_every_s)
    assert sweep.run(services) == 0


def test_one_streams_backlog_keeps_no_other_stream_from_being_found(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 2_000, older_s=7_200, streams=1)
    owner.execute("update inbox set user_id = 'older'")
    wait_at(owner, Stage.INDEX, 3)
    assert sweep.run(services) == 4


def test_a_stream_that_somebody_is_at_is_left_to_him_until_his_lease_ends(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.INDEX, 50, streams=1)
    assert sweep.run(services) == 1
    _, work = bell.rung.pop()
    claim = inbox.claim_burst(services.database, work, Stage.INDEX, lease=timedelta(seconds=20))
    assert claim is not None
    pass_time(owner, 16)
    assert sweep.run(services) == 0
    pass_time(owner, 5)
    assert sweep.run(services) == 1, "the last ring has been heard: nothing is to be waited for"
    assert bell.rung[0][1].inbox_id in claim.inbox_ids


def test_a_run_that_failed_is_rung_for_when_its_pause_is_over(
    services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    wait_at(owner, Stage.GATE, 1)
    sweep.run(services)
    _, work = bell.rung.pop()

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        serve(services, Stage.GATE, fail, work)
    assert bell.rung == []
    assert sweep.run(services) == 0
    pass_time(owner, 2)
    assert sweep.run(services) == 1


def test_an_attempt_whose_lease_ran_out_gives_nothing_back(
    door: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    """Not at the stage, where somebody else is at it; nor at the next, where attempts are counted anew."""
    door.observe(MIRA, [BEES], run_id="run-7")
    _, work = bell.rung[-1]
    lease = timedelta(seconds=300)

    def second(stage: Stage) -> inbox.Claim:
        claim = inbox.claim(services.database, work, stage, lease=lease)
        assert claim is not None
        return claim

    def overtaken(*_: object) -> None:
        pass_time(owner, 301)
        assert second(Stage.APPEND).attempt == 2
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        perform(services, Stage.APPEND, overtaken, work)
    assert inbox.claim(services.database, work, Stage.APPEND, lease=lease) is None, "the second attempt's lease holds"
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        inbox.advance(session, work.inbox_id, Stage.GATE)
    own = second(Stage.GATE)
    late = replace(own, stage=Stage.APPEND)
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        assert not inbox.give_back(session, late, error="Late", after=timedelta(0))
        assert inbox.give_back(session, own, error="Own", after=timedelta(0))
    assert owner.execute("select last_error from inbox").fetchone() == ("Own",)
