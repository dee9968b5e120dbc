"""Whether what a model wrote of numbered memories follows from those that it names. One rule for all that ask. Pure.

A conclusion may put things in other words, and that is all: at least half of its words stand in what it cites, its
names stand in the order that they have there, and its numbers with their names. What answers a question says what is
held, in the words of what it cites (`following`), so that nobody's words become another's. Neither has a word of
another of the memories that were shown alone, nor names, counts, dates and denies anything that what it cites does not.
So it goes with what it cites, and cannot outlive what it drew on. Half of its words are enough for a conclusion to be
untrue; so what passes is an inference, and less sure than its sources.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any, Final
from uuid import UUID

from shared.belief._telling import MEANING_LITTLE
from shared.belief.following import exchanges, follows, own_words
from shared.belief.similarity import telling, wording
from shared.contract.records import MemoryVersion
from shared.language.text import terms

_LEAST_SUPPORTED: Final = 0.5
"""Of the words of a conclusion, as the share that what it cites has."""
_SAME_GROUNDS: Final = 0.5
"""Of what a text cites, as the share by which it is one that was drawn before, in other words."""
_STEM_CHARS: Final = 5
"""By the beginnings of words, `walks` is `walking`."""
_OWN_WORDS: Final = """
    prefers likes loves wants needs enjoys dislikes avoids tends habit habitually often usually regularly always mostly
    sometimes repeatedly frequently routinely generally typically several many times routine person user
"""
"""What a conclusion says in words of its own, whatever other lines have them too."""


def lines(shown: Sequence[MemoryVersion]) -> str:
    """The memories as a model is shown them, one JSON object a line, numbered from 1."""
    sessions: dict[str, int] = {}
    told = []
    for number, memory in enumerate(shown, 1):
        session = sessions.setdefault(memory.session_id or f"\x1f{memory.memory_id}", len(sessions) + 1)
        day = memory.valid_from.date().isoformat() if memory.valid_from else None
        fields: dict[str, Any] = {"n": number, "day": day, "session": session, "who": memory.speaker}
        told.append(json.dumps({**fields, "text": memory.text}, ensure_ascii=False))
    return "\n".join(told)


def named_by(numbers: Iterable[int], shown: Sequence[MemoryVersion | None]) -> list[MemoryVersion] | str:
    """The memories that a model named by their numbers, each once, or in a word why they bear nothing.

    `shown` are all that it was shown, in order, None for what is closed or another version by now.
    """
    named = list(dict.fromkeys(numbers))
    if not all(1 <= number <= len(shown) for number in named):
        return "unknown_alias"
    sources = [each for each in (shown[number - 1] for number in named) if each is not None]
    return sources if len(sources) == len(named) else "source_gone"


def ungrounded(
    text: str,
    sources: Sequence[MemoryVersion],
    shown: Iterable[MemoryVersion | None],
    *,
    is_answer: bool = False,
    asked: str = "",
) -> str | None:
    """Why a text does not follow from its sources, among what was shown and what was `asked`; None where it does.

    What is an answer to a question is to keep to their words, and to their order.

    What it names, counts and dates is apart (`adds`): the validator of proposals holds every text against that.
    """
    cited = [each.text for each in sources]
    faults: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("bad_text", lambda: "\n" in text or text.endswith("?")),
        ("denial_differs", lambda: any(_denies(each) != _denies(text) for each in cited)),
        ("uncited", lambda: draws_on(text, sources, shown, asked=asked)),
        ("unsupported", lambda: bool(own_words(text, cited)) if is_answer else _is_new(text, sources)),
        ("exchanged", lambda: not follows(text, cited) if is_answer else exchanges(text, cited)),
    )
    return next((fault for fault, applies in faults if applies()), None)


def adds(text: str, sources: Iterable[MemoryVersion]) -> bool:
    """Whether a text has a number, a date or a name that none of its sources has."""
    told, said = telling(text), [telling(each.text) for each in sources]
    return any(
        not set(getattr(told, kind)) <= {each for one in said for each in getattr(one, kind)}
        for kind in ("numbers", "dates", "names")
    )


def drawn_before(named: AbstractSet[UUID], drawn: Iterable[AbstractSet[UUID]]) -> bool:
    """Whether something was drawn before from about the same memories: a model words the same otherwise each time."""
    return any(len(named & each) >= max(2, _SAME_GROUNDS * len(named)) for each in drawn)


def supported(text: str, sources: Iterable[MemoryVersion]) -> float:
    """The share of a text's words that its sources have."""
    own = _stems(text)
    return 1 - len(_new(own, sources)) / len(own) if own else 0.0


def _is_new(text: str, sources: Sequence[MemoryVersion]) -> bool:
    return supported(text, sources) < _LEAST_SUPPORTED


def _new(own: set[str], sources: Iterable[MemoryVersion]) -> set[str]:
    return own.difference(*(_stems(each.text) for each in sources))


def _denies(text: str) -> bool:
    return telling(text).negations > 0


def draws_on(
    text: str, sources: Sequence[MemoryVersion], shown: Iterable[MemoryVersion | None], *, asked: str = ""
) -> bool:
    """Whether a text has a word of lines that were shown, or of what was asked, that nothing that it cites has.

    It would outlive those lines: what is forgotten or denied takes along what cites it, and nothing else. Numbers are
    held against what it cites alone.
    """
    named = {each.memory_id for each in sources}
    others = [asked, *(each.text for each in shown if each is not None and each.memory_id not in named)]
    cited = {term for each in sources for term in (*terms(each.text), *terms(each.speaker or ""))}
    own = {term for term in terms(text) if not term.isnumeric()} - cited - _own_words()
    return any(not own.isdisjoint(terms(each)) for each in others)


@cache
def _own_words() -> frozenset[str]:
    return frozenset(terms(_OWN_WORDS))


def _stems(text: str) -> set[str]:
    return {word[:_STEM_CHARS] for word in wording(text) if word not in MEANING_LITTLE}
