"""Which quarantines of a stream stand, and which messages each reaches: noted in the ledger, in numbers alone.

A message may be in several, as what a web page said in a run that is not trusted. The last of them gives it back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from hashlib import sha256
from itertools import pairwise
from typing import Final
from uuid import UUID

from shared.contract.events import EventClass, Json, NewEvent
from shared.contract.records import MemoryVersion
from shared.store import ledger
from shared.store.db import Session
from shared.store.ledger import Source

QUARANTINE: Final = "quarantine"
"""The kind of derivation that says that a source was quarantined, or given back."""
CLOSE, LIFT = "close", "lift"


def marker(step: str, source: Source, messages: Iterable[int]) -> NewEvent:
    """The event that says that some messages of a source were quarantined, or given back; names nobody."""
    payload: Json = {"step": step, "source": _digest(source), "messages": list(map(list, _stretches(messages)))}
    return NewEvent(event_class=EventClass.DERIVATION, kind=QUARANTINE, payload=payload)


def kept_back(session: Session, source: Source, messages: Iterable[int]) -> set[int]:
    """The messages, the source's or not, that a quarantine still holds back once that of the source is lifted.

    A source that was quarantined by another name has none of its own: all of it is given back, whatever it was called.
    """
    standing = _standing(session)
    own = standing.pop(_digest(source), None)
    others = set[int]().union(*standing.values())
    return others.difference(messages) if own is None else others


def withheld(session: Session) -> frozenset[int]:
    """All messages of the session's owner that a quarantine holds back."""
    return frozenset[int]().union(*_standing(session).values())


def founded_on_withheld(session: Session, held: Collection[MemoryVersion]) -> frozenset[UUID]:
    """Those of some memories of the session's owner that were made from what a quarantine holds back.

    `held` are all of their versions: a memory is made from what its first one rests on, and what came later confirms
    it. Reads the quarantines of the stream, where there is a memory to ask about.
    """
    out = withheld(session) if held else frozenset()
    first = (each for each in held if out and each.version == 1)
    return frozenset(each.memory_id for each in first if any(ref.sequence in out for ref in each.evidence))


def _standing(session: Session) -> dict[str, set[int]]:
    """By the digest of its source, the messages that each quarantine holds back."""
    found: dict[str, set[int]] = {}
    for event in ledger.derived(session, QUARANTINE, None):
        noted = event.payload or {}
        source, messages = str(noted.get("source", "")), set(_numbers(noted.get("messages", ())))
        if noted.get("step") == CLOSE:
            found.setdefault(source, set()).update(messages)
        elif found.pop(source, None) is None:
            found = {name: rest for name, held in found.items() if (rest := held - messages)}
    return found


def _digest(source: Source) -> str:
    return sha256(json.dumps(asdict(source), sort_keys=True, default=str).encode()).hexdigest()[:16]


def _stretches(messages: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Numbers that follow one another as the first and the last of them."""
    numbers = sorted(set(messages))
    first = numbers[:1]
    for one, following in pairwise(numbers):
        if following != one + 1:
            yield first[0], one
            first = [following]
    if numbers:
        yield first[0], numbers[-1]


def _numbers(stretches: Iterable[tuple[int, int]]) -> Iterator[int]:
    for first, last in stretches:
        yield from range(first, last + 1)
