"""Old sessions leave the hot tier behind a summary that cites them; nothing of what was said goes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

import hotpath
from coldpath import compress, prune, reindex, tidying
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.reembed import fill, reembed
from coldpath.reindex import Pass
from coldpath.replay import replay as replayed
from gateway.cli import OK, run
from gateway.tidying import rehearse as rehearse_by_hand
from shared.contract.bundle import Bundle
from shared.contract.policies import PrunePolicy, PruneRule
from shared.contract.proposals import Refusal
from shared.contract.records import Tier
from shared.contract.scope import Owner, Scope
from shared.settings import Settings, settings
from shared.store import ledger, memories, streams
from shared.store.db import Database, Role
from shared.testing import HashEmbedder
from shared.work.passes import carry_out
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
OLD = (
    "My grandmother left me a violin made in Cremona.",
    "The violin needs a new bridge before the concert in Graz.",
    "I paid 380 euros for the bridge at the workshop of Mr Lind.",
    "The concert in Graz was cancelled because of the flood.",
)
ANSWERS = ("A bridge is quickly made by a good workshop.", "The flood closed every hall in the valley that week.")
NEW = ("I keep two beehives behind the house.", "The beehives gave nine jars of honey.")
LONG_AGO, LATELY = datetime(2020, 5, 4, 9, tzinfo=UTC), datetime.now(UTC) - timedelta(days=3)
RAW = ("event", "event_payload")

Observe = Callable[..., None]
Embed = Callable[[], None]


@pytest.fixture
def observe(door: Door, work_off: Callable[[], object]) -> Observe:
    """Have a run of a session observed, its messages an hour apart, and all done that follows."""
    runs = count(1)

    def run(session_id: str, texts: tuple[str, ...], at: datetime, *, scope: Scope = MIRA, **more: Any) -> None:
        role = more.pop("role", "user")
        messages = [
            {"role": role, "text": text, "ts": (at + timedelta(hours=place)).isoformat(), **more}
            for place, text in enumerate(texts)
        ]
        door.observe(replace(scope, session_id=session_id), messages, run_id=f"run-{next(runs)}")
        work_off()

    return run


@pytest.fixture
def told(observe: Observe, embed: Embed) -> None:
    """An old session of a user and an assistant, and a new one."""
    observe("old", OLD, LONG_AGO)
    observe("old", ANSWERS, LONG_AGO + timedelta(hours=9), role="assistant")
    observe("new", NEW, LATELY)
    embed()


@pytest.fixture
def embed(services: Services, embedder: HashEmbedder) -> Embed:
    def do() -> None:
        fill(services.database, embedder, "acme", Pass())

    return do


@pytest.fixture
def both(services: Services, embed: Embed) -> Callable[[], tuple[Done, Done]]:
    """The two passes that it takes: one that summarises, and one that lets go."""

    def do() -> tuple[Done, Done]:
        summarised = passed(services)
        embed()
        return summarised, passed(services)

    return do


def compressing(days: float = 180.0, batch_id: UUID | None = None) -> Tidying:
    return Tidying(
        job="compress",
        propose=lambda session: compress.propose(days, session),
        batch_id=batch_id or uuid4(),
        by_time=True,
    )


def passed(services: Services, given: Tidying | None = None, owner: Owner = MIRA.owner) -> Done:
    return tidy(services.database, "acme", owner, given or compressing())


def done(found: Done) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in found.accepted:
        what, number = compress.counted(each)
        counts[what] = counts.get(what, 0) + number
    return counts


def tiers(owner: psycopg.Connection, user: str = "mira") -> dict[str, str]:
    rows = owner.execute(
        "select text, tier from memory where user_id = %s and closed_at is null and epistemic_type = 'evidence'", [user]
    )
    return dict(rows.fetchall())


def is_equal(services: Services, stream: Owner = MIRA.owner) -> bool:
    found = replayed(services.database, "acme", stream, verify=True)
    assert found.differences == ()
    return found.is_equal


def rows(owner: psycopg.Connection, table: str) -> list[tuple[Any, ...]]:
    return sorted(owner.execute(f"select * from {table}".encode()).fetchall(), key=repr)


def texts(bundle: Bundle) -> list[str]:
    return [item.text for item in bundle.items]


def recall(query: str, **more: Any) -> Bundle:
    bundle = hotpath.recall(MIRA, query, **{"budget_tokens": 2_000, "deadline_ms": 20_000, **more})
    assert bundle.degraded == ()
    return bundle


def test_an_old_session_is_summarised_then_leaves_and_a_third_pass_proposes_nothing(
    told: None, both: Callable[[], tuple[Done, Done]], services: Services, owner: psycopg.Connection
) -> None:
    summarised, left = both()
    assert done(summarised) == {"summarised": 6}
    assert done(left) == {"left": 6}
    assert tiers(owner) == {**dict.fromkeys((*OLD, *ANSWERS), "cold"), **dict.fromkeys(NEW, "hot")}
    assert done(passed(services)) == {}
    assert is_equal(services)


def test_it_waits_for_the_vector_of_its_summary_and_a_worker_that_dies_between_the_two_leaves_all_findable(
    told: None, services: Services, owner: psycopg.Connection, embed: Embed
) -> None:
    assert done(passed(services)) == {"summarised": 6}
    assert done(passed(services)) == {}, "the summary could be found by words alone"
    assert set(tiers(owner).values()) == {"hot"}
    assert OLD[2] in texts(recall("What did the bridge cost at the workshop?"))
    embed()
    assert done(passed(services)) == {"left": 6}
    assert is_equal(services)


def test_nothing_of_what_was_said_is_deleted_and_every_episode_is_there_byte_for_byte(
    told: None, both: Callable[[], tuple[Done, Done]], owner: psycopg.Connection
) -> None:
    raw = {table: rows(owner, table) for table in RAW}
    query = "select memory_id, version, text, doc, valid_from, opened_by from memory order by memory_id, version"
    held = owner.execute(query).fetchall()
    evidence = rows(owner, "memory_evidence")
    both()
    for table in RAW:
        assert set(raw[table]) <= set(rows(owner, table)), table
    assert set(held) <= set(owner.execute(query).fetchall())
    assert set(evidence) <= set(rows(owner, "memory_evidence"))
    said = {text for (text,) in owner.execute("select payload::jsonb ->> 'text' from event_payload").fetchall()}
    assert {*OLD, *ANSWERS, *NEW} <= said
    again = owner.execute("select text from memory where tier = 'cold' and closed_at is null").fetchall()
    assert {text for (text,) in again} == {*OLD, *ANSWERS}


def test_it_is_in_no_posting_and_no_scan_any_more_and_the_counters_say_so(
    told: None, both: Callable[[], tuple[Done, Done]], services: Services, owner: psycopg.Connection
) -> None:
    both()
    summaries = 2
    hot = len(NEW) + summaries + stated(owner)
    counts = "select documents, cold_documents, sessions, cold_sessions from sparse_stream where user_id = 'mira'"
    assert owner.execute(counts).fetchone() == (hot, 6, 1 + summaries + stated(owner), 1)
    assert owner.execute("select vectors from dense_stream where user_id = 'mira'").fetchone() == (hot,)
    assert owner.execute("select count(*) from memory_vector where open").fetchone() == (hot,)
    assert owner.execute("select distinct tier from posting where term = 'cremona'").fetchall() != [("hot",)]
    assert streams.lacking_vectors(services.database, "acme", 1) == []


def stated(owner: psycopg.Connection) -> int:
    """What else is held in words of its own: what the runs' own rules made."""
    query = "select count(*) from memory where closed_at is null and epistemic_type <> 'evidence'"
    found = owner.execute(query).fetchone()
    made = owner.execute("select count(*) from memory_link where relation = 'abstracts'").fetchone()
    assert found is not None
    assert made is not None
    return int(found[0]) - 2


