"""Readings by rules, read anew by the rules of now and held against what is stored of them.

Rules are code under a version, and a version reads a run alike each time. Where it does not, the code has changed and
its version has not, or what is stored was altered. No model is asked and nothing is written, whoever read the run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic import ValidationError

from shared.contract.candidates import CANDIDATE, EXTRACTION, Candidate
from shared.contract.events import Event
from shared.contract.scope import Owner
from shared.store import candidates, ledger
from shared.store.db import Role, Session
from warmpath._extractors import read_by_rules
from warmpath._readings import has_given_way
from warmpath._stated import states_record
from warmpath._work import Services
from warmpath.extract import reading_of

_VERSION: Final = re.compile(r"([^/\s]+)/(\d+)( without the extra english)?(?: \(.*\))?")
"""The name of an extractor that reads by rules alone; a remark says why no model was asked."""
_CUT_SHORT: Final = "out_of_time"
_PORTION: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One thing in which a reading differs from the same one made anew."""

    stored: Candidate | None
    """None where it is proposed only now."""
    anew: Candidate | None
    """None where it is proposed no more, or is stored in a way that cannot be read."""
    fields: tuple[str, ...] = ()
    """Where both say the same sentence, or the row beside the ledger differs: what of it differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlike:
    """A reading that does not come to what is stored of it."""

    owner: Owner
    run_id: str
    reading: int
    """Sequence of the event that says who read the run."""
    extractor: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """What came of reading some readings anew."""

    alike: int = 0
    unlike: tuple[Unlike, ...] = ()
    older: int = 0
    """By an older version of the rules: what `rederive` would read otherwise."""
    by_others: int = 0
    """By a model, by schemas, or by rules newer than those of this process: nothing to compare with."""
    gone: int = 0
    """Of lines that are forgotten or quarantined by now, in whole or in part."""
    left_out: int = 0
    """Too long for a sample, or cut short for want of time."""
    replaced: int = 0
    """That come to something else now, and have given way to another reading of the same lines: nothing rests on them.
    """

    @property
    def compared(self) -> int:
        """How many were read anew."""
        return self.alike + len(self.unlike)

    def and_also(self, other: Reread) -> Reread:
        """Both together."""
        return Reread(
            alike=self.alike + other.alike,
            unlike=(*self.unlike, *other.unlike),
            older=self.older + other.older,
            by_others=self.by_others + other.by_others,
            gone=self.gone + other.gone,
            left_out=self.left_out + other.left_out,
            replaced=self.replaced + other.replaced,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A reading as the ledger has it, with the candidates behind it and what it was made of."""

    account: Event
    proposed: tuple[Event, ...]
    lines: tuple[Event, ...] = ()
    """Those of its lines that count by now; none where nothing is to be compared."""
    rows: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """Of each candidate, by sequence, the row beside the ledger."""

    @property
    def extractor(self) -> str:
        """Who read it; empty where that is erased."""
        return str((self.account.payload or {}).get("extractor", ""))

    @property
    def cited(self) -> frozenset[int]:
        """The lines that were read, by sequence."""
        return frozenset((self.account.payload or {}).get("lines", ()))

    @property
    def is_whole(self) -> bool:
        """Whether everything that it was made of, and came to, is still there."""
        known = {event.sequence for event in self.lines}
        return bool(self.cited) and self.cited <= known and all(each.payload is not None for each in self.proposed)


def stored_readings(
    services: Services, tenant_id: str, owner: Owner, *, after: int, limit: int, longest: int | None = None
) -> list[Stored]:
    """A stream's readings behind an event, `limit` at most, in order, as of one moment.

    What they were made of is read of those alone that the rules of now have read, in `longest` lines at most.
    """
    mine = services.rules().name
    with services.database.transaction(Role.READER, tenant_id, [owner], read_only=True) as widened:
        session = replace(widened, owners=(owner,))
        accounts = ledger.derived_behind(session, EXTRACTION, after=after, limit=limit + 1)
        if not accounts:
            return []
        until = accounts[limit].sequence if len(accounts) > limit else None
        proposed = ledger.derived_behind(session, CANDIDATE, after=after, until=until)
        found = list(_grouped(accounts[:limit], proposed))
        wanted = {
            each.account.sequence
            for each in found
            if _age(each.extractor, mine) == 0 and (longest is None or len(each.cited) <= longest)
        }
        return _with_material(session, found, wanted)


def _grouped(accounts: Sequence[Event], proposed: Sequence[Event]) -> Iterator[Stored]:
    """Each account with the candidates that stand behind it, up to the next one."""
    ends = [*(each.sequence for each in accounts[1:]), None]
    for account, end in zip(accounts, ends, strict=True):
        behind = [
            each for each in proposed if each.sequence > account.sequence and (end is None or each.sequence < end)
        ]
        yield Stored(account=account, proposed=tuple(behind))


