"""Made-up conversations of any length, and questions about them, the same at every run.

Words are made of syllables and follow the law that words of real texts follow: p(r) ~ 1 / (r + q) for the r-th most
frequent (Mandelbrot 1953), the frequent ones being short. With q = 20 the most frequent word stands in one memory of
fifteen, as content words of real conversations do.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "Mira"
WORDS: Final = 20_000
OFFSET: Final = 20
SESSION_TURNS: Final = 50
_SYLLABLES: Final = [consonant + vowel for consonant in "bdfgklmnptvz" for vowel in "aeiou"]
_START: Final = datetime(2021, 3, 1, 9, tzinfo=UTC)
_SENTENCES: Final = (
    "I was at the {} {} with the {} and the {} because of {}, but not for {} or {} {}.",
    "The {} {} is between {} and {}; there I will have {} {} again, as we did {} {}.",
    "My {} has been {} after the {}, so {} and {} do {} until {} is {}.",
    "Before that we had {} {} in {}, then {} and after it all the {} {} of {} {}.",
)
_QUESTIONS: Final = (
    "What did I do with the {} and the {} at the {} {}?",
    f"When was {NAME} at the {{}} {{}} because of the {{}} and {{}}?",
)
_SENTENCE_WORDS: Final = 8
_QUESTION_WORDS: Final = 4


class Writer:
    """Writes sessions of one user with an assistant."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        weights = 1 / (np.arange(WORDS) + OFFSET)
        self._shares = weights / weights.sum()

    def sentences(self, count: int) -> list[str]:
        """Sentences of about fifteen words, half of which say something."""
        drawn = self._random.choice(WORDS, size=(count, _SENTENCE_WORDS), p=self._shares)
        forms = islice(cycle(_SENTENCES), count)
        return [form.format(*map(word, ranks)) for form, ranks in zip(forms, drawn, strict=True)]

    def sessions(self, turns: int) -> Iterator[list[dict[str, Any]]]:
        """Sessions of `SESSION_TURNS` messages, one a day, until there are `turns`; user and assistant in turn."""
        for day, first in enumerate(range(0, turns, SESSION_TURNS)):
            at = _START + timedelta(days=day)
            texts = self.sentences(min(SESSION_TURNS, turns - first))
            yield [_message(place, text, at) for place, text in enumerate(texts)]

    def questions(self, count: int) -> list[str]:
        """Questions for what one sentence holds, half of them in the first person and half by name."""
        drawn = self._random.choice(WORDS, size=(count, _QUESTION_WORDS), p=self._shares)
        forms = islice(cycle(_QUESTIONS), count)
        return [form.format(*map(word, ranks)) for form, ranks in zip(forms, drawn, strict=True)]


def word(rank: int) -> str:
    """The word of a rank, from 0: two syllables for the 3,540 most frequent, three for the others."""
    number, syllables = int(rank) + len(_SYLLABLES), ""
    while number:
        number, place = divmod(number, len(_SYLLABLES))
        syllables = _SYLLABLES[place] + syllables
    return syllables


def _message(place: int, text: str, at: datetime) -> dict[str, Any]:
    said = {"text": text, "ts": at + timedelta(minutes=place)}
    return {"role": "assistant", **said} if place % 2 else {"role": "user", "speaker": NAME, **said}
