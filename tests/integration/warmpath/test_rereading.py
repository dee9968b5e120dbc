"""Readings that are read anew: alike, unlike, by older rules, and those that nothing can be held against."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from coldpath.forget import forget
from coldpath.quarantine import Source, quarantine
from gateway.cli import FAILED, OK, WRONG_INPUT, run
from shared import metrics
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store.db import Database
from shared.testing import ScriptedExtractor
from shared.work.passes import Job, Outcome, Report, carry_out
from shared.work.queues import REDERIVE
from warmpath import rederive
from warmpath._door import Door
from warmpath._sampling import LONGEST_SAMPLED
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA, OLAF = (Scope(tenant_id="acme", user_id=user) for user in ("mira", "olaf"))
NIGHT = datetime(2026, 3, 1, 3, tzinfo=UTC)
THINGS = ("bees", "goats", "hens", "geese", "ducks", "carp")
OF_A_CANDIDATE = "where sequence = (select sequence from event where kind = 'candidate')"

Rules = Callable[..., Services]
Night = Callable[..., Report]


@pytest.fixture
def rules(services: Services, reading: Settings) -> Rules:
    """Services whose rules say of what is kept what they are told to, under a name."""

    def make(words: str = "Mira keeps {thing}.", name: str = "scripted/2", **fields: Any) -> Services:
        script = {
            thing: [{"text": words.format(thing=thing), "claim": ("mira", "pet", thing), **fields}] for thing in THINGS
        }
        return replace(services, settings=reading, rules=lambda: ScriptedExtractor(script, name=name))

    return make


@pytest.fixture
def say(bell: Any) -> Callable[..., None]:
    """Observe runs of one message each, and do all that follows."""

    def do(services: Services, *things: str, scope: Scope = MIRA) -> None:
        for thing in things:
            told = [{"role": "user", "text": f"I keep {thing}.", "ts": "2026-01-11T12:00"}]
            Door(services).observe(scope, told, run_id=f"run-{thing}")
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(services, stage, STAGES[stage], work)

    return do


@pytest.fixture
def night(opened: Database, reading: Settings) -> Night:
    """One pass of the check, of a slot of its own, over so many readings."""
    nights = iter(range(100))

    def check(services: Services, size: int = 10, **more: Any) -> Report:
        slot = NIGHT + timedelta(days=next(nights))

        def do(job: Job) -> bool:
            return rederive.check_sample(services, size, job)

        return carry_out(opened, reading, REDERIVE, "acme", do, slot=slot, **more)

    return check


def checked(services: Services, scope: Scope = MIRA) -> rederive.Reread:
    return rederive.check(services, scope.tenant_id, scope.owner)


def alter(owner: psycopg.Connection, statement: str) -> None:
    owner.execute("set session_replication_role = replica")
    assert owner.execute(statement.encode()).rowcount == 1
    owner.execute("set session_replication_role = origin")


def written(owner: psycopg.Connection) -> list[Any]:
    """Everything but passes, whose change would be a trace of a check."""
    tables = ("event", "candidate", "memory", "decision")
    return [owner.execute(f"select * from {table} order by 1, 2, 3".encode()).fetchall() for table in tables]


def test_the_same_rules_read_alike_and_a_check_writes_nothing(
    rules: Rules, say: Any, night: Night, owner: psycopg.Connection
) -> None:
    say(rules(), "bees", "goats")
    before = written(owner)
    assert checked(rules()) == rederive.Reread(alike=2)
    found = night(rules())
    assert (found.outcome, found.counts["compared"], found.counts["unlike"]) == (Outcome.DONE, 2, 0)
    assert written(owner) == before


def test_rules_that_changed_under_their_version_are_told_with_what_differs(
    rules: Rules, say: Any, night: Night, caplog: pytest.LogCaptureFixture
) -> None:
    say(rules(), "bees")
    changed = rules("Mira has {thing}.")
    [unlike] = checked(changed).unlike
    assert (unlike.run_id, unlike.extractor) == ("run-bees", "scripted/2")
    [gone, new] = unlike.parts
    assert (gone.stored and gone.stored.text, gone.anew) == ("Mira keeps bees.", None)
    assert (new.stored, new.anew and new.anew.text) == (None, "Mira has bees.")
    before = metrics.DIFFERENCES.labels(check=REDERIVE)._value.get()
    found = night(changed)
    assert found.outcome is Outcome.FAILED
    assert found.error is not None
    assert "ReadingsDiffer: a reading does not come to what is stored" in found.error
    assert "--tenant acme" in found.error
    assert metrics.DIFFERENCES.labels(check=REDERIVE)._value.get() == before + 1
    assert "stream=user:mira" in caplog.text
    assert "bees." not in caplog.text, "no word of what anybody said"


def test_a_sentence_that_stays_is_told_by_the_field_that_does_not(rules: Rules, say: Any) -> None:
    say(rules(), "bees")
    [unlike] = checked(rules(confidence=0.4)).unlike
    [part] = unlike.parts
    assert part.fields == ("confidence",)


def test_what_older_rules_have_read_is_counted_apart_and_is_no_difference(rules: Rules, say: Any, night: Night) -> None:
    say(rules(name="scripted/1"), "bees")
    say(rules(), "goats")
    now = rules("Mira has {thing}.", name="scripted/3")
    assert checked(now) == rederive.Reread(older=2)
    found = night(now)
    assert (found.outcome, found.counts["older"], found.counts["compared"]) == (Outcome.DONE, 2, 0)
    assert checked(rules(name="scripted/1")) == rederive.Reread(alike=1, by_others=1), "a process that is behind"


def test_what_a_model_has_read_is_not_read_at_all(rules: Rules, say: Any) -> None:
    say(rules(name="openai:gpt/1/2"), "bees")
    say(rules(name="scripted/2 for openai:gpt/1/2"), "goats")
    mine = rules("Mira has {thing}.")
    assert checked(mine) == rederive.Reread(by_others=2)


def test_a_model_is_never_asked(rules: Rules, say: Any, night: Night) -> None:
    def asked(_: object) -> None:
        raise AssertionError("a check asks no model")

    say(rules(), "bees")
    configured = rules()
    settings = configured.settings.model_copy(update={"extraction_model": "openai:gpt"})
    found = night(replace(configured, settings=settings, model=asked))
    assert (found.outcome, found.counts["compared"]) == (Outcome.DONE, 1)


@pytest.mark.parametrize(
    ("statement", "fields"),
    [
        (f"update event_payload set payload = replace(payload, 'keeps', 'sells') {OF_A_CANDIDATE}", None),
        (f"update event_payload set payload = '{{\"kind\": 7}}' {OF_A_CANDIDATE}", ("payload",)),
        ("delete from candidate", ("row",)),
        ("update candidate set claim_key = 'x'", ("claim_key",)),
    ],
)
def test_a_stored_reading_that_was_altered_is_found(
    rules: Rules, say: Any, night: Night, owner: psycopg.Connection, statement: str, fields: tuple[str, ...] | None
) -> None:
    say(rules(), "bees")
    alter(owner, statement)
    [unlike] = checked(rules()).unlike
    assert fields is None or fields in [part.fields for part in unlike.parts]
    assert night(rules()).outcome is Outcome.FAILED


def test_lines_that_are_forgotten_or_quarantined_are_read_by_no_check(
    rules: Rules, say: Any, opened: Database, owner: psycopg.Connection
) -> None:
    say(rules(), "bees", "goats", "hens")
    (memory,) = owner.execute("select memory_id from memory where text = 'I keep bees.'").fetchone() or (None,)
    forget(opened, MIRA, str(memory), erase_content=True)
    quarantine(opened, MIRA, Source(run_id="run-goats"))
    assert checked(rules()) == rederive.Reread(alike=1, gone=2)


def test_times_without_a_zone_are_read_in_the_zone_of_then(rules: Rules, say: Any, reading: Settings) -> None:
    class Dated(ScriptedExtractor):
        def extract(self, reading: Any, *, deadline_s: float) -> Any:
            found = super().extract(reading, deadline_s=deadline_s)
            said = reading.lines[0].said_at
            return replace(found, candidates=[each.model_copy(update={"since": said}) for each in found.candidates])

    script = {"bees": [{"text": "Mira keeps bees.", "claim": ("mira", "pet", "bees")}]}
    mine = replace(rules(), rules=lambda: Dated(script, name="scripted/2"))
    say(mine, "bees")
    moved = replace(mine, settings=reading.model_copy(update={"naive_timezone": "Asia/Tokyo"}))
    assert checked(moved) == rederive.Reread(alike=1)


def test_in_time_every_reading_is_looked_at_and_none_twice_before(
    rules: Rules, say: Any, night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(rules(), *THINGS[:3])
    say(rules(), *THINGS[3:], scope=OLAF)
    seen: list[str] = []
    mine = rules()
    heard = mine.rules()
    monkeypatch.setattr(ScriptedExtractor, "extract", lambda self, given, *, deadline_s: (
        seen.append(given.lines[0].text) or _EXTRACT(self, given, deadline_s=deadline_s)))  # fmt: skip
    for _ in range(3):
        assert night(replace(mine, rules=lambda: heard), 2).counts["compared"] == 2
    assert sorted(seen) == sorted(f"I keep {thing}." for thing in THINGS)
    assert night(replace(mine, rules=lambda: heard), 2).counts["compared"] == 2, "and round again"
    assert seen[6:] == seen[:2]


_EXTRACT = ScriptedExtractor.extract


def test_what_is_unlike_is_told_by_every_pass_until_it_is_not(rules: Rules, say: Any, night: Night) -> None:
    say(rules(), *THINGS)
    assert night(rules("Mira has {thing}."), 1).outcome is Outcome.FAILED
    for _ in range(3):
        assert night(rules("Mira has {thing}."), 1).outcome is Outcome.FAILED
    found = night(rules("Mira has {thing}.", name="scripted/3"), 1)
    assert found.outcome is Outcome.DONE, "with a version of its own it is an older reading"


def test_a_pass_without_time_goes_on_where_it_was_and_ends(
    rules: Rules, say: Any, opened: Database, reading: Settings
) -> None:
    say(rules(), *THINGS[:3])

    def hasty(job: Job) -> bool:
        job.until_s = 0
        return rederive.check_sample(rules(), 10, job)

    def patient(job: Job) -> bool:
        return rederive.check_sample(rules(), 10, job)

    assert carry_out(opened, reading, REDERIVE, "acme", hasty, slot=NIGHT).outcome is Outcome.UNFINISHED
    found = carry_out(opened, reading, REDERIVE, "acme", patient, slot=NIGHT)
    assert (found.outcome, found.counts["compared"]) == (Outcome.DONE, 3)


def test_a_pass_looks_at_so_many_that_it_has_not_to_read(
    rules: Rules, say: Any, night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warmpath._sampling._PASSED_OVER", 2)
    say(rules(name="scripted/1"), *THINGS)
    assert [night(rules(), 2).counts["older"] for _ in range(2)] == [4, 2]


def test_a_long_reading_is_left_to_the_command(
    rules: Rules, say: Any, night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LONGEST_SAMPLED > 0
    say(rules(), "bees")
    monkeypatch.setattr("warmpath._sampling.LONGEST_SAMPLED", 0)
    found = night(rules("Mira has {thing}."))
    assert (found.outcome, found.counts["left_out"], found.counts["compared"]) == (Outcome.DONE, 1, 0)
    assert len(checked(rules("Mira has {thing}.")).unlike) == 1


def test_readings_that_were_prepared_or_switched_to_are_checked_like_all(rules: Rules, say: Any) -> None:
    say(rules(name="scripted/1"), "bees")
    anew = rules("Mira has {thing}.")
    rederive.prepare(anew, MIRA)
    assert checked(anew) == rederive.Reread(alike=1, older=1)
    rederive.switch(anew, MIRA)
    assert checked(anew) == rederive.Reread(alike=1, older=1)
    assert len(checked(rules()).unlike) == 1


def test_a_difference_is_mended_by_reading_anew_and_comes_back_with_the_old_reading(
    rules: Rules, say: Any, night: Night
) -> None:
    say(rules(), "bees", "goats")
    changed = rules("Mira has {thing}.")
    assert night(changed).outcome is Outcome.FAILED
    rederive.prepare(changed, MIRA)
    assert len(checked(changed).unlike) == 2, "nothing is switched to yet"
    rederive.switch(changed, MIRA)
    assert checked(changed) == rederive.Reread(alike=2, replaced=2)
    assert night(changed).outcome is Outcome.DONE
    rederive.back(changed, MIRA)
    assert len(checked(changed).unlike) == 2


def test_the_rules_themselves_read_alike(services: Services, reading: Settings, say: Any, bell: Any) -> None:
    mine = replace(services, settings=reading)
    told = [
        {"role": "user", "text": text, "ts": f"2026-01-1{n}T12:00:00+02:00"}
        for n, text in enumerate(
            ["My name is Mira and I live in Varna.", "I moved to Porto last week.", "My sister Ana keeps two goats."]
            * 3
        )
    ]
    Door(mine).observe(MIRA, told, run_id="run-1")
    say(mine)
    assert checked(mine) == rederive.Reread(alike=1)


def test_by_hand_it_is_shown_what_differs_and_that_is_an_exit_code(
    rules: Rules, say: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def have(mine: Services) -> None:
        monkeypatch.setattr("warmpath._door.door", lambda: Door(mine))

    say(rules(), "bees")
    say(rules(name="scripted/1"), "goats", scope=OLAF)
    have(rules())
    assert run(["rederive", "--tenant", "acme", "--check"]) == OK
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 reading read again, all of them as they are stored" in shown
    assert "1 reading was made by older rules" in shown
    have(rules("Mira has {thing}."))
    assert run(["rederive", "--tenant", "acme", "--user", "mira", "--check"]) == FAILED
    shown = " ".join("".join(capsys.readouterr()).split())
    assert "mira, run run-bees: read otherwise than scripted/2 did" in shown
    assert "- Mira keeps bees. fact pet bees" in shown
    assert "+ Mira has bees. fact pet bees" in shown
    assert run(["rederive", "--tenant", "acme", "--check", "--json"]) == FAILED
    found = json.loads(capsys.readouterr().out)
    assert (found["alike"], [each["stream"] for each in found["streams"]]) == (False, ["mira", "olaf"])
    [unlike] = found["streams"][0]["reread"]["unlike"]
    assert unlike["parts"][0]["stored"]["text"] == "Mira keeps bees."


@pytest.mark.parametrize(
    "arguments",
    [["--check", "--apply", "--user", "mira"], ["--apply"], [], ["--check", "--user", "nobody"]],
)
def test_by_hand_what_cannot_be_meant_is_refused(rules: Rules, say: Any, arguments: list[str]) -> None:
    say(rules(), "bees")
    assert run(["rederive", "--tenant", "acme", *arguments]) == WRONG_INPUT
