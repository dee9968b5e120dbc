"""How long what is kept: held no longer, or gone from everywhere, and held back where a rule keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import retain
from coldpath.proposals import Tidying, revert, tidy
from coldpath.replay import replay
from coldpath.retain import Forgetting, Forgot
from coldpath.tidying import tidy_on
from coldpath.verify import check
from gateway import Daybook
from gateway.cli import OK, WRONG_INPUT, run
from hotpath._log import flush
from shared.contract.operations import AddPayload, WrittenEntry
from shared.contract.policies import RetainPolicy
from shared.contract.records import EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Owner, Scope, room_owner
from shared.settings import Settings, settings
from shared.store import generations, ledger, memories
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.testing import HashEmbedder
from shared.work.passes import Job, carry_out

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
SICK, MAPS, FILLER = "I was told that I have diabetes.", "Old maps are kept in the archive room.", "ok"
HEALTH = {"name": "health_a_year", "action": "forget", "after_days": 365, "sensitivity": ["health"]}
TALK = {"name": "talk", "action": "expire", "after_days": 90, "kinds": ["episodic"]}


def policy(*rules: dict[str, Any]) -> RetainPolicy:
    return RetainPolicy.model_validate({"rules": rules})


@pytest.fixture
def daybook(environment: Settings, embedder: HashEmbedder) -> Iterator[Daybook]:
    del environment, embedder
    with Daybook() as opened:
        say(opened, SICK, MAPS, FILLER)
        yield opened


def say(daybook: Daybook, *texts: str, scope: Scope = MIRA, **given: Any) -> None:
    told = [{"role": "user", "text": text} for text in texts]
    daybook.observe(scope, told, run_id=str(uuid4()), inline=True, **given)


@pytest.fixture(autouse=True)
def after(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set our clock on by some days, for what asks how old something is."""

    def set_on(days: float) -> None:
        monkeypatch.setattr("shared.clock.now", lambda: datetime.now(UTC) + timedelta(days=days))

    return set_on


def forgot(daybook: Daybook, of: RetainPolicy, owner: Owner = MIRA.owner, **given: Any) -> Forgot:
    return Forgetting(of).carry_out(daybook.database(), "acme", owner, **given)


def expired(daybook: Daybook, of: RetainPolicy) -> UUID:
    batch = uuid4()

    def propose(session: Any) -> Any:
        return retain.propose(of, session)

    tidy(daybook.database(), "acme", MIRA.owner, Tidying(job="retain", propose=propose, batch_id=batch, by_time=True))
    return batch


def texts(daybook: Daybook, query: str = "diabetes and old maps", scope: Scope = MIRA) -> set[str]:
    return {item.text for item in daybook.recall(scope, query).items}


def contents(owner: psycopg.Connection) -> str:
    owner.execute("select set_config('row_security', 'off', false)")
    return "\n".join(row[0] for row in owner.execute("select payload::text from event_payload").fetchall())


def is_equal(daybook: Daybook, owner: Owner = MIRA.owner) -> bool:
    found = replay(daybook.database(), "acme", owner, verify=True)
    assert found.differences == ()
    with daybook.database().transaction(Role.READER, "acme", [owner], read_only=True) as session:
        assert check(ledger.read_stored(session, owner), ledger.end_of(session, owner))[2] is None
    return found.is_equal


def test_nothing_goes_without_a_rule(daybook: Daybook, after: Any) -> None:
    after(9999)
    before = texts(daybook)
    assert forgot(daybook, policy()) == Forgot()
    expired(daybook, policy())
    assert texts(daybook) == before == {SICK, MAPS}


def test_what_is_due_to_be_forgotten_is_gone_from_everywhere_and_the_rest_is_there(
    daybook: Daybook, after: Any, owner: psycopg.Connection
) -> None:
    after(364)
    assert forgot(daybook, policy(HEALTH)) == Forgot()
    after(366)
    assert forgot(daybook, policy(HEALTH)) == Forgot(messages=1, memories=1)
    assert texts(daybook) == {MAPS}
    assert "diabetes" not in contents(owner)
    assert MAPS in contents(owner)
    assert '"reason":"health_a_year"' in contents(owner), "the ledger says why"
    audits = owner.execute("select payload::text from event join event_payload using (tenant_id, stream, sequence) "
                           "where event.kind = 'retain'").fetchall()  # fmt: skip
    assert [json.loads(row[0]) for row in audits] == [{"memories": 1, "messages": 1}]
    assert is_equal(daybook)
    assert forgot(daybook, policy(HEALTH)) == Forgot(), "a second pass finds nothing"


