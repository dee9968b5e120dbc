"""The data export of Claude: `conversations.json`, a list of conversations, each a list of messages.

What was attached is left out, unless all is wanted: then it is a document's word, which counts for less than the
user's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from gateway.importing.conversation import Conversation, id_of, said

SOURCE: Final = "claude"
_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}


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
    listed = [each for each in given.get("chat_messages") or () if isinstance(each, Mapping)]
    messages = [message for each in listed for message in _messages(each, everything=everything)]
    own = str(given.get("uuid") or given.get("created_at") or given.get("name"))
    return Conversation(id=id_of(SOURCE, own), title=str(given.get("name") or ""), messages=messages)


def _messages(given: Mapping[str, Any], *, everything: bool) -> Iterator[dict[str, Any]]:
    role, at = _ROLES.get(str(given.get("sender"))), given.get("created_at")
    attached = given.get("attachments") or () if everything else ()
    for number, each in enumerate(attached, 1):
        text, name = str(each.get("extracted_content") or ""), each.get("file_name")
        known = {"id": f"{given.get('uuid')}-{number}", "speaker": name, "ts": at, "origin": "document"}
        if document := said("tool", text, **known):
            yield document
    if role and (message := said(role, _text(given), id=given.get("uuid"), ts=at)):
        yield message


def _text(given: Mapping[str, Any]) -> str:
    """What was said: the parts that are text, or else the text beside them."""
    parts = given.get("content") if isinstance(given.get("content"), list) else []
    texts = [each.get("text") for each in parts or () if isinstance(each, Mapping) and each.get("type") == "text"]
    return "\n\n".join(each for each in texts if isinstance(each, str) and each.strip()) or str(given.get("text") or "")
