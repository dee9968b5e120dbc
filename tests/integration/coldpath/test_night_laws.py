"""Whatever jobs are done in whatever order beside whatever is said: invariants 1, 2, 6, 7, 8 and 10, and recall.

A history is drawn of things said, reports of what served, jobs of the night, batches taken back, things forgotten and
sources set aside. At its end nothing that was written is changed, what is held can be worked out anew, every memory is
open or an event says why it is not, and what is held is found by its own words.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import hotpath
from coldpath import profile
from coldpath.forget import forget
from coldpath.proposals import revert, tidy
from coldpath.quarantine import Source, lift, quarantine
from coldpath.reembed import fill
from coldpath.reindex import Pass, reindex
from coldpath.replay import replay
from coldpath.tidying import TIDIERS, tidying
from coldpath.verify import verify
from shared.contract.candidates import Change
from shared.contract.operations import AddPayload, WrittenEntry
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Scope
from shared.contract.trust import TRUST, Origin
from shared.settings import Settings, using
from shared.store import batches, generations, ledger
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.testing import HashEmbedder, RecordingBell, ScriptedExtractor
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

SAID = (
    "Ana lives in Oslo.",
    "Ana moved to Rome.",
    "Old maps are kept in the archive room, you know.",
    "By the way: old maps are kept, in the archive room.",
    "The gate has the number 4417, said Bo.",
    "The gate has the number 4471, said Bo.",
    "Ana likes jazz.",
    "Ana no longer likes jazz.",
    "The green boat lies in Pori.",
    "The boat in Pori is green, and Ana owns it.",
    *["Please keep your answers short and without lists."] * 3,
    "Ana has her residence in Turku.",
)
SCRIPT: dict[str, list[dict[str, Any]]] = {
    "lives in Oslo": [{"text": "Ana lives in Oslo.", "claim": ("Ana", "lives_in", "Oslo")}],
    "moved to Rome": [{"text": "Ana lives in Rome.", "claim": ("Ana", "lives_in", "Rome")}],
    "Ana likes jazz": [{"text": "Ana likes jazz.", "claim": ("Ana", "likes", "jazz")}],
    "no longer": [{"text": "Ana likes jazz.", "claim": ("Ana", "likes", "jazz"), "change": Change.ENDED}],
    "green boat": [{"text": "The green boat lies in Pori."}],
    "is green": [{"text": "Ana owns a green boat in Pori.", "claim": ("Ana", "owns", "green boat")}],
}
BELIEVED: dict[int, tuple[str, Claim | None]] = {
    2: ("Old maps are kept in the archive room.", None),
    3: ("Old maps are kept, in the archive room.", None),
    4: ("The gate has the number 4417.", None),
    5: ("The gate has the number 4471.", None),
    13: ("Ana lives in Turku.", Claim(subject="Ana", predicate="residence", object="Turku", key="ana residence")),
}
"""What is believed of a message past the gate, which knows most twins as they come, and keys what it can."""
JOBS = (*TIDIERS, "profile", "reindex", "fill")
_tenants = itertools.count(1)
Step = tuple[str, Any]


class Night:
    """One user of a tenant of their own, and what is done with their memory."""

    def __init__(self, services: Services, configured: Settings, owner: psycopg.Connection) -> None:
        self.scope = Scope(tenant_id=f"night-{next(_tenants)}", user_id="mira")
        self.services = replace(services, settings=configured, rules=lambda: ScriptedExtractor(script=SCRIPT))
        self.configured = configured
        self.messages_a_session = 1
        self.owner = owner
        self.said: set[int] = set()
        self.forgotten: set[int] = set()
        self.aside: set[int] = set()
        self.undone: list[UUID] = []
        self.written: list[tuple[Any, ...]] = []

    def do(self, step: str, what: Any) -> None:
        """One step; what makes no sense by then is passed over. What was written before it must stand after it."""
        steps: dict[str, Callable[[Any], None]] = {
            "say": self._say, "report": self._report, "job": self._job, "revert": self._revert,
            "forget": self._forget, "quarantine": self._quarantine, "lift": self._lift,
        }  # fmt: skip
        before = self._ledger()
        steps[step](what)
        after = self._ledger()
        assert after[: len(before)] == before, f"invariant 1: {step} {what} changed what was written"

    def _ledger(self) -> list[tuple[Any, ...]]:
        query = "select sequence, hash, payload_hash from event where tenant_id = %s and user_id = 'mira' order by 1"
        return self.owner.execute(query, [self.scope.tenant_id]).fetchall()

    def _say(self, number: int) -> None:
        if number in self.said:
            return
        self.said.add(number)
        message = {"id": f"m{number}", "role": "user", "text": SAID[number], "ts": f"2026-01-{number + 1:02}T12:00Z"}
        scope = replace(self.scope, session_id=f"session {number // self.messages_a_session}")
        Door(self.services).observe(scope, [message], run_id=f"run-{number}")
        self._work_off()
        if number in BELIEVED and number not in self.aside:
            self._believe(number, *BELIEVED[number])

    def _believe(self, number: int, text: str, claim: Claim | None) -> None:
        with self.services.database.transaction(Role.WORKER, self.scope.tenant_id, [self.scope.owner]) as session:
            generations.writing(session, "sparse")
            head = ledger.lock(session, self.scope.owner)
            (said,) = ledger.from_source(session, ledger.Source(run_id=f"run-{number}"))
            entry = WrittenEntry(
                kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, claim=claim, confidence=0.7,
                evidence=(EvidenceRef(sequence=said.sequence),), valid_from=said.occurred_at,
            )  # fmt: skip
            draft = Draft(session, head)
            draft.do([], [AddPayload(reason="stated", entries=(entry,))])
            ledger.advance(session, draft.write()[1])

    def _work_off(self) -> None:
        bell = self.services.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(self.services, stage, STAGES[stage], work)

    def _report(self, number: int) -> None:
        for memory in self._episode(number):
            for n in range(4):
                within = replace(self.scope, session_id=f"asked {number} {n}")
                Door(self.services).outcome(within, uuid4(), used=[memory])
        self._work_off()

    def _episode(self, number: int) -> list[UUID]:
        query = """
            select distinct memory_id from memory join memory_evidence using (tenant_id, generation, memory_id, version)
            join event using (tenant_id, stream, sequence)
            where tenant_id = %s and epistemic_type = 'evidence' and message_id = %s and closed_at is null
        """
        return [row[0] for row in self.owner.execute(query, [self.scope.tenant_id, f"m{number}"]).fetchall()]

    def _job(self, name: str) -> None:
        database, tenant = self.services.database, self.scope.tenant_id
        fill(database, HashEmbedder(), tenant, Pass())
        if name == "profile":
            profile.refresh(database, tenant, Pass())
        elif name == "reindex":
            reindex(database, tenant, Pass())
        elif name in TIDIERS:
            tidy(database, tenant, self.scope.owner, tidying(self.configured, name, uuid4()))
        fill(database, HashEmbedder(), tenant, Pass())

    def _revert(self, _: Any) -> None:
        listed = batches.newest(self.services.database, self.scope.tenant_id, limit=20)
        left = [each.batch_id for each in listed if each.batch_id not in self.undone]
        if left:
            self.undone.append(left[0])
            revert(self.services.database, self.scope.tenant_id, left[0])

    def _forget(self, number: int) -> None:
        for memory in self._episode(number):
            self.forgotten.add(number)
            forget(self.services.database, self.scope, memory)

    def _quarantine(self, number: int) -> None:
        if number in self.said - self.aside:
            self.aside.add(number)
            quarantine(self.services.database, self.scope, Source(run_id=f"run-{number}"))

    def _lift(self, number: int) -> None:
        if number in self.aside:
            self.aside.discard(number)
            lift(self.services.database, self.scope, Source(run_id=f"run-{number}"))

    # what must hold

    def is_as_it_must_be(self) -> None:
        """Every law, at the end of a history."""
        self._is_sound_and_can_be_worked_out_anew()
        self._says_why_what_is_closed_is()
        self._rests_on_what_was_said()
        self._holds_nothing_that_is_forgotten_or_set_aside()
        self._finds_what_it_holds_by_its_own_words()

    def _is_sound_and_can_be_worked_out_anew(self) -> None:
        if not self.said:
            return  # there is no stream yet
        assert verify(self.services.database, self.scope.tenant_id, self.scope.owner).fault is None, "invariant 1"
        found = replay(self.services.database, self.scope.tenant_id, self.scope.owner, verify=True)
        assert found.differences == (), "invariant 2"

    def _says_why_what_is_closed_is(self) -> None:
        query = """
            select memory.text, memory.closed_reason, event.kind, event_payload.payload::json ->> 'reason'
            from memory left join event on event.tenant_id = memory.tenant_id and event.stream = 'user:mira'
                and event.sequence = memory.closed_by
            left join event_payload on event_payload.tenant_id = event.tenant_id
                and event_payload.stream = event.stream and event_payload.sequence = event.sequence
            where memory.tenant_id = %s and memory.closed_at is not null
        """
        for text, closed, kind, reason in self.owner.execute(query, [self.scope.tenant_id]).fetchall():
            assert closed == kind, f"invariant 6: {text}"
            assert reason, f"invariant 6: {text} is closed by {kind} without a reason"

    def _rests_on_what_was_said(self) -> None:
        query = """
            select memory.text, memory.trust, memory.confidence, array_agg(event.event_class), array_agg(event.origin)
            from memory join memory_evidence using (tenant_id, generation, memory_id, version)
            left join event using (tenant_id, stream, sequence)
            where tenant_id = %s and memory.closed_at is null group by 1, 2, 3, memory_id
        """
        rows = self.owner.execute(query, [self.scope.tenant_id]).fetchall()
        for text, trust, confidence, classes, origins in rows:
            assert set(classes) == {"evidence"}, f"invariant 8: {text}"
            assert trust == min(TRUST[Origin(each)] for each in origins), f"invariant 8: {text}"
            assert 0.0 <= confidence <= 1.0
        (held,) = self.owner.execute(
            "select count(*) from memory where tenant_id = %s and closed_at is null", [self.scope.tenant_id]
        ).fetchone() or (0,)
        assert held == len(rows), "invariant 8: a memory rests on nothing"

    def _holds_nothing_that_is_forgotten_or_set_aside(self) -> None:
        query = """
            select memory.text, event.message_id
            from memory join memory_evidence using (tenant_id, generation, memory_id, version)
            join event using (tenant_id, stream, sequence)
            where tenant_id = %s and memory.closed_at is null
        """
        rows = self.owner.execute(query, [self.scope.tenant_id]).fetchall()
        away = {f"m{number}" for number in self.forgotten | self.aside}
        assert not [row for row in rows if row[1] in away], "invariant 10"

    def _finds_what_it_holds_by_its_own_words(self) -> None:
        query = """
            select memory_id, text from memory where tenant_id = %s and closed_at is null and valid_to is null
                and epistemic_type <> 'evidence'
        """
        open_ones = "select memory_id from memory where tenant_id = %s and closed_at is null"
        for memory, text in self.owner.execute(query, [self.scope.tenant_id]).fetchall():
            bundle = hotpath.recall(self.scope, text, budget_tokens=10_000, deadline_ms=60_000)
            shown = {item.memory_id: item for item in bundle.items}
            repeats = {each.memory_id for item in bundle.items for each in item.repeats}
            assert memory in shown or memory in repeats, f"{text!r} is not found by its own words"
            assert bundle.degraded == ()
            held = {row[0] for row in self.owner.execute(open_ones, [self.scope.tenant_id]).fetchall()}
            assert {item.memory_id for item in bundle.items} <= held, "invariant 7: what is closed is shown"


NUMBERS = st.integers(0, len(SAID) - 1)
STEPS = st.one_of(
    st.tuples(st.just("say"), NUMBERS),
    st.tuples(st.just("say"), NUMBERS),
    st.tuples(st.just("say"), NUMBERS),
    st.tuples(st.just("job"), st.sampled_from(JOBS)),
    st.tuples(st.just("job"), st.sampled_from(JOBS)),
    st.tuples(st.just("report"), NUMBERS),
    st.tuples(st.sampled_from(["revert", "forget", "quarantine", "lift"]), NUMBERS),
)
EVERYTHING = [("say", number) for number in range(len(SAID))]
A_NIGHT = [("job", name) for name in JOBS]


@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(STEPS, min_size=6, max_size=18))
@example([*EVERYTHING, *A_NIGHT, *A_NIGHT])
@example([*EVERYTHING, ("report", 8), *A_NIGHT, *[("revert", 0)] * 4, *A_NIGHT])
@example([*EVERYTHING, *A_NIGHT, ("forget", 3), ("forget", 10), ("quarantine", 9), *A_NIGHT, ("lift", 9), *A_NIGHT])
def test_after_any_night_the_invariants_hold(
    services: Services,
    reading: Settings,
    owner: psycopg.Connection,
    embedder: HashEmbedder,
    steps: Sequence[Step],
) -> None:
    del embedder
    configured = reading.model_copy(update={"promote_least_days": 1})
    with using(configured):
        night = Night(services, configured, owner)
        for step, what in steps:
            night.do(step, what)
        night.is_as_it_must_be()


def test_a_second_night_proposes_nothing_more(
    services: Services, reading: Settings, owner: psycopg.Connection, embedder: HashEmbedder
) -> None:
    """A fixpoint over all jobs together: what one has made gives no other anything to do for ever."""
    del embedder
    configured = reading.model_copy(update={"promote_least_days": 1})
    with using(configured):
        night = Night(services, configured, owner)
        for step, what in [*EVERYTHING, ("report", 8), *A_NIGHT, *A_NIGHT]:
            night.do(step, what)
        done = {each.job for each in batches.newest(services.database, night.scope.tenant_id, limit=99)}
        assert done == {"dedupe", "promote", "supersede", "consolidate", "link"}, "each has something to do"
        held = len(night._ledger())
        for step, what in A_NIGHT:
            night.do(step, what)
        assert len(night._ledger()) == held, "the third night wrote something"


def test_the_invariants_hold_where_old_sessions_leave_the_hot_tier_and_link_goes_on_behind_them(
    services: Services, reading: Settings, owner: psycopg.Connection, embedder: HashEmbedder
) -> None:
    del embedder
    configured = reading.model_copy(update={"promote_least_days": 1, "compress_after_days": 1})
    with using(configured):
        night = Night(services, configured, owner)
        night.messages_a_session = 4
        for step, what in [*EVERYTHING[:8], *A_NIGHT, *A_NIGHT]:
            night.do(step, what)
        cold = "select count(*) from memory where tenant_id = %s and tier = 'cold' and closed_at is null"
        assert owner.execute(cold, [night.scope.tenant_id]).fetchone() != (0,), "nothing has left"
        before = len(night._ledger())
        for step, what in [*EVERYTHING[8:], *A_NIGHT, *A_NIGHT]:
            night.do(step, what)
        with services.database.transaction(Role.READER, night.scope.tenant_id, [night.scope.owner]) as session:
            assert batches.marked(session, "link") > before, "link waits for what is cold"
        night.is_as_it_must_be()
