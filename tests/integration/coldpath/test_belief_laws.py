"""Invariants 2, 7 and 10 as laws of what is believed, on a real database.

Whatever is said in whatever order and batches, forgotten, erased and set aside, what is held is what the rest comes to,
and a replay gives the same.

Histories are drawn of two people in a room who speak of people under several names: aliases, in chains too, that are
stated and taken back, and names that are a slip of the pen apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import psycopg
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from coldpath.forget import erase, forget
from coldpath.profile import refresh
from coldpath.quarantine import Source, lift, quarantine
from coldpath.reindex import Pass
from coldpath.replay import replay
from shared.contract.candidates import Change
from shared.contract.scope import Scope, room_owner
from shared.settings import Settings
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

PEOPLE = ("mira", "oskar")
KITCHEN = room_owner("kitchen")
CHRISTINA, CRISTINA = "Christina Halloran", "Cristina Halloran"
NAMES = (*[CHRISTINA] * 4, CRISTINA, "Gretel", "Grete", "Margarethe")
ALIASES = (("Margarethe", "Grete"), ("Grete", "Gretel"), (CRISTINA, "Grete"))

_tenants = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Word:
    """Something that is said in a message of its own."""

    number: int
    speaker: str
    claim: tuple[str, str, str] | None
    change: Change
    day: int | None

    @property
    def text(self) -> str:
        if self.claim is None:
            return "The gate has the number 4417."
        subject, predicate, thing = self.claim
        return f"{subject} {self.change} {predicate.replace('_', ' ')} {thing}, word {self.number}."


def word(number: int) -> st.SearchStrategy[Word]:
    said = st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(["lives_in", "lives_in", "works_at", "speaks", "likes", "dislikes"]),
        st.sampled_from(["Varna", "Porto"]),
    )
    alias = st.sampled_from(ALIASES).map(lambda pair: (pair[0], "also_known_as", pair[1]))
    return st.builds(
        Word,
        number=st.just(number),
        speaker=st.sampled_from(PEOPLE),
        claim=said | said | said | alias | st.none(),
        change=st.sampled_from([*[Change.HOLDS] * 5, Change.ENDED, Change.NEVER]),
        day=st.none() | st.integers(1, 9),
    )


@st.composite
def histories(draw: st.DrawFn) -> list[Word]:
    return [draw(word(number)) for number in range(draw(st.integers(2, 9)))]


class Room:
    """What is said in a room of a tenant of its own."""

    def __init__(self, services: Services, owner: psycopg.Connection) -> None:
        self.tenant = f"tenant-{next(_tenants)}"
        self.services = services
        self.owner = owner

    def tell(self, words: Iterable[Word], sizes: Sequence[int] = (1,)) -> Room:
        """Say some words, in batches of some sizes in turn, and have each batch worked off."""
        waiting, sizes_in_turn = list(words), itertools.cycle(sizes)
        while waiting:
            size = next(sizes_in_turn)
            for each in waiting[:size]:
                self._observe(each)
            self._work_off()
            refresh(self.services.database, self.tenant, Pass())
            waiting = waiting[size:]
        return self

    def _observe(self, said: Word) -> None:
        when = {} if said.day is None else {"ts": f"2026-01-{said.day:02}T12:00:00+00:00"}
        message = {"id": f"m{said.number}", "role": "user", "speaker": said.speaker, "text": said.text, **when}
        scope, run_id = Scope.tenant_wide(self.tenant), f"run-{said.number}"
        Door(self.services).observe(scope, [message], run_id=run_id, room="kitchen", participants=PEOPLE)

    def _work_off(self) -> None:
        bell = self.services.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(self.services, stage, STAGES[stage], work)

    def forget(self, said: Word, *, erase_content: bool) -> None:
        query = """
            select memory_id from memory join memory_evidence using (tenant_id, generation, memory_id, version)
            join event using (tenant_id, stream, sequence)
            where tenant_id = %s and epistemic_type = 'evidence' and message_id = %s
        """
        found = self.owner.execute(query, [self.tenant, f"m{said.number}"]).fetchall()
        for (memory,) in found:
            scope = Scope(tenant_id=self.tenant, user_id=said.speaker)
            forget(self.services.database, scope, memory, erase_content=erase_content)

    def believed(self, *, confirmed_by: bool = True) -> set[tuple[Any, ...]]:
        """What is held with its key and its times in the world; of what claims nothing, what it rests on."""
        query = """
            select claim_key, text, valid_from, valid_to, claim_key is null, array(
                select message_id from memory_evidence join event using (tenant_id, stream, sequence)
                where memory_evidence.tenant_id = memory.tenant_id and memory_evidence.memory_id = memory.memory_id
                    and memory_evidence.version = memory.version order by message_id
            )
            from memory where tenant_id = %s and epistemic_type <> 'evidence' and closed_at is null
        """
        rows = self.owner.execute(query, [self.tenant]).fetchall()
        return {
            (text, *(evidence if confirmed_by else ())) if unkeyed else (key, text, start, end)
            for key, text, start, end, unkeyed, evidence in rows
        }

    def ends(self) -> set[int]:
        """The days on which any version of a belief ends, held or not."""
        query = "select extract(day from valid_to)::int from memory where tenant_id = %s and valid_to is not null"
        return {day for (day,) in self.owner.execute(query, [self.tenant])}

    def is_sound(self) -> bool:
        """Whether a replay comes to what is held, with the profile as far as it goes, and when it goes to the end."""
        for _ in range(2):
            found = replay(self.services.database, self.tenant, KITCHEN, verify=True)
            assert found.differences == ()
            assert found.is_equal
            refresh(self.services.database, self.tenant, Pass())
        return True


def claimed(words: Sequence[Word]) -> dict[str, list[dict[str, Any]]]:
    keyed = (each for each in words if each.claim)
    return {each.text: [{"text": each.text, "claim": each.claim, "change": each.change}] for each in keyed}


def rooms(services: Services, reading: Settings, owner: psycopg.Connection, words: Sequence[Word]) -> tuple[Room, Room]:
    script = {**claimed(words), "4417": [{"text": "The gate has the number 4417."}]}
    mine = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
    return Room(mine, owner), Room(mine, owner)


laws = settings(
    max_examples=10,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # to shrink on a real server takes longer than to read
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def said(number: int, *claim: str, change: Change = Change.HOLDS) -> Word:
    subject, predicate, thing = claim
    return Word(number, "mira", (subject, predicate, thing), change, number + 1)


A_SLIP = [
    said(0, CRISTINA, "lives_in", "Varna"),
    said(1, CHRISTINA, "works_at", "Varna"),
    said(2, CHRISTINA, "speaks", "Porto"),
    said(3, CHRISTINA, "likes", "Porto"),
]
NO_SLIP = [*A_SLIP, said(4, CRISTINA, "likes", "Varna")]
A_CHAIN = [
    said(0, "Gretel", "works_at", "Porto"),
    said(1, "Grete", "also_known_as", "Gretel"),
    said(2, "Margarethe", "also_known_as", "Grete"),
]
NO_CHAIN = [*A_CHAIN, said(3, "Margarethe", "also_known_as", "Grete", change=Change.NEVER)]


@laws
@example(A_SLIP, [3, 2, 1, 0], [4])
@example(NO_SLIP, [4, 0, 1, 2, 3], [1])
@example(A_CHAIN, [2, 1, 0], [1])
@example(NO_CHAIN, [3, 2, 1, 0], [2])
@given(histories(), st.lists(st.integers(0, 8), min_size=9, max_size=9), st.lists(st.integers(1, 4), min_size=1))
def test_any_order_in_any_batches_gives_the_same_beliefs(
    services: Services,
    reading: Settings,
    owner: psycopg.Connection,
    words: list[Word],
    ranks: list[int],
    sizes: list[int],
) -> None:
    first, second = rooms(services, reading, owner, words)
    order = [words[place] for place in sorted(range(len(words)), key=lambda place: (ranks[place], -place))]
    assert first.tell(words).believed() == second.tell(order, sizes).believed()
    assert first.is_sound()
    assert second.is_sound()


@laws
@example(words=NO_SLIP, gone={4}, erased=True)
@example(words=A_CHAIN, gone={1}, erased=True)
@example(words=A_CHAIN, gone={2}, erased=False)
@example(words=NO_CHAIN, gone={3}, erased=False)
@given(words=histories(), gone=st.sets(st.integers(0, 8), min_size=1), erased=st.booleans())
def test_what_is_forgotten_might_never_have_been_said(
    services: Services, reading: Settings, owner: psycopg.Connection, words: list[Word], gone: set[int], *, erased: bool
) -> None:
    first, second = rooms(services, reading, owner, words)
    first.tell(words)
    for each in words:
        if each.number in gone:
            first.forget(each, erase_content=erased)
    left = [each for each in words if each.number not in gone]
    assert first.believed() == second.tell(left).believed()
    assert first.ends() <= {each.day for each in left}, "an end is kept that only what is forgotten told of"
    assert first.is_sound()


@laws
@given(histories(), st.permutations(PEOPLE))
def test_of_two_people_in_one_room_each_is_erased_alone(
    services: Services, reading: Settings, owner: psycopg.Connection, words: list[Word], people: list[str]
) -> None:
    first, second = rooms(services, reading, owner, words)
    first.tell(words)
    gone, left = people
    if any(each.speaker == gone for each in words):
        erase(services.database, Scope(tenant_id=first.tenant, user_id=gone))
    assert first.believed() == second.tell(each for each in words if each.speaker == left).believed()
    assert first.is_sound()
    if any(each.speaker == left for each in words):
        erase(services.database, Scope(tenant_id=first.tenant, user_id=left))
    assert first.believed() == set()
    assert first.is_sound()


@laws
@given(histories(), st.sampled_from(PEOPLE))
def test_what_is_quarantined_counts_for_nothing_until_it_is_lifted(
    services: Services, reading: Settings, owner: psycopg.Connection, words: list[Word], speaker: str
) -> None:
    first, second = rooms(services, reading, owner, words)
    first.tell(words)
    before, scope, source = first.believed(), Scope(tenant_id=first.tenant, user_id="mira"), Source(speaker=speaker)
    quarantine(services.database, scope, source, room_id="kitchen")
    others = second.tell(each for each in words if each.speaker != speaker)
    assert first.believed(confirmed_by=False) == others.believed(confirmed_by=False)
    assert first.is_sound()
    lift(services.database, scope, source, room_id="kitchen")
    assert first.believed() == before
    assert first.is_sound()
