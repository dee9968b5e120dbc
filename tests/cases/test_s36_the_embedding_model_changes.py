"""S36: another embedding model is configured for a store that has vectors of one; two spaces are never compared."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from gateway import Daybook
from gateway.reports import Check, Health
from shared.contract.receipts import Outcome, Stage
from shared.contract.scope import Owner
from shared.embedded import open_database
from shared.models import embedding
from shared.settings import Settings, environment, settings
from shared.store import generations, jobs
from tests.cases.adapter import Words, said
from tests.cases.another_model import Stub
from tests.cases.processes import ROOT, processes, until

OLD = Stub("small", "1", 384)
NEW = {
    "768 dimensions": Stub("large", "1", 768),
    "another space of 384": Stub("other", "1", 384),
    "another revision": Stub("small", "2", 384),
}
USERS = ("mira", "oskar", "tess")
RUNS, MESSAGES = 4, 10
STORED = len(USERS) * RUNS * MESSAGES
QUERIES = ("beehive by the old oak", "what did the vet say of the cat", "boat harbour", "tree number 7", "zither")
TOPICS = ("beehive by the oak", "vet and the cat", "boat in the harbour", "tree of the garden", "red kettle")
PROGRAM = str(Path(__file__).parent / "another_model.py")
LEASE_S = "1"

Choose = Callable[[Stub], None]


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Iterator[Choose]:
    """Starts this process anew, as it were, with a model configured."""

    def choose(stub: Stub) -> None:
        monkeypatch.setattr(embedding, "_made", {})
        monkeypatch.setattr(embedding, "_make", lambda *_: stub)

    return choose


@pytest.fixture
def words(environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> Words:
    monkeypatch.setenv("DAYBOOK_JOB_LEASE_S", LEASE_S)
    settings.cache_clear()
    return Words(owner)


def tell(words: Words, tenant: str) -> None:
    for user in USERS:
        for run in range(RUNS):
            texts = [f"{TOPICS[(run + n) % len(TOPICS)]}, note {run} {n} of {user}" for n in range(MESSAGES)]
            words.ingest(tenant, user, f"run-{run}", [said(text, f"m{n}") for n, text in enumerate(texts)])


def tell_late(words: Words, tenant: str) -> None:
    words.ingest(
        tenant, "mira", "late", [said("The zither is in the attic.", "m1"), said("It has a string too few.", "m2")]
    )


def answers(words: Words, tenant: str) -> list[list[tuple[str, float]]]:
    found = [words.bundle(tenant, user, query, k=10) for user in USERS for query in QUERIES]
    assert {bundle.degraded for bundle in found} == {()}
    return [[(item.text, round(item.score, 4)) for item in bundle.items] for bundle in found]


def stored(owner: psycopg.Connection) -> dict[tuple[int, str], int]:
    rows = owner.execute(
        "select generation, model_id, count(*) from memory_vector where tenant_id = 'acme' group by 1, 2"
    )
    return {(generation, model): count for generation, model, count in rows}


def counted(owner: psycopg.Connection) -> dict[int, int]:
    rows = owner.execute("select generation, sum(vectors)::int from dense_stream where tenant_id = 'acme' group by 1")
    return dict(rows.fetchall())


def daybook(stub: Stub, *arguments: str) -> tuple[str, ...]:
    return (PROGRAM, stub.name, stub.revision, str(stub.dimension), "daybook", *arguments)


def run(stub: Stub, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *daybook(stub, *arguments)],
        cwd=ROOT,
        env=environment_of_a_process(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def environment_of_a_process() -> dict[str, str]:
    return environment(settings()) | {"PYTHONPATH": str(ROOT)}


def assert_nothing_is_mixed(words: Words, stub: Stub, no_dense: list[list[str]]) -> None:
    """Recall says that it goes without vectors, and answers what words alone do."""
    found = [words.bundle("acme", user, query, k=10) for user in USERS for query in QUERIES]
    assert {bundle.degraded for bundle in found} == {("dense",)}
    assert [[item.text for item in bundle.items] for bundle in found] == no_dense


def by_words(words: Words, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    with monkeypatch.context() as without:
        without.setattr("hotpath._embed.embedder", lambda _: 1 / 0)
        found = [words.bundle("acme", user, query, k=10) for user in USERS for query in QUERIES]
    return [[item.text for item in bundle.items] for bundle in found]


def of_the_model(checks: Iterator[Check]) -> Check:
    (check,) = [check for check in checks if check.name == "embedding model"]
    return check


@pytest.mark.parametrize("new", NEW.values(), ids=NEW)
def test_s36_the_new_model_takes_over_when_all_is_embedded_and_not_before(
    new: Stub, words: Words, choose: Choose, owner: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(OLD)
    tell(words, "acme")
    assert stored(owner) == {(1, OLD.model.key): STORED}

    choose(new)
    check = of_the_model(Daybook().doctor())
    assert check.health is Health.FAIL
    assert OLD.model.key in check.found
    assert new.model.key in check.found
    tell_late(words, "acme")
    assert words.status("acme", "mira", "late") == [("done", 0)]
    late = {receipt.stage: receipt for receipt in words.receipts("acme", "mira", "late")}[Stage.INDEX]
    assert (late.outcome, "reembed" in late.reason) == (Outcome.DEFERRED, True)
    assert words.recall("acme", "mira", "zither")[0].text == "The zither is in the attic."
    assert stored(owner) == {(1, OLD.model.key): STORED}
    assert_nothing_is_mixed(words, new, by_words(words, monkeypatch))

    with processes(tmp_path) as start:
        killed = start(*daybook(new, "reembed", "--tenant", "acme"), HOLD_AFTER=str(STORED * 2 // 3))
        until(lambda: stored(owner).get((2, new.model.key), 0) >= STORED / 3, "half is embedded")
        half = stored(owner)[2, new.model.key]
        killed.kill()
    assert half < STORED
    assert counted(owner) == {1: STORED, 2: half}
    assert_nothing_is_mixed(words, new, by_words(words, monkeypatch))
    until(lambda: jobs.latest(open_database(settings()), "acme")[0].lapsed_at, "the job is nobody's")

    resumed = run(new, "reembed", "--tenant", "acme", "--json")
    assert resumed.returncode == 0, resumed.stderr
    (rebuilt,) = json.loads(resumed.stdout)["rebuilt"]
    assert (rebuilt["outcome"], rebuilt["memories"]) == ("done", STORED + 2 - half)
    with words.session("acme", "mira") as session:
        assert generations.live(session, "dense") == generations.Build(generation=2, model_id=new.model.key)
    assert stored(owner) == {(1, OLD.model.key): STORED, (2, new.model.key): STORED + 2}
    assert counted(owner) == {1: STORED, 2: STORED + 2}
    assert of_the_model(Daybook().doctor()).health is Health.OK

    tell(words, "fresh")
    tell_late(words, "fresh")
    assert answers(words, "acme") == answers(words, "fresh")


def test_s36_what_was_deferred_gets_its_vectors_by_fill_once_the_old_model_is_configured_again(
    words: Words, choose: Choose, owner: psycopg.Connection
) -> None:
    choose(OLD)
    tell(words, "acme")
    choose(NEW["another revision"])
    tell_late(words, "acme")
    refused = run(NEW["another revision"], "reembed", "--tenant", "acme", "--missing", "--json")
    assert refused.returncode == 1
    assert "never compared" in json.loads(refused.stdout)["rebuilt"][0]["error"]
    assert counted(owner) == {1: STORED}
    filled = run(OLD, "reembed", "--tenant", "acme", "--missing", "--json")
    assert (filled.returncode, json.loads(filled.stdout)["rebuilt"][0]["memories"]) == (0, 2), filled.stderr
    assert counted(owner) == {1: STORED + 2}
    choose(OLD)
    assert words.bundle("acme", "mira", "zither").degraded == ()


def test_s36_one_can_go_back_to_the_old_model_and_is_told_what_lacks_a_vector(
    words: Words, choose: Choose, owner: psycopg.Connection
) -> None:
    choose(OLD)
    tell(words, "acme")
    new = NEW["another space of 384"]
    assert run(new, "reembed", "--tenant", "acme").returncode == 0
    choose(new)
    tell_late(words, "acme")
    assert counted(owner) == {1: STORED, 2: STORED + 2}
    back = run(OLD, "reembed", "--tenant", "acme", "--back", "--json")
    found = json.loads(back.stdout)
    assert (found["live"], found["lacking_vectors"]) == ({"generation": 1, "model_id": OLD.model.key}, 2)
    assert run(OLD, "reembed", "--tenant", "acme", "--missing").returncode == 0
    assert counted(owner) == {1: STORED + 2, 2: STORED + 2}
    choose(OLD)
    assert words.bundle("acme", "mira", "zither").degraded == ()


def test_s36_a_worker_of_the_old_model_does_not_give_up_the_build_of_the_new_one(
    words: Words, choose: Choose, owner: psycopg.Connection
) -> None:
    from coldpath.reembed import carry_on
    from shared.work.passes import Outcome as Ended
    from shared.work.passes import carry_out

    choose(OLD)
    tell(words, "acme")
    new = NEW["768 dimensions"]
    left = run(new, "reembed", "--tenant", "acme", "--background", "--json")
    assert json.loads(left.stdout)["rebuilt"][0]["outcome"] == "requested", left.stderr
    database = open_database(settings())

    def work(stub: Stub) -> Ended:
        return carry_out(
            database, settings(), "reembed", "acme", lambda job: carry_on(database, stub, job), resume=True
        ).outcome

    assert work(OLD) == Ended.FAILED
    (failed,) = jobs.latest(database, "acme")
    assert (failed.state, new.model.key in (failed.last_error or "")) == ("failed", True)
    with words.session("acme", str(Owner("mira"))) as session:
        found = generations.of(session, "dense")
    assert found is not None
    assert (found.live.model_id, found.building and found.building.model_id) == (OLD.model.key, new.model.key)
    again = run(new, "reembed", "--tenant", "acme", "--background")
    assert again.returncode == 0
    assert work(new) == Ended.DONE
    assert counted(owner) == {1: STORED, 2: STORED}
