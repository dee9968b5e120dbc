"""Plain chats: JSON Lines, and Markdown with a speaker before what each says.

A line of JSON is a message (`role`, `content`; also `ts`, `id`, `speaker`), of the conversation that it names, or else
of its file; or a conversation with `messages`. In Markdown a speaker is a heading (`## User`), a bold word
(`**Assistant:** …`) or a word and a colon (`You: …`) at the beginning of a line; a time in brackets behind it is when
that was said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import PurePath
from typing import IO, Any, Final

from gateway.importing.conversation import Conversation, id_of, said
from shared.contract.errors import InvalidRun

LINES: Final = "jsonl"
MARKDOWN: Final = "markdown"
_OF: Final = ("conversation_id", "conversation", "session_id", "session", "thread_id", "thread")
_ROLES: Final = {
    **dict.fromkeys(("user", "you", "human", "me", "i", "prompt"), "user"),
    **dict.fromkeys(("assistant", "chatgpt", "gpt", "claude", "gemini", "copilot", "ai", "bot", "model", "response"),
                    "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
}  # fmt: skip
_WHO: Final = rf"(?:{'|'.join(_ROLES)})(?: said)?"
_TIME: Final = r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"
_SPEAKS: Final = re.compile(
    # A heading stands alone; bold, and a word with a colon behind it, may stand before what is said.
    rf"^(?:#{{1,6}}[ ]+)?\**(?P<who>{_WHO}):?\**(?:[ ]*[(\[](?P<at>{_TIME})[)\]])?(?P<colon>:?)\**[ ]*(?P<alone>$)?",
    re.IGNORECASE | re.MULTILINE,
)


def read_lines(file: IO[bytes], *, name: str) -> Iterator[Conversation]:
    """The conversations of a file of JSON Lines called `name`; messages that belong together stand together.

    Raises:
        InvalidRun: a line is no JSON, or is neither a message nor a conversation; the message says which.
    """
    stem = PurePath(name).stem
    numbered = ((number, _object(number, line)) for number, line in enumerate(file, 1) if line.strip())
    for own, group in groupby(numbered, key=lambda each: _of(each[1], each[0], stem)):
        messages = [message for number, given in group for message in _said(number, given)]
        yield Conversation(id=id_of(LINES, own), messages=messages)


def read_markdown(file: IO[bytes], *, name: str) -> Iterator[Conversation]:
    """The one conversation of a Markdown file called `name`; what stands before the first speaker is no part of it.

    Raises:
        InvalidRun: nobody speaks in it.
    """
    text = file.read().decode("utf-8-sig", errors="replace")
    speaks = [each for each in _SPEAKS.finditer(text) if _is_speaker(each)]
    if not speaks:
        raise InvalidRun(f"{name}: nobody speaks; begin what each says with `User:` or `Assistant:`, or a heading")
    ends = [each.start() for each in speaks[1:]] + [len(text)]
    found = (_turn(each, text[each.end() : end]) for each, end in zip(speaks, ends, strict=True))
    stem = PurePath(name).stem
    yield Conversation(id=id_of(MARKDOWN, stem), title=stem, messages=[each for each in found if each])


def _object(number: int, line: bytes) -> Mapping[str, Any]:
    try:
        given = json.loads(line)
    except ValueError as error:
        raise InvalidRun(f"line {number} is no JSON: {error}") from None
    if not isinstance(given, Mapping):
        raise InvalidRun(f"line {number} is a {type(given).__name__}, and neither a message nor a conversation")
    return given


def _of(given: Mapping[str, Any], number: int, stem: str) -> str:
    own = next((str(given[name]) for name in _OF if given.get(name)), None)
    if "messages" in given:
        return own or str(given.get("id") or f"{stem}-{number}")
    return own or stem


def _said(number: int, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    listed = given.get("messages")
    if listed is None:
        listed = [given]
    for each in listed if isinstance(listed, list) else [None]:
        if not isinstance(each, Mapping) or not (each.get("content") or each.get("text")):
            raise InvalidRun(f"line {number} is no message: it takes `role` and `content`")
        known = {name: each.get(name) for name in ("id", "speaker", "name", "ts", "timestamp", "created_at", "at")}
        message = {name: value for name, value in known.items() if value is not None}
        yield {"role": each.get("role") or "user", "text": each.get("content") or each.get("text"), **message}


def _is_speaker(found: re.Match[str]) -> bool:
    """Whether a word at the beginning of a line says who speaks: `You:`, `**You** …`, `## You`, and not `You are`."""
    written = found.group().strip()
    if written.startswith("#"):
        return found["alone"] is not None
    return written.startswith("**") or ":" in written


def _turn(speaks: re.Match[str], text: str) -> dict[str, Any] | None:
    who = speaks["who"].lower().removesuffix(" said")
    return said(_ROLES[who], text.strip(), ts=speaks["at"])
