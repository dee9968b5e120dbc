"""Turns what a caller hands in into a run: checked, cleaned, scrubbed, dated and keyed. Pure: the clock is an argument.

Text goes through one rule on every path: normalised (`shared.language.text`), recalled blocks cut out
(`shared.accept.recalled`), secrets removed (`shared.accept.scrub`). Times follow `shared.accept.times`. What was
changed or doubted is a warning on the message; what cannot be taken as it is is an error, and then nothing was stored.

A message's content is its text, its tool calls and the record it states: the digest covers these, scrubbed, and
nothing else. Role, speaker and time are not part of it, so a client that corrects them has not said something new.
"""

# Above 300 lines: one step of cleaning a function, in the order in which a message goes through them.

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, Final
from zoneinfo import ZoneInfo

from shared.accept import registered
from shared.accept.content import Content, cleaned_json, flatten
from shared.accept.raw import RawMessage
from shared.accept.recalled import still_there, without_recalled
from shared.accept.records import cleaned_record
from shared.accept.scrub import scrub, scrub_json
from shared.accept.times import TimeRule, dated
from shared.belief.remains import unwrapped
from shared.belief.schemas import Schemas
from shared.contract.cutting import Cut
from shared.contract.errors import ConflictingMessage, InvalidInput, InvalidRun, InvalidScope
from shared.contract.events import Json, Message, Role, Run, RunId
from shared.contract.scope import MAX_ID_CHARS, TENANT_OWNER, Scope, checked_id, checked_scope
from shared.contract.stated import StatedRecord
from shared.contract.trust import Origin
from shared.language.indexing import found_up_to
from shared.language.text import is_blank, normalise
from shared.settings import Settings

__all__ = ["RawMessage", "clean_run", "derived_room", "digest_of"]

_ORIGINS: Final = {
    Role.USER: Origin.USER,
    Role.ASSISTANT: Origin.ASSISTANT,
    Role.TOOL: Origin.TOOL,
    Role.SYSTEM: Origin.UNKNOWN,
    Role.DEVELOPER: Origin.UNKNOWN,
}
_SHOWN_FIELDS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """What cleaning a message depends on, besides the message."""

    run_id: str
    participants: frozenset[str]
    author: str | None
    """The run's user, where it is one's."""
    time: TimeRule
    max_bytes: int
    schemas: Callable[[], Schemas]
    """Gives the schemas of records; asked only where one is stated."""


def clean_run(
    scope: Scope,
    messages: Iterable[RawMessage | Mapping[str, Any]],
    *,
    run_id: str,
    room: str | None = None,
    participants: Iterable[str] = (),
    settings: Settings,
    now: datetime,
) -> Run:
    """The run that a caller hands in, ready to be stored. `now` is aware.

    With participants and no room, the room is theirs (`derived_room`). A room without participants has the scope's user
    for one. A message given twice, id and content the same, is kept once.

    Raises:
        InvalidScope: the scope is not one.
        InvalidRun: an id, the messages or one of them does not fit; the text names the message's position, from 0.
        ConflictingMessage: two messages have one id and different content.
    """
    checked_scope(scope)
    _checked("run_id", run_id)
    people = _participants(scope, room, participants)
    rules = _rules(scope, run_id, people, settings, now)
    cleaned = [
        _cleaned(position, given, rules) for position, given in enumerate(_listed(messages, settings.max_run_messages))
    ]
    kept = {message.position: message for message in _without_repeats([message for message, _ in cleaned])}
    return Run(
        scope=scope,
        run_id=RunId(run_id),
        messages=tuple(kept.values()),
        room_id=room if room is not None else derived_room(people) if people else None,
        participants=people,
        redacted=sum(cleaned[position][1] for position in kept),
    )


def _rules(scope: Scope, run_id: str, people: tuple[str, ...], settings: Settings, now: datetime) -> _Rules:
    latest = now + timedelta(seconds=settings.future_tolerance_s)
    return _Rules(
        run_id=run_id,
        participants=frozenset(name.casefold() for name in people),
        author=None if scope.is_tenant_wide else scope.user_id,
        time=TimeRule(naive_zone=ZoneInfo(settings.naive_timezone), latest=latest),
        max_bytes=settings.max_message_bytes,
        schemas=partial(registered.schemas, settings),
    )


