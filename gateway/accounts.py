"""Why something is remembered, or is not: what was said, what was proposed and decided, and what is held by now."""

# Above 300 lines: one account is put together from six tables, and read in one sitting.

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import chain
from operator import itemgetter
from typing import Final
from uuid import UUID

from gateway.wanted import ENOUGH, Wanted, beginnings
from shared import clock
from shared.contract.candidates import EXTRACTION
from shared.contract.errors import InvalidInput
from shared.contract.records import Claim, EpistemicType, Kind, MemoryVersion, Operation
from shared.contract.scope import Owner, Scope, checked_scope, room_id_of
from shared.language.text import MAX_QUERY_CHARS, is_blank, normalise, terms
from shared.store import accounts, ledger, memories
from shared.store.accounts import Proposal, Said, Verdict
from shared.store.candidates import Standing
from shared.store.db import Database, Role, Session

MOST_SHOWN: Final = 10
"""Messages that are told of: those that say the most of what was asked, the newest first."""
_MOST_READ: Final = 5_000
"""Texts with one of the words that are compared, the newest."""


class Finding(StrEnum):
    """What the answer comes to, the best news first."""

    BELIEVED = "believed"
    """Held as a belief."""
    IN_REVIEW = "in_review"
    """A person is to decide on it."""
    DEFERRED = "deferred"
    """It waits for a second piece of evidence."""
    ON_ITS_WAY = "on_its_way"
    """It was proposed, and nothing is decided yet."""
    ENDED = "ended"
    """It was believed, and no longer is."""
    VERBATIM = "verbatim"
    """It is kept word for word as an episode, and nothing else was made of it."""
    IGNORED = "ignored"
    """It was said, and nothing of it is kept but the evidence in the ledger."""
    UNHEARD = "unheard"
    """Nothing like it was ever said here, or it is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a memory."""

    memory_id: UUID
    version: int
    owner: Owner
    kind: Kind
    epistemic_type: EpistemicType
    text: str
    claim: Claim | None
    confidence: float
    trust: int
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime
    closed_at: datetime | None
    closed_reason: Operation | None

    @property
    def is_open(self) -> bool:
        """Whether it is held now."""
        return self.closed_at is None

    def is_current(self, at: datetime) -> bool:
        """Whether it is held now, and true at a time as far as we know."""
        return self.is_open and (self.valid_to is None or at < self.valid_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message that says what was asked about."""

    said: Said
    share: float
    """How many of the words asked for it says, 0..1."""
    says_it: bool
    """Whether it says what was asked about, and is not merely like it: the answer is about what does."""
    verdict: Verdict | None
    """What was decided when it came in."""
    episodes: tuple[Version, ...]
    """What keeps its words."""
    refused: Mapping[str, int]
    """How much of what a model or the rules made of it, and of what was read with it, was refused, by why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """A candidate that was proposed of it."""

    proposal: Proposal
    says_it: bool
    """As `Heard.says_it`, together with the messages that it was read from."""
    memories: tuple[Version, ...]
    """What it was made into, or supports, version by version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The answer, and everything that it is read from."""

    asked: str
    finding: Finding
    heard: tuple[Heard, ...]
    """What says it, then what is like it; of each what says the most of the words first."""
    considered: tuple[Considered, ...]

    @property
    def is_remembered(self) -> bool:
        """Whether any of it is held now, as a belief or word for word."""
        versions = [each for heard in self.heard if heard.says_it for each in heard.episodes]
        versions += [each for one in self.considered if one.says_it for each in one.memories]
        return any(each.is_open for each in versions)


def why(database: Database, scope: Scope, text: str) -> Why:
    """Why a scope remembers something, or does not. Reads all that was said in it and in the rooms of its user.

    Raises:
        InvalidScope: the scope is not acceptable.
        InvalidInput: the text says nothing to look for.
    """
    checked_scope(scope)
    asked = normalise(text)[0][:MAX_QUERY_CHARS]
    wanted = Wanted.of(asked, scope)
    if is_blank(asked) or not wanted.terms:
        raise InvalidInput("there is no word to look for: ask with the words that it was said in", field="text")
    with database.transaction(
        Role.READER, scope.tenant_id, [scope.owner], read_only=True, agent_id=scope.agent_id
    ) as session:
        found = accounts.saying(session, beginnings(asked), limit=_MOST_READ)
        best = _best(found, wanted)
        owners = dict.fromkeys(said.owner for said, _ in best)
        parts = [
            _Part(session, scope, owner, wanted, [each for each in best if each[0].owner == owner]) for owner in owners
        ]
        heard = tuple(sorted(chain.from_iterable(part.heard() for part in parts), key=_heard_first))
        considered = tuple(each for _, each in sorted(chain.from_iterable(map(_ranked, parts)), key=itemgetter(0)))
    return Why(asked=asked, finding=_finding(heard, considered, clock.now()), heard=heard, considered=considered)


def _heard_first(each: Heard) -> tuple[bool, float]:
    return (not each.says_it, -each.share)


def _ranked(part: _Part) -> Iterable[tuple[tuple[bool, float, int], Considered]]:
    return (((not each.says_it, -share, each.proposal.sequence), each) for share, each in part.considered())


def version_shown(owner: Owner, version: MemoryVersion) -> Version:
    """A version as it is shown, without what only the tables need."""
    same = {name: getattr(version, name) for name in Version.__slots__ if name != "owner"}
    return Version(owner=owner, **same)


def _best(found: Iterable[Said], wanted: Wanted) -> list[tuple[Said, float]]:
    """What says enough of the words, the most first; of messages and of candidates `MOST_SHOWN` each."""
    ranked = sorted(((said, wanted.share(terms(said.text))) for said in found), key=_by_share)
    enough = [each for each in ranked if each[1] >= ENOUGH]
    messages = [each for each in enough if not each[0].is_candidate][:MOST_SHOWN]
    return messages + [each for each in enough if each[0].is_candidate][:MOST_SHOWN]


def _by_share(each: tuple[Said, float]) -> float:
    return -each[1]


class _Part:
    """What is found in one stream."""

    def __init__(
        self, session: Session, scope: Scope, owner: Owner, wanted: Wanted, found: Sequence[tuple[Said, float]]
    ) -> None:
        self._wanted = wanted
        others = [each for each in session.owners if each != owner]
        self._session = replace(session, owners=(owner, *others))
        self._owner = owner
        self._messages = [each for each in found if not each[0].is_candidate]
        self._proposals = self._read_proposals(scope, [said for said, _ in found if said.is_candidate])
        cited = {ref.sequence for each in self._proposals for ref in each.candidate.evidence}
        sequences = cited | {said.sequence for said, _ in self._messages}
        resting = accounts.resting(self._session, sequences)
        self._versions = [(each, version_shown(owner, each)) for each in memories.versions(self._session, resting)]
        self._verdicts = accounts.admitted(self._session, {said.sequence for said, _ in self._messages})
        run_ids = {said.run_id for said, _ in self._messages if said.run_id is not None}
        self._readings = ledger.derived(self._session, EXTRACTION, run_ids)

    def heard(self) -> list[Heard]:
        """The messages, each with what was decided on it."""
        return [
            Heard(
                said=said,
                share=share,
                says_it=self._wanted.is_said(self._words(said).union(*self._read_from(said.sequence))),
                verdict=self._verdicts.get(said.sequence),
                episodes=tuple(
                    shown
                    for version, shown in self._versions
                    if version.epistemic_type is EpistemicType.EVIDENCE and _rests_on(version, {said.sequence})
                ),
                refused=self._refused(said.sequence),
            )
            for said, share in self._messages
        ]

    def considered(self) -> list[tuple[float, Considered]]:
        """The candidates, each with what became of it, and how much of the words it says itself."""
        return [
            (
                self._wanted.share(terms(each.candidate.text)),
                Considered(
                    proposal=each,
                    says_it=self._says_it(each),
                    memories=tuple(shown for version, shown in self._versions if _is_made_of(version, each)),
                ),
            )
            for each in self._proposals
        ]

    def _refused(self, sequence: int) -> Mapping[str, int]:
        """What of the readings of a message was refused, by why."""
        readings = (each.payload or {} for each in self._readings)
        counted: Counter[str] = Counter()
        for each in readings:
            if sequence in each.get("lines", ()):
                counted.update(each.get("rejected", {}))
        return dict(sorted(counted.items()))

    def _says_it(self, proposal: Proposal) -> bool:
        """Whether a candidate, with what it was read from, says it; of one message some candidates may and some not."""
        own = self._wanted.own.union(terms(proposal.candidate.text))
        cited = {ref.sequence for ref in proposal.candidate.evidence}
        read_from = [self._words(said) for said, _ in self._messages if said.sequence in cited]
        return self._wanted.names.issubset(own) and self._wanted.is_said(own.union(*read_from))

    def _words(self, said: Said) -> frozenset[str]:
        """The terms of a message, and of who says it."""
        return self._wanted.own.union(terms(said.text), terms(said.speaker or ""))

    def _read_from(self, sequence: int) -> Iterable[frozenset[str]]:
        """The terms of each candidate that rests on a message."""
        resting = (
            each.candidate for each in self._proposals if sequence in {ref.sequence for ref in each.candidate.evidence}
        )
        return (frozenset(terms(each.text)) for each in resting)

    def _read_proposals(self, scope: Scope, found: Collection[Said]) -> list[Proposal]:
        """What says it itself, and what was read from the messages that do."""
        messages = {said.sequence for said, _ in self._messages}
        run_ids = {said.run_id for said, _ in self._messages if said.run_id is not None}
        told = accounts.proposed(self._session, run_ids, {said.sequence for said in found})
        themselves = {said.sequence for said in found}
        near = [
            each
            for each in told
            if each.sequence in themselves or any(ref.sequence in messages for ref in each.candidate.evidence)
        ]
        return near if scope.agent_id is None else self._of_agent(scope.agent_id, near)

    def _of_agent(self, agent_id: str, told: Collection[Proposal]) -> list[Proposal]:
        """Those that rest on nothing that another agent heard, but for those of rooms."""
        if room_id_of(self._owner) is not None:
            return list(told)
        cited = {ref.sequence for each in told for ref in each.candidate.evidence}
        events = ledger.numbered(self._session, self._owner, cited)
        others = {event.sequence for event in events if event.agent_id not in {None, agent_id}}
        return [each for each in told if others.isdisjoint(ref.sequence for ref in each.candidate.evidence)]


def _rests_on(version: MemoryVersion, sequences: Collection[int]) -> bool:
    return any(ref.sequence in sequences for ref in version.evidence)


def _is_made_of(version: MemoryVersion, proposal: Proposal) -> bool:
    """Whether a version claims what a candidate does, or says what it says, and rests on its evidence."""
    told = proposal.candidate
    if version.epistemic_type is EpistemicType.EVIDENCE or proposal.standing is not Standing.STORED:
        return False
    if not _rests_on(version, {ref.sequence for ref in told.evidence}):
        return False
    if told.claim is not None:
        return version.claim is not None and version.claim.key == told.claim.key
    return version.claim is None


_WAITING: Final[Mapping[Standing, Finding]] = {
    Standing.REVIEW: Finding.IN_REVIEW,
    Standing.DEFERRED: Finding.DEFERRED,
    Standing.WAITING: Finding.ON_ITS_WAY,
}


def _finding(heard: Sequence[Heard], considered: Sequence[Considered], at: datetime) -> Finding:
    """The best news of all that says it."""
    found: dict[Finding, bool] = defaultdict(bool)
    for each in (each for each in considered if each.says_it):
        found[Finding.BELIEVED] |= any(one.is_current(at) for one in each.memories)
        found[Finding.ENDED] |= bool(each.memories)
        if each.proposal.standing in _WAITING:
            found[_WAITING[each.proposal.standing]] = True
    found[Finding.VERBATIM] = any(one.is_open for each in heard if each.says_it for one in each.episodes)
    found[Finding.IGNORED] = any(each.says_it for each in heard) or any(each.says_it for each in considered)
    return next((finding for finding in Finding if found[finding]), Finding.UNHEARD)
