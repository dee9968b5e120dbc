from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gateway.doctor import (
    judge_checks,
    judge_login,
    judge_pgvector,
    judge_postgres,
    judge_reading,
    judge_reranker,
    judge_roles,
    judge_space,
)
from gateway.reports import Health
from shared.settings import load
from shared.store.jobs import Pass
from shared.store.server import Facts

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
VERIFIED = Pass(
    tenant_id="system",
    name="verify",
    slot=NOW,
    state="done",
    attempts=1,
    done=0,
    total=0,
    counts={},
    last_error=None,
    started_at=NOW,
    changed_at=NOW,
    finished_at=NOW,
    lapsed_at=None,
    looked_at=NOW,
)
SOUND = Facts(
    version_number=180006,
    version="18.6",
    pgvector="0.8.6",
    login="daybook",
    superuser=False,
    bypasses_policies=False,
    owns_schema=False,
    missing_roles=(),
)


def test_a_sound_server_and_login_pass_every_check() -> None:
    for judge in (judge_postgres, judge_pgvector, judge_login, judge_roles):
        check = judge(SOUND)
        assert (check.health, check.advice) == (Health.OK, "")


@pytest.mark.parametrize("flaw", ["superuser", "bypasses_policies", "owns_schema"])
def test_a_login_that_policies_do_not_bind_is_refused(flaw: str) -> None:
    check = judge_login(replace(SOUND, **{flaw: True}))
    assert check.health is Health.FAIL
    assert "DAYBOOK_MIGRATE_URL" in check.advice


def test_a_missing_role_is_named() -> None:
    check = judge_roles(replace(SOUND, missing_roles=("daybook_worker",)))
    assert check.health is Health.FAIL
    assert "daybook_worker" in check.found
    assert "daybook migrate" in check.advice


@pytest.mark.parametrize(
    ("number", "health"), [(140012, Health.FAIL), (150000, Health.WARN), (170004, Health.WARN), (180006, Health.OK)]
)
def test_an_old_postgres_fails_and_an_untested_one_warns(number: int, health: Health) -> None:
    assert judge_postgres(replace(SOUND, version_number=number)).health is health


@pytest.mark.parametrize(
    ("version", "health"), [(None, Health.FAIL), ("0.7.4", Health.FAIL), ("0.8.0", Health.OK), ("1.0", Health.OK)]
)
def test_pgvector_must_be_there_and_new_enough(version: str | None, health: Health) -> None:
    assert judge_pgvector(replace(SOUND, pgvector=version)).health is health


@pytest.mark.parametrize(("free_gb", "health"), [(20.0, Health.OK), (0.5, Health.WARN), (0.01, Health.FAIL)])
def test_little_disk_space_warns_and_none_fails(free_gb: float, health: Health) -> None:
    assert judge_space(free_gb, "/data").health is health


def test_a_reranker_that_cannot_be_loaded_is_named() -> None:
    check = judge_reranker(load(reranker="nobody/none"))
    assert check.health is Health.FAIL
    assert "nobody/none" in check.found
    assert "DAYBOOK_RERANKER" in check.advice


@pytest.mark.parametrize("reranker", ["features", "off"])
def test_a_reranker_without_a_model_is_sound(reranker: str) -> None:
    assert judge_reranker(load(reranker=reranker)).health is Health.OK


def test_a_model_that_reads_and_has_no_key_is_refused() -> None:
    check = judge_reading(load(extraction_model="openai:gpt-5-mini"))
    assert check.health is Health.FAIL
    assert "DAYBOOK_EXTRACTION_API_KEY" in check.found


def test_a_model_that_could_be_asked_reads() -> None:
    check = judge_reading(load(extraction_model="openai:gpt-5-mini", extraction_api_key="sk-nobodys"))
    assert (check.health, check.found.split(",")[0]) == (Health.OK, "by openai:gpt-5-mini")


def test_what_a_check_found_fails_until_its_last_pass_is_well() -> None:
    found = judge_checks(
        [VERIFIED, replace(VERIFIED, name="replay", state="failed", last_error="ViewsDiffer: a stream")]
    )
    assert (found.health, "replay of system: ViewsDiffer: a stream" in found.found) == (Health.FAIL, True)
    assert judge_checks([replace(VERIFIED, name="dedupe", state="failed")]).health is Health.OK, "no check"
    assert judge_checks([VERIFIED]).found == "the last verify found nothing"
    assert judge_checks([]).found == "none has been made yet"


def test_readings_by_older_rules_are_a_warning_with_the_command() -> None:
    counts = {"older": 3, "compared": 1}
    found = judge_checks([replace(VERIFIED, name="rederive", tenant_id="acme", counts=counts)])
    assert found.health is Health.WARN
    assert "read 3 of the readings" in found.advice
    assert "daybook rederive --tenant acme --check" in found.advice
