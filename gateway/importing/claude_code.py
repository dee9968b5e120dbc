"""Transcripts of Claude Code: JSON Lines, a line an entry of a session.

What is read is what the user typed and what the assistant told them. What the program put between (`isMeta`), what
agents said to each other (`isSidechain`), what was thought and which tools were called are left out; what tools
answered too, unless all is wanted: it is mostly the text of files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from gateway.importing.conversation import Conversation, id_of, said
from shared.contract.errors import InvalidRun

SOURCE: Final = "claude-code"
_SPOKEN: Final = frozenset({"user", "assistant"})
_BY_THE_PROGRAM: Final = re.compile(r"<(?:command-|local-command-|bash-|system-reminder|user-prompt-submit-hook)")
"""What a message of the user begins with that the program wrote: a command that was typed, and what it printed."""


def read(file: IO[bytes], *, everything: bool = False) -> Iterator[Conversation]:
    """The sessions of a file, in the order they begin.

    Raises:
        InvalidRun: a line is no JSON; the last one may be cut off, as it is while a session goes on.
    """
    sessions: dict[str, list[dict[str, Any]]] = {}
    titles: dict[str, str] = {}
    for entry in _entries(file):
        session = str(entry.get("sessionId") or "")
        titles |= {session: str(entry["summary"])} if entry.get("type") == "summary" and entry.get("summary") else {}
        if entry.get("type") in _SPOKEN and not entry.get("isMeta") and not entry.get("isSidechain"):
            sessions.setdefault(session, []).extend(_messages(entry, everything=everything))
    for session, messages in sessions.items():
        yield Conversation(id=id_of(SOURCE, session), title=titles.get(session, ""), messages=messages)


def _entries(file: IO[bytes]) -> Iterator[Mapping[str, Any]]:
    cut: str | None = None
    for number, line in enumerate(file, 1):
        if cut is not None:
            raise InvalidRun(cut)
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            cut = f"line {number} is no JSON: this is no transcript, or it is damaged there"
            continue
        if isinstance(entry, Mapping):
            yield entry


def _messages(entry: Mapping[str, Any], *, everything: bool) -> Iterator[dict[str, Any]]:
    message = entry.get("message") if isinstance(entry.get("message"), Mapping) else {}
    content = (message or {}).get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    known = {"id": entry.get("uuid"), "ts": entry.get("timestamp")}
    texts = [str(each.get("text") or "") for each in parts if isinstance(each, Mapping) and each.get("type") == "text"]
    text = "\n\n".join(each for each in texts if each.strip() and not _BY_THE_PROGRAM.match(each.lstrip()))
    if told := said(str(entry["type"]), text, **known):
        yield told
    for number, each in enumerate(parts if everything else (), 1):
        if isinstance(each, Mapping) and each.get("type") == "tool_result":
            result = each.get("content")
            answered = result if isinstance(result, str) else _texts(result)
            if tool := said("tool", answered, id=f"{entry.get('uuid')}-{number}", ts=entry.get("timestamp")):
                yield tool


def _texts(parts: Any) -> str:
    listed = parts if isinstance(parts, list) else []
    return "\n".join(str(each.get("text") or "") for each in listed if isinstance(each, Mapping))
