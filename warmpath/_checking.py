"""The entries of a whole answer: each checked, repeats taken once, and no memory both replaced and removed. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from shared.belief.schemas import Schemas
from shared.contract.candidates import Candidate, Change
from warmpath._entries import Refused, Taken, taken
from warmpath._windows import Window

MOST_ENTRIES: Final = 100
"""A window holds no more that is worth remembering; a model that gives more repeats itself or runs wild."""
MOST_CLAIMS_OF_A_TEXT: Final = 3
"""One sentence says one thing, and seldom two."""
_FEWEST_OF_A_LINE: Final = 10
_CHARS_OF_A_CLAIM: Final = 15
"""A line says no more things than its length allows: one for so many characters, and never fewer than that."""
_NO_RECORDS: Final = Schemas()
_WEIGHT: Final = {Change.HOLDS: 2, Change.ENDED: 1, Change.NEVER: 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What an answer comes to."""

    taken: Sequence[Taken] = ()
    refused: Sequence[Refused] = ()
    passed_over: Counter[str] = field(default_factory=Counter)
    """How many entries, or what of them, were left out that no model is asked to put right, by reason."""

    @property
    def counts(self) -> Counter[str]:
        """How many entries were refused, by reason."""
        return Counter(each.reason for each in self.refused) + self.passed_over


def checked(entries: Sequence[Any], window: Window, schemas: Schemas = _NO_RECORDS) -> Checked:
    """Each entry of an answer about a window taken or refused by itself; `schemas` as for `taken`."""
    good: list[Taken] = []
    bad: list[Refused] = []
    over = Counter({"too_many": max(0, len(entries) - MOST_ENTRIES)})
    for number, raw in enumerate(entries[:MOST_ENTRIES], 1):
        verdict = taken(number, raw, window, schemas)
        if isinstance(verdict, Refused):
            bad.append(verdict)
        elif verdict is not None:
            good.append(verdict)
            over[verdict.left_out or ""] += 1
    del over[""]
    within = list(_within_bounds(good, window))
    over["too_many_of_a_line"] = len(good) - len(within)
    return Checked(taken=within, refused=bad, passed_over=+over)


def _within_bounds(found: Iterable[Taken], window: Window) -> Iterator[Taken]:
    """The first of what is claimed in one sentence, and of what is read from one line."""
    of_text: Counter[str] = Counter()
    of_line: Counter[int] = Counter()
    room = {
        shown.line.sequence: max(_FEWEST_OF_A_LINE, len(shown.line.text) // _CHARS_OF_A_CLAIM) for shown in window.shown
    }
    for each in found:
        words, last = _words(each.candidate), each.candidate.evidence[-1].sequence
        if of_text[words] < MOST_CLAIMS_OF_A_TEXT and of_line[last] < room[last]:
            of_text[words] += 1
            of_line[last] += 1
            yield each


def settled(found: Iterable[Taken]) -> list[Candidate]:
    """The candidates of a window in order, the same thing once.

    Where several entries act on one memory, what replaces it goes before what ends it, and that before what denies it:
    an entry of less weight on the same memory adds nothing and is left out, for the memory is gone either way.
    """
    entries = list(found)
    weight: dict[int, int] = {}
    for each in entries:
        if each.replaces is not None:
            weight[each.replaces] = max(weight.get(each.replaces, 0), _WEIGHT[each.candidate.change])
    once: dict[tuple[object, ...], Candidate] = {}
    for each in entries:
        if each.replaces is None or _WEIGHT[each.candidate.change] == weight[each.replaces]:
            for candidate in filter(None, (each.candidate, each.ends)):
                once.setdefault(_identity(candidate), candidate)
    return _without_shadows(list(once.values()))


def _without_shadows(candidates: list[Candidate]) -> list[Candidate]:
    """Without those that claim nothing in the very words of one that does: nothing would ever end them."""
    claimed = {_words(each) for each in candidates if each.claim}
    return [each for each in candidates if each.claim or _words(each) not in claimed]


def _words(candidate: Candidate) -> str:
    return " ".join(candidate.text.casefold().split())


def _identity(candidate: Candidate) -> tuple[object, ...]:
    claim = candidate.claim
    return (
        _words(candidate),
        (claim.key, claim.object.casefold()) if claim else None,
        candidate.change,
        candidate.since,
        candidate.until,
    )


@dataclass(slots=True)
class Tally:
    """Candidates of several windows, each thing once, with what was refused along the way."""

    candidates: dict[tuple[object, ...], Candidate] = field(default_factory=dict)
    rejected: Counter[str] = field(default_factory=Counter)

    def add(self, candidates: Iterable[Candidate], rejected: Counter[str]) -> None:
        """Take over what a window came to."""
        for candidate in candidates:
            self.candidates.setdefault(_identity(candidate), candidate)
        self.rejected.update(rejected)
