"""assemble: what of the evidence goes to the model, and how it reads. Pure.

Near-twins count once, and an inference all of whose grounds are shown not at all. What contradicts each other goes
together or not at all. Each section has its share of the budget, in it the best hits come first, and what a section
leaves flows on; one that does not fit is passed over and counted, and the next tried. What is left goes to the turns
around the hits that were taken, until one does not fit. The budget is of the rendered text, its frames and labels
included.
"""

# Above 300 lines: what fills the budget and what is rendered must agree to the token, and is read as one.

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple
from uuid import UUID

from hotpath._covered import is_covered, set_aside
from hotpath._expand import Piece
from hotpath._twins import Twins, collapse, shown_once
from hotpath.layers.labels import day_of, label, marks_of, speaker_of
from shared.contract import block
from shared.language.tokens import TokenCounter

SHORTEST_TOKENS: Final = 11
"""No line is shorter: its heading alone takes this much."""


class Section(IntEnum):
    """Parts of the evidence, in the order they are rendered."""

    WORKING = 1
    """Of the session that asks."""
    SEMANTIC = 2
    """What is held to be so, and how things are done."""
    EPISODIC = 3
    """What was said elsewhere."""


SHARES: Final[Mapping[Section, float]] = {Section.WORKING: 0.3, Section.SEMANTIC: 0.4, Section.EPISODIC: 0.3}
"""What of the budget a section may count on where all have enough to fill it."""

_EPOCH: Final = datetime(1, 1, 1, tzinfo=UTC)

Turns = Callable[[Piece], Iterable[Piece]]
"""A hit to the turns around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """The text and what is in it."""

    pieces: tuple[Piece, ...]
    """In the order they are rendered: the profile, then the evidence."""
    text: str
    tokens: int
    omitted: int
    """Hits that did not fit."""
    covered: int = 0
    """Inferences that are not shown, since all that they cite is."""
    twins: tuple[tuple[Piece, ...], ...] = ()
    """Of each piece, the hits that say the same and are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """How the evidence is to be laid out."""

    budget_tokens: int
    counter: TokenCounter
    nonce: str
    session_id: str | None = None
    """The session that asks."""
    zone: tzinfo = UTC
    """Whose days are shown."""
    profile_tokens: int = 1_000_000
    """What of the budget the profile may have, its frame included."""

    @property
    def frame(self) -> str:
        """Stands for the frame of any nonce, so that counters that keep what they have met before know it."""
        return block.render("0" * 16, (), guard=block.guard_of(self.budget_tokens))


_ANY_ID: Final = "0" * block.ID_CHARS
"""Stands for any memory's id where a line is counted: counters keep what they have met."""

_Group = tuple[Section, str, str]
"""Section, owner and day: lines of one group stand together, and the first of them gives the day."""


class _Line(NamedTuple):
    """A memory as it is rendered, but for its number and day."""

    piece: Piece
    twins: tuple[Piece, ...]
    group: _Group
    before_day: str
    after_day: str
    tokens: int
    """Without the day."""


_Unit = tuple[_Line, ...]
"""What goes together or not at all."""


