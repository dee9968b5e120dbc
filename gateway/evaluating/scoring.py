"""Compares what was stored with labels. Pure.

A stored claim is **right** where a label of its run has the same subject, one of its predicates, the same change, one
of its objects (or all of its words in the sentence) and, where it gives one, the time. Names, objects and words are
folded: case, accents, articles, `my` and `their`, punctuation, and for dates their order, do not matter. All other
stored claims are **wrong**. One sentence that is stored under two keys is counted once, and is right if one of them is.

Precision is right of stored; recall is labels found of labels asked for, without the optional ones. Of the same label
stored in two sentences the second is a duplicate. A wrong update is a stored claim that ends or denies what a label
says holds, or that holds what a label says has ended or never was.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from gateway.evaluating.runs import Days, Label, LabelledRun

_LEFT_OUT: Final = frozenset(
    ["a", "an", "the", "my", "our", "their", "his", "her", "its", "of", "to", "on", "in", "at", "is", "are", "and"]
)
_MONTHS: Final = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)
_Z: Final = 1.96
"""Of the normal distribution, for intervals of 95 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A claim as it would be stored."""

    subject: str
    predicate: str
    """Canonical."""
    object: str
    change: str
    text: str
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was right and wrong in one run."""

    run_id: str
    right: Sequence[Stored] = ()
    wrong: Sequence[Stored] = ()
    missed: Sequence[Label] = ()
    found: int = 0
    """Labels asked for that were found."""
    duplicates: int = 0
    wrong_updates: int = 0
    forbidden: Sequence[str] = ()
    """Words that must not be stored, and were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its interval of 95 % (Wilson's score interval, 1927)."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """None of nothing."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lowest and highest; None of nothing."""
        if not self.of:
            return None
        share, n = self.hits / self.of, self.of
        middle = share + _Z**2 / (2 * n)
        aside = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
        below = 1 + _Z**2 / n
        return max(0.0, (middle - aside) / below), min(1.0, (middle + aside) / below)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """An extractor on all runs."""

    extractor: str
    verdicts: Sequence[Verdict]
    messages: int
    seconds: float
    statuses: dict[str, int] = field(default_factory=dict)

    @property
    def precision(self) -> Rate:
        """Right of stored."""
        right = sum(len(each.right) for each in self.verdicts)
        return Rate(hits=right, of=right + sum(len(each.wrong) for each in self.verdicts))

    @property
    def recall(self) -> Rate:
        """Found of asked for."""
        found = sum(each.found for each in self.verdicts)
        return Rate(hits=found, of=found + sum(len(each.missed) for each in self.verdicts))

    @property
    def duplicates(self) -> int:
        """Labels stored once more."""
        return sum(each.duplicates for each in self.verdicts)

    @property
    def wrong_updates(self) -> int:
        """What would have ended or revived the wrong belief."""
        return sum(each.wrong_updates for each in self.verdicts)


def judge_run(run: LabelledRun, stored: Sequence[Stored], *, canonical: dict[str, str], by_rules: bool) -> Verdict:
    """Compare what a run came to with its labels. `canonical` gives each label's predicates their stored name."""
    asked = [label for label in run.should if not label.optional and (label.by_rules or not by_rules)]
    found: set[int] = set()
    right: list[Stored] = []
    wrong: list[Stored] = []
    duplicates = 0
    for sentence in _by_sentence(stored):
        hits = {at for each in sentence for at, label in enumerate(run.should) if _fits(each, label, canonical)}
        banned = any(_is_forbidden(each, run, canonical) for each in sentence)
        (right if hits and not banned else wrong).append(sentence[0])
        duplicates += bool(hits) and hits <= found
        found |= hits
    missed = [label for label in asked if run.should.index(label) not in found]
    return Verdict(
        run_id=run.id, right=right, wrong=wrong, missed=missed, found=len(asked) - len(missed), duplicates=duplicates,
        wrong_updates=sum(_is_wrong_update(each, run.should, canonical) for each in wrong),
        forbidden=[word for word in run.must_not for each in stored if word.casefold() in each.text.casefold()],
    )  # fmt: skip


def _by_sentence(stored: Iterable[Stored]) -> list[list[Stored]]:
    found: dict[str, list[Stored]] = {}
    for each in stored:
        found.setdefault(each.text, []).append(each)
    return list(found.values())


def _fits(stored: Stored, label: Label, canonical: dict[str, str]) -> bool:
    if stored.change != label.change or not _is_named(stored, label.subject, label.predicate, canonical):
        return False
    if label.object and fold(stored.object) not in map(fold, label.object):
        return False
    told = set(fold(f"{stored.text} {stored.object}"))
    if not all(set(fold(word)) <= told for word in label.words):
        return False
    return _is_within(stored.since, label.since) and _is_within(stored.until, label.until)


def _is_named(stored: Stored, subjects: Sequence[str], predicates: Sequence[str], canonical: dict[str, str]) -> bool:
    of_subject = not subjects or fold(stored.subject) in map(fold, subjects)
    return of_subject and (not predicates or stored.predicate in {canonical[name] for name in predicates})


def _is_within(day: date | None, days: Days | None) -> bool:
    return days is None or (day is not None and days.first <= day <= days.last)


def _is_forbidden(stored: Stored, run: LabelledRun, canonical: dict[str, str]) -> bool:
    if any(word.casefold() in stored.text.casefold() for word in run.must_not):
        return True
    for each in run.never:
        named = _is_named(stored, each.subject, each.predicate, canonical)
        same = not each.object or fold(stored.object) in map(fold, each.object)
        if named and same and each.change in {None, stored.change}:
            return True
    return False


def _is_wrong_update(stored: Stored, labels: Sequence[Label], canonical: dict[str, str]) -> bool:
    for label in labels:
        named = _is_named(stored, label.subject, label.predicate, canonical)
        if named and label.object and fold(stored.object) in map(fold, label.object):
            return (stored.change == "holds") != (label.change == "holds")
    return False


def fold(written: str) -> list[str]:
    """Words by which two ways to put a thing are the same; of a date, whatever their order."""
    plain = unicodedata.normalize("NFKD", written.casefold()).replace("\u2019", "'")
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    words = re.findall(r"[\w+#]+", re.sub(r"'s\b|\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1", plain))
    kept = [word for word in words if word not in _LEFT_OUT] or words
    return sorted(kept) if _MONTHS & set(kept) else kept
