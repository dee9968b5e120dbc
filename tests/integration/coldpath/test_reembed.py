"""The dense view, built anew beside the live one, of the same model or another."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from coldpath import reembed as reembedding
from coldpath.app import JOBS, PLACE
from coldpath.reembed import fill, reembed
from coldpath.reindex import Pass, go_back
from gateway.health import judge
from shared.contract.errors import ModelMismatch
from shared.contract.scope import Owner, Scope
from shared.models._vectors import Vectors
from shared.settings import Settings
from shared.store import generations, jobs, progress
from shared.store.db import Database, Role
from shared.store.generations import Build
from shared.testing import HashEmbedder
from shared.work.job_tasks import answer
from shared.work.passes import Outcome, carry_out
from shared.work.queues import EVERY_TENANT
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import perform

MIRA = Scope(tenant_id="acme", user_id="mira")
VECTORS = """
    select user_id, doc, session_doc, memory_id, version, kind, open, text_hash, embedding::text from memory_vector
    where generation = %s and model_id = %s order by 1, 2
"""
COUNTED = """
    select (select coalesce(sum(vectors), 0) from dense_stream where generation = %(generation)s)
        = (select count(*) from memory_vector where generation = %(generation)s)
"""
OTHER = HashEmbedder(name="other", dimension=384)
LARGER = HashEmbedder(name="larger", dimension=768)


class Counting(HashEmbedder):
    """Counts the texts it embeds."""

    texts: list[str]

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        seen.extend(texts)
        return super().encode_documents(texts)


seen: list[str] = []


def say(door: Door, *texts: str, run: str, user: str = "mira") -> None:
    scope = Scope(tenant_id="acme", user_id=user)
    door.observe(scope, [{"role": "user", "text": text} for text in texts], run_id=run)


def live(opened: Database) -> Build | None:
    with opened.transaction(Role.READER, "acme", [Owner("mira")]) as session:
        return generations.live(session, "dense")


def vectors(owner: psycopg.Connection, generation: int, embedder: HashEmbedder) -> object:
    (counted,) = owner.execute(COUNTED, {"generation": generation}).fetchone() or (None,)
    assert counted, "the counter is not the number of rows"
    return owner.execute(VECTORS, (generation, embedder.model.key)).fetchall()


@pytest.fixture
def told(door: Door, work_off: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> Door:
    monkeypatch.setattr(reembedding, "PORTION", 3)
    monkeypatch.setattr(reembedding, "BATCH", 3)
    seen.clear()
    for n in range(5):
        say(door, f"I keep beehive number {n}.", f"It stands by tree {n}.", run=f"m{n}")
    say(door, "My boat is called Vega.", run="o0", user="oskar")
    work_off()
    return door


def test_the_same_models_vectors_are_taken_over_and_nothing_is_embedded(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    rebuilt = reembed(opened, Counting(), "acme", Pass())
    assert (rebuilt.finished, rebuilt.worked, rebuilt.generation) == (True, 11, 2)
    assert seen == []
    assert vectors(owner, 2, HashEmbedder()) == vectors(owner, 1, HashEmbedder())


@pytest.mark.parametrize("model", [OTHER, LARGER], ids=["same dimension", "another dimension"])
def test_another_models_vectors_are_those_of_a_fresh_store(
    told: Door, opened: Database, owner: psycopg.Connection, model: HashEmbedder
) -> None:
    rebuilt = reembed(opened, model, "acme", Pass())
    assert live(opened) == Build(generation=2, model_id=model.model.key)
    made = vectors(owner, 2, model)
    texts = owner.execute("select text from memory order by user_id, doc").fetchall()
    assert len(made) == len(texts) == rebuilt.worked
    assert vectors(owner, 2, HashEmbedder()) == []
    nearest = owner.execute(
        "select memory.text from memory join memory_vector using (tenant_id, memory_id) "
        "where memory_vector.generation = 2 order by memory_vector.embedding <=> %s::halfvec limit 1",
        (str(model.encode_query("beehive number 3").tolist()),),
    ).fetchone()
    assert nearest == ("I keep beehive number 3.",)


def test_a_pass_that_stops_early_is_gone_on_with_and_embeds_nothing_twice(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    model = Counting(name="other")
    stops = iter([False, False, False, True])
    assert not reembed(opened, model, "acme", Pass(stop=lambda: next(stops))).finished
    assert live(opened) == Build(generation=1, model_id=HashEmbedder().model.key)
    assert len(seen) == 6
    assert reembed(opened, model, "acme", Pass()).finished
    assert len(seen) == len(set(seen)) == 11


def test_a_text_that_comes_in_while_another_model_is_built_has_a_vector_after_it(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    reports = iter(range(100))

    def report(_done: int, _total: int) -> None:
        if next(reports) == 1:
            say(told, "The new queen is green.", run="late")
            work_off()

    reembed(opened, OTHER, "acme", Pass(report=report))
    assert len(vectors(owner, 2, OTHER)) == 12  # type: ignore[arg-type]


def test_a_build_of_another_model_ends_though_something_comes_in_with_every_batch(
    told: Door, opened: Database, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    came: list[str] = []

    class Busy(HashEmbedder):
        def encode_documents(self, texts: Sequence[str]) -> Vectors:
            came.append(f"I planted row {len(came)}.")
            say(told, came[-1], run=f"later-{len(came)}", user=f"user-{len(came) % 3}")
            work_off()
            return super().encode_documents(texts)

    busy = Busy(name="busy", dimension=384)
    built = reembed(opened, busy, "acme", Pass(stop=lambda: len(came) > 50))
    assert built.finished
    assert live(opened) == Build(generation=2, model_id=busy.model.key)
    assert len(vectors(owner, 2, busy)) >= 11 + len(came) - 4  # type: ignore[arg-type]
    fill(opened, HashEmbedder(name="busy", dimension=384), "acme", Pass())
    assert len(vectors(owner, 2, busy)) == 11 + len(came)  # type: ignore[arg-type]


def test_nothing_is_looked_at_while_all_writers_wait_for_the_switch(
    told: Door, opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch = reembedding.switch

    def blindly(*arguments: Any) -> bool:
        with monkeypatch.context() as during:
            during.setattr(reembedding.vectors, "trailing", None)
            during.setattr(reembedding.streams, "lacking_vectors", None)
            return switch(*arguments)

    monkeypatch.setattr(reembedding, "switch", blindly)
    assert reembed(opened, OTHER, "acme", Pass()).finished


def test_a_build_of_a_third_model_takes_the_place_of_one_under_way(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    stops = iter([False, False, True])
    reembed(opened, OTHER, "acme", Pass(stop=lambda: next(stops)))
    reembed(opened, LARGER, "acme", Pass())
    assert live(opened) == Build(generation=3, model_id=LARGER.model.key)
    assert owner.execute("select distinct generation from memory_vector order by 1").fetchall() == [(1,), (3,)]


def test_one_can_go_back_to_the_other_model(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    before = vectors(owner, 1, HashEmbedder())
    reembed(opened, OTHER, "acme", Pass())
    go_back(opened, "acme", "dense")
    assert live(opened) == Build(generation=1, model_id=HashEmbedder().model.key)
    assert vectors(owner, 1, HashEmbedder()) == before


def test_what_lacks_a_vector_is_given_one(told: Door, opened: Database, owner: psycopg.Connection) -> None:
    before = vectors(owner, 1, HashEmbedder())
    owner.execute("delete from memory_vector where doc in (2, 7)")
    owner.execute(
        "update dense_stream as counted set vectors = "
        "(select count(*) from memory_vector where memory_vector.user_id = counted.user_id)"
    )
    filled = fill(opened, Counting(), "acme", Pass())
    assert (filled.finished, filled.worked) == (True, 2)
    assert len(seen) == 2
    assert vectors(owner, 1, HashEmbedder()) == before


def test_vectors_of_another_model_are_not_mixed_in(told: Door, opened: Database) -> None:
    with pytest.raises(ModelMismatch, match="reembed"):
        fill(opened, OTHER, "acme", Pass())


def test_a_worker_defers_what_a_tenant_of_another_model_lacks_and_all_is_well(
    told: Door, opened: Database, environment: Settings, work_off: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    reembed(opened, OTHER, "acme", Pass())
    say(told, "The new queen is green.", run="late")
    work_off()
    monkeypatch.setattr("coldpath.app.embedder", lambda _: HashEmbedder())
    found = carry_out(opened, environment, "fill", "acme", JOBS["fill"])
    assert (found.outcome, dict(found.counts)) == (Outcome.DONE, {"deferred": 1})
    assert "daybook reembed" in caplog.text
    assert judge(environment, progress.look(opened, timedelta(seconds=60)), jobs.latest(opened)).healthy


def test_a_tenant_that_lacks_nothing_has_no_pass(
    told: Door, opened: Database, environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.observe(Scope(tenant_id="lacking", user_id="mira"), [{"role": "user", "text": "I sing."}], run_id="run-1")
    stage, work = told.services.bell.rung.pop()  # type: ignore[attr-defined]
    perform(told.services, stage, STAGES[stage], work)
    monkeypatch.setattr("coldpath.app.embedder", lambda _: HashEmbedder())
    assert answer(PLACE, "fill", JOBS["fill"], EVERY_TENANT, "3600", "0").counts == {"done": 1}
    assert [(each.tenant_id, each.counts) for each in jobs.latest(opened)] == [("lacking", {"memories": 1, "named": 1})]
    assert answer(PLACE, "fill", JOBS["fill"], EVERY_TENANT, "3600", "0").counts == {}


def test_a_memory_that_is_gone_before_its_vector_is_stored_gets_none(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    class Slow(HashEmbedder):
        def encode_documents(self, texts: Sequence[str]) -> Vectors:
            owner.execute("delete from memory where doc = 2 and user_id = 'mira'")
            return super().encode_documents(texts)

    reembed(opened, Slow(name="slow"), "acme", Pass())
    assert (2,) not in owner.execute(
        "select doc from memory_vector where generation = 2 and user_id = 'mira'"
    ).fetchall()
    assert len(vectors(owner, 2, Slow(name="slow"))) == 10  # type: ignore[arg-type]


def test_what_is_filled_in_is_in_the_generation_before_too(
    told: Door, opened: Database, owner: psycopg.Connection
) -> None:
    reembed(opened, HashEmbedder(), "acme", Pass())
    before = vectors(owner, 2, HashEmbedder())
    owner.execute("delete from memory_vector where doc in (2, 7)")
    owner.execute(
        "update dense_stream as counted set vectors = (select count(*) from memory_vector as view "
        "where view.user_id = counted.user_id and view.generation = counted.generation)"
    )
    assert fill(opened, HashEmbedder(), "acme", Pass()).worked == 2
    assert vectors(owner, 2, HashEmbedder()) == before
    assert vectors(owner, 1, HashEmbedder()) == before


def test_the_progress_of_a_build_that_is_gone_on_with_begins_where_it_stopped(told: Door, opened: Database) -> None:
    stops, reports = iter([False, False, False, True]), []
    reembed(opened, OTHER, "acme", Pass(stop=lambda: next(stops)))
    reembed(opened, OTHER, "acme", Pass(report=lambda done, total: reports.append((done, total))))
    assert reports[0] == (9, 11)
    assert reports[-1] == (11, 11)


def test_a_build_of_another_model_is_not_given_up_by_whoever_may_not(told: Door, opened: Database) -> None:
    stops = iter([False, False, True])
    reembed(opened, OTHER, "acme", Pass(stop=lambda: next(stops)))
    with pytest.raises(ModelMismatch, match="other@1/384"):
        reembed(opened, HashEmbedder(), "acme", Pass(), replacing=False)
    assert reembed(opened, OTHER, "acme", Pass(), replacing=False).finished