def test_a_message_that_gave_no_memory_is_forgotten_too(
    daybook: Daybook, after: Any, owner: psycopg.Connection
) -> None:
    after(40)
    rule = {"name": "talk", "action": "forget", "after_days": 30, "kinds": ["episodic"]}
    assert forgot(daybook, policy(rule)).messages == 3
    assert texts(daybook) == set()
    assert all(text not in contents(owner) for text in (SICK, MAPS, '"ok"'))
    assert is_equal(daybook)


def test_what_a_rule_keeps_stays_whatever_else_is_due(daybook: Daybook, after: Any) -> None:
    after(9999)
    held = {"name": "lawsuit", "action": "keep", "sensitivity": ["health"], "users": ["mira"]}
    everything = {"name": "all", "action": "forget", "after_days": 30}
    assert forgot(daybook, policy(held, everything)) == Forgot(messages=2, memories=1)
    expired(daybook, policy(held, TALK))
    assert texts(daybook) == {SICK}


def test_a_message_stays_where_anything_that_rests_on_it_is_kept(daybook: Daybook, after: Any) -> None:
    with daybook.database().transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        entry = WrittenEntry(
            kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text="Mira was told something.", confidence=0.9,
            evidence=(EvidenceRef(sequence=1),),
        )  # fmt: skip
        draft.do([], [AddPayload(reason="stated", entries=(entry,))])
        ledger.advance(session, draft.write()[1])
    after(9999)
    held = {"name": "lawsuit", "action": "keep", "kinds": ["semantic"]}
    assert forgot(daybook, policy(held, HEALTH)) == Forgot(kept=1)
    assert SICK in texts(daybook)
    assert forgot(daybook, policy(HEALTH)) == Forgot(messages=1, memories=2)
    assert is_equal(daybook)


def test_what_is_held_no_longer_can_be_taken_back_and_stays_then(daybook: Daybook, after: Any) -> None:
    after(91)
    batch = expired(daybook, policy(TALK))
    assert texts(daybook) == set()
    assert is_equal(daybook)
    revert(daybook.database(), "acme", batch)
    expired(daybook, policy(TALK))
    assert texts(daybook) == {SICK, MAPS}
    assert is_equal(daybook)


def test_what_is_held_no_longer_is_forgotten_when_its_day_comes(
    daybook: Daybook, after: Any, owner: psycopg.Connection
) -> None:
    after(91)
    expired(daybook, policy(TALK, HEALTH))
    after(366)
    assert forgot(daybook, policy(TALK, HEALTH)).memories == 1
    assert "diabetes" not in contents(owner)


