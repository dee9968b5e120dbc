"""The memories of mem0, as `get_all` gives them or an export has them: a list, or one under `results` or `memories`.

Each is another program's reading of what somebody said, and no evidence of its own: it is taken in as a tool's word,
in a run of its own, so that memories may come and go between two exports. One whose text has changed is said anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from gateway.importing.conversation import Conversation, id_of, said

SOURCE: Final = "mem0"
_UNDER: Final = ("item", "results.item", "memories.item")


def read(file: IO[bytes], *, everything: bool = False) -> Iterator[Conversation]:
    """The memories of a file, one at a time, each a conversation of one message; `everything` changes nothing.

    Raises:
        JSONError: it is no JSON (of the library that reads it).
    """
    del everything
    import ijson

    begin = file.tell()
    for prefix in _UNDER:
        file.seek(begin)
        found = False
        for given in ijson.items(file, prefix, use_float=True):
            found = True
            if isinstance(given, Mapping):
                yield _memory(given)
        if found:
            return


def _memory(given: Mapping[str, Any]) -> Conversation:
    text = str(given.get("memory") or given.get("text") or given.get("data") or "")
    digest = hashlib.sha256(text.encode()).hexdigest()
    own = str(given.get("id") or digest[:32])
    known = {"id": f"{own}-{digest[:12]}", "speaker": SOURCE}
    message = said("tool", text, ts=given.get("updated_at") or given.get("created_at"), **known)
    return Conversation(id=id_of(SOURCE, own), messages=[message] if message else [])
