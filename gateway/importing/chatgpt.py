"""The data export of ChatGPT: `conversations.json`, a list of conversations, each a tree of messages.

An answer that was asked for anew, or a question that was put otherwise, is a branch of the tree; `current_node` is the
end of the one that was on the screen last, and that one is read. What is hidden there, the system's words and what was
sent to tools are left out; what tools answered too, unless all is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Final

from gateway.importing.conversation import Conversation, id_of, said

SOURCE: Final = "chatgpt"
_SPOKEN: Final = frozenset({"user", "assistant"})
_EVERYBODY: Final = "all"
"""To whom a message is that is for the screen, and not for a tool."""
_SHOWN: Final = frozenset({"text", "multimodal_text", "code"})


def read(file: IO[bytes], *, everything: bool = False) -> Iterator[Conversation]:
    """The conversations of a file, one at a time however long it is.

    Raises:
        JSONError: it is no JSON (of the library that reads it).
    """
    import ijson

    for given in ijson.items(file, "item", use_float=True):
        if isinstance(given, Mapping):
            yield _conversation(given, everything=everything)


def _conversation(given: Mapping[str, Any], *, everything: bool) -> Conversation:
    own = str(given.get("conversation_id") or given.get("id") or f"{given.get('create_time')}-{given.get('title')}")
    found = (_message(each, everything=everything) for each in _branch(given))
    return Conversation(
        id=id_of(SOURCE, own), title=str(given.get("title") or ""), messages=[each for each in found if each]
    )


def _branch(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages from the first to the current one; where none is current, all, by when they were written."""
    found = given.get("mapping")
    nodes: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    messages: list[Mapping[str, Any]] = []
    at, seen = given.get("current_node"), set[str]()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        messages.append(nodes[at].get("message") or {})
        at = nodes[at].get("parent")
    if messages:
        return messages[::-1]
    return sorted(
        (node["message"] for node in nodes.values() if isinstance(node, Mapping) and node.get("message")),
        key=lambda each: each.get("create_time") or 0,
    )


def _message(given: Mapping[str, Any], *, everything: bool) -> dict[str, Any] | None:
    role = (given.get("author") or {}).get("role")
    hidden = (given.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    content = given.get("content") or {}
    if hidden or content.get("content_type") not in _SHOWN:
        return None
    known = {"id": given.get("id"), "ts": given.get("create_time")}
    if role in _SPOKEN and given.get("recipient", _EVERYBODY) == _EVERYBODY:
        return said(role, _text(content), **known)
    if role == "tool" and everything:
        return said("tool", _text(content), speaker=(given["author"]).get("name"), **known)
    return None


def _text(content: Mapping[str, Any]) -> str:
    parts: Iterable[Any] = content.get("parts") or [content.get("text")]
    texts = (each.get("text") if isinstance(each, Mapping) else each for each in parts)
    return "\n".join(each for each in texts if isinstance(each, str) and each.strip())