def test_what_changed_between_looking_and_forgetting_is_judged_anew(
    daybook: Daybook, after: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(366)
    judge = retain.judged

    def judged(session: Any, _of: RetainPolicy, sequences: Any, at: Any) -> Any:
        return judge(session, policy(), sequences, at)

    monkeypatch.setattr("coldpath.retain.judged", judged)
    assert forgot(daybook, policy(HEALTH)) == Forgot(kept=0)
    assert SICK in texts(daybook)


def test_whoever_is_cut_off_leaves_the_rest_to_the_next(
    daybook: Daybook, after: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(daybook, *(f"I have diabetes since {year}, and it is not going away." for year in range(1990, 1995)))
    monkeypatch.setattr("coldpath.retain.PORTION", 2)
    after(366)
    slices = iter([False, True])
    first = forgot(daybook, policy(HEALTH), time_is_up=lambda: next(slices))
    assert (first.messages, first.is_whole) == (2, False)
    assert is_equal(daybook)
    rest = forgot(daybook, policy(HEALTH))
    assert (rest.messages, rest.is_whole) == (4, True)
    assert is_equal(daybook)


def test_whoever_has_lost_the_job_forgets_nothing(daybook: Daybook, after: Any) -> None:
    after(366)

    def fence(_session: Any) -> None:
        raise RuntimeError("somebody else's")

    with pytest.raises(RuntimeError):
        forgot(daybook, policy(HEALTH), fence=fence)
    assert SICK in texts(daybook)


def test_a_rule_of_a_room_is_for_the_room_alone(daybook: Daybook, after: Any) -> None:
    said = {"role": "user", "speaker": "mira", "text": SICK}
    daybook.observe(MIRA, [said], run_id="k", inline=True, room="kitchen", participants=["mira", "oskar"])
    after(366)
    of = policy({**HEALTH, "rooms": ["kitchen"]})
    assert forgot(daybook, of) == Forgot()
    assert forgot(daybook, of, room_owner("kitchen")).messages == 1
    assert texts(daybook, scope=OSKAR) == set()
    assert SICK in texts(daybook)
    assert is_equal(daybook, room_owner("kitchen"))


def test_saying_it_again_is_a_new_memory_of_a_new_age(daybook: Daybook, after: Any) -> None:
    after(366)
    forgot(daybook, policy(HEALTH))
    after(0)
    say(daybook, SICK)
    assert SICK in texts(daybook)
    after(300)
    assert forgot(daybook, policy(HEALTH)) == Forgot()


def written(path: Path, *rules: dict[str, Any]) -> None:
    lines = [["[[retain.rules]]", *(f"{name} = {json.dumps(value)}" for name, value in rule.items())] for rule in rules]
    path.write_text("\n".join("\n".join(each) for each in lines))


def test_an_operator_sees_what_would_go_by_which_rule_and_which_recalls_would_have_changed(
    daybook: Daybook, after: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policies.toml"
    monkeypatch.setenv("DAYBOOK_POLICIES", str(path))
    settings.cache_clear()
    turn = daybook.recall(MIRA, "diabetes and old maps").turn_id
    assert flush(9.0)
    after(400)
    written(path, HEALTH, {**TALK, "kinds": ["episode"]})
    assert run(["retain", "--tenant", "acme"]) == WRONG_INPUT
    assert "retain.rules.1.kinds.0" in capsys.readouterr().err
    written(path, HEALTH, {**HEALTH, "name": "all", "sensitivity": [], "after_days": 4000}, TALK)
    assert run(["retain", "--tenant", "acme", "--dry-run", "--json"]) == OK
    told = json.loads(capsys.readouterr().out)
    shown = {(each["operation"], each["rule"], each["left"], each["recalls"]) for each in told["changes"]}
    assert shown == {("forget", "health_a_year", SICK, 1), ("expire", "talk", MAPS, 1)}
    assert (told["recalls"], told["newest_recalls"]) == (1, [str(turn)])
    assert told["notes"] == ["rule 'health_a_year' goes before 'all' where both select the same"]
    assert texts(daybook) == {SICK, MAPS}
    assert run(["retain", "--tenant", "acme", "--dry-run"]) == OK
    plain = capsys.readouterr().out
    assert all(words in plain for words in ("health_a_year", "1 message would be forgotten", "1 recall", "goes before"))


def test_by_hand_all_of_it_is_done_and_said(
    daybook: Daybook, after: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policies.toml"
    monkeypatch.setenv("DAYBOOK_POLICIES", str(path))
    settings.cache_clear()
    written(path, HEALTH, TALK)
    after(400)
    assert run(["retain", "--tenant", "acme", "--user", "mira", "--json"]) == OK
    told = json.loads(capsys.readouterr().out)
    assert (told["accepted"], told["forgotten"], told["kept"]) == (1, 1, 0)
    assert texts(daybook) == set()
    assert is_equal(daybook)
    assert run(["retain", "--tenant", "acme", "--json"]) == OK
    told = json.loads(capsys.readouterr().out)
    assert (told["accepted"], told["forgotten"], told["batch_id"]) == (0, 0, None)


def test_a_pass_goes_over_every_stream_and_counts_what_went(daybook: Daybook, after: Any, tmp_path: Path) -> None:
    path = tmp_path / "policies.toml"
    written(path, HEALTH)
    say(daybook, SICK, scope=OSKAR)
    say(daybook, FILLER, scope=Scope(tenant_id="acme", user_id="nadja"))
    configured = daybook.settings.model_copy(update={"policies": path})
    after(366)

    def do(job: Job) -> bool:
        return tidy_on(daybook.database(), configured, job)

    counts = carry_out(daybook.database(), configured, "retain", "acme", do).counts
    assert counts == {"accepted": 0, "refused": 0, "asked": 0, "forgotten": 2, "kept": 0, "streams": 3}


def test_of_a_long_stream_no_more_is_read_than_what_is_old_enough(daybook: Daybook, after: Any) -> None:
    after(10)
    with daybook.database().transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        assert list(ledger.unremembered(session, until=datetime.now(UTC) - timedelta(days=1))) == []
        assert len(list(ledger.unremembered(session, until=datetime.now(UTC)))) == 1


def test_each_round_goes_on_behind_the_last_and_nothing_is_looked_for_twice(
    daybook: Daybook, after: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = 12
    say(daybook, *(f"I have diabetes since {year}, and it is not going away." for year in range(1980, 1980 + many)))
    say(daybook, *(f"Map {number} hangs beside the window." for number in range(many)))
    after(366)
    looked: list[int] = []
    aged = memories.aged

    def counted(session: Any, **given: Any) -> Any:
        for row in aged(session, **given):
            looked.append(row.memory.doc)
            yield row

    monkeypatch.setattr("coldpath._due.memories.aged", counted)
    monkeypatch.setattr("coldpath._due.PORTION", 1)
    monkeypatch.setattr(retain, "MOST_AT_ONCE", 2)
    assert forgot(daybook, policy(HEALTH)).messages == many + 1
    assert len(looked) <= len(set(looked)) + many / 2, "but for where a round stopped, each is looked at once"
    assert is_equal(daybook)


def test_two_at_once_forget_everything_once(daybook: Daybook, after: Any) -> None:
    say(daybook, *(f"I have diabetes since {year}, and it is not going away." for year in range(1990, 1999)))
    after(366)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: forgot(daybook, policy(HEALTH)), range(2)))
    assert sum(each.messages for each in found) == 10
    assert texts(daybook) == {MAPS}
    assert is_equal(daybook)


def rehearsed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert run(["retain", "--tenant", "acme", *words, "--json"]) == OK
    return json.loads(capsys.readouterr().out)


def test_a_rehearsal_counts_all_that_goes_however_many_rounds_that_takes(
    daybook: Daybook, after: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DAYBOOK_POLICIES", str(tmp_path / "policies.toml"))
    settings.cache_clear()
    written(tmp_path / "policies.toml", HEALTH, {**TALK, "after_days": 366})
    say(daybook, *(f"I have diabetes since {year}, and it is not going away." for year in range(1990, 1995)))
    monkeypatch.setattr(retain, "MOST_AT_ONCE", 2)
    monkeypatch.setattr("coldpath._due.PORTION", 2)
    monkeypatch.setattr("gateway.rehearsing._MOST_LISTED", 3)
    after(400)
    told = rehearsed(capsys, "--dry-run")
    assert (told["forgotten"], told["kept"], told["unlisted"], told["accepted"]) == (6, 0, 3, 1)
    assert [each["operation"] for each in told["changes"]] == ["forget"] * 3 + ["expire"]
    assert run(["retain", "--tenant", "acme", "--dry-run"]) == OK
    assert "3 messages of them not listed here" in capsys.readouterr().out
    done = rehearsed(capsys)
    assert (done["forgotten"], done["kept"], done["accepted"]) == (6, 0, 1)


def test_a_rehearsal_counts_what_is_due_only_once_something_else_is_forgotten(
    daybook: Daybook, after: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DAYBOOK_POLICIES", str(tmp_path / "policies.toml"))
    settings.cache_clear()
    believe_of_all(daybook, "Mira answers in one word.", keeping=MAPS)
    after(400)
    written(tmp_path / "policies.toml", HEALTH, {**TALK, "action": "forget", "epistemic_types": ["evidence"]})
    told = rehearsed(capsys, "--dry-run")
    assert (told["forgotten"], told["kept"]) == (3, 0), (
        "a message that gave no memory, once the belief goes that it gave"
    )
    assert (texts(daybook) >= {SICK, MAPS}, rehearsed(capsys)["forgotten"]) == (True, 3)
    assert is_equal(daybook)


def believe_of_all(daybook: Daybook, text: str, *, keeping: str) -> None:
    """Believe something that was made from all of what was said but one thing."""
    with daybook.database().transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        head = ledger.lock(session, MIRA.owner)
        runs = [ledger.Source(run_id=run_id) for run_id in ledger.runs(session)]
        sequences = {each.sequence for of in runs for each in ledger.from_source(session, of)}
        events = ledger.numbered(session, MIRA.owner, sequences)
        said = {each.sequence: (each.payload or {})["text"] for each in events}
        cited = tuple(EvidenceRef(sequence=each) for each, words in said.items() if words != keeping)
        entry = WrittenEntry(
            kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, evidence=cited, confidence=0.7
        )
        draft = Draft(session, head)
        draft.do([], [AddPayload(reason="stated", entries=(entry,))])
        ledger.advance(session, draft.write()[1])
