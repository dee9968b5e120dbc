"""Memories that say the same twice: proposed, judged, merged, and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import _undone, dedupe, proposals
from coldpath._undone import Undone, apart, by_now
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Proposed, Tidying, rehearse, revert, tidy
from coldpath.reembed import fill
from coldpath.reindex import Pass
from coldpath.replay import replay
from coldpath.tidying import tidy_on
from gateway import tidying as tidying_by_hand
from gateway.cli import FAILED, OK, WRONG_INPUT, run
from shared import clock
from shared.belief.twins import Vectors, Worded
from shared.contract.errors import NotFound
from shared.contract.operations import AddPayload, ClosePayload, CorroboratePayload, MergePayload, WrittenEntry
from shared.contract.proposals import Refusal
from shared.contract.records import EpistemicType, EvidenceRef, Kind, Operation
from shared.contract.scope import Owner, Scope
from shared.settings import Settings
from shared.store import batches, generations, ledger, memories
from shared.store.batches import Batch
from shared.store.beliefs import Draft
from shared.store.db import Role, Session
from shared.testing import HashEmbedder
from shared.work.passes import Job, carry_out
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
FIRST = "You know, old maps are kept in the archive room."
SECOND = "By the way: old maps are kept, in the archive room."
MAPS, AGAIN = "Old maps are kept in the archive room.", "Old maps are kept, in the archive room."
LOW, STILL_LOW = "The tide is low.", "The tide, it is low."
CODE, OTHER_CODE = "The gate code is 4417.", "The gate code is 4471."
BELIEVED: Mapping[str, tuple[str, float]] = {
    "kept in the archive": (MAPS, 0.6),
    "kept, in": (AGAIN, 0.6),
    "hear: the": (LOW, 0.6),
    "you hear, is": (STILL_LOW, 0.6),
    "4417": (CODE, 0.9),
    "4471": (OTHER_CODE, 0.9),
}
"""What is believed of a text, by words that it holds."""

Tell = Callable[..., None]
Held = Callable[..., dict[str, tuple[int, float]]]


@pytest.fixture
def told(services: Services, work_off: Callable[[], object], embedder: HashEmbedder) -> Tell:
    """Observe a text, and believe of it what the script says: past the gate, which knows most twins as they come."""
    runs = iter(range(1, 100))

    def tell(text: str, *, scope: Scope = MIRA) -> None:
        number = next(runs)
        message = {"role": "user", "text": text, "ts": f"2026-01-{number:02}T12:00:00+00:00"}
        Door(services).observe(scope, [message], run_id=f"run-{number}")
        work_off()
        believe(services, scope, *next(found for words, found in BELIEVED.items() if words in text))
        fill(services.database, embedder, scope.tenant_id, Pass())

    return tell


def believe(services: Services, scope: Scope, text: str, confidence: float) -> None:
    """Hold a belief that rests on the newest message, and what it confirms if the same is held."""
    with services.database.transaction(Role.WORKER, scope.tenant_id, [scope.owner]) as session:
        generations.writing(session, "sparse")
        head = ledger.lock(session, scope.owner)
        (said,) = ledger.from_source(session, ledger.Source(run_id=ledger.runs(session)[-1]))
        draft, evidence = Draft(session, head), (EvidenceRef(sequence=said.sequence),)
        same = [each for each in memories.beliefs(session, keyed=False, limit=99) if each.text == text]
        if same:
            more = CorroboratePayload(reason="said_again", memory=same[0].memory_id, evidence=evidence)
            draft.do(same, [more])
        else:
            entry = WrittenEntry(
                kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, evidence=evidence,
                confidence=confidence, valid_from=said.occurred_at,
            )  # fmt: skip
            draft.do([], [AddPayload(reason="stated", entries=(entry,))])
        ledger.advance(session, draft.write()[1])


@pytest.fixture
def held(owner: psycopg.Connection) -> Held:
    """The open beliefs of somebody: how many pieces of evidence each has, and how certain it is."""
    query = """
        select text, (
            select count(*) from memory_evidence
            where memory_evidence.memory_id = memory.memory_id and memory_evidence.version = memory.version
        ), round(confidence::numeric, 3)::float
        from memory where epistemic_type <> 'evidence' and closed_at is null and user_id = %s
    """
    return lambda user="mira": {text: (pieces, sure) for text, pieces, sure in owner.execute(query, [user])}


def tidying(**changes: Any) -> Tidying:
    return Tidying(**{"job": "dedupe", "propose": dedupe.propose, "batch_id": uuid4(), **changes})


def tidied(services: Services, given: Tidying | None = None, owner: Owner = MIRA.owner) -> Done:
    return tidy(services.database, "acme", owner, given or tidying())


def is_equal(services: Services, owner: Owner = MIRA.owner) -> bool:
    found = replay(services.database, "acme", owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def test_what_says_the_same_twice_becomes_one_with_all_its_evidence_and_a_second_pass_proposes_nothing(
    told: Tell, held: Held, services: Services
) -> None:
    for text in (FIRST, SECOND, "It is 4417.", "It is 4471."):
        told(text)
    assert held().keys() == {MAPS, AGAIN, CODE, OTHER_CODE}
    assert len(tidied(services).accepted) == 1
    assert held() == {MAPS: (2, 0.84), CODE: (1, 0.9), OTHER_CODE: (1, 0.9)}
    assert is_equal(services)
    assert rehearse(services.database, "acme", MIRA.owner, tidying()).accepted == ()


def test_a_stream_that_nothing_is_new_in_is_not_read_again(told: Tell, services: Services) -> None:
    asked: list[Session] = []

    def propose(session: Session) -> Proposed:
        asked.append(session)
        return dedupe.propose(session)

    told(FIRST)
    for _ in range(3):
        tidied(services, tidying(propose=propose))
    assert len(asked) == 1
    told(SECOND)
    tidied(services, tidying(propose=propose))
    tidied(services, tidying(propose=propose))
    assert len(asked) == 2


def test_a_rehearsal_changes_nothing_and_says_what_would_be(told: Tell, held: Held, services: Services) -> None:
    told(FIRST)
    told(SECOND)
    before = held()
    (proposal,) = rehearse(services.database, "acme", MIRA.owner, tidying()).accepted
    assert isinstance(proposal.operation, MergePayload)
    assert held() == before


def test_a_batch_is_taken_back_as_a_whole_once_and_the_ledger_says_so(
    told: Tell, held: Held, services: Services
) -> None:
    told(FIRST)
    told(SECOND)
    before, given = held(), tidying()
    tidied(services, given)
    told("It is 4417.")
    found = revert(services.database, "acme", given.batch_id)
    assert (found.streams, found.kept, found.unknown) == (1, (), 0)
    assert held() == {**before, CODE: (1, 0.9)}
    assert is_equal(services)
    again = revert(services.database, "acme", given.batch_id)
    assert (again.streams, again.already) == (0, 1)
    assert [reason for _, reason in tidied(services).refused] == [Refusal.TAKEN_BACK], "it is not done again"
    assert held() == {**before, CODE: (1, 0.9)}
    with pytest.raises(NotFound, match="no batch"):
        revert(services.database, "acme", uuid4())
    with pytest.raises(NotFound, match="no batch"):
        revert(services.database, "globex", given.batch_id)


def test_what_was_taken_back_is_read_before_the_lock_and_under_it_only_what_was_since(
    told: Tell, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in (FIRST, SECOND, "You hear: the tide is low.", "The tide, you hear, is low."):
        told(text)
    one, other = tidying(), tidying()
    tidied(services, one)
    revert(services.database, "acme", one.batch_id)
    read: list[tuple[list[UUID], bool]] = []
    read_back, lock = _undone.taken_back, ledger.lock
    is_locked = False

    def taken_back(session: Session, owner: Owner, found: Sequence[Batch]) -> list[Undone]:
        read.append(([each.batch_id for each in found], is_locked))
        return read_back(session, owner, found)

    def locked(session: Session, owner: Owner) -> ledger.Head:
        nonlocal is_locked
        is_locked = True
        return lock(session, owner)

    monkeypatch.setattr(_undone, "taken_back", taken_back)
    monkeypatch.setattr(ledger, "lock", locked)
    assert len(tidied(services, other).refused) == 2
    assert read == [([one.batch_id], False)]


def test_what_is_taken_back_after_it_was_looked_up_is_seen_under_the_lock(told: Tell, services: Services) -> None:
    told(FIRST)
    told(SECOND)
    given = tidying()
    (proposal,) = tidied(services, given).accepted
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        before = apart(session, MIRA.owner, "dedupe")
        assert by_now(session, MIRA.owner, "dedupe", before, has_moved=False) is before
    revert(services.database, "acme", given.batch_id)
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        after = by_now(session, MIRA.owner, "dedupe", before, has_moved=False)
        assert by_now(session, MIRA.owner, "dedupe", after, has_moved=False) is after
    assert not before.forbids(proposal.operation, {})
    assert after.forbids(proposal.operation, {})


def test_what_was_forgotten_since_a_merge_does_not_come_back_with_it(
    told: Tell, held: Held, services: Services, owner: psycopg.Connection
) -> None:
    told(FIRST)
    told(SECOND)
    given = tidying()
    tidied(services, given)
    [(episode,)] = owner.execute(
        "select memory_id from memory where text = 'By the way: old maps are kept, in the archive room.'"
    ).fetchall()
    forget(services.database, MIRA, episode)
    found = revert(services.database, "acme", given.batch_id)
    assert found.kept
    assert AGAIN not in held()
    assert is_equal(services)


def test_what_changes_between_reading_and_writing_is_refused_and_found_by_the_next_pass(
    told: Tell, held: Held, services: Services
) -> None:
    told(FIRST)
    told(SECOND)

    def late(session: Session) -> Proposed:
        found = dedupe.propose(session)
        told("As I said, old maps are kept in the archive room.")
        return found

    done = tidied(services, tidying(propose=late))
    assert [reason for _, reason in done.refused] == [Refusal.CHANGED_SINCE]
    assert held().keys() == {MAPS, AGAIN}
    assert len(tidied(services).accepted) == 1
    assert held().keys() == {MAPS}


def test_what_lacks_its_vector_is_looked_at_again_once_it_has_it(
    told: Tell, held: Held, services: Services, owner: psycopg.Connection
) -> None:
    told(FIRST)
    told(SECOND)
    owner.execute("select set_config('row_security', 'off', false)")
    kept = owner.execute("select * from memory_vector").fetchall()
    owner.execute("create table aside as select * from memory_vector")
    owner.execute("delete from memory_vector where doc = 4")
    assert tidied(services).accepted == ()
    owner.execute("insert into memory_vector select * from aside where doc = 4")
    assert len(kept) == 4
    assert len(tidied(services).accepted) == 1
    assert held().keys() == {MAPS}


def test_an_older_twin_that_stays_without_its_vector_keeps_nobody_from_what_is_behind(
    told: Tell, held: Held, services: Services, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dedupe, "MOST_LOOKED_AT", 2)
    told(FIRST)
    tidied(services)
    for text in (SECOND, "It is 4417.", "You hear: the tide is low.", "The tide, you hear, is low."):
        told(text)
    owner.execute("select set_config('row_security', 'off', false)")
    owner.execute("delete from memory_vector where doc = (select doc from memory where text = %s)", [MAPS])
    done = [tidied(services) for _ in range(6)]
    assert held().keys() == {MAPS, AGAIN, CODE, LOW}
    assert [each.waiting for each in done][-2:] == [0, 0], "it is waited for no more"


def test_nothing_is_passed_over_while_no_vector_is_made_at_all(
    told: Tell, held: Held, services: Services, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dedupe, "MOST_LOOKED_AT", 3)
    for text in (FIRST, SECOND, "It is 4417.", "You hear: the tide is low."):
        told(text)
    owner.execute("select set_config('row_security', 'off', false)")
    owner.execute("create table aside as select * from memory_vector")
    owner.execute("delete from memory_vector")
    assert [len(tidied(services).accepted) for _ in range(4)] == [0, 0, 0, 0]
    owner.execute("insert into memory_vector select * from aside")
    assert sum(len(tidied(services).accepted) for _ in range(4)) == 1
    assert held().keys() == {MAPS, CODE, LOW}


def test_only_what_is_new_is_held_against_what_was_looked_at_before(
    told: Tell, held: Held, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[tuple[list[str], list[str]]] = []
    look = dedupe.sets

    def sets(
        new: Sequence[Worded], older: Iterable[Worded], vectors: Vectors, unknown: Callable[[int, int], None]
    ) -> Iterator[tuple[int, ...]]:
        there = list(older)
        looked.append(([each.text for each in new], sorted(each.text for each in there)))
        return look(new, there, vectors, unknown)

    monkeypatch.setattr(dedupe, "sets", sets)
    told(FIRST)
    told("It is 4417.")
    tidied(services)
    told(SECOND)
    assert len(tidied(services).accepted) == 1
    assert held().keys() == {MAPS, CODE}
    assert looked == [([MAPS, CODE], []), ([AGAIN], [MAPS, CODE])]


def test_a_pass_that_cannot_look_at_all_goes_on_behind_what_it_saw(
    told: Tell, held: Held, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dedupe, "MOST_LOOKED_AT", 2)
    for text in (FIRST, "It is 4417.", "It is 4471.", SECOND):
        told(text)
    passes = [len(tidied(services).accepted) for _ in range(6)]
    assert sum(passes) == 1
    assert passes[0] == 0, "the two are not looked at together, and all the same found"
    assert held().keys() == {MAPS, CODE, OTHER_CODE}
    assert is_equal(services)


def test_much_is_written_in_portions_and_taken_back_as_one(
    told: Tell, held: Held, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "CHANGED_AT_ONCE", 2)
    for text in (FIRST, SECOND, "You hear: the tide is low.", "The tide, you hear, is low."):
        told(text)
    before, given = held(), tidying()
    assert len(tidied(services, given).accepted) == 2
    assert held().keys() == {MAPS, LOW}
    assert is_equal(services)
    assert revert(services.database, "acme", given.batch_id).operations > 0
    assert held() == before
    assert is_equal(services)


def test_whoever_writes_between_two_portions_has_the_rest_wait_for_the_next_pass(
    told: Tell, held: Held, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "CHANGED_AT_ONCE", 2)
    for text in (FIRST, SECOND, "You hear: the tide is low.", "The tide, you hear, is low."):
        told(text)
    given, portions = tidying(), iter(range(9))

    def somebody_writes(_session: Session) -> None:
        if next(portions):
            told("It is 4417.")

    first = tidied(services, given.fenced(somebody_writes))
    assert len(first.accepted) == 1
    assert held().keys() == {MAPS, LOW, STILL_LOW, CODE}
    assert tidied(services, given).accepted == (), "a stream has one turn a pass"
    assert len(tidied(services).accepted) == 1
    assert held().keys() == {MAPS, LOW, CODE}
    revert(services.database, "acme", given.batch_id)
    assert held().keys() == {MAPS, AGAIN, LOW, CODE}, "what was written since is none of the batch"
    assert is_equal(services)


def test_what_is_taken_back_between_two_portions_without_a_word_to_the_ledger_is_not_gone_on_with(
    told: Tell, held: Held, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "CHANGED_AT_ONCE", 2)
    for text in (FIRST, SECOND, "You hear: the tide is low.", "The tide, you hear, is low."):
        told(text)
    given, portions = tidying(), iter(range(9))

    def nothing_could_be(session: Session) -> None:
        if next(portions):
            batches.revert(session, given.batch_id, clock.now())

    assert len(tidied(services, given.fenced(nothing_could_be)).accepted) == 1
    assert held().keys() == {MAPS, LOW, STILL_LOW}


def test_a_pass_goes_over_every_stream_of_its_tenant_as_one_batch(
    told: Tell, held: Held, services: Services, environment: Settings
) -> None:
    for scope in (MIRA, OSKAR, Scope(tenant_id="globex", user_id="mira")):
        told(FIRST, scope=scope)
        told(SECOND, scope=scope)
    batch: list[UUID] = []

    def do(job: Job) -> bool:
        batch.append(job.held.job_id)
        return tidy_on(services.database, environment, job)

    report = carry_out(services.database, environment, "dedupe", "acme", do)
    assert dict(report.counts)["accepted"] == 2
    (listed,) = batches.newest(services.database, "acme", limit=9)
    assert (listed.batch_id, listed.job, listed.streams, listed.reverted) == (batch[0], "dedupe", 2, 0)
    assert batches.newest(services.database, "globex", limit=9) == []
    assert revert(services.database, "acme", batch[0]).streams == 2
    assert held("oskar").keys() == {MAPS, AGAIN}


def test_whoever_has_lost_the_job_writes_nothing(told: Tell, held: Held, services: Services) -> None:
    told(FIRST)
    told(SECOND)

    def fence(_session: Session) -> None:
        raise RuntimeError("somebody else's")

    with pytest.raises(RuntimeError):
        tidied(services, tidying(fence=fence))
    assert held().keys() == {MAPS, AGAIN}


def test_what_an_erasure_leaves_knows_of_no_batch(told: Tell, services: Services, owner: psycopg.Connection) -> None:
    told(FIRST)
    told(SECOND)
    tidied(services)
    erase(services.database, MIRA)
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        assert batches.marked(session, "dedupe") == 0
    owner.execute("select set_config('row_security', 'off', false)")
    assert owner.execute("select count(*) from batch").fetchone() == (0,)


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> str:
    assert run([*words]) == code, capsys.readouterr().err
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> Any:
    return json.loads(said(capsys, *words, "--json", code=code))


def test_an_operator_looks_first_then_does_it_and_takes_it_back(
    told: Tell, held: Held, capsys: pytest.CaptureFixture[str]
) -> None:
    told(FIRST)
    told(SECOND)
    of = ["--tenant", "acme"]
    shown = said(capsys, "dedupe", *of, "--dry-run")
    assert all(words in shown for words in (MAPS, AGAIN, "0.60 to 0.84", "1 change would be done"))
    (change,) = document(capsys, "dedupe", *of, "--dry-run")["changes"]
    assert (change["operation"], change["left"], change["gone"]) == ("merge", MAPS, [AGAIN])
    assert held().keys() == {MAPS, AGAIN}
    done = document(capsys, "dedupe", *of)
    assert (done["outcome"], done["accepted"], done["refused"]) == ("done", 1, 0)
    assert held().keys() == {MAPS}
    again = document(capsys, "dedupe", *of)
    assert (again["accepted"], again["batch_id"]) == (0, None)
    (listed,) = document(capsys, "batches", *of)["batches"]
    assert listed["batch_id"] == done["batch_id"]
    assert done["batch_id"] in said(capsys, "batches", *of)
    assert "taken back in 1 stream by 2 operations" in said(capsys, "revert", *of, done["batch_id"])
    assert held().keys() == {MAPS, AGAIN}
    again = said(capsys, "revert", *of, done["batch_id"][:13], code=FAILED)
    assert all(words in again for words in ("nothing was left to take back", "in 1 stream it had been reverted before"))


def test_what_could_not_be_taken_back_is_told_with_why_and_by_the_exit_code(
    told: Tell, services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    told(FIRST)
    told(SECOND)
    of = ["--tenant", "acme"]
    batch = document(capsys, "dedupe", *of)["batch_id"]
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        (kept,) = [each for each in memories.beliefs(session, keyed=False, limit=9) if each.text == MAPS]
        closing = ClosePayload(op=Operation.EXPIRE, reason="doubtful", memory=kept.memory_id)
        draft.do(memories.versions(session, [kept.memory_id]), [closing])
        ledger.advance(session, draft.write()[1])
    shown = said(capsys, "revert", *of, batch, code=FAILED)
    assert "nothing was left to take back" in shown
    assert f"{kept.memory_id} stays: it was changed since" in shown
    assert "stays: the same change touched another that stays" in shown
    assert "taken back in" not in shown
    assert is_equal(services)


def test_what_is_not_there_is_said(capsys: pytest.CaptureFixture[str], services: Services) -> None:
    del services
    assert run(["dedupe", "--tenant", "nobody"]) == WRONG_INPUT
    assert "nothing is stored of tenant 'nobody'" in capsys.readouterr().err
    assert run(["dedupe", "--tenant", ""]) == WRONG_INPUT
    assert "nothing is stored" not in capsys.readouterr().err
    assert run(["revert", "--tenant", "acme", "not-an-id"]) == WRONG_INPUT
    assert run(["revert", "--tenant", "acme", str(uuid4())]) == WRONG_INPUT
    assert "no batch" in capsys.readouterr().err
    assert run(["batches", "--tenant", "nobody"]) == WRONG_INPUT
    assert "nothing is stored of tenant 'nobody'" in capsys.readouterr().err


def test_one_users_memory_is_tidied_alone_and_taken_back_like_any_batch(
    told: Tell, held: Held, services: Services, environment: Settings
) -> None:
    for scope in (MIRA, OSKAR):
        told(FIRST, scope=scope)
        told(SECOND, scope=scope)

    def nobody_looks(_done: int, _total: int) -> None: ...

    with pytest.raises(NotFound, match="user 'nobody' of tenant 'acme'"):
        tidying_by_hand.tidy(services.database, environment, "acme", "dedupe", nobody_looks, user_id="nobody")
    found = tidying_by_hand.tidy(services.database, environment, "acme", "dedupe", nobody_looks, user_id="mira")
    assert (found.outcome, found.accepted) == ("done", 1)
    assert held().keys() == {MAPS}
    assert held("oskar").keys() == {MAPS, AGAIN}
    assert found.batch_id is not None
    assert revert(services.database, "acme", found.batch_id).operations > 0
    assert held().keys() == {MAPS, AGAIN}


def test_a_job_that_hangs_on_the_day_looks_although_nothing_has_happened(told: Tell, services: Services) -> None:
    asked: list[Session] = []

    def propose(session: Session) -> Proposed:
        asked.append(session)
        return Proposed()

    told(FIRST)
    for _ in range(2):
        tidied(services, tidying(propose=propose, by_time=True))
    assert len(asked) == 2
