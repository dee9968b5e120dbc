"""What is of little worth: demoted or held no longer, by a policy that is written down, and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import prune
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.replay import replay
from coldpath.tidying import tidy_on
from gateway import Daybook
from gateway.cli import OK, WRONG_INPUT, run
from shared.contract.operations import AbstractPayload, AddPayload, LinkPayload, WrittenEntry
from shared.contract.policies import MISLED, PrunePolicy, PruneRule
from shared.contract.records import EpistemicType, EvidenceRef, Kind, MemoryVersion
from shared.contract.scope import Scope
from shared.settings import Settings, settings
from shared.store import generations, ledger, memories
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.testing import HashEmbedder
from shared.work.passes import Job, carry_out

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
MAPS, SHELF = "Old maps are kept in the archive room.", "The atlas stands on the lowest shelf."
DOUBTFUL = PrunePolicy(rules=(PruneRule(name="doubtful", action="expire", confidence_below=0.4, older_than_days=90),))
POLICY = """
[[prune.rules]]
name = "doubtful"
action = "expire"
confidence_below = 0.4
older_than_days = 90
"""

Believe = Callable[..., UUID]


@pytest.fixture
def daybook(environment: Settings, embedder: HashEmbedder) -> Iterator[Daybook]:
    del environment, embedder
    with Daybook() as opened:
        yield opened


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our clock, a hundred days on."""
    monkeypatch.setattr("shared.clock.now", lambda: datetime.now(UTC) + timedelta(days=100))


@pytest.fixture
def believe(daybook: Daybook) -> Believe:
    """Say something, and hold a belief that rests on it."""
    runs = iter(range(1000))

    def do(text: str, *, confidence: float = 0.3, scope: Scope = MIRA, importance: float | None = None) -> UUID:
        said = {"role": "user", "text": f"You know, {text}"} | (
            {} if importance is None else {"importance": importance}
        )
        run_id = f"run-{next(runs)}"
        daybook.observe(scope, [said], run_id=run_id, inline=True)
        with daybook.database().transaction(Role.WORKER, scope.tenant_id, [scope.owner]) as session:
            (heard,) = ledger.from_source(session, ledger.Source(run_id=run_id))
        entry = WrittenEntry(
            kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, confidence=confidence,
            evidence=(EvidenceRef(sequence=heard.sequence),),
        )  # fmt: skip
        (opened,) = operate(daybook, [], AddPayload(reason="stated", entries=(entry,)), scope=scope)
        return opened.memory_id

    return do


def operate(daybook: Daybook, held: list[UUID], operation: Any, scope: Scope = MIRA) -> tuple[MemoryVersion, ...]:
    with daybook.database().transaction(Role.WORKER, scope.tenant_id, [scope.owner]) as session:
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, scope.owner))
        draft.do(memories.versions(session, held), [operation])
        effects, head = draft.write()
        ledger.advance(session, head)
    return effects.added


def newest(daybook: Daybook, memory: UUID, scope: Scope = MIRA) -> MemoryVersion:
    with daybook.database().transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as session:
        return memories.versions(session, [memory])[-1]


def tidying(policy: PrunePolicy = DOUBTFUL) -> Tidying:
    def propose(session: Any) -> Any:
        return prune.propose(policy, session)

    return Tidying(job="prune", propose=propose, batch_id=uuid4(), by_time=True)


def pruned(daybook: Daybook, given: Tidying | None = None) -> Done:
    return tidy(daybook.database(), "acme", MIRA.owner, given or tidying())