def _with_material(session: Session, found: Sequence[Stored], wanted: Collection[int]) -> list[Stored]:
    compared = [each for each in found if each.account.sequence in wanted]
    if not compared:
        return list(found)
    admitted = ledger.admitted(session, sorted({each.account.run_id or "" for each in compared}))
    rows = candidates.rows(session, [event.sequence for each in compared for event in each.proposed])
    return [
        replace(
            each,
            lines=tuple(event for event in admitted if event.sequence in each.cited),
            rows={event.sequence: rows[event.sequence] for event in each.proposed if event.sequence in rows},
        )
        if each.account.sequence in wanted
        else each
        for each in found
    ]


def reread(services: Services, owner: Owner, each: Stored, *, longest: int | None = None) -> Reread:
    """Read one reading anew, where the rules of now have made it; outside of any transaction."""
    if each.account.payload is None:
        return Reread(gone=1)
    age = _age(each.extractor, services.rules().name)
    if age is None or age < 0:
        return Reread(by_others=1)
    if age > 0:
        return Reread(older=1)
    account = each.account.payload
    is_cut = bool(account.get("withheld")) or _CUT_SHORT in account.get("rejected", {})
    if is_cut or (longest is not None and len(each.cited) > longest):
        return Reread(left_out=1)
    return _compared(services, owner, each) if each.is_whole else Reread(gone=1)


def _age(name: str, mine: str) -> int | None:
    """0 where the rules called `mine` are those called `name`, 1 where these are older, -1 newer; None if neither."""
    one, other = _VERSION.fullmatch(name), _VERSION.fullmatch(mine)
    if one is None or other is None or one[1] != other[1]:
        return None
    there, here = ((int(each[2]), each[3] is None) for each in (one, other))
    return (here > there) - (here < there)


def _compared(services: Services, owner: Owner, each: Stored) -> Reread:
    account = each.account.payload or {}
    zone = account.get("naive_zone") or services.settings.naive_timezone
    then = replace(services, settings=services.settings.model_copy(update={"naive_timezone": zone}))
    said = [event for event in each.lines if not states_record(event)]
    found = read_by_rules(then, reading_of(then, owner, said, ()))
    if found.rejected.get(_CUT_SHORT):
        return Reread(left_out=1)
    parts = (*_candidates_apart(each.proposed, found.candidates), *_rows_apart(each))
    if not parts:
        return Reread(alike=1)
    if _is_replaced(services, each.account):
        return Reread(replaced=1)
    unlike = Unlike(
        owner=owner,
        run_id=each.account.run_id or "",
        reading=each.account.sequence,
        extractor=each.extractor,
        parts=parts,
    )
    return Reread(unlike=(unlike,))


def _is_replaced(services: Services, account: Event) -> bool:
    whose = account.tenant_id, [account.owner]
    with services.database.transaction(Role.READER, *whose, read_only=True) as widened:
        return has_given_way(replace(widened, owners=(account.owner,)), account)


def _candidates_apart(proposed: Sequence[Event], anew: Sequence[Candidate]) -> Iterator[Part]:
    """What is stored and not read now, or the other way round; records are their schemas' to read."""
    parsed = [_parsed(event) for event in proposed]
    for broken in parsed:
        if broken is None:
            yield Part(stored=None, anew=None, fields=("payload",))
    stored = [each for each in parsed if each is not None and each.schema_name is None]
    missing = list((Counter(map(_text, stored)) - Counter(map(_text, anew))).elements())
    extra = list((Counter(map(_text, anew)) - Counter(map(_text, stored))).elements())
    left = [Candidate.model_validate_json(each) for each in extra]
    for gone in map(Candidate.model_validate_json, missing):
        like = next((each for each in left if each.text == gone.text), None)
        if like is not None:
            left.remove(like)
        yield Part(stored=gone, anew=like, fields=_fields_apart(gone, like) if like else ())
    yield from (Part(stored=None, anew=each) for each in left)


def _parsed(event: Event) -> Candidate | None:
    try:
        return Candidate.model_validate(event.payload)
    except (ValidationError, ValueError):
        return None


def _text(candidate: Candidate) -> str:
    return candidate.model_dump_json(exclude_none=True)


def _fields_apart(one: Candidate, other: Candidate) -> tuple[str, ...]:
    return tuple(name for name in Candidate.model_fields if getattr(one, name) != getattr(other, name))


def _rows_apart(each: Stored) -> Iterator[Part]:
    """What the rows beside the ledger say otherwise than it does."""
    for event in each.proposed:
        stored, row = _parsed(event), each.rows.get(event.sequence)
        if stored is None:
            continue
        key = stored.claim.key if stored.claim else None
        says = {"run_id": each.account.run_id, "reading": each.account.sequence, "claim_key": key}
        off = ("row",) if row is None else tuple(name for name, value in says.items() if row[name] != value)
        if off:
            yield Part(stored=stored, anew=stored, fields=off)


def check(
    services: Services, tenant_id: str, owner: Owner, heard: Callable[[int], None] = lambda _sequence: None
) -> Reread:
    """Read all of a stream's readings anew. `heard` takes up to which event that has come.

    Raises:
        DatabaseUnavailable: nothing is lost, since nothing is written.
    """
    done, after = Reread(), 0
    while portion := stored_readings(services, tenant_id, owner, after=after, limit=_PORTION):
        for each in portion:
            done = done.and_also(reread(services, owner, each))
            after = each.account.sequence
            heard(after)
    return done
