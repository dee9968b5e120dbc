"""What the statements show of beliefs is what the pure rule says (`shared.belief.visibility`).

At every time of the world, and as far as was known at every time of ours.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from shared import clock
from shared.belief.visibility import current
from shared.contract.candidates import Change
from shared.contract.records import EpistemicType, MemoryVersion
from shared.contract.scope import TENANT_OWNER, Owner, Scope
from shared.settings import Settings
from shared.store import memories, reviews
from shared.store.db import Role
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath import review
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Owner("mira")
DAYS = range(12)

_tenants = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Word:
    """What the user, or somebody for the whole tenant, says on a day; a day that is None is not known."""

    place: str
    change: Change
    day: int | None
    shared: bool

    @property
    def claim(self) -> tuple[str, str, str]:
        return "mira", "lives_in", self.place


words = st.builds(
    Word,
    place=st.sampled_from(["Varna", "Porto"]),
    change=st.sampled_from([*[Change.HOLDS] * 4, Change.ENDED, Change.NEVER]),
    day=st.none() | st.integers(1, 9),
    shared=st.sampled_from([False, False, True]),
)


def at(day: int) -> datetime:
    return datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(days=day)


class Told:
    """A user of a tenant, and what the tenant shares."""

    def __init__(self, services: Services, reading: Settings, said: list[Word]) -> None:
        self.tenant = f"tenant-{next(_tenants)}"
        script = {
            f"word {number} ": [
                {"text": f"word {number} mira {each.place}", "claim": each.claim, "change": each.change}
            ]
            for number, each in enumerate(said)
        }
        self.services = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
        self.knew: list[datetime] = []
        """A time of ours behind each word."""
        for number, each in enumerate(said):
            self._tell(number, each)

    def _tell(self, number: int, said: Word) -> None:
        scope = Scope.tenant_wide(self.tenant) if said.shared else Scope(tenant_id=self.tenant, user_id="mira")
        text = f"word {number} mira {said.place}: not so, never mind"
        when = {} if said.day is None else {"ts": at(said.day).isoformat()}
        message = {"role": "user", "speaker": "mira", "text": text, **when}
        Door(self.services).observe(scope, [message], run_id=f"run-{number}")
        bell = self.services.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(self.services, stage, STAGES[stage], work)
        self._approve()
        self.knew.append(clock.now())

    def _approve(self) -> None:
        for owner, review_id, _ in reviews.waiting(self.services.database, self.tenant, limit=10):
            review.approve(self.services.database, self.tenant, owner, review_id, by="ana")

    def shown(self, as_of: datetime | None, known_at: datetime | None) -> set[UUID]:
        with self._reading() as session:
            keys = np.arange(1, 100)
            found = [
                memories.visible(session, keys + (place << 32), as_of=as_of, known_at=known_at) for place in (0, 1)
            ]
            firsts = [
                memories.whole(session, each.keys, each.sessions, as_of=as_of, known_at=known_at) for each in found
            ]
        return {each.memory_id for each in itertools.chain(*firsts) if each.epistemic_type != EpistemicType.EVIDENCE}

    def expected(self, as_of: datetime, known_at: datetime | None) -> set[UUID]:
        shared = current(self.versions(TENANT_OWNER), at=as_of, known_at=known_at)
        own = current(self.versions(MIRA), at=as_of, known_at=known_at, before=shared)
        return {each.memory_id for each in (*own, *shared)}

    def versions(self, owner: Owner) -> list[MemoryVersion]:
        with self._reading() as session:
            return [memories.version_of(row) for row in memories.stored(replace(session, owners=(owner,)))]

    def _reading(self) -> Any:
        return self.services.database.transaction(Role.READER, self.tenant, [MIRA, TENANT_OWNER], read_only=True)


laws = settings(
    max_examples=12,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def said(place: str, day: int, change: Change = Change.HOLDS, *, shared: bool = False) -> Word:
    return Word(place, change, day, shared)


@laws
@example([said("Varna", 1), said("Porto", 3, shared=True), said("Porto", 5, Change.ENDED, shared=True)])
@example([said("Varna", 1), said("Porto", 3), said("Porto", 5, Change.NEVER)])
@given(st.lists(words, min_size=1, max_size=5))
def test_what_is_shown_is_what_the_rule_says_at_all_times(
    services: Services, reading: Settings, history: list[Word]
) -> None:
    told = Told(services, reading, history)
    for known_at in [None, *told.knew]:
        for day in DAYS:
            assert told.shown(at(day), known_at) == told.expected(at(day), known_at), (day, known_at)


def test_what_was_known_then_does_not_hang_on_what_was_learned_later(services: Services, reading: Settings) -> None:
    history = [said("Varna", 1), said("Varna", 3, Change.ENDED), said("Porto", 5), said("Porto", 7, shared=True)]
    told = Told(services, reading, history)
    _, ended, moved, _ = told.knew
    first = {each.memory_id for each in told.versions(MIRA) if each.claim and each.claim.object == "Varna"}
    own = {each.memory_id for each in told.versions(MIRA) if each.claim and each.claim.object == "Porto"}
    assert told.shown(None, ended) == first, "it had ended, and nothing had its place yet"
    assert told.shown(None, moved) == own, "the tenant did not hold anything of it yet"
