"""Entries of a model's answer to candidates, one by one: the good ones taken, each bad one refused for a reason. Pure.

A model's word is taken for nothing that code can look up: the numbers it cites must have been given out in that call,
the lines must be of somebody who may say such a thing, and the entry must speak of what stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.belief.predicates import BUILT_IN, claim_of, subject_key
from shared.contract.candidates import MAX_TEXT_CHARS, Candidate, Change
from shared.contract.errors import InvalidInput
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind
from shared.language.text import is_blank, normalise
from warmpath._answers import declines
from warmpath._dating import Undated, dated, read_time
from warmpath._grounding import Fault, grounds
from warmpath._prompt import echoes
from warmpath._windows import Shown, Window

Type = Literal["fact", "preference", "opinion", "inference", "procedure"]

_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_EPISTEMIC: Final = {
    "fact": EpistemicType.FACT,
    "preference": EpistemicType.PREFERENCE,
    "opinion": EpistemicType.OPINION,
    "inference": EpistemicType.INFERENCE,
    "procedure": EpistemicType.FACT,
}


class Entry(BaseModel):
    """One entry as a model is asked for it; what it adds of its own is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str
    lines: list[int]
    type: Type
    about: str
    predicate: str | None
    object: str | None
    change: Change
    replaces: int | None
    since: str | None
    until: str | None
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    language: str | None


class Entries(BaseModel):
    """The whole answer that a model is asked for."""

    facts: list[Entry]


_LEFT_OUT: Final[dict[str, Any]] = {
    "type": "fact",
    "about": "",
    "predicate": None,
    "object": None,
    "change": "holds",
    "replaces": None,
    "since": None,
    "until": None,
    "confidence": 0.7,
    "language": None,
}
"""What an entry means by what it does not say."""


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


class _Refusal(Exception):
    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason


def taken(number: int, raw: Any, window: Window) -> Taken | Refused | None:
    """The `number`-th entry of an answer about a window, from 1; None for one about lines that were read before."""
    try:
        entry = _entry(raw)
        cited = _cited(entry, window)
        if all(shown.seen for shown in cited):
            return None
        return _taken(entry, cited, window)
    except _Refusal as refusal:
        return Refused(reason=refusal.reason, told=normalise(f"entry {number}: {refusal}")[0])


def _entry(raw: Any) -> Entry:
    if not isinstance(raw, dict):
        raise _Refusal("wrong_shape", "it is no object")
    given = {name: value for name, value in raw.items() if name in Entry.model_fields and value is not None}
    try:
        entry = Entry.model_validate(_LEFT_OUT | given)
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        reason = "unknown_alias" if field == "replaces" else f"bad_{field}"
        raise _Refusal(reason, f"`{field}` does not fit: {error.errors()[0]['msg']}") from None
    if is_blank(entry.text):
        raise _Refusal("bad_text", "`text` is blank")
    if len(entry.text) > MAX_TEXT_CHARS:
        raise _Refusal("bad_text", f"`text` is longer than {MAX_TEXT_CHARS} characters; one sentence is enough")
    return entry


def _cited(entry: Entry, window: Window) -> list[Shown]:
    """The lines that an entry rests on, in the order they were said; numbers not given out are passed over."""
    known = {number: shown for number in entry.lines if (shown := window.line(number)) is not None}
    if not known:
        raise _Refusal("unknown_line", f"`lines` {entry.lines[:10]} names no line; cite by the numbers in LINES")
    return [known[number] for number in sorted(known)]


def _taken(entry: Entry, cited: Sequence[Shown], window: Window) -> Taken:
    if declines(entry.text) and not any(declines(shown.text) for shown in cited):
        raise _Refusal("refusal", "it speaks of you and not of the lines")
    if echoes(entry.text):
        raise _Refusal("echo", "it repeats your instructions")
    try:
        ground = grounds(entry.type, entry.text, entry.about, entry.object, cited, window)
        text = dated(normalise(entry.text)[0].strip(), [shown.line for shown in ground.lines], entry.language)
    except Fault as fault:
        raise _Refusal(fault.reason, str(fault)) from None
    except Undated as words:
        raise _Refusal("relative_time", f"`text` says {str(words)!r}; write the date, or leave it out") from None
    claim = _claim(entry, ground.about, window)
    candidate = _candidate(entry, text, claim, ground.lines)
    return Taken(candidate=candidate, replaces=entry.replaces, ends=_ended(entry, candidate, window))


def _ended(entry: Entry, candidate: Candidate, window: Window) -> Candidate | None:
    """The end of what an entry replaces, if that is of the same kind and subject and could hold beside it.

    Of another kind, the number is more likely a slip than what was meant.
    """
    neighbour = window.neighbour(entry.replaces) if entry.replaces is not None else None
    own, old = candidate.claim, neighbour.claim if neighbour else None
    if candidate.change is not Change.HOLDS or own is None or old is None or own.key == old.key:
        return None
    if _kind_of(own) != _kind_of(old):
        return None
    told = {"claim": old, "change": Change.ENDED, "since": None, "until": candidate.since}
    return candidate.model_copy(update=told)


def _kind_of(claim: Claim) -> tuple[str, str]:
    found = BUILT_IN.find(claim.predicate)
    return subject_key(claim.subject), found.keyed_as or found.name


def _claim(entry: Entry, about: str, window: Window) -> Claim | None:
    """What it says in a form that can be compared: with the key of the memory it acts on, where both fit."""
    own = _own_claim(entry, about)
    if entry.replaces is None:
        if own is None and entry.change is not Change.HOLDS:
            raise _Refusal("no_claim", f"what is `{entry.change}` needs `replaces`, or `predicate` and `object`")
        return own
    neighbour = window.neighbour(entry.replaces)
    if neighbour is None:
        raise _Refusal("unknown_alias", f"`replaces` {entry.replaces} is no number of a memory")
    if neighbour.claim is None:
        if entry.change is not Change.HOLDS and own is None:
            raise _Refusal("no_claim", f"memory {entry.replaces} cannot be ended or denied by its number alone")
        return own
    if entry.change is not Change.HOLDS:
        return neighbour.claim
    if own is None and entry.object:
        return claim_of(neighbour.claim.subject, neighbour.claim.predicate, normalise(entry.object)[0], BUILT_IN)
    if own is not None and own.predicate == neighbour.claim.predicate:
        # Another spelling of the same subject would make another key, and both would stay open.
        return claim_of(neighbour.claim.subject, own.predicate, own.object, BUILT_IN)
    return own


def _own_claim(entry: Entry, about: str) -> Claim | None:
    if not entry.predicate or not entry.object:
        return None
    try:
        return claim_of(about, normalise(entry.predicate)[0], normalise(entry.object)[0], BUILT_IN)
    except InvalidInput:
        return None


def _candidate(entry: Entry, text: str, claim: Claim | None, cited: Sequence[Shown]) -> Candidate:
    zone = cited[-1].line.zone
    try:
        since = read_time(entry.since, zone) if entry.since else None
        until = read_time(entry.until, zone) if entry.until else None
    except ValueError as error:
        raise _Refusal("bad_time", f"`since` or `until`: {error}") from None
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
            confidence=entry.confidence,
            language=_language(entry.language),
        )
    except (ValidationError, InvalidInput) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise _Refusal("impossible", why) from None


def _language(written: str | None) -> str | None:
    return written if written and _LANGUAGE.fullmatch(written) else None