def test_what_was_reported_is_read_once_a_pass_however_many_sessions_are_looked_at(
    observe: Observe, embed: Embed, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        observe(f"old {number}", OLD[:2], LONG_AGO + timedelta(days=number))
    embed()
    monkeypatch.setattr(compress, "_AT_A_TIME", 1)
    read: list[int] = []
    outcomes = ledger.outcomes
    monkeypatch.setattr(ledger, "outcomes", lambda session, **more: read.append(1) or outcomes(session, **more))
    assert done(passed(services)) == {"summarised": 6}
    assert read == [1]


def test_with_0_days_only_streams_with_something_in_the_cold_tier_are_looked_at(
    told: None,
    both: Callable[[], tuple[Done, Done]],
    observe: Observe,
    services: Services,
    environment: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both()
    observe("old", OLD, LONG_AGO, scope=OSKAR)
    looked_at: list[str] = []

    def noting(database: Database, tenant_id: str, owner: Owner, doing: Tidying) -> Done:
        looked_at.append(owner)
        return tidy(database, tenant_id, owner, doing)

    monkeypatch.setattr(tidying, "tidy", noting)
    for days, expected in ((0, ["mira"]), (180, ["mira", "oskar"])):
        looked_at.clear()
        configured = environment.model_copy(update={"compress_after_days": days})
        do = partial(tidying.tidy_on, services.database, configured)
        carry_out(services.database, configured, "compress", "acme", do)
        assert looked_at == expected


def test_recall_finds_it_through_its_summary_by_date_and_at_a_time_of_the_past(
    told: None, both: Callable[[], tuple[Done, Done]]
) -> None:
    both()
    by_summary = recall("Which violin did my grandmother leave me?")
    assert OLD[0] in texts(by_summary), "it comes with its summary"
    assert OLD[0] not in [hit.text for hit in recall("What did I pay for the bridge?", k=3).items if hit.rank]
    assert OLD[2] in texts(recall("What did I pay for the bridge in May 2020?"))
    assert OLD[2] in texts(recall("What did I pay for the bridge?", as_of=LONG_AGO + timedelta(days=2)))
    assert OLD[2] in texts(recall("What did I pay for the bridge?", known_at=datetime.now(UTC)))
    assert NEW[1] in texts(recall("How many jars of honey did the beehives give?"))


PLACES = ("harbour", "castle", "orchard", "lighthouse", "monastery", "quarry", "vineyard", "mill", "bakery")
JOURNEY = tuple(f"Next we walked to the {place} and stayed there until it was dark." for place in PLACES)


@pytest.fixture
def untold(observe: Observe, embed: Embed, both: Callable[[], tuple[Done, Done]], owner: psycopg.Connection) -> str:
    """A place of an old journey that the summary, which stands for it, does not tell of."""
    observe("old", JOURNEY, LONG_AGO)
    observe("new", NEW, LATELY)
    embed()
    both()
    assert set(tiers(owner).items()) == {*((each, "cold") for each in JOURNEY), *((each, "hot") for each in NEW)}
    query = "select text from memory where tier = 'hot' and closed_at is null and text like '%we walked%'"
    told = "".join(text for (text,) in owner.execute(query))
    return next(place for place in PLACES if place not in told)


def test_what_no_summary_tells_is_found_by_its_own_words_where_nothing_else_holds_them(untold: str) -> None:
    found = recall(f"Who was at the {untold}?")
    assert next(hit.text for hit in found.items if hit.rank) == JOURNEY[PLACES.index(untold)]
    assert found.verdict == "supported"


def test_where_a_memory_that_is_searched_holds_all_that_is_asked_old_ones_are_left_alone(
    untold: str, observe: Observe, embed: Embed
) -> None:
    painted = f"Tove painted the {untold}."
    observe("newer", (painted,), LATELY)
    embed()
    found = texts(recall(f"Who painted the {untold}?"))
    assert painted in found
    assert JOURNEY[PLACES.index(untold)] not in found


def test_a_batch_is_taken_back_with_its_words_and_vectors_and_not_done_again(
    told: None, both: Callable[[], tuple[Done, Done]], services: Services, owner: psycopg.Connection, embed: Embed
) -> None:
    passed(services)
    embed()
    given = compressing()
    assert done(passed(services, given)) == {"left": 6}
    found = revert(services.database, "acme", given.batch_id)
    assert (found.kept, found.unknown) == ((), 0)
    assert set(tiers(owner).values()) == {"hot"}
    assert owner.execute("select count(*) from memory_vector where model_id like 'cold:%'").fetchone() == (0,)
    assert OLD[2] in [item.text for item in recall("What did I pay for the bridge?").items if item.rank]
    assert is_equal(services)
    again = passed(services)
    assert done(again) == {}
    assert set(again.reasons) == {Refusal.TAKEN_BACK}


def test_what_was_of_use_lately_matters_or_is_alone_of_its_sort_stays(
    observe: Observe,
    embed: Embed,
    both: Callable[[], tuple[Done, Done]],
    door: Door,
    work_off: Callable[[], object],
    owner: psycopg.Connection,
) -> None:
    observe("old", OLD[:3], LONG_AGO)
    observe("old", (OLD[3],), LONG_AGO + timedelta(hours=5), importance=0.9)
    observe("old", (ANSWERS[0],), LONG_AGO + timedelta(hours=6), role="assistant")
    embed()
    bundle = recall("Which violin did my grandmother leave me?")
    served = next(item for item in bundle.items if item.text == OLD[0])
    door.outcome(MIRA, bundle.turn_id, used=[served.memory_id])
    work_off()
    both()
    assert tiers(owner)[OLD[3]] == "hot", "it matters"
    assert tiers(owner)[ANSWERS[0]] == "hot", "nothing could stand for it but itself"
    assert tiers(owner)[OLD[1]] == tiers(owner)[OLD[2]] == "cold"


def test_a_session_that_goes_on_is_not_old_and_with_no_age_nothing_leaves(
    told: None, observe: Observe, services: Services
) -> None:
    observe("old", ("The violin is repaired at last.",), LATELY)
    assert done(passed(services)) == {}
    assert done(passed(services, compressing(0))) == {}


def test_what_is_forgotten_of_a_session_that_has_left_goes_with_its_summary_and_the_rest_comes_back(
    told: None, both: Callable[[], tuple[Done, Done]], services: Services, owner: psycopg.Connection
) -> None:
    both()
    bundle = recall("Which violin did my grandmother leave me?", as_of=datetime.now(UTC))
    violin = next(item for item in bundle.items if item.text == OLD[0])
    forget(services.database, MIRA, violin.memory_id)
    assert OLD[0] not in tiers(owner)
    assert not any("Cremona" in text for text in texts(recall("Which violin did my grandmother leave me?")))
    assert is_equal(services)
    assert done(passed(services)) == {"returned": 3}
    assert [tiers(owner)[text] for text in OLD[1:]] == ["hot"] * 3
    assert tiers(owner)[ANSWERS[0]] == "cold"
    assert is_equal(services)
    both()
    assert [tiers(owner)[text] for text in OLD[1:]] == ["cold"] * 3
    assert is_equal(services)


def test_erasing_a_user_reaches_what_has_left(
    told: None, both: Callable[[], tuple[Done, Done]], services: Services, owner: psycopg.Connection
) -> None:
    both()
    erase(services.database, MIRA)
    for table in ("memory", "posting", "memory_vector"):
        assert owner.execute(f"select count(*) from {table} where user_id = 'mira'".encode()).fetchone() == (0,), table
    assert owner.execute("select count(*) from event_payload where payload ilike '%violin%'").fetchone() == (0,)
    assert is_equal(services)


@pytest.fixture
def half_cold(told: None, both: Callable[[], tuple[Done, Done]]) -> None:
    both()


def test_views_built_anew_have_it_where_it_belongs(
    half_cold: None, services: Services, embedder: HashEmbedder, owner: psycopg.Connection
) -> None:
    before = counted(owner)
    assert reindex.reindex(services.database, "acme", Pass()).finished
    assert reembed(services.database, embedder, "acme", Pass()).finished
    assert is_equal(services)
    assert counted(owner) == before
    assert OLD[2] in texts(recall("What did I pay for the bridge in May 2020?"))


def counted(owner: psycopg.Connection) -> tuple[Any, ...]:
    query = """
        select documents, length_sum, sessions, cold_documents, cold_length_sum, cold_sessions, vectors
        from generation as words
        join sparse_stream on sparse_stream.tenant_id = words.tenant_id and sparse_stream.generation = words.live
        join generation as dense on dense.tenant_id = words.tenant_id and dense.view = 'dense'
        join dense_stream on dense_stream.tenant_id = dense.tenant_id and dense_stream.generation = dense.live
        where words.view = 'sparse' and sparse_stream.user_id = 'mira' and dense_stream.user_id = 'mira'
    """
    return tuple(owner.execute(query).fetchall())


def test_a_replay_finds_what_is_in_the_wrong_tier_and_mends_it(
    half_cold: None, services: Services, owner: psycopg.Connection
) -> None:
    owner.execute("select set_config('row_security', 'off', false)")
    owner.execute("update memory set tier = 'hot' where text = %s", [OLD[0]])
    owner.execute("update posting set tier = 'hot', block = 9 where tier = 'cold' and term = 'cremona' and block = 0")
    owner.execute("update memory_vector set model_id = substr(model_id, 6), open = true where doc = 1")
    found = replayed(services.database, "acme", MIRA.owner, verify=True)
    assert {each.table for each in found.differences} == {"memory", "posting", "memory_vector", "dense_stream"}
    assert replayed(services.database, "acme", MIRA.owner, verify=False).is_equal
    assert tiers(owner)[OLD[0]] == "cold"
    assert is_equal(services)


def test_another_users_memories_stay_and_a_dry_run_changes_nothing(
    told: None, observe: Observe, embed: Embed, services: Services, owner: psycopg.Connection
) -> None:
    observe("his", OLD, LONG_AGO, scope=OSKAR)
    embed()
    before = rows(owner, "memory")
    shown = rehearse(services.database, "acme", MIRA.owner, compressing())
    assert done(shown) == {"summarised": 6}
    assert rows(owner, "memory") == before
    passed(services)
    embed()
    passed(services)
    assert set(tiers(owner, "oskar").values()) == {"hot"}


def test_what_is_gone_cold_is_named_by_its_id_with_its_history(
    half_cold: None, services: Services, owner: psycopg.Connection
) -> None:
    row = owner.execute("select memory_id from memory where text = %s", [OLD[0]]).fetchone()
    assert row is not None
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        first, second = memories.versions(session, [row[0]])
    assert (first.tier, second.tier, first.text) == (Tier.HOT, Tier.COLD, second.text)


def test_two_workers_at_once_let_each_session_leave_once(
    told: None, services: Services, owner: psycopg.Connection, embed: Embed
) -> None:
    passed(services)
    embed()
    with ThreadPoolExecutor(2) as workers:
        found = list(workers.map(lambda _: passed(services), range(2)))
    assert sum(done(each).get("left", 0) for each in found) == 6
    versions = owner.execute("select count(*) from memory where tier = 'cold'").fetchone()
    assert versions == (6,)
    assert is_equal(services)


def test_what_was_known_before_it_left_is_answered_as_before(told: None, both: Callable[[], tuple[Done, Done]]) -> None:
    then = datetime.now(UTC)
    before = texts(recall("What did I pay for the bridge?", known_at=then))
    both()
    assert OLD[2] in before
    assert texts(recall("What did I pay for the bridge?", known_at=then)) == before


def test_a_summary_is_its_agents_as_what_it_was_made_of(
    observe: Observe, embed: Embed, both: Callable[[], tuple[Done, Done]], owner: psycopg.Connection
) -> None:
    agent = replace(MIRA, agent_id="tutor")
    observe("old", OLD, LONG_AGO, scope=agent)
    embed()
    both()
    assert set(tiers(owner).values()) == {"cold"}
    question = "Which violin did my grandmother leave me?"
    other = hotpath.recall(replace(MIRA, agent_id="coach"), question, deadline_ms=20_000)
    assert texts(other) == []
    assert OLD[0] in texts(hotpath.recall(agent, question, deadline_ms=20_000))


def test_an_operator_sees_session_by_session_what_would_be_summarised(told: None, services: Services) -> None:
    asked_for = services.settings.model_copy(update={"compress_after_days": 180})
    found = rehearse_by_hand(services.database, asked_for, "acme", "compress", lambda *_: None)
    assert [(each.session_id, each.messages, each.operation) for each in found.changes] == [
        ("old", 4, "abstract"),
        ("old", 2, "abstract"),
    ]
    for change in found.changes:
        assert change.tokens is not None
        before, after = change.tokens
        assert 0 < after <= before
        assert all(line in (*OLD, *ANSWERS) for line in change.left.split("\n"))


def test_what_came_back_comes_back_again_though_somebody_took_that_back(
    told: None, both: Callable[[], tuple[Done, Done]], services: Services, owner: psycopg.Connection
) -> None:
    """Without a summary it would be found by nothing."""
    both()
    bundle = recall("Which violin did my grandmother leave me?", as_of=datetime.now(UTC))
    violin = next(item for item in bundle.items if item.text == OLD[0])
    forget(services.database, MIRA, violin.memory_id)
    given = compressing()
    assert done(passed(services, given)) == {"returned": 3}
    revert(services.database, "acme", given.batch_id)
    assert done(passed(services)) == {"returned": 3}
    assert [tiers(owner)[text] for text in OLD[1:]] == ["hot"] * 3
    assert is_equal(services)


def test_what_waits_for_a_vector_is_counted_and_the_command_says_what_to_do(
    told: None, services: Services, embed: Embed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = passed(services)
    assert first.waiting == len(first.accepted) > 0
    monkeypatch.setenv("DAYBOOK_COMPRESS_AFTER_DAYS", "180")
    settings.cache_clear()
    assert run(["compress", "--tenant", "acme"]) == OK
    said = " ".join(capsys.readouterr().out.split())
    assert "0 changes done" in said
    assert f"{first.waiting} memor" in said
    assert "daybook reembed --missing --tenant acme" in said
    embed()
    assert passed(services).waiting == 0


def test_what_was_taken_back_waits_for_nothing(told: None, services: Services, embed: Embed) -> None:
    given = compressing()
    assert passed(services, given).waiting > 0
    revert(services.database, "acme", given.batch_id)
    embed()
    again = rehearse(services.database, "acme", MIRA.owner, compressing())
    assert again.refused
    assert (again.accepted, again.waiting) == ((), 0)


def test_what_a_policy_expires_is_not_made_again_each_night(told: None, services: Services, embed: Embed) -> None:
    inferred = PruneRule(name="none_inferred", action="expire", confidence_below=1.0, epistemic_types=("inference",))
    by_policy = partial(prune.propose, PrunePolicy(rules=(inferred,)))

    def pruned() -> Done:
        given = Tidying(job="prune", propose=by_policy, batch_id=uuid4(), by_time=True)
        return tidy(services.database, "acme", MIRA.owner, given)

    made = passed(services)
    embed()
    assert made.waiting == len(made.accepted) > 0
    first = pruned()
    assert len(first.accepted) == len(made.accepted)
    again = passed(services)
    assert (again.accepted, {reason.value for _, reason in again.refused}, again.waiting) == ((), {"let_go"}, 0)
    assert pruned().accepted == ()
    assert is_equal(services)
