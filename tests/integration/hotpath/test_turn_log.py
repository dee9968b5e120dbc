"""A recall's own id, what is logged of it, and how what came of it changes the next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from prometheus_client import REGISTRY

from coldpath.forget import erase, forget
from hotpath import _log
from shared import settings as settings_module
from shared.contract.bundle import Bundle, Item
from shared.contract.errors import DatabaseUnavailable, InvalidInput
from shared.contract.scope import Scope, room_owner
from shared.contract.turns import Turn
from shared.settings import Settings, load, using
from shared.store import recalls, uses
from shared.store.db import Database, Role
from warmpath._door import Door

MIRA = Scope(tenant_id="acme", user_id="mira", agent_id="helper", session_id="monday")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
BEES = "I keep two beehives behind the garage."
HONEY = "The beehives gave ten kilos of honey."
PATIENCE_S = 10.0

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


def logged(opened: Database, bundle: Bundle, scope: Scope = MIRA) -> Turn | None:
    assert _log.flush(PATIENCE_S)
    with opened.transaction(Role.READER, scope.tenant_id, [scope.owner], read_only=True) as session:
        return recalls.turn(session, bundle.turn_id)


def item_of(bundle: Bundle, text: str) -> Item:
    [item] = [each for each in bundle.items if each.text == text]
    return item


def rows(owner: psycopg.Connection, table: str) -> int:
    [(count,)] = owner.execute(f"select count(*) from {table}".encode()).fetchall()
    return int(count)


def dropped(reason: str) -> float:
    return REGISTRY.get_sample_value("daybook_turns_dropped_total", {"reason": reason}) or 0.0


def test_each_recall_has_an_id_of_its_own_and_later_ones_are_greater(tell: Tell, ask: Ask) -> None:
    tell(MIRA, BEES)
    made = [ask(MIRA, query).turn_id for query in ("beehives?", "beehives?", "hello", "honey?")]
    assert len(set(made)) == 4
    assert {each.version for each in made} == {7}


def test_a_recall_is_logged_with_what_it_ranked_and_showed_and_without_what_was_asked(
    tell: Tell, ask: Ask, opened: Database, owner: psycopg.Connection
) -> None:
    tell(MIRA, BEES, HONEY)
    bundle = ask(MIRA, "Where are the beehives of Zanzibar?")
    turn = logged(opened, bundle)
    assert turn is not None
    assert (turn.owner, turn.agent_id, turn.session_id) == ("mira", "helper", "monday")
    assert (turn.verdict, turn.recipe, turn.tokens) == (bundle.verdict, "balanced", bundle.tokens)
    assert turn.watermark == bundle.watermarks[0].last_sequence
    assert {(each.memory_id, each.rank) for each in turn.injected if each.rank} == {
        (hit.memory_id, rank) for rank, hit in enumerate(bundle.hits, 1)
    }
    assert {each.memory_id: each.ordinal for each in turn.injected if each.ordinal} == {
        item.memory_id: item.ordinal for item in bundle.items
    }
    for table in ("recall_log", "recall_item"):
        query = f"select count(*) from {table} as t where t::text ilike any(array['%zanzibar%', '%beehive%'])"
        assert owner.execute(query.encode()).fetchone() == (0,)


def test_a_recall_that_finds_nothing_is_logged_also_where_nothing_is_held(
    tell: Tell, ask: Ask, opened: Database
) -> None:
    tell(MIRA, BEES)
    turn = logged(opened, ask(OSKAR, "What is the capital of Peru?"), OSKAR)
    assert turn is not None
    assert (turn.injected, turn.watermark) == ((), 0)


def test_a_recall_that_searches_nothing_is_not_logged(
    tell: Tell, ask: Ask, opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    assert logged(opened, ask(MIRA, "hello")) is None
    monkeypatch.setattr("hotpath._recall._searched", unreachable)
    assert logged(opened, ask(MIRA, "Where are the beehives?")) is None


def unreachable(*_: object, **__: object) -> None:
    raise DatabaseUnavailable("gone in the middle")


def test_whoever_forgot_something_has_their_recalls_logged_as_before(tell: Tell, ask: Ask, opened: Database) -> None:
    tell(MIRA, BEES, HONEY)
    forget(opened, MIRA, item_of(ask(MIRA, "beehives?"), BEES).memory_id)
    for query in ("honey?", "the honey?", "the honey?"):
        assert logged(opened, ask(MIRA, query)) is not None


def test_what_is_still_on_its_way_is_shown_and_not_logged(tell: Tell, ask: Ask, opened: Database) -> None:
    tell(MIRA, BEES, work=False)
    bundle = ask(MIRA, "beehives?")
    assert [item.fresh for item in bundle.items] == [True]
    turn = logged(opened, bundle)
    assert turn is not None
    assert turn.injected == ()


def test_another_users_turn_is_nobody_elses_to_look_up(tell: Tell, ask: Ask, opened: Database) -> None:
    tell(MIRA, BEES)
    bundle = ask(MIRA, "beehives?")
    assert logged(opened, bundle) is not None
    assert logged(opened, bundle, OSKAR) is None
    assert logged(opened, bundle, replace(MIRA, tenant_id="globex")) is None


@pytest.mark.usefixtures("embedder")
def test_with_the_setting_off_nothing_is_logged(
    tell: Tell, ask: Ask, opened: Database, environment: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBOOK_RECALL_LOG", "false")
    settings_module.settings.cache_clear()
    tell(MIRA, BEES)
    assert logged(opened, ask(MIRA, "beehives?")) is None


def test_without_postgres_there_is_nothing_to_log_and_recall_answers(embedder: object, ask: Ask) -> None:
    away = load(database_url="postgresql://daybook:x@127.0.0.1:1/daybook", connect_timeout_s=0.2)
    before = dropped("DatabaseUnavailable")
    with using(away):
        assert "database" in ask(MIRA, "Where are the beehives?").degraded
    assert _log.flush(PATIENCE_S)
    assert dropped("DatabaseUnavailable") == before


@pytest.mark.parametrize("erase_content", [True, False])
def test_a_forgotten_memory_goes_from_the_log_whoever_recalled_it(
    tell: Tell, ask: Ask, opened: Database, *, erase_content: bool
) -> None:
    tell(MIRA, {"text": BEES, "speaker": "mira"}, room="garden", participants=["mira", "oskar"])
    tell(OSKAR, HONEY)
    bundle = ask(OSKAR, "beehives honey")
    turn = logged(opened, bundle, OSKAR)
    assert turn is not None
    assert {each.owner for each in turn.injected} == {"oskar", room_owner("garden")}
    forget(opened, MIRA, item_of(bundle, BEES).memory_id, erase_content=erase_content)
    turn = logged(opened, bundle, OSKAR)
    assert turn is not None
    assert {each.owner for each in turn.injected} == {"oskar"}


def test_who_is_erased_goes_from_the_log_and_out_of_that_of_others(
    tell: Tell, ask: Ask, opened: Database, owner: psycopg.Connection
) -> None:
    tell(MIRA, {"text": BEES, "speaker": "mira"}, room="garden", participants=["mira", "oskar"])
    tell(OSKAR, {"text": HONEY, "speaker": "oskar"}, room="garden", participants=["mira", "oskar"])
    mine, theirs = ask(MIRA, "beehives honey"), ask(OSKAR, "beehives honey")
    assert logged(opened, mine) is not None
    found = erase(opened, Scope(tenant_id="acme", user_id="mira"))
    assert found.rows["recall_log"] == 1
    assert logged(opened, mine) is None
    turn = logged(opened, theirs, OSKAR)
    assert turn is not None
    assert [each.memory_id for each in turn.injected] == [item_of(theirs, HONEY).memory_id]
    assert rows(owner, "recall_log") == rows(owner, "recall_item") == 1


def test_a_recall_that_is_written_down_after_an_erasure_leaves_nothing(
    tell: Tell, ask: Ask, opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[tuple[Scope, Bundle]] = []
    monkeypatch.setattr(_log, "note", lambda scope, bundle, **_: noted.append((scope, bundle)))
    tell(MIRA, BEES)
    ask(MIRA, "beehives?")
    monkeypatch.undo()
    erase(opened, Scope(tenant_id="acme", user_id="mira"))
    [(scope, bundle)] = noted
    turn = _log.turn_of(scope, bundle, recipe="balanced")
    with opened.transaction(Role.APP, "acme", [turn.owner]) as session:
        recalls.write(session, [turn])
    assert rows(owner, "recall_log") == rows(owner, "recall_item") == 0


def test_recalls_go_by_age_of_every_tenant(tell: Tell, ask: Ask, opened: Database, owner: psycopg.Connection) -> None:
    for scope in (MIRA, replace(MIRA, tenant_id="globex")):
        tell(scope, BEES)
        old, new = ask(scope, "beehives?"), ask(scope, "the beehives?")
        assert logged(opened, new, scope) is not None
        owner.execute(
            "update recall_log set recalled_at = recalled_at - interval '31 days' where turn_id = %s", [old.turn_id]
        )
    assert [recalls.prune(opened, timedelta(days=30), limit=1) for _ in range(3)] == [1, 1, 0]
    assert rows(owner, "recall_log") == rows(owner, "recall_item") == 2


def test_what_came_of_a_recall_is_reported_by_citations_of_its_bundle_or_of_the_logged_turn(
    tell: Tell, ask: Ask, door: Door, work_off: Callable[[], object], opened: Database
) -> None:
    tell(MIRA, BEES, HONEY)
    bundle = ask(MIRA, "beehives honey?")
    bees, honey = item_of(bundle, BEES), item_of(bundle, HONEY)
    door.outcome(MIRA, bundle, used=[f"[m{bees.ordinal}]"])
    assert logged(opened, bundle) is not None
    door.outcome(MIRA, str(bundle.turn_id), misled=[f"m{honey.ordinal}"])
    work_off()
    with opened.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        assert {use.memory_id: (use.used, use.misled) for use in uses.stored(session)} == {
            bees.memory_id: (1, 0),
            honey.memory_id: (0, 1),
        }
    with pytest.raises(InvalidInput, match="no item"):
        door.outcome(MIRA, bundle, used=["m99"])
    with pytest.raises(InvalidInput, match="shows no such item"):
        door.outcome(MIRA, bundle.turn_id, used=["m99"])
    with pytest.raises(InvalidInput, match="was not logged"):
        door.outcome(OSKAR, bundle.turn_id, used=["m1"])


@pytest.fixture
def alike(tell: Tell) -> list[str]:
    """Three memories that a query cannot tell apart."""
    texts = [f"The beehives need {thing}." for thing in ("paint", "straw", "shade")]
    for text in texts:
        tell(MIRA, text)
    return texts


def need(ask: Ask, scope: Scope, query: str, **more: Any) -> Bundle:
    """Recall in the fused order, whose scores are those of the fusion."""
    return ask(scope, query, recipe="fast", **more)


def ranked(bundle: Bundle) -> list[str]:
    texts = {item.memory_id: item.text for item in bundle.items}
    return [texts[hit.memory_id] for hit in bundle.hits]


def scores(bundle: Bundle) -> dict[UUID, float]:
    return {hit.memory_id: hit.score for hit in bundle.hits}


def test_what_served_gains_what_misled_loses_and_of_what_nobody_spoke_nothing_changes(
    alike: list[str], ask: Ask, door: Door, work_off: Callable[[], object]
) -> None:
    before = need(ask, MIRA, "What do the beehives need?")
    wronged, silent, served = (hit.memory_id for hit in before.hits)
    for number in range(1, 40):
        door.outcome(MIRA, UUID(int=number), used=[served], misled=[wronged])
    work_off()
    after = need(ask, MIRA, "What do the beehives need?", explain=True)
    assert set(ranked(after)) == set(alike)
    was, now = scores(before), scores(after)
    assert 1.0 < now[served] / was[served] <= 1.5
    assert 0.3 <= now[wronged] / was[wronged] < 1.0
    assert now[silent] == was[silent]
    boosts = {item.memory_id: item.scores["boost"] for item in after.items}
    assert boosts[served] > boosts[silent] == 1.0 > boosts[wronged]


def test_where_nothing_was_reported_ranks_and_scores_are_as_without_boosts(
    alike: list[str], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    boosted = need(ask, MIRA, "What do the beehives need?")
    monkeypatch.setattr("hotpath._recall.boosting_by", lambda *_, **__: None)
    plain = need(ask, MIRA, "What do the beehives need ?")
    assert ranked(boosted) == ranked(plain)
    assert [hit.score for hit in boosted.hits] == [hit.score for hit in plain.hits]


def test_what_others_report_of_their_own_moves_nothing_of_mine(
    alike: list[str], tell: Tell, ask: Ask, door: Door, work_off: Callable[[], object]
) -> None:
    before = need(ask, MIRA, "What do the beehives need?")
    for text in alike:
        tell(OSKAR, text)
    theirs = need(ask, OSKAR, "What do the beehives need?")
    for number in range(1, 9):
        door.outcome(OSKAR, UUID(int=number), used=[item.memory_id for item in theirs.items[:1]])
        door.outcome(OSKAR, UUID(int=number), misled=[item.memory_id for item in before.items])
    work_off()
    after = need(ask, MIRA, "What do the beehives need ?")
    assert [hit.score for hit in after.hits] == [hit.score for hit in before.hits]


def test_what_was_reported_later_was_not_known_then(
    alike: list[str], ask: Ask, door: Door, work_off: Callable[[], object]
) -> None:
    before = need(ask, MIRA, "What do the beehives need?")
    known_at = before.watermarks[0].recorded_at
    door.outcome(MIRA, before, used=[before.hits[-1].memory_id])
    work_off()
    then: dict[str, Any] = {"known_at": known_at, "explain": True}
    assert {item.scores.get("boost", 1.0) for item in need(ask, MIRA, "What do the beehives need?", **then).items} == {
        1.0
    }


@pytest.mark.parametrize("work", [True, False])
def test_a_message_that_was_on_its_way_when_it_was_recalled_is_counted_as_the_memory_it_became(
    tell: Tell, ask: Ask, door: Door, work_off: Callable[[], object], opened: Database, *, work: bool
) -> None:
    tell(MIRA, BEES, HONEY, work=False)
    bundle = ask(MIRA, "beehives honey?")
    assert [item.fresh for item in bundle.items] == [True, True]
    if work:
        work_off()
    door.outcome(MIRA, bundle, used=[f"m{item_of(bundle, HONEY).ordinal}"])
    work_off()
    with opened.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        counted = [(use.memory_id, use.used) for use in uses.stored(session)]
    assert counted == [(item_of(ask(MIRA, "the beehives honey?"), HONEY).memory_id, 1)]


def test_what_several_independent_messages_confirm_counts_for_more(
    alike: list[str], ask: Ask, owner: psycopg.Connection
) -> None:
    before = need(ask, MIRA, "What do the beehives need?")
    confirmed, echoed, _ = (hit.memory_id for hit in before.hits)
    for memory, independent in ((confirmed, True), (echoed, False)):
        owner.execute("update memory set epistemic_type = 'fact' where memory_id = %s", [memory])
        owner.execute(
            "insert into memory_evidence select tenant_id, generation, memory_id, version, stream, sequence + 1, "
            "user_id, span_start, span_end, %s from memory_evidence where memory_id = %s",
            [independent, memory],
        )
    after = need(ask, MIRA, "What do the beehives need ?", explain=True)
    boosts = {item.memory_id: item.scores["boost"] for item in after.items}
    assert boosts[confirmed] == pytest.approx(1.05)
    assert {boost for memory, boost in boosts.items() if memory != confirmed} == {1.0}
