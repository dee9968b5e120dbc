"""What is in quarantine is held by no way round: not by taking a batch back, nor by another quarantine's lift."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import prune
from coldpath.proposals import Proposed, Reverted, Tidying, revert, tidy
from coldpath.quarantine import Source, lift, quarantine
from coldpath.replay import replay
from gateway.cli import FAILED, run
from shared.belief.contradictions import REASON as SAID_LATE
from shared.belief.reverting import Kept, Why
from shared.contract.operations import (
    AbstractPayload,
    AddPayload,
    ClosePayload,
    MergePayload,
    SupersedePayload,
    WrittenEntry,
)
from shared.contract.policies import PrunePolicy, PruneRule
from shared.contract.proposals import Proposal
from shared.contract.records import EpistemicType, EvidenceRef, Kind, MemoryVersion, Operation
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import generations, ledger, memories
from shared.store.beliefs import Draft
from shared.store.db import Role, Session
from shared.store.ending import ends_taken_back
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath import rederive
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
TURKU, FIRM, GATE = "Mira lives in Turku.", "Mira works at Siemens.", "The gate has a brass bell."
SCRIPT: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "Turku": [{"text": TURKU, "claim": ("mira", "lives_in", "Turku")}],
    "Siemens": [{"text": FIRM, "claim": ("mira", "works_at", "Siemens")}],
    "brass bell": [{"text": GATE}],
}
FEEBLE = PrunePolicy(rules=(PruneRule(name="feeble", action="expire", confidence_below=1.0),))
BAD, GOOD = Source(run_id="bad-1"), Source(run_id="good-1")


@pytest.fixture
def mine(services: Services, reading: Settings) -> Services:
    return replace(services, settings=reading, rules=lambda: ScriptedExtractor(SCRIPT))


@pytest.fixture
def say(mine: Services, bell: RecordingBell) -> Callable[..., None]:
    def do(run_id: str, *texts: str, day: str = "2026-01-10") -> None:
        told = [{"role": "user", "text": text, "ts": f"{day}T12:00:00+00:00"} for text in texts]
        Door(mine).observe(MIRA, told, run_id=run_id)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    return do


@pytest.fixture
def held(owner: psycopg.Connection) -> Callable[[], list[str]]:
    query = "select text from memory where epistemic_type <> 'evidence' and closed_at is null order by text"
    return lambda: [text for (text,) in owner.execute(query).fetchall()]


def batch_of(mine: Services, propose: Callable[[Session], Any]) -> UUID:
    job = Tidying(job="prune", propose=propose, batch_id=uuid4(), by_time=True)
    done = tidy(mine.database, "acme", MIRA.owner, job)
    assert done.accepted, [why for _, why in done.refused]
    return job.batch_id


def pruned(mine: Services) -> UUID:
    return batch_of(mine, lambda session: prune.propose(FEEBLE, session))


def taken_back(mine: Services, batch: UUID) -> Reverted:
    found = revert(mine.database, "acme", batch)
    assert is_equal(mine)
    return found


def is_equal(mine: Services) -> bool:
    found = replay(mine.database, "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def beliefs(mine: Services) -> dict[str, MemoryVersion]:
    """The open beliefs by their texts."""
    with mine.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        found = [each for keyed in (True, False) for each in memories.beliefs(session, keyed=keyed, limit=99)]
    return {each.text: each for each in found}


def operate(mine: Services, named: Sequence[UUID], *operations: Any) -> list[MemoryVersion]:
    with mine.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        draft.do(memories.versions(session, named), operations)
        effects, head = draft.write()
        ledger.advance(session, head)
    return list(effects.added)


def rests_on_runs(mine: Services, version: MemoryVersion) -> set[str | None]:
    with mine.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        return {each.run_id for each in ledger.numbered(session, MIRA.owner, {r.sequence for r in version.evidence})}


def test_what_was_let_go_of_and_is_quarantined_by_now_comes_back_with_the_lift_alone(
    mine: Services, say: Any, held: Any
) -> None:
    say("bad-1", "I live in Turku.", "I work at Siemens.")
    say("good-1", "The gate has a brass bell.")
    assert held() == [TURKU, FIRM, GATE]
    ids = {text: each.memory_id for text, each in beliefs(mine).items()}
    batch = pruned(mine)
    assert held() == []
    quarantine(mine.database, MIRA, BAD)
    found = taken_back(mine, batch)
    assert held() == [GATE]
    assert {each for each in found.kept if each.memory in ids.values()} == {
        Kept(memory=ids[text], why=Why.QUARANTINED) for text in (TURKU, FIRM)
    }
    assert not found.is_whole
    lift(mine.database, MIRA, BAD)
    assert held() == [TURKU, FIRM, GATE]
    assert {text: each.memory_id for text, each in beliefs(mine).items()} == ids
    assert is_equal(mine)
    assert taken_back(mine, batch).already == 1
    assert held() == [TURKU, FIRM, GATE]


def test_whoever_takes_a_batch_back_is_told_what_stays_for_it_is_in_quarantine(
    mine: Services, say: Any, held: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    say("bad-1", "I live in Turku.")
    memory, batch = beliefs(mine)[TURKU].memory_id, pruned(mine)
    quarantine(mine.database, MIRA, BAD)
    assert run(["revert", "--tenant", "acme", str(batch)]) == FAILED
    told = " ".join(capsys.readouterr().out.split())
    assert "nothing was left to take back" in told
    assert f"{memory} stays: what it rests on is in quarantine; it is held again once that is lifted" in told
    assert held() == []


def test_without_a_lift_nothing_of_it_ever_comes_back(mine: Services, say: Any, held: Any) -> None:
    say("bad-1", "I live in Turku.")
    batch = pruned(mine)
    quarantine(mine.database, MIRA, BAD)
    taken_back(mine, batch)
    say("good-1", "I work at Siemens.")
    quarantine(mine.database, MIRA, GOOD)
    lift(mine.database, MIRA, GOOD)
    assert held() == [FIRM]
    assert is_equal(mine)


def test_what_is_given_back_before_a_batch_is_taken_back_comes_back_as_ever(
    mine: Services, say: Any, held: Any
) -> None:
    say("bad-1", "I live in Turku.")
    batch = pruned(mine)
    quarantine(mine.database, MIRA, BAD)
    lift(mine.database, MIRA, BAD)
    assert held() == [], "a quarantine holds nothing again that a policy let go of"
    assert taken_back(mine, batch).is_whole
    assert held() == [TURKU]


@pytest.mark.parametrize("texts", [("I live in Turku.", TURKU), ("The gate has a brass bell.", GATE)])
def test_what_somebody_else_has_said_too_comes_back_in_their_words_alone(
    mine: Services, say: Any, held: Any, texts: tuple[str, str]
) -> None:
    said, belief = texts
    say("bad-1", said)
    say("good-1", f"Yes. {said}", day="2026-01-20")
    before = beliefs(mine)[belief]
    assert rests_on_runs(mine, before) == {"bad-1", "good-1"}
    batch = pruned(mine)
    quarantine(mine.database, MIRA, BAD)
    taken_back(mine, batch)
    assert held() == [belief]
    assert rests_on_runs(mine, beliefs(mine)[belief]) == {"good-1"}
    lift(mine.database, MIRA, BAD)
    assert held() == [belief]
    assert beliefs(mine)[belief].memory_id == before.memory_id
    assert rests_on_runs(mine, beliefs(mine)[belief]) == {"bad-1", "good-1"}
    assert is_equal(mine)


def test_what_a_quarantined_source_only_confirms_comes_back(mine: Services, say: Any, held: Any) -> None:
    say("good-1", "I live in Turku.")
    say("bad-1", "Yes. I live in Turku.", day="2026-01-20")
    batch = pruned(mine)
    quarantine(mine.database, MIRA, BAD)
    taken_back(mine, batch)
    assert held() == [TURKU]


def test_of_what_was_merged_only_that_comes_back_which_nobody_mistrusts(mine: Services, say: Any, held: Any) -> None:
    say("good-1", "The gate has a brass bell.")
    kept = beliefs(mine)[GATE]
    entry = WrittenEntry(
        kind=kept.kind, epistemic_type=kept.epistemic_type, text=GATE, confidence=kept.confidence,
        evidence=told_in(mine, say, "bad-1"),
    )  # fmt: skip
    other = opened(mine, entry)
    merge = MergePayload(
        reason="same",
        memory=kept.memory_id,
        absorbed=(other.memory_id,),
        evidence=(*kept.evidence, *other.evidence),
    )
    read = {kept.memory_id: kept.version, other.memory_id: other.version}
    batch = batch_of(mine, lambda _: Proposed(proposals=(Proposal(operation=merge, read=read),)))
    assert held() == [GATE]
    quarantine(mine.database, MIRA, BAD)
    found = taken_back(mine, batch)
    assert Kept(memory=other.memory_id, why=Why.QUARANTINED) in found.kept
    assert held() == [GATE]
    assert rests_on_runs(mine, beliefs(mine)[GATE]) == {"good-1"}
    lift(mine.database, MIRA, BAD)
    assert held() == [GATE, GATE]
    assert is_equal(mine)


def told_in(mine: Services, say: Any, run_id: str) -> tuple[EvidenceRef, ...]:
    """What a run said that nobody makes a memory of, as evidence."""
    say(run_id, "There is a bell at the gate.", day="2026-01-20")
    with mine.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        (heard,) = ledger.from_source(session, Source(run_id=run_id))
    return (EvidenceRef(sequence=heard.sequence),)


def opened(mine: Services, entry: WrittenEntry) -> MemoryVersion:
    (added,) = operate(mine, [], AddPayload(reason="stated", entries=(entry,)))
    return added


def test_what_was_concluded_from_two_quarantined_sources_comes_back_with_the_second_lift(
    mine: Services, say: Any, held: Any
) -> None:
    say("bad-1", "I live in Turku.")
    say("good-1", "I work at Siemens.")
    both = [beliefs(mine)[TURKU], beliefs(mine)[FIRM]]
    ids = tuple(each.memory_id for each in both)
    entry = WrittenEntry(
        kind=Kind.SEMANTIC, epistemic_type=EpistemicType.INFERENCE, text="Mira works in Turku.", confidence=0.5,
        evidence=tuple(ref for each in both for ref in each.evidence),
    )  # fmt: skip
    operate(mine, ids, AbstractPayload(reason="abstracted", sources=ids, entry=entry))
    quarantine(mine.database, MIRA, BAD)
    quarantine(mine.database, MIRA, GOOD)
    assert held() == []
    lift(mine.database, MIRA, GOOD)
    assert held() == [FIRM], "what it was concluded from is half in quarantine"
    assert is_equal(mine)
    lift(mine.database, MIRA, BAD)
    assert held() == [TURKU, FIRM, "Mira works in Turku."]
    assert is_equal(mine)


def test_an_end_that_was_told_by_what_is_quarantined_by_now_is_taken_back(mine: Services, say: Any) -> None:
    say("good-1", "The gate has a brass bell.")
    say("bad-1", "I work at Siemens.", day="2026-02-10")
    old, by = beliefs(mine)[GATE], beliefs(mine)[FIRM]
    assert by.valid_from
    end = SupersedePayload(reason=SAID_LATE, memory=old.memory_id, by=by.memory_id, valid_to=by.valid_from)
    operate(mine, [old.memory_id, by.memory_id], end)
    operate(mine, [by.memory_id], ClosePayload(op=Operation.EXPIRE, reason="old", memory=by.memory_id))
    assert ends(mine, old) == []
    quarantine(mine.database, MIRA, BAD)
    assert [each.operation.op for each in ends(mine, old)] == [Operation.REOPEN]
    lift(mine.database, MIRA, BAD)
    assert ends(mine, old) == []


def ends(mine: Services, old: MemoryVersion) -> list[Proposal]:
    with mine.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        return ends_taken_back(session, [memories.versions(session, [old.memory_id])[-1]])


def test_what_was_said_and_let_go_of_before_a_quarantine_is_not_read_anew_either(
    mine: Services, say: Any, held: Any
) -> None:
    say("bad-1", "I live in Turku.")
    with mine.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        (heard,) = ledger.from_source(session, BAD)
        resting = {each.memory_id for each in memories.resting_on(session, [heard.sequence])}
    closing = [ClosePayload(op=Operation.EXPIRE, reason="old", memory=each) for each in sorted(resting)]
    operate(mine, sorted(resting), *closing)
    quarantine(mine.database, MIRA, BAD)
    anew = {"Turku": [{"text": "Mira has a home in Turku.", "claim": ("mira", "lives_in", "Turku")}]}
    other = replace(mine, rules=lambda: ScriptedExtractor(anew))
    rederive.prepare(other, MIRA)
    rederive.switch(other, MIRA)
    assert held() == []
    rederive.back(other, MIRA)
    assert held() == []
    assert is_equal(mine)
