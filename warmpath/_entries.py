"""Entries of a model's answer to candidates, one by one: the good ones taken, each bad one refused for a reason. Pure.

A model's word is taken for nothing that code can look up: the numbers it cites must have been given out in that call,
the lines must be of somebody who may say such a thing, and the entry must speak of what stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError

from shared.belief.predicates import BUILT_IN, RECORD, Cardinality
from shared.belief.schemas import Schemas
from shared.belief.similarity import told_apart_by
from shared.contract.candidates import Candidate, Change, Neighbour
from shared.contract.errors import InvalidInput
from shared.contract.events import Role
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind
from shared.language.text import normalise, terms
from shared.models.answers import declines
from warmpath._agreeing import UNSURE, agreed
from warmpath._claiming import claimed, ended, has_word_of
from warmpath._counting import miscounted
from warmpath._dating import Undated, dated, read_end, read_time
from warmpath._ending import GUESSED, says_so
from warmpath._entry import Entry, RecordEntry, read_entry
from warmpath._grounding import Fault, Ground, grounds, sayable
from warmpath._over import asserted, is_over
from warmpath._prompt import echoes
from warmpath._recorded import recorded
from warmpath._windows import Shown, Window

_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_EPISTEMIC: Final = {
    "fact": EpistemicType.FACT,
    "preference": EpistemicType.PREFERENCE,
    "opinion": EpistemicType.OPINION,
    "inference": EpistemicType.INFERENCE,
    "procedure": EpistemicType.FACT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An entry that was not taken."""

    reason: str
    """A stable word, for counting."""
    told: str
    """For the model: which entry, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """An entry that was taken."""

    candidate: Candidate
    replaces: int | None
    """The number of the memory that it acts on, where it acts on one."""
    ends: Candidate | None = None
    """That the memory it replaces is over, where another object would not end it by itself: tea, for coffee."""
    left_out: str | None = None
    """Why the memory that it replaces is not over for that, for counting; None where nothing was left out."""


def taken(number: int, raw: Any, window: Window, schemas: Schemas) -> Taken | Refused | None:
    """The `number`-th entry of an answer about a window, from 1; None for one about lines that were read before.

    `schemas` are those of the records that the model was told of.
    """
    try:
        entry = read_entry(raw)
        cited = _cited(entry, window)
        if all(shown.seen for shown in cited):
            return None
        return _taken(entry, cited, window, schemas)
    except Fault as refusal:
        return Refused(reason=refusal.reason, told=normalise(f"entry {number}: {refusal}")[0])


def _cited(entry: Entry, window: Window) -> list[Shown]:
    """The lines that an entry rests on, in the order they were said; numbers not given out are passed over."""
    known = {number: shown for number in entry.lines if (shown := window.line(number)) is not None}
    if not known:
        raise Fault("unknown_line", f"`lines` {entry.lines[:10]} names no line; cite by the numbers in LINES")
    return [known[number] for number in sorted(known)]


def _taken(entry: RecordEntry, cited: Sequence[Shown], window: Window, schemas: Schemas) -> Taken:
    if declines(entry.text) and not any(declines(shown.text) for shown in cited):
        raise Fault("refusal", "it speaks of you and not of the lines")
    if echoes(entry.text):
        raise Fault("echo", "it repeats your instructions")
    try:
        ground = grounds(entry.type, entry.text, entry.about, entry.object, cited, window)
        text = dated(normalise(entry.text)[0].strip(), [shown.line for shown in ground.lines], entry.language)
    except Undated as words:
        raise Fault("relative_time", f"`text` says {str(words)!r}; write the date, or leave it out") from None
    neighbour = _replaced(entry, window)
    claim = claimed(entry, ground.about, neighbour, {shown.line.speaker for shown in window.shown})
    is_record = bool(schemas.known and entry.record and entry.data)
    said = claim if is_record else agreed(entry, claim, ground.lines)
    candidate = _candidate(entry, text, said, ground.lines, unsure=said is not claim)
    if is_record:
        candidate = _record(entry, candidate, ground, window, schemas)
    day = miscounted(text, (entry.since, entry.until), [shown.line for shown in ground.lines])
    if day is not None:
        raise Fault("wrong_date", f"the words of its lines come to {day.isoformat()}, which it does not give")
    candidate = _in_place_of_text(candidate, ground, entry, neighbour)
    if candidate.change is not Change.HOLDS:
        return Taken(candidate=_weighed(candidate, ground, entry), replaces=entry.replaces)
    return _in_place_of(Taken(candidate=candidate, replaces=entry.replaces), ground, entry, neighbour)


def _weighed(end: Candidate, ground: Ground, entry: Entry, *, whole: bool = True) -> Candidate:
    """An end or a denial, as sure as its lines make it; `whole` as for `is_over`."""
    claim = end.claim
    if claim is None:
        return end
    whole = whole and not claim.predicate.startswith(RECORD)
    sure = is_over(claim, ground.lines, ground.asked, entry.language, whole=whole)
    return end if sure else end.model_copy(update={"confidence": min(end.confidence, GUESSED)})


def _in_place_of(found: Taken, ground: Ground, entry: Entry, neighbour: Neighbour | None) -> Taken:
    """What is taken, with the end of what it has the place of, where its lines speak of that."""
    ends = ended(found.candidate, neighbour)
    if ends is None or ends.claim is None:
        return found
    claims = found.candidate.claim is not None
    whole = not claims and BUILT_IN.find(ends.claim.predicate).cardinality is Cardinality.MULTI
    try:
        ends = _weighed(ends, ground, entry, whole=whole)
    except Fault as refusal:
        return replace(found, left_out=refusal.reason)
    # A sentence that claims nothing is ended by nothing: it may take another's place, but not on a guess.
    return replace(found, ends=ends if claims or ends.confidence > GUESSED else None)


def _in_place_of_text(candidate: Candidate, ground: Ground, entry: Entry, neighbour: Neighbour | None) -> Candidate:
    """A candidate that names the memory without a claim that it has the place of, where that is no guess.

    Either the two are worded alike but for a number, a date or a name, or the lines have a word of a change, and the
    entry one of what the memory says. What is of something else that the memory does not name is of no such change:
    that one field was not sown says nothing of another.
    """
    if neighbour is None or neighbour.claim is not None or candidate.change is not Change.HOLDS:
        return candidate
    if not _is_named(ground, neighbour):
        return candidate
    asserts = [sentence for shown in ground.lines for sentence in asserted(shown.text)]
    differs = told_apart_by(neighbour.text, candidate.text)
    changes = says_so(asserts, entry.language) and has_word_of(entry, neighbour, ground.about)
    return candidate.model_copy(update={"replaces": neighbour.memory}) if differs or changes else candidate


def _is_named(ground: Ground, neighbour: Neighbour) -> bool:
    """Whether a memory names whom or what an entry is of; the speakers of its lines need no naming."""
    speakers = {term for shown in ground.lines for term in terms(shown.line.speaker)}
    return set(terms(ground.about)) - speakers <= set(terms(neighbour.text))


def _replaced(entry: Entry, window: Window) -> Neighbour | None:
    """The memory that an entry acts on; None where it acts on none."""
    if entry.replaces is None:
        return None
    neighbour = window.neighbour(entry.replaces)
    if neighbour is None:
        raise Fault("unknown_alias", f"`replaces` {entry.replaces} is no number of a memory")
    return neighbour


def _record(entry: RecordEntry, candidate: Candidate, ground: Ground, window: Window, schemas: Schemas) -> Candidate:
    """The candidate as the record that it says it is."""
    said = sayable(ground.lines, window)
    found = recorded(candidate, entry.record or "", entry.data or {}, ground.about, said, schemas)
    if found.kind is not Kind.PROCEDURAL and any(shown.line.role is not Role.USER for shown in ground.lines):
        raise Fault("wrong_role", f"a record {entry.record!r} rests on lines with the role `user` alone")
    return found


def _candidate(
    entry: Entry, text: str, claim: Claim | None, cited: Sequence[Shown], *, unsure: bool = False
) -> Candidate:
    zone = cited[-1].line.zone
    try:
        since = read_time(entry.since, zone) if entry.since else None
        until = read_end(entry.until, zone, since) if entry.until else None
    except ValueError as error:
        raise Fault("bad_time", f"`since` or `until`: {error}") from None
    try:
        return Candidate(
            kind=Kind.PROCEDURAL if entry.type == "procedure" else Kind.SEMANTIC,
            epistemic_type=_EPISTEMIC[entry.type],
            text=text,
            claim=claim,
            change=entry.change,
            since=since,
            until=until,
            evidence=tuple(
                EvidenceRef(sequence=shown.line.sequence, start=shown.start, end=shown.end) for shown in cited
            ),
            confidence=min(entry.confidence, UNSURE) if unsure else entry.confidence,
            language=_language(entry.language),
        )
    except (ValidationError, InvalidInput) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise Fault("impossible", why) from None


def _language(written: str | None) -> str | None:
    return written if written and _LANGUAGE.fullmatch(written) else None
