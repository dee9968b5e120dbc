"""What one person has said again and again: one memory of it, that cites every time. Pure, and no model.

It is found where the same words, in the same order, were said in at least three sessions on three days: "keep it short,
please" is then a preference, and anything else an inference that it matters. Paraphrases are not seen. What a belief
rests on already was understood as it came, and is not said once more here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from shared.belief._telling import folded
from shared.belief.rules.sensitivity import classes_of
from shared.belief.segments import distinct
from shared.belief.similarity import says_the_same, telling, wording
from shared.contract.events import Role
from shared.contract.operations import AbstractPayload, WrittenEntry
from shared.contract.proposals import Proposal
from shared.contract.records import EpistemicType, Kind, MemoryVersion
from shared.contract.trust import TRUST, Origin

REASON: Final = "said_often"
FEWEST_SESSIONS: Final = 3
FEWEST_DAYS: Final = 3
_FEWEST_WORDS: Final = 3
"""That carry meaning: greetings and thanks are said every day, and mean nothing lasting."""
_MOST_CHARS: Final = 300
"""Of what somebody says again; what is longer is pasted."""
_MOST_CITED: Final = 20
"""Times that a memory cites, the first ones."""
_CONFIDENCE: Final = 0.7
"""It is certain that it was said, and likely that it is still meant."""
_WISHING: Final = """
    please prefer prefers want wants like likes love hate rather always never don't dont bitte immer nie lieber toujours
    jamais siempre nunca sempre mai
"""
_WISHES: Final = frozenset(_WISHING.split())


_WORD: Final = re.compile(r"\w+")
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


def said_often(episodes: Iterable[MemoryVersion], beliefs: Collection[MemoryVersion]) -> Iterator[Proposal]:
    """A memory for each thing that was said so often; `episodes` and `beliefs` are what is held of one stream."""
    by_sequence = [{ref.sequence for ref in each.evidence} for each in beliefs]
    for times in _alike(episodes):
        said = {ref.sequence for each in times for ref in each.evidence}
        understood = any(len(said & known) > 1 for known in by_sequence)
        if not understood and not any(says_the_same(each.text, times[0].text) for each in beliefs):
            yield _abstracted(times)


def _alike(episodes: Iterable[MemoryVersion]) -> Iterator[Sequence[MemoryVersion]]:
    """The first time in each session of what was said in enough of them, in the world's order."""
    for maybe in _often([each for each in episodes if _is_said(each)], _words):
        for times in _often(maybe, lambda each: (wording(each.text), telling(each.text))):
            if _means_something(times[0].text):
                yield times[:_MOST_CITED]


def _often(
    episodes: Iterable[MemoryVersion], key: Callable[[MemoryVersion], object]
) -> Iterator[Sequence[MemoryVersion]]:
    """The first time in each session of what has one key and was said in enough sessions, on enough days."""
    found: dict[object, dict[str, MemoryVersion]] = {}
    for each in sorted(episodes, key=lambda each: (each.valid_from or _NEVER, each.doc)):
        whose = (each.agent_id, each.speaker, key(each))
        found.setdefault(whose, {}).setdefault(each.session_id or "", each)
    for sessions in found.values():
        days = {each.valid_from.date() for each in sessions.values() if each.valid_from}
        if len(sessions) >= FEWEST_SESSIONS and len(days) >= FEWEST_DAYS:
            yield list(sessions.values())


def _words(each: MemoryVersion) -> str:
    """The same words have the same; cheap, since most is said once."""
    return " ".join(_WORD.findall(each.text.casefold()))


def _is_said(each: MemoryVersion) -> bool:
    """Whether it is a person's own statement or wish, at a known time."""
    is_said = each.is_open and each.epistemic_type is EpistemicType.EVIDENCE and each.role is Role.USER
    is_placed = each.session_id is not None and each.valid_from is not None and each.trust == TRUST[Origin.USER]
    return is_said and is_placed and len(each.text) <= _MOST_CHARS


def _means_something(text: str) -> bool:
    """Whether it is no greeting, no question, and not delicate: that is for policy."""
    asks = text.rstrip().endswith(("?", "\N{FULLWIDTH QUESTION MARK}"))
    return not asks and len(wording(text)) >= _FEWEST_WORDS and not classes_of(text, holds_secret=False)


def _abstracted(times: Sequence[MemoryVersion]) -> Proposal:
    first = times[0]
    words = set(folded(first.text).replace("\u2019", "'").split())
    is_wish = not words.isdisjoint(_WISHES)
    entry = WrittenEntry(
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.PREFERENCE if is_wish else EpistemicType.INFERENCE,
        text=first.text,
        valid_from=first.valid_from,
        evidence=distinct(ref for each in times for ref in each.evidence),
        confidence=min(_CONFIDENCE, *(each.confidence for each in times)),
    )
    return Proposal(
        operation=AbstractPayload(reason=REASON, sources=tuple(each.memory_id for each in times), entry=entry),
        read={each.memory_id: each.version for each in times},
    )