def derived_room(participants: Iterable[str]) -> str:
    """The room of a conversation that has no id of its own: the same for the same people in any order."""
    people = "\x1f".join(sorted(set(participants)))
    return f"dm-{hashlib.sha256(people.encode()).hexdigest()[:32]}"


def digest_of(text: str, tool_calls: Iterable[Json] = (), record: StatedRecord | None = None) -> str:
    """SHA-256 (hex) of a message's content as stored: its text and, where it has such, its tool calls and record."""
    digest = hashlib.sha256(text.encode())
    calls = list(tool_calls)
    if calls:
        digest.update(b"\0" + _canonical(calls))  # no text holds NUL, so the two cannot run into each other
    if record is not None:
        digest.update(b"\0record\0" + _canonical(record.model_dump(mode="json", exclude_none=True)))
    return digest.hexdigest()


def _canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _checked(name: str, value: object) -> str:
    try:
        return checked_id(name, value)
    except InvalidScope as error:
        raise InvalidRun(str(error), **error.details) from None


def _participants(scope: Scope, room: str | None, participants: Iterable[str]) -> tuple[str, ...]:
    if isinstance(participants, str | bytes | Mapping) or not isinstance(participants, Iterable):
        raise InvalidRun(f"participants must be a list of user ids, not {type(participants).__name__}")
    people = tuple(sorted({_checked("participant_id", name) for name in participants}))
    tenant_wide = scope.user_id == TENANT_OWNER
    if room is not None:
        _checked("room_id", room)
        people = people or (() if tenant_wide else (scope.user_id,))
    if people and not tenant_wide and scope.user_id not in people:
        raise InvalidRun(
            f"user {scope.user_id[:40]!r} is not among the participants {', '.join(people)[:200]}; "
            "add them, or use the scope of one who was there"
        )
    return people


def _listed(messages: object, most: int) -> list[object]:
    if isinstance(messages, str | bytes | Mapping | RawMessage) or not isinstance(messages, Iterable):
        raise InvalidRun(f"messages must be a list of messages, not {type(messages).__name__}")
    listed = list(islice(messages, most + 1))
    if not listed:
        raise InvalidRun("the run has no messages; a run holds at least one")
    if len(listed) > most:
        raise InvalidRun(f"the run has more than {most} messages; send it as several runs", limit=most)
    return listed


def _cleaned(position: int, given: object, rules: _Rules) -> tuple[Message, int]:
    """A message and how many secrets it lost."""
    try:
        return _message(position, RawMessage.read(given), rules)
    except InvalidInput as error:
        raise InvalidRun(f"message {position}: {error}", position=position, **error.details) from error


def _message(position: int, raw: RawMessage, rules: _Rules) -> tuple[Message, int]:
    content = flatten(raw.text)
    record, lost_in_record = cleaned_record(raw, content, rules.author, rules.schemas)
    warnings = content.notes
    if raw.ignored:
        warnings.append(f"fields ignored: {', '.join(name[:40] for name in raw.ignored[:_SHOWN_FIELDS])}")
    role = _role(raw, content, warnings)
    left, secrets = _text(content, rules.max_bytes)
    text, blocks = left.text, left.blocks
    calls, lost = _tool_calls(raw, content, rules.max_bytes - len(text.encode()))
    speaker = _speaker(raw, role, rules, warnings)
    when = dated(raw.ts, rules.time)
    secrets += [*lost, *lost_in_record]
    if secrets:
        warnings.append(f"secrets removed: {', '.join(sorted(set(secrets)))} ({len(secrets)})")
    warnings += [when.warning] if when.warning else []
    if (found := found_up_to(text)) < len(text):
        warnings.append(f"only its first {found:,} of {len(text):,} characters are findable: send it in parts")
    recalled = blocks > 0 and not calls and is_blank(unwrapped(text))
    message = Message(
        position=position,
        message_id=_checked("message_id", raw.id) if raw.id is not None else f"{rules.run_id}#{position}",
        role=role,
        speaker=speaker,
        text=text,
        origin=Origin.RECALLED if recalled else raw.origin or _ORIGINS[role],
        occurred_at=when.at,
        precision=when.precision,
        digest=digest_of(text, calls, record),
        original_at=when.original,
        warnings=tuple(scrub(normalise(warning)[0]).text for warning in dict.fromkeys(warnings)),
        tool_calls=tuple(calls),
        tool_call_id=_call_id(raw, content),
        recalled=blocks,
        torn=left.torn,
        record=record,
        importance=None if raw.importance is None else float(raw.importance),
    )
    return message, len(secrets)