@dataclass(slots=True, kw_only=True)
class _Filling:
    """What has been taken, and what is left of the budget."""

    page: Page
    left: int
    taken: list[_Unit] = field(default_factory=list)
    days: set[_Group] = field(default_factory=set)
    """Those that stand somewhere already; a line after one of the same day does not give it again."""
    ordinal: str = field(init=False)
    """Stands for a line's number while that is not known: none has more digits."""
    _alone: int = field(init=False)

    def __post_init__(self) -> None:
        self._alone = self.page.counter.count("\n")
        self.ordinal = "9" * len(str(self.page.budget_tokens // SHORTEST_TOKENS + 1))

    def take(self, unit: _Unit, within: int) -> int:
        """Take a unit if it costs no more than `within`, and say what it took, 0 for one that was passed over."""
        days = {line.group for line in unit} - self.days
        cost = sum([line.tokens for line in unit])
        for *_, day in days:
            cost += self.tokens(f", {day}")
        if cost > min(within, self.left):
            return 0
        self.taken.append(unit)
        self.days |= days
        self.left -= cost
        return cost

    def line(self, hit: Twins) -> _Line:
        """A memory as it would be rendered."""
        piece, page = hit.best, self.page
        speaker = _shown(speaker_of(piece))
        marks = marks_of(piece, [twin.at for twin in hit.others], page.zone)
        after_day = f"{_shown(marks)}] {block.escaped(piece.text)}"
        return _Line(
            piece=piece,
            twins=hit.others,
            group=(section_of(piece, page.session_id), piece.owner, day_of(piece.at, page.zone)),
            before_day=f"~{block.short_id(piece.memory_id)} {speaker}",
            after_day=after_day,
            tokens=self.tokens(f"[m{self.ordinal}~{_ANY_ID} {speaker}{after_day}\n"),
        )

    def tokens(self, part: str) -> int:
        """What a part adds to a text: counters add something to each text by itself."""
        return self.page.counter.count(f"\n{part}") - self._alone


def assemble(hits: Sequence[Piece], around: Turns, page: Page, profile: Sequence[Piece] = ()) -> Assembled:
    """Fill the budget and render: the profile, then section by section by stream and time.

    `hits` are best first. The profile's text depends on it and the budget alone, so that a prompt's beginning can be
    kept by whoever caches it; a hit that it shows is shown there.
    """
    opening, shown = profile_block(profile, page)
    shown, hits = shown_once(shown, hits)
    left = page.budget_tokens - (_tokens(page.counter, f"{opening}\n") if opening else 0)
    filling = _Filling(page=page, left=left - page.counter.count(page.frame))
    telling, covered = set_aside(hits)
    units = _units(filling, collapse(telling)) if filling.left >= SHORTEST_TOKENS else []
    _fill(filling, units)
    left_out = _left_out(filling, covered, shown)
    _surround(filling, around, {hit.memory_id for hit in hits})
    while True:
        lines = sorted((line for unit in filling.taken for line in unit), key=_reading_order)
        text = "\n".join(filter(None, [opening, _rendered(lines, page, first=len(shown) + 1)]))
        tokens = page.counter.count(text)
        if tokens <= page.budget_tokens:
            break
        # A counter may find the whole longer than its parts; the least of what was taken goes, the profile last.
        opening, shown = (opening, shown) if filling.taken else ("", ())
        del filling.taken[-1:]
    ranked = [line for line in lines if line.piece.rank is not None]
    told = len(shown) + len(ranked) + sum(len(line.twins) for line in ranked) + left_out
    return Assembled(
        pieces=(*shown, *(line.piece for line in lines)),
        text=text,
        tokens=tokens,
        omitted=len(hits) + len(profile) - told,
        covered=left_out,
        twins=(*(() for _ in shown), *(line.twins for line in lines)),
    )


def profile_block(profile: Sequence[Piece], page: Page) -> tuple[str, tuple[Piece, ...]]:
    """The profile as a block of its own, the same bytes for the same facts, and those of its facts that fit.

    Its nonce is a digest of what it says: who can put something into it cannot know that.
    """
    left = min(page.profile_tokens, page.budget_tokens) - _tokens(page.counter, f"{page.frame}\n")
    lines, shown = list[str](), list[Piece]()
    for fact in profile:
        line = block.item_line(len(lines) + 1, fact.memory_id, label(fact, None, zone=page.zone), fact.text)
        if (cost := _tokens(page.counter, f"{line}\n")) <= left:
            left -= cost
            lines.append(line)
            shown.append(fact)
    if not lines:
        return "", ()
    digest = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
    return _framed(lines, digest[:16], page), tuple(shown)


def shares_of(wanted: Mapping[Section, int], budget_tokens: int) -> dict[Section, int]:
    """Divide a budget among sections that want so much: none gets more than it wants, and what one leaves flows on."""
    given: dict[Section, int] = {}
    waiting, left = set(wanted), budget_tokens
    while waiting:
        whole = sum(SHARES[each] for each in waiting)
        share = {each: int(left * SHARES[each] / whole) for each in waiting}
        content = {each for each in waiting if wanted[each] <= share[each]}
        given |= {each: wanted[each] for each in content} if content else share
        left -= sum(wanted[each] for each in content)
        waiting = waiting - content if content else set()
    return given


def _fill(filling: _Filling, units: Sequence[_Unit]) -> None:
    by_section: dict[Section, list[_Unit]] = {}
    for unit in units:
        by_section.setdefault(unit[0].group[0], []).append(unit)
    if len(by_section) > 1:
        given = shares_of({each: sum(map(_most, of)) for each, of in by_section.items()}, filling.left)
        for section, of in by_section.items():
            within = given[section]
            for unit in of:
                within -= filling.take(unit, within)
    taken = set(map(id, filling.taken))
    for unit in units:
        if filling.left < SHORTEST_TOKENS:
            break
        if id(unit) not in taken:
            filling.take(unit, filling.left)


def _left_out(filling: _Filling, covered: Sequence[Piece], shown: Sequence[Piece]) -> int:
    """How many inferences are left out since what covers them was taken; the others take what room there is."""
    taken = [*shown, *(line.piece for unit in filling.taken for line in unit)] if covered else []
    alone = [hit for hit in covered if not is_covered(hit, taken)]
    for hit in alone:
        if filling.left >= SHORTEST_TOKENS:
            filling.take((filling.line(Twins(hit, ())),), filling.left)
    return len(covered) - len(alone)


def _surround(filling: _Filling, around: Turns, hits: set[UUID]) -> None:
    """Take the turns around what was taken that are no hits, the best's first, then links, until one does not fit."""
    best_first = sorted((line.piece for unit in filling.taken for line in unit), key=lambda piece: piece.rank or 0)
    # A hit that is asked for once more brings what it is linked to.
    for turn in (turn for hit in (*best_first, *best_first) for turn in around(hit)):
        if turn.memory_id not in hits:
            hits.add(turn.memory_id)
            unit = (filling.line(Twins(turn, ())),) if filling.left >= SHORTEST_TOKENS else ()
            if not unit or not filling.take(unit, filling.left):
                return


def _units(filling: _Filling, hits: Sequence[Twins]) -> list[_Unit]:
    """Hits by what goes together, best first."""
    together: dict[object, list[_Line]] = {}
    for hit in hits:
        together.setdefault(hit.best.group or hit.best.memory_id, []).append(filling.line(hit))
    return [tuple(lines) for lines in together.values()]


def section_of(piece: Piece, session_id: str | None) -> Section:
    """Which section a memory belongs to, for who asks in a session."""
    if session_id is not None and piece.session_id == session_id:
        return Section.WORKING
    return Section.EPISODIC if piece.kind == "episodic" else Section.SEMANTIC


def _rendered(lines: Sequence[_Line], page: Page, *, first: int) -> str:
    """The evidence's block; empty without a line."""
    written: list[str] = []
    before: _Group | None = None
    for ordinal, line in enumerate(lines, first):
        day = "" if line.group == before else f", {line.group[-1]}"
        written.append(f"[m{ordinal}{line.before_day}{day}{line.after_day}")
        before = line.group
    return _framed(written, page.nonce, page) if written else ""


def _framed(lines: Iterable[str], nonce: str, page: Page) -> str:
    return "\n".join([block.opening(nonce), block.guard_of(page.budget_tokens), *lines, block.closing(nonce)])


def _tokens(counter: TokenCounter, part: str) -> int:
    """What a part adds to a text: counters add something to each text by itself."""
    return counter.count(f"\n{part}") - counter.count("\n") if part else 0


@lru_cache(maxsize=4096)
def _shown(part: str) -> str:
    """A part of a label as it is rendered; labels say few things, over and over."""
    return block.escaped_label(part)


def _most(unit: _Unit) -> int:
    """No less than a unit costs where each of its days has to be given."""
    return sum(line.tokens + len(line.group[-1]) + 2 for line in unit)


def _reading_order(line: _Line) -> tuple[Section, str, datetime, int]:
    section, owner, _ = line.group
    return section, owner, line.piece.at or _EPOCH, line.piece.doc
