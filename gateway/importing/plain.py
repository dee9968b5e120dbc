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
from pathlib import PurePath
from typing import IO, Any, Final

from gateway.importing.conversation import Conversation, id_of, said
from shared.contract.errors import InvalidRun

LINES: Final = "jsonl"
MARKDOWN: Final = "markdown"
_OF: Final = ("conversation_id", "conversation", "session_id", "session", "thread_id", "thread")
_ROLES: Final = {
    **dict.fromkeys(("user", "you", "human", "me"), "user"),
    **dict.fromkeys(("assistant", "chatgpt", "gpt", "claude", "gemini", "copilot", "ai", "bot", "model"),
                    "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
}  # fmt: skip
_WHO: Final = rf"(?:{'|'.join(_ROLES)})(?: said)?"
_TIME: Final = r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"
_CODE: Final = re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)[ ]*$|\Z)", re.DOTALL | re.MULTILINE)
_SPEAKS: Final = re.compile(
    # A heading stands alone; bold, and a word with a colon behind it, may stand before what is said.
    rf"^(?:#{{1,6}}[ ]+)?\**(?P<who>{_WHO}):?\**(?:[ ]*[(\[](?P<at>{_TIME})[)\]])?(?P<colon>:?)\**[ ]*(?P<alone>$)?",
    re.IGNORECASE | re.MULTILINE,
)


def read_lines(file: IO[bytes], *, name: str) -> Iterator[Conversation]:
    """The conversations of a file of JSON Lines called `name`, in the order they begin.

    Raises:
        InvalidRun: a line is no JSON, or is neither a message nor a conversation; the message says which.
    """
    stem = _stem(name)
    found: dict[str, list[dict[str, Any]]] = {}
    for number, line in enumerate(file, 1):
        if line.strip():
            given = _object(number, line)
            found.setdefault(_of(given, number, stem), []).extend(_said(number, given))
    for own, messages in found.items():
        yield Conversation(id=id_of(LINES, own), messages=messages)


def read_markdown(file: IO[bytes], *, name: str) -> Iterator[Conversation]:
    """The one conversation of a Markdown file called `name`; what stands before the first speaker is no part of it.

    Speakers are written as the first one is: what looks like one otherwise, or stands in a block of code, is said by
    whoever speaks.

    Raises:
        InvalidRun: nobody speaks in it, or it is no text in UTF-8.
    """
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRun(f"this is no text in UTF-8: byte {error.start}; save it as such") from error
    speaks = _speakers(text)
    if not speaks:
        raise InvalidRun("nobody speaks; begin what each says with `User:` or `Assistant:`, or a heading")
    ends = [each.start() for each in speaks[1:]] + [len(text)]
    found = (_turn(each, text[each.end() : end]) for each, end in zip(speaks, ends, strict=True))
    stem = _stem(name)
    yield Conversation(id=id_of(MARKDOWN, stem), title=stem, messages=[each for each in found if each])


def _stem(name: str) -> str:
    """The name of a file, with its folders and without what its format is called by."""
    return str(PurePath(name).with_suffix(""))


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


def speaks(text: str) -> bool:
    """Whether anybody speaks in a text, so that it is a conversation."""
    return bool(_speakers(text))


def _speakers(text: str) -> list[re.Match[str]]:
    blocks = [(each.start(), each.end()) for each in _CODE.finditer(text)]
    found = [
        (style, each)
        for each in _SPEAKS.finditer(text)
        if (style := _style(each)) and not any(start <= each.start() < end for start, end in blocks)
    ]
    return [each for style, each in found if style == found[0][0]]


def _style(found: re.Match[str]) -> str | None:
    """How a speaker is written, a heading by its rank; None where it is none, as `You` of `You are`."""
    written = found.group().strip()
    if written.startswith("#"):
        return written.partition(" ")[0] if found["alone"] is not None else None
    if written.startswith("**"):
        return "bold"
    return "plain" if ":" in written else None


def _turn(speaks: re.Match[str], text: str) -> dict[str, Any] | None:
    who = speaks["who"].lower().removesuffix(" said")
    return said(_ROLES[who], text.strip(), ts=speaks["at"])
