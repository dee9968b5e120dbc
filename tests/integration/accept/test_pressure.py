"""A tenant whose runs are not worked off is refused more, and nobody else is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.accept import pressure
from shared.contract.errors import InboxFull
from shared.contract.receipts import Outcome
from shared.contract.scope import Scope
from shared.testing import RecordingBell
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")


@pytest.fixture
def narrow(services: Services, monkeypatch: pytest.MonkeyPatch) -> Door:
    """Takes three runs of a tenant at a time, and looks each time."""
    monkeypatch.setattr(pressure, "LOOK_EVERY_S", 0.0)
    monkeypatch.setattr(pressure, "_looked", {})
    return Door(replace(services, settings=services.settings.model_copy(update={"inbox_limit": 3})))


def say(door: Door, run_id: str, scope: Scope = MIRA) -> Outcome:
    return door.observe(scope, [{"role": "user", "text": f"I am {run_id}."}], run_id=run_id).outcome


def test_as_many_as_the_limit_are_taken_and_no_more(narrow: Door) -> None:
    assert [say(narrow, f"run-{n}") for n in range(3)] == [Outcome.ACCEPTED] * 3
    with pytest.raises(InboxFull, match=r"3 runs of tenant 'acme'.*DAYBOOK_INBOX_LIMIT"):
        say(narrow, "run-3", Scope(tenant_id="acme", user_id="oskar"))


def test_what_was_accepted_before_is_answered_as_ever(narrow: Door) -> None:
    for n in range(3):
        say(narrow, f"run-{n}")
    again = narrow.observe(MIRA, [{"role": "user", "text": "I am run-1."}], run_id="run-1")
    assert (again.outcome, again.repeated) == (Outcome.ACCEPTED, True)


def test_other_tenants_are_not_refused(narrow: Door) -> None:
    for n in range(3):
        say(narrow, f"run-{n}")
    assert say(narrow, "run-3", Scope(tenant_id="beta", user_id="mira")) is Outcome.ACCEPTED


def test_once_some_are_worked_off_more_are_taken(narrow: Door, services: Services, bell: RecordingBell) -> None:
    for n in range(3):
        say(narrow, f"run-{n}")
    stage, work = bell.rung[0]
    perform(services, stage, STAGES[stage], work)
    assert say(narrow, "run-3") is Outcome.ACCEPTED


def test_a_process_does_not_look_at_each_run(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(pressure, "_looked", {})
    monkeypatch.setattr("shared.store.inbox.holds", lambda *_: looks.append(1) or False)
    monkeypatch.setattr("shared.clock.monotonic_s", iter([0.0, 0.0, 0.5, 1.0, 1.0]).__next__)
    for _ in range(3):
        pressure.require_room(services.database, services.settings, "acme")
    assert len(looks) == 2


def test_of_more_tenants_than_so_many_it_is_not_remembered_how_they_were(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pressure, "_looked", {})
    monkeypatch.setattr(pressure, "_MOST_TENANTS", 3)
    for n in range(10):
        pressure.require_room(services.database, services.settings, f"tenant-{n}")
    assert len(pressure._looked) <= 3
