"""What a model is told, and its version: a change of any word of it makes another extractor."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from shared.belief.predicates import BUILT_IN, Cardinality

_PLACE_OF_PREDICATES: Final = "{{predicates}}"
_PLACE_OF_RECORDS: Final = "{{records}}"
_ANSWER: Final = "# The answer\n"
_ECHO_WORDS: Final = 8
"""So many of our own words in a row are no accident."""
_WORD: Final = re.compile(r"\w+")


@cache
def system(records: str = "") -> str:
    """What the model is told before it is shown a run; the same for every run.

    `records` are those of the application, described (`_recorded.described`); empty where there are none.
    """
    written = _written("extract.md").replace(_PLACE_OF_PREDICATES, _predicates())
    if not records:
        return written
    told = _written("records.md").replace(_PLACE_OF_RECORDS, records)
    return written.replace(_ANSWER, f"{told}\n{_ANSWER}")


def _written(name: str) -> str:
    return files("warmpath").joinpath("prompts", name).read_text(encoding="utf-8")


def ours() -> str:
    """All words of our own that a model may be shown, with a run or without."""
    return system("\u2026")


@cache
def version(records: str = "") -> str:
    """12 hexadecimal digits of what the model is told."""
    return sha256(system(records).encode()).hexdigest()[:12]


def again(reason: str) -> str:
    """What the model is told when its answer could not be read."""
    return f"Your answer cannot be used: {reason}. Answer once more, by the same rules."


def mended(reasons: list[str]) -> str:
    """What it is told when some entries could not be taken: which, and why."""
    listed = "\n".join(f"- {reason}" for reason in reasons)
    return (
        f"These entries of your answer cannot be used, the others are taken:\n{listed}\n"
        'Give these alone once more, put right, in the same form. Leave out what cannot be put right; {"facts": []} is '
        "a good answer."
    )


def echoes(text: str) -> bool:
    """Whether a text repeats a stretch of what the model was told."""
    words = _words(text)
    return any(stretch in _stretches() for stretch in _in_a_row(words))


@cache
def _stretches() -> frozenset[tuple[str, ...]]:
    return frozenset(_in_a_row(_words(ours())))


def _in_a_row(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + _ECHO_WORDS]) for at in range(len(words) - _ECHO_WORDS + 1)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _predicates() -> str:
    known = {predicate.name: predicate for predicate in BUILT_IN.predicates.values()}.values()
    single = ", ".join(each.name for each in known if each.cardinality is Cardinality.SINGLE)
    multi = ", ".join(each.name for each in known if each.cardinality is Cardinality.MULTI)
    return f"One object at a time: {single}.\n\nAny number of objects: {multi}."