def is_equal(daybook: Daybook) -> bool:
    found = replay(daybook.database(), "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


@pytest.mark.usefixtures("later")
def test_what_is_doubtful_for_long_is_held_no_longer_and_its_evidence_stays(
    daybook: Daybook, believe: Believe, owner: psycopg.Connection
) -> None:
    doubtful, sure = believe(MAPS), believe(SHELF, confidence=0.9)
    before = owner.execute("select sequence, payload from event_payload order by sequence").fetchall()
    (done,) = pruned(daybook).accepted
    assert done.operation.reason == "doubtful"
    assert not newest(daybook, doubtful).is_open
    assert newest(daybook, sure).is_open
    after = owner.execute("select sequence, payload from event_payload order by sequence").fetchall()
    assert after[: len(before)] == before
    assert f"You know, {MAPS}" in {item.text for item in daybook.recall(MIRA, MAPS).items}
    assert is_equal(daybook)
    again = rehearse(daybook.database(), "acme", MIRA.owner, tidying())
    assert (again.accepted, again.refused) == ((), ())


def test_what_is_young_is_looked_at_again_when_its_day_has_come(
    daybook: Daybook, believe: Believe, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = believe(MAPS)
    assert pruned(daybook).accepted == ()
    monkeypatch.setattr("shared.clock.now", lambda: datetime.now(UTC) + timedelta(days=100))
    assert len(pruned(daybook).accepted) == 1, "although nothing has happened in the stream"
    assert not newest(daybook, memory).is_open


@pytest.mark.usefixtures("later")
def test_what_was_taken_back_keeps_nothing_behind_it_from_its_turn(
    daybook: Daybook, believe: Believe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prune, "MOST_AT_ONCE", 1)
    first, second, given = believe(MAPS), believe(SHELF), tidying()
    pruned(daybook, given)
    revert(daybook.database(), "acme", given.batch_id)
    assert newest(daybook, first).is_open
    assert len(pruned(daybook).accepted) == 1
    assert not newest(daybook, second).is_open


@pytest.mark.usefixtures("later")
def test_what_was_taken_back_is_held_and_not_pruned_again(daybook: Daybook, believe: Believe) -> None:
    memory, given = believe(MAPS), tidying()
    pruned(daybook, given)
    revert(daybook.database(), "acme", given.batch_id)
    assert newest(daybook, memory).is_open
    assert pruned(daybook).accepted == ()
    assert newest(daybook, memory).is_open
    assert is_equal(daybook)


@pytest.mark.usefixtures("later")
def test_what_a_link_or_an_abstraction_rests_on_is_left_alone_and_an_abstraction_is_not(
    daybook: Daybook, believe: Believe
) -> None:
    one, two, three, four = (believe(f"{text} {n}") for n, text in enumerate([MAPS, MAPS, SHELF, SHELF], 3))
    held = [newest(daybook, one), newest(daybook, two)]
    entry = WrittenEntry(
        kind=Kind.SEMANTIC, epistemic_type=EpistemicType.INFERENCE, text="Maps are kept in rooms.", confidence=0.3,
        evidence=tuple(ref for each in held for ref in each.evidence),
    )  # fmt: skip
    (made,) = operate(daybook, [one, two], AbstractPayload(reason="abstracted", sources=(one, two), entry=entry))
    operate(daybook, [three, four], LinkPayload(reason="linked", source=three, relation="causes", target=four))
    operate(daybook, [one, three], LinkPayload(reason="linked", source=one, relation="same_topic", target=three))
    (done,) = pruned(daybook).accepted
    assert done.operation.memory == made.memory_id  # type: ignore[union-attr]
    assert all(newest(daybook, each).is_open for each in (one, two, three, four))
    assert len(pruned(daybook).accepted) == 2, "nothing was made from them any more"
    assert all(newest(daybook, each).is_open for each in (three, four))
    assert is_equal(daybook)


@pytest.mark.usefixtures("later")
def test_what_an_app_called_important_stays(daybook: Daybook, believe: Believe) -> None:
    memory = believe(MAPS, importance=0.9)
    assert pruned(daybook).accepted == ()
    assert newest(daybook, memory).is_open


def test_without_a_policy_what_misled_is_demoted_and_shown_as_that(daybook: Daybook, believe: Believe) -> None:
    memory = believe(MAPS, confidence=0.9)
    for _ in range(4):
        daybook.outcome(MIRA, uuid4(), misled=[memory], inline=True)
    assert run(["prune", "--tenant", "acme"]) == OK
    after = newest(daybook, memory)
    assert (after.epistemic_type, after.confidence) == (EpistemicType.INFERENCE, MISLED.confidence)
    assert after.is_open
    assert is_equal(daybook)
    assert pruned(daybook, tidying(PrunePolicy())).accepted == ()


@pytest.mark.usefixtures("later")
def test_what_was_known_before_is_answered_as_before(daybook: Daybook, believe: Believe) -> None:
    believe(MAPS)
    believe(SHELF, confidence=0.9)
    with daybook.database().claiming() as connection:
        (now,) = connection.execute("select clock_timestamp() as now").fetchone().values()  # type: ignore[union-attr]
    before = [item.memory_id for item in daybook.recall(MIRA, "maps and the atlas").items]
    pruned(daybook)
    assert [item.memory_id for item in daybook.recall(MIRA, "maps and the atlas", known_at=now).items] == before


@pytest.mark.usefixtures("later")
def test_an_operator_sees_the_rule_and_a_policy_that_is_none_stops_everything(
    daybook: Daybook,
    believe: Believe,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    memory, path = believe(MAPS), tmp_path / "policies.toml"
    monkeypatch.setenv("DAYBOOK_POLICIES", str(path))
    settings.cache_clear()
    path.write_text(POLICY.replace("doubtful", "Doubtful!"))
    assert run(["prune", "--tenant", "acme"]) == WRONG_INPUT
    assert "prune.rules.0.name" in capsys.readouterr().err
    path.write_text(POLICY)
    assert run(["prune", "--tenant", "acme", "--dry-run", "--json"]) == OK
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["operation"], change["rule"], change["footing"]) == ("expire", "doubtful", ["semantic fact", ""])
    assert newest(daybook, memory).is_open
    assert run(["prune", "--tenant", "acme"]) == OK
    assert not newest(daybook, memory).is_open


@pytest.mark.usefixtures("later")
def test_a_pass_that_is_cut_off_goes_on_behind_the_streams_that_it_has_seen(
    daybook: Daybook, believe: Believe, monkeypatch: pytest.MonkeyPatch
) -> None:
    for scope in (MIRA, OSKAR):
        believe(MAPS, scope=scope)
    configured = daybook.settings
    monkeypatch.setattr("coldpath.prune.policies", lambda _: type("P", (), {"prune": DOUBTFUL}))
    looked: list[str] = []
    propose = prune.propose

    def watched(policy: PrunePolicy, session: Any) -> Any:
        looked.append(session.owner)
        return propose(policy, session)

    monkeypatch.setattr("coldpath.prune.propose", watched)

    def one_stream(job: Job) -> bool:
        def heard(_done: int, _total: int) -> None:
            job.until_s = 0.0

        job.until_s, job.heard = float("inf"), heard
        return tidy_on(daybook.database(), configured, job)

    def the_rest(job: Job) -> bool:
        return tidy_on(daybook.database(), configured, job)

    carry_out(daybook.database(), configured, "prune", "acme", one_stream)
    assert looked == ["mira"]
    report = carry_out(daybook.database(), configured, "prune", "acme", the_rest)
    assert (looked, dict(report.counts)) == (["mira", "oskar"], {"accepted": 2, "refused": 0, "asked": 0, "streams": 2})
