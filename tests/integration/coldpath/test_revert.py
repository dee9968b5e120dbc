"""Batches taken back after more was said: what comes back is what all that was said by now comes to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import proposals, retain
from coldpath.proposals import Reverted, Tidying, revert, tidy
from coldpath.replay import replay
from gateway import Daybook
from gateway.cli import FAILED, OK, run
from shared.belief.contradictions import REASON as SAID_LATE
from shared.belief.reverting import Why
from shared.contract.errors import RevertedInPart
from shared.contract.operations import AddPayload, EndPayload, WrittenEntry
from shared.contract.policies import RetainPolicy
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import generations, ledger, memories
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.testing import HashEmbedder

USERS = {name: Scope(tenant_id="acme", user_id=name) for name in ("a", "m", "z")}
FACTS = RetainPolicy.model_validate(
    {"rules": [{"name": "facts", "action": "expire", "after_days": 1, "epistemic_types": ["fact", "preference"]}]}
)
Held = list[tuple[str, str | None, str | None]]


@pytest.fixture
def daybook(reading: Settings, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daybook]:
    del reading, embedder
    monkeypatch.setattr("shared.clock.now", lambda: datetime.now(UTC) + timedelta(days=30))
    with Daybook() as opened:
        yield opened


def say(daybook: Daybook, name: str, text: str, day: str) -> None:
    told = [{"role": "user", "text": text, "ts": f"2026-{day}T12:00:00+00:00"}]
    daybook.observe(USERS[name], told, run_id=str(uuid4()), inline=True)


def expired(daybook: Daybook, *names: str) -> UUID:
    batch = uuid4()

    def propose(session: Any) -> Any:
        return retain.propose(FACTS, session)

    tidying = Tidying(job="retain", propose=propose, batch_id=batch, by_time=True)
    for name in names:
        assert tidy(daybook.database(), "acme", USERS[name].owner, tidying).accepted
        assert is_equal(daybook, name)
    return batch


def held(owner: psycopg.Connection, name: str) -> Held:
    """The open beliefs of somebody: what, since when and until when."""
    query = """
        select claim_predicate || ' ' || claim_object, to_char(valid_from, 'MM-DD'), to_char(valid_to, 'MM-DD')
        from memory where user_id = %s and claim_key is not null and closed_at is null order by 1
    """
    owner.execute("select set_config('row_security', 'off', false)")
    return owner.execute(query, [name]).fetchall()


def is_equal(daybook: Daybook, *names: str) -> bool:
    found = [replay(daybook.database(), "acme", USERS[name].owner, verify=True) for name in names]
    assert [each.differences for each in found] == [()] * len(names)
    return all(each.is_equal for each in found)


def settled(daybook: Daybook, owner: psycopg.Connection) -> UUID:
    """Three users of whom two facts each are known, which one batch lets go of."""
    for name in USERS:
        say(daybook, name, "I live in Gdansk.", "01-05")
        say(daybook, name, "I work at Fiat.", "01-05")
        assert held(owner, name) == BOTH
    batch = expired(daybook, *USERS)
    assert [held(owner, name) for name in USERS] == [[], [], []]
    return batch


BOTH: Held = [("lives_in Gdansk", "01-05", None), ("works_at Fiat", "01-05", None)]


def test_what_was_followed_by_something_else_meanwhile_comes_back_as_what_it_was_until_then(
    daybook: Daybook, owner: psycopg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = settled(daybook, owner)
    say(daybook, "m", "I moved to Oslo.", "03-05")
    assert run(["revert", "--tenant", "acme", str(batch)]) == OK
    assert "taken back in 3 streams by 6 operations" in capsys.readouterr().out
    assert held(owner, "m") == [
        ("lives_in Gdansk", "01-05", "03-05"),
        ("lives_in Oslo", "03-05", None),
        ("works_at Fiat", "01-05", None),
    ]
    assert (held(owner, "a"), held(owner, "z")) == (BOTH, BOTH)
    assert is_equal(daybook, *USERS)
    assert run(["revert", "--tenant", "acme", str(batch)]) == FAILED
    assert "in 3 streams it had been reverted before" in capsys.readouterr().out
    assert is_equal(daybook, *USERS)


def believe(daybook: Daybook, name: str, place: str) -> None:
    """Hold that somebody lives somewhere since 5 March, with no statement that would tell so."""
    scope = USERS[name]
    with daybook.database().transaction(Role.WORKER, "acme", [scope.owner]) as session:
        generations.writing(session, "sparse")
        entry = WrittenEntry(
            kind=Kind.SEMANTIC,
            epistemic_type=EpistemicType.FACT,
            text=f"{name} lives in {place}.",
            claim=Claim(subject=name, predicate="lives_in", object=place, key=key_of(daybook, name)),
            valid_from=datetime(2026, 3, 5, 12, tzinfo=UTC),
            evidence=(EvidenceRef(sequence=1),),
            confidence=0.9,
        )
        draft = Draft(session, ledger.lock(session, scope.owner))
        draft.do([], [AddPayload(reason="stated", entries=(entry,))])
        ledger.advance(session, draft.write()[1])


def key_of(daybook: Daybook, name: str) -> str:
    with daybook.database().transaction(Role.READER, "acme", [USERS[name].owner], read_only=True) as session:
        query = "select claim_key as key from memory where user_id = any(%(owners)s) and claim_predicate = 'lives_in'"
        row = session.row(query)
    assert row is not None
    return str(row["key"])


def test_what_another_has_the_place_of_stays_closed_and_nothing_else_does(
    daybook: Daybook, owner: psycopg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = settled(daybook, owner)
    believe(daybook, "m", "Oslo")
    assert run(["revert", "--tenant", "acme", str(batch), "--json"]) == FAILED
    told = json.loads(capsys.readouterr().out)
    assert ([each["why"] for each in told["kept"]], told["streams"], told["failed"]) == ([Why.TAKEN], 3, [])
    assert held(owner, "m") == [("lives_in Oslo", "03-05", None), ("works_at Fiat", "01-05", None)]
    assert (held(owner, "a"), held(owner, "z")) == (BOTH, BOTH)
    assert is_equal(daybook, *USERS)
    assert revert(daybook.database(), "acme", batch).already == len(USERS)


def test_a_stream_that_fails_keeps_no_other_from_being_taken_back_and_is_the_next_time(
    daybook: Daybook,
    owner: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    batch = settled(daybook, owner)
    undo = proposals.undo

    def failing(session: Any, head: Any, *more: Any) -> Any:
        done = undo(session, head, *more)
        if head.owner == "m":
            raise psycopg.errors.UniqueViolation("Key (text)=(I live in Gdansk.) is there already")
        return done

    with monkeypatch.context() as patched:
        patched.setattr(proposals, "undo", failing)
        with pytest.raises(RevertedInPart, match=r"in 1 of 3 streams .* first 'm' \(UniqueViolation\)") as raised:
            revert(daybook.database(), "acme", batch)
        assert "Gdansk" not in str(raised.value)
        found = raised.value.details["reverted"]
        assert isinstance(found, Reverted)
        assert (found.streams, [each.owner for each in found.failed]) == (2, ["m"])
        assert [held(owner, name) for name in USERS] == [BOTH, [], BOTH]
        assert is_equal(daybook, *USERS)
        assert run(["revert", "--tenant", "acme", str(batch)]) == FAILED
        assert "m: not taken back (UniqueViolation); call this again" in capsys.readouterr().err
    again = revert(daybook.database(), "acme", batch)
    assert (again.streams, again.already, again.failed) == (1, 2, ())
    assert [held(owner, name) for name in USERS] == [BOTH] * 3
    assert is_equal(daybook, *USERS)


def test_what_was_denied_meanwhile_comes_back_as_ended(
    daybook: Daybook, owner: psycopg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in USERS:
        say(daybook, name, "I like opera.", "01-05")
    batch = expired(daybook, *USERS)
    say(daybook, "m", "I no longer like opera.", "03-05")
    assert held(owner, "m") == []
    assert run(["revert", "--tenant", "acme", str(batch)]) == OK
    capsys.readouterr()
    assert held(owner, "m") == [("likes opera", "01-05", "03-05")]
    assert held(owner, "a") == held(owner, "z") == [("likes opera", "01-05", None)]
    assert is_equal(daybook, *USERS)
    assert run(["profile", "--tenant", "acme", "--user", "m", "--json"]) == OK
    assert json.loads(capsys.readouterr().out)["blocks"] == []
    assert run(["profile", "--tenant", "acme", "--user", "a", "--json"]) == OK
    (block,) = json.loads(capsys.readouterr().out)["blocks"]
    assert "likes: opera (since 2026-01-05)" in block["text"]


def test_what_had_ended_before_a_batch_has_ended_after_it_is_taken_back(
    daybook: Daybook, owner: psycopg.Connection
) -> None:
    say(daybook, "m", "I like opera.", "01-05")
    say(daybook, "m", "I no longer like opera.", "03-05")
    batch = expired(daybook, "m")
    assert revert(daybook.database(), "acme", batch).is_whole
    assert held(owner, "m") == [("likes opera", "01-05", "03-05")]
    assert is_equal(daybook, "m")


def test_an_end_that_no_statement_of_the_claim_tells_of_is_not_lost(
    daybook: Daybook, owner: psycopg.Connection
) -> None:
    say(daybook, "m", "I live in Gdansk.", "01-05")
    with daybook.database().transaction(Role.WORKER, "acme", [USERS["m"].owner]) as session:
        draft = Draft(session, ledger.lock(session, USERS["m"].owner))
        (memory,) = memories.of_claims(session, [key_of(daybook, "m")])
        ends = EndPayload(reason=SAID_LATE, memory=memory.memory_id, valid_to=datetime(2026, 2, 5, 12, tzinfo=UTC))
        draft.do([memory], [ends])
        ledger.advance(session, draft.write()[1])
    batch = expired(daybook, "m")
    assert revert(daybook.database(), "acme", batch).is_whole
    assert held(owner, "m") == [("lives_in Gdansk", "01-05", "02-05")]
    assert is_equal(daybook, "m")