def _role(raw: RawMessage, content: Content, warnings: list[str]) -> Role:
    """The role; a tool's where the content holds a tool's result, whatever format it came in."""
    said = (raw.role or Role.USER).strip().casefold()
    if said not in set(Role):
        raise InvalidInput(f"role {said[:40]!r} is none of {', '.join(Role)}")
    if not content.results:
        return Role(said)
    if len(content.texts) > content.result_texts and said != Role.TOOL:
        warnings.append("holds a tool's result beside other text; all of it is taken as the tool's: send two messages")
    return Role.TOOL


def _text(content: Content, max_bytes: int) -> tuple[Cut, list[str]]:
    """The text, cleaned, without recalled blocks and without secrets, and the kinds of the secrets."""
    cleaned, notes = normalise(content.text)
    size = len(cleaned.encode())
    if size > max_bytes:
        raise _too_large(size, max_bytes)
    left = without_recalled(cleaned)
    scrubbed = scrub(left.text)
    content.notes += [*notes, *([f"recalled blocks cut out: {left.blocks}"] if left.blocks else [])]
    torn = still_there(left.torn, scrubbed.text)
    return Cut(text=scrubbed.text, blocks=left.blocks + content.recalled, torn=torn), list(scrubbed.found)


def _too_large(size: int, limit: int) -> InvalidInput:
    return InvalidInput(
        f"has {size} bytes; the limit is {limit} (DAYBOOK_MAX_MESSAGE_BYTES). Nothing was stored: "
        "cut it into several messages and send the run again",
        size=size,
        limit=limit,
    )


def _tool_calls(raw: RawMessage, content: Content, room_bytes: int) -> tuple[list[Json], tuple[str, ...]]:
    """The tool calls, cleaned and scrubbed, and the kinds of the secrets removed from them."""
    given = [*raw.tool_calls, *content.tool_calls]
    if not given:
        return [], ()
    calls, found = scrub_json(cleaned_json(given, content))
    size = len(_canonical(calls))
    if size > room_bytes:
        raise _too_large(size, max(room_bytes, 0))
    return calls, found


def _speaker(raw: RawMessage, role: Role, rules: _Rules, warnings: list[str]) -> str:
    said = scrub(" ".join(normalise(raw.speaker or "")[0].split())).text
    if len(said) > MAX_ID_CHARS:
        warnings.append(f"speaker cut to {MAX_ID_CHARS} characters")
        said = said[:MAX_ID_CHARS]
    if not is_blank(said):
        if role is Role.USER and rules.participants and said.casefold() not in rules.participants:
            warnings.append(f"speaker {said!r} is none of the participants")
        return said
    if role is not Role.USER or not rules.participants:
        return str(role)
    # What nobody is said to have said could be forgotten by nobody.
    warnings.append(f"names no speaker, in a room; taken for {rules.author or str(role)!r}")
    return rules.author or str(role)


def _call_id(raw: RawMessage, content: Content) -> str | None:
    call_id = raw.tool_call_id or content.tool_call_id
    return _checked("tool_call_id", call_id) if call_id is not None else None


def _without_repeats(messages: list[Message]) -> list[Message]:
    """Each message id once, in order.

    Raises:
        ConflictingMessage: an id stands for two contents.
    """
    kept: dict[str, Message] = {}
    for message in messages:
        first = kept.setdefault(message.message_id, message)
        if first is message:
            continue
        if first.digest != message.digest:
            raise ConflictingMessage(
                f"messages {first.position} and {message.position} of this run have the id {message.message_id[:80]!r} "
                "and different content; give each message its own id",
                message_id=message.message_id,
                positions=(first.position, message.position),
            )
        warning = f"given again as message {message.position}; kept once"
        kept[message.message_id] = replace(first, warnings=(*first.warnings, warning))
    return list(kept.values())
