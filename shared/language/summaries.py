"""The sentences of a conversation that stand for it: extractive, for any language. Pure.

A sentence counts by how much of what is said elsewhere in the conversation it says too (its terms, weighted by how many
lines have them), by the names and numbers in it, and by its place; a question counts less. What says nearly the same as
one that is chosen is left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared.language.names import names_in
from shared.language.text import terms

MOST_SENTENCES: Final = 5
MOST_CHARS: Final = 600
_LONGEST: Final = 240
_FEWEST_TERMS: Final = 3
_SAME: Final = 0.5
"""Share of common terms from which on two sentences say the same."""
_OF_NAMES, _OF_NUMBERS, _OF_PLACE, _OF_QUESTIONS = 0.15, 0.15, 0.25, -0.5
_MOST_COUNTED: Final = 3
_SENTENCE: Final = re.compile(r"(?:[^.!?\u2026\n\u3002\uff01\uff1f]|[.!?](?=[\w.,]))+[.!?\u2026\u3002\uff01\uff1f]*")
_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """A sentence that stands for the conversation."""

    line: int
    """Index of its line."""
    start: int
    """In characters of the line; `end` is exclusive."""
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    at: Picked
    text: str
    terms: frozenset[str]


def summary_of(lines: Sequence[str]) -> list[Picked]:
    """The sentences that stand for a conversation, in its order: at most five, and 600 characters of them."""
    sentences = [sentence for number, line in enumerate(lines) for sentence in _sentences(number, line)]
    said_in = Counter(term for line in lines for term in set(terms(line)))
    ranked = sorted(sentences, key=lambda sentence: -_score(sentence, said_in, len(lines)))
    chosen: list[_Sentence] = []
    chars = 0
    for sentence in ranked:
        if len(chosen) == MOST_SENTENCES:
            break
        if chars + len(sentence.text) <= MOST_CHARS and not any(_is_same(sentence, other) for other in chosen):
            chosen.append(sentence)
            chars += len(sentence.text)
    return sorted((sentence.at for sentence in chosen), key=lambda at: (at.line, at.start))


def _sentences(number: int, line: str) -> Iterator[_Sentence]:
    for match in _SENTENCE.finditer(line):
        text = match.group().strip()
        if not text or len(text) > _LONGEST:
            continue
        found = frozenset(terms(text))
        if len(found) >= _FEWEST_TERMS:
            start = match.start() + len(match.group()) - len(match.group().lstrip())
            yield _Sentence(at=Picked(line=number, start=start, end=start + len(text)), text=text, terms=found)


def _score(sentence: _Sentence, said_in: Counter[str], lines: int) -> float:
    """How well a sentence stands for all of them."""
    shared = sum(math.log2(said_in[term]) for term in sentence.terms if said_in[term] > 1)
    centrality = shared / math.sqrt(len(sentence.terms))
    names = min(_MOST_COUNTED, len(names_in(sentence.text)))
    numbers = min(_MOST_COUNTED, len(_NUMBER.findall(sentence.text)))
    place = _OF_PLACE if sentence.at.line * 10 < lines or sentence.at.line == lines - 1 else 0.0
    question = _OF_QUESTIONS if sentence.text.endswith(("?", "\uff1f")) else 0.0
    return centrality + _OF_NAMES * names + _OF_NUMBERS * numbers + place + question


def _is_same(one: _Sentence, other: _Sentence) -> bool:
    common = len(one.terms & other.terms)
    return common > _SAME * min(len(one.terms), len(other.terms))
