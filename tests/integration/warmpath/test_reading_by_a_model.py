"""Runs read by a language model through the stages: what is paid for is kept, and what is not read the rules read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from shared.contract.candidates import Extraction, Reading, Usage
from shared.contract.errors import DatabaseUnavailable
from shared.contract.receipts import Outcome, Stage
from shared.contract.scope import Owner, Scope
from shared.settings import Settings
from shared.store import inbox
from shared.store.account import account
from shared.store.allowance import Allowance, Verdict
from shared.testing import ScriptedExtractor
from tests.model_reading import asking, entry, facts, line
from tests.scripted_llm import Refusal, Reply, ScriptedLlm, Status, scripted
from warmpath import _extractors, extract
from warmpath._door import Door
from warmpath._model_extractor import ModelExtractor
from warmpath._stages import STAGES
from warmpath._work import Services, serve

MIRA = Scope(tenant_id="acme", user_id="mira")
BEES = entry("Mira keeps two beehives.", about="mira")
Serving = Callable[..., Services]


@pytest.fixture
def serving(services: Services, reading: Settings, monkeypatch: pytest.MonkeyPatch) -> Serving:
    """Services whose runs are read by the model of a scripted server, with rules that say what they are told to."""

    def make(server: ScriptedLlm, *, rules: Any = None, window_tokens: int = 6_000, **settings: Any) -> Services:
        asked = reading.model_copy(update={"extraction_model": "openai:scripted", **settings})

        def model(allowance: Allowance) -> ModelExtractor:
            return replace(asking(server, window_tokens=window_tokens), allowance=allowance)

        return replace(services, settings=asked, model=model, rules=lambda: rules or ScriptedExtractor())

    return make


def observe(services: Services, *texts: str, run_id: str = "run-1") -> None:
    told = [{"role": "user", "text": text, "ts": "2026-01-10T09:00Z"} for text in texts]
    Door(services).observe(MIRA, told, run_id=run_id)


def up_to(stage: Stage, services: Services, bell: Any) -> None:
    """Do all that is rung for before a stage."""
    waiting = list(bell.rung)
    bell.rung.clear()
    for at, work in waiting:
        if at is not stage:
            serve(services, at, STAGES[at], work)
    if bell.rung and any(at is not stage for at, _ in bell.rung):
        up_to(stage, services, bell)


def one(owner: psycopg.Connection, query: str) -> tuple[Any, ...]:
    row = owner.execute(query).fetchone()
    assert row is not None
    return tuple(row)


def test_a_model_too_slow_for_a_burst_is_paid_once_for_each_run_that_it_reads(
    serving: Serving, bell: Any, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted(facts(BEES)) as server:
        services = serving(server)
        for n in range(4):
            observe(services, "I keep two beehives.", run_id=f"run-{n}")
        up_to(Stage.EXTRACT, services, bell)
        works = [work for _, work in bell.rung]
        claim = inbox.claim_burst(services.database, works[0], Stage.EXTRACT, lease=timedelta(seconds=300))
        assert claim is not None
        assert len(claim.inbox_ids) == 4
        left_s = iter([119.0, 0.0, 0.0])
        monkeypatch.setattr(inbox.Claim, "left_ms", property(lambda _: round(1_000 * next(left_s, 300.0))))
        assert _extractors.longest_s(services.settings) == 120.0
        done = extract.run(services, claim)
    assert len(done) == 1, "one is written before the next is begun, and that is begun only if the lease may last"
    assert len(server.requests) == 1
    assert one(owner, "select calls from spending") == (1,)
    waiting = (
        "select count(*) from inbox where stage = 'extract' and lease_until is null and last_error like 'not begun%'"
    )
    assert one(owner, waiting) == (3,)


def test_each_run_of_a_burst_is_written_before_the_next_is_asked_about(
    serving: Serving, bell: Any, owner: psycopg.Connection
) -> None:
    written: list[int] = []

    class Watched(ScriptedLlm):
        def next(self, request: Any) -> Any:
            written.append(one(owner, "select count(*) from event where kind = 'answer'")[0])
            return super().next(request)

    with Watched([Reply(text=facts(BEES))]) as server:
        services = serving(server)
        for n in range(3):
            observe(services, "I keep two beehives.", run_id=f"run-{n}")
        up_to(Stage.EXTRACT, services, bell)
        results = serve(services, Stage.EXTRACT, STAGES[Stage.EXTRACT], bell.rung[0][1])
    assert [each.outcome for each in results] == [Outcome.EXTRACTED] * 3
    assert written == [0, 1, 2]
    assert one(owner, "select calls from spending") == (3,)


LONG = [f"I keep beehive number {n}. " + "They do well. " * 75 for n in range(1, 5)]
"""Each fills a window of 700 tokens."""


class Rules(ScriptedExtractor):
    """Rules that keep what they were given, and claim something of each line."""

    def __init__(self) -> None:
        super().__init__({f"number {n}": [{"text": f"mira keeps number {n}."}] for n in range(1, 5)})

    @property
    def asked(self) -> list[list[int]]:
        return [[int(line.text.split()[4][0]) for line in reading.lines] for reading in self.read]


@pytest.fixture
def read(serving: Serving) -> Callable[..., tuple[Extraction, Rules]]:
    """Reads the long run by a scripted model."""

    def do(*script: Any, **more: Any) -> tuple[Extraction, Rules]:
        rules = Rules()
        with scripted(*script) as server:
            services = serving(server, rules=rules, window_tokens=700, **more)
            lines = [line(text, n, speaker="mira") for n, text in enumerate(LONG, 1)]
            found = _extractors.read(
                services, Reading(lines=lines, owner_speaker="mira"), Allowance.of(services.settings, Usage())
            )
        return found, rules

    return do


def test_what_a_model_had_no_allowance_to_read_of_a_run_the_rules_read(read: Any) -> None:
    reply = Reply(text=facts(entry("Mira keeps beehive number 1.", about="mira")), usage=(4_000, 500))
    found, rules = read(reply, extraction_daily_tokens=9_000)
    assert found.rejected["no_tokens_left"] >= 1
    texts = [each.text for each in found.candidates]
    assert texts[0] == "Mira keeps beehive number 1."
    assert "mira keeps number 4." in texts
    assert "mira keeps number 1." not in texts, "the model has read that"
    assert "scripted/1" in found.extractor
    assert found.extractor.startswith("openai/scripted/")
    assert rules.asked[0][-1] == 4


def test_a_call_that_is_refused_later_on_loses_nothing_that_was_paid_for(read: Any) -> None:
    first = Reply(text=facts(entry("Mira keeps beehive number 1.", about="mira")), usage=(700, 50))
    found, _ = read(first, Status(code=400))
    assert (found.usage.calls, found.usage.input_tokens) == (1, 700)
    assert found.answer is not None
    assert found.rejected["call_refused"] >= 1
    texts = [each.text for each in found.candidates]
    assert texts[0] == "Mira keeps beehive number 1."
    assert "mira keeps number 4." in texts


def test_what_a_model_declines_to_read_is_read_by_no_rules_though_it_failed_at_something_else(read: Any) -> None:
    found, rules = read(Refusal(), Status(code=400))
    read_by_rules = {number for lines in rules.asked for number in lines}
    assert read_by_rules == {2, 3, 4}
    assert 1 in found.refused
    assert "mira keeps number 1." not in [each.text for each in found.candidates]


def test_a_page_that_a_user_pasted_is_not_to_be_read_and_the_receipt_says_so(
    services: Services, reading: Settings, bell: Any
) -> None:
    mine = replace(services, settings=reading, rules=ScriptedExtractor)
    Door(mine).observe(MIRA, [{"role": "user", "text": "Mira lives in Varna.", "origin": "web"}], run_id="run-1")
    results = []
    while bell.rung:
        stage, work = bell.rung.pop(0)
        results += serve(mine, stage, STAGES[stage], work)
    assert [each.outcome for each in results] == [Outcome.STORED, Outcome.PASSED, Outcome.INDEXED]
    assert results[1].reason.startswith("not to be read")


def test_an_end_that_nobody_spoke_of_ends_nothing_in_any_language(
    serving: Serving, bell: Any, owner: psycopg.Connection
) -> None:
    lives = entry("Mira wohnt in Varna.", about="mira", predicate="lives_in", object="Varna", language="de")
    over = entry("Mira wohnt in Varna.", about="mira", change="ended", replaces=1, language="de")
    with scripted(facts(lives), facts(over)) as server:
        services = serving(server)
        for n, text in enumerate(("Ich wohne in Varna.", "Wie du weißt, wohne ich in Varna.")):
            told = [{"role": "user", "text": text, "ts": f"2026-0{n + 1}-10T09:00Z"}]
            Door(services).observe(MIRA, told, run_id=f"run-{n}")
            while bell.rung:
                stage, work = bell.rung.pop(0)
                serve(services, stage, STAGES[stage], work)
    held = "select text, valid_to from memory where kind = 'semantic' and closed_at is null"
    assert owner.execute(held).fetchall() == [("Mira wohnt in Varna.", None)]
    assert one(owner, "select count(*) from candidate where state = 'deferred'") == (1,)


def test_a_call_is_counted_before_it_is_made_and_what_it_has_not_cost_is_given_back(
    serving: Serving, bell: Any, owner: psycopg.Connection
) -> None:
    counted: list[tuple[Any, ...]] = []

    class Watched(ScriptedLlm):
        def next(self, request: Any) -> Any:
            counted.append(one(owner, "select calls, output_tokens from spending"))
            return super().next(request)

    with Watched([Reply(text=facts(BEES), usage=(700, 50))]) as server:
        services = serving(server)
        observe(services, "I keep two beehives.")
        up_to(Stage.EXTRACT, services, bell)
        serve(services, Stage.EXTRACT, STAGES[Stage.EXTRACT], bell.rung[0][1])
    assert counted == [(1, 1_000)]
    assert one(owner, "select calls, input_tokens, output_tokens from spending") == (1, 700, 50)


def test_what_was_paid_for_is_counted_though_nothing_of_it_could_be_written(
    serving: Serving, bell: Any, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise DatabaseUnavailable

    with scripted(Reply(text=facts(BEES), usage=(700, 50))) as server:
        services = serving(server)
        observe(services, "I keep two beehives.")
        up_to(Stage.EXTRACT, services, bell)
        monkeypatch.setattr(extract, "_write", fail)
        with pytest.raises(DatabaseUnavailable):
            serve(services, Stage.EXTRACT, STAGES[Stage.EXTRACT], bell.rung[0][1])
    assert one(owner, "select calls, input_tokens, output_tokens from spending") == (1, 700, 50)


@pytest.mark.timeout(60)
def test_workers_that_ask_at_once_never_pass_the_days_limit_together(
    serving: Serving, owner: psycopg.Connection
) -> None:
    with scripted(facts()) as server:
        services = serving(server, extraction_daily_tokens=10_000)
        counted = account(services.database, services.settings, "acme", Owner("mira"))
        most = Usage(calls=1, input_tokens=2_000, output_tokens=1_000)
        with ThreadPoolExecutor(8) as threads:
            holds = list(threads.map(lambda _: counted(most), range(8)))
    assert Counter(hold.verdict for hold in holds) == {Verdict.CALL: 3, Verdict.NO_TOKENS: 5}
    assert one(owner, "select calls, input_tokens + output_tokens from spending") == (3, 9_000)


def test_what_cost_nobody_knows_how_much_is_no_nothing_and_leaves_no_money_for_the_day(
    services: Services, owner: psycopg.Connection
) -> None:
    counted = account(services.database, services.settings, "acme", Owner("mira"))
    first = counted(Usage(calls=1, input_tokens=700, cost_usd=0.25))
    first.settle(Usage(calls=1, input_tokens=600, cost_usd=0.125))
    assert one(owner, "select calls, input_tokens, cost_usd from spending") == (1, 600, 0.125)
    second = counted(Usage(calls=1, input_tokens=300, cost_usd=0.5))
    second.settle(Usage(calls=1, input_tokens=200, cost_usd=None))
    third = counted(Usage(calls=1, input_tokens=100, cost_usd=0.5))
    third.settle(Usage(calls=1, input_tokens=100, cost_usd=0.25))
    assert one(owner, "select calls, input_tokens, cost_usd from spending") == (3, 900, None)
    limited = services.settings.model_copy(update={"extraction_daily_usd": 5.0})
    refused = account(services.database, limited, "acme", Owner("mira"))(Usage(calls=1, cost_usd=0.25))
    assert refused.verdict is Verdict.NO_PRICE
    assert one(owner, "select calls from spending") == (3,)


def test_while_a_gate_holds_the_model_rules_read_and_the_run_says_why(
    serving: Serving, bell: Any, owner: psycopg.Connection
) -> None:
    def read_one(run_id: str) -> list[Any]:
        observe(services, "I keep two beehives.", run_id=run_id)
        up_to(Stage.EXTRACT, services, bell)
        done = serve(services, Stage.EXTRACT, STAGES[Stage.EXTRACT], bell.rung[0][1])
        bell.rung.clear()
        return done

    with scripted(facts(BEES)) as server:
        services = serving(server)
        owner.execute("insert into hold values ('acme', 'hold_model', 'retrieval.misled_rate', 0.4, now())")
        assert read_one("run-held")
        assert server.requests == []
        extractor = (
            "select extractor from (select payload::json ->> 'extractor' as extractor from event_payload) as each"
        )
        assert any("held_by_gate" in (each or "") for (each,) in owner.execute(extractor).fetchall())
        owner.execute("delete from hold")
        assert read_one("run-free")
        assert len(server.requests) == 1
