"""One page as it is written: sentences under headings, each with its footnote, in an order that never changes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple
from uuid import UUID

from shared.belief.wiki.markdown import escaped, link, one_line
from shared.belief.wiki.names import SUFFIX
from shared.contract.records import HIGHEST_TRUST, MemoryVersion
from shared.contract.scope import Owner
from shared.language.name_keys import key_of
from shared.language.names import names_in

HISTORY: Final = "History"
NOTES: Final = "Notes"
BACKLINKS: Final = "Linked from"
CITED: Final = re.compile(r"Memory ([0-9a-f-]{36}):")
"""How a footnote names the memory that a sentence quotes; one of a note names none."""
_MOST_EVENTS: Final = 8
"""Of the evidence named in one footnote, the earliest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A sentence that somebody has written on a page."""

    page: str
    """Slug of the page."""
    text: str
    owner: Owner
    sequence: int
    said_at: datetime | None
    """In the zone of whoever wrote it."""
    speaker: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of the wiki."""

    file: str
    title: str
    text: str
    sentences: int = 0
    memories: frozenset[UUID]
    """All that it quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A belief as a sentence tells it."""

    owner: Owner
    version: MemoryVersion
    said_at: Mapping[int, datetime | None]
    """World time of its evidence, by sequence, in the zone of whoever said it."""
    ended: bool
    zone: tzinfo = UTC
    """Where that of nobody who said it is known."""

    def local(self, moment: datetime | None) -> datetime | None:
        """A time of the world as whoever said it first would put it: sentences speak of the days of their zone."""
        known = (self.said_at.get(sequence) for sequence in sorted(each.sequence for each in self.version.evidence))
        zone = next((each.tzinfo for each in known if each is not None), self.zone)
        return None if moment is None else moment.astimezone(zone)


class Heading(NamedTuple):
    """What stands above some sentences."""

    text: str
    to: str | None = None
    """Slug of the page that it points to."""


class Called:
    """Which page each name means."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = pages
        """Slugs by the keys of names."""
        self._found: dict[UUID, Mapping[str, str]] = {}

    def within(self, version: MemoryVersion) -> Mapping[str, str]:
        """The names in a memory's text that mean a page, as they are written, with its slug."""
        found = self._found.get(version.memory_id)
        if found is None:
            names = {name.shown: name.key for name in names_in(one_line(version.text))}
            if version.claim is not None:
                names |= {one_line(each): key_of(each) for each in (version.claim.subject, version.claim.object)}
            found = {name: self.pages[key] for name, key in names.items() if name and key in self.pages}
            self._found[version.memory_id] = found
        return found


class Draft:
    """A page under way."""

    def __init__(self, slug: str, title: str) -> None:
        self.slug = slug
        self.title = title
        self.links: set[str] = set()
        """Slugs of the pages that it points to."""
        self._sections: dict[Heading, list[str]] = {}
        self._footnotes: list[str] = []
        self._memories: set[UUID] = set()

    def say(self, heading: Heading, said: Said, called: Called) -> None:
        """Add a belief under a heading; names in it that mean a page (by their key) point there."""
        text = self._pointing(said.version, called)
        begins, ends = (said.local(each) for each in (said.version.valid_from, said.version.valid_to))
        sentence = f"Until {_day(ends)}: {text}" if said.ended else text
        if begins is not None:
            sentence += f" (from {_day(begins)})" if said.ended else f" (since {_day(begins)})"
        if not said.ended and ends is not None:
            sentence += f" (until {_day(ends)})"
        self._memories.add(said.version.memory_id)
        self._add(heading, sentence, _cited(said))

    def note(self, note: Note) -> None:
        """Add what somebody has written on the page."""
        by = f", written by {escaped(note.speaker)}" if note.speaker else ""
        self._add(
            Heading(NOTES),
            escaped(note.text),
            f"Event {note.sequence} of {escaped(note.owner)}, {_day(note.said_at)}{by}",
        )

    def page(self, linked_from: Iterable[str], titles: Mapping[str, str]) -> Page:
        """The page, with the pages that point to it (slugs; `titles` by slug)."""
        lines = [f"# {escaped(self.title)}"]
        for heading in sorted(self._sections, key=lambda heading: _LAST.get(heading.text, 0)):
            lines += ["", f"## {self._shown(heading)}", "", *self._sections[heading]]
        back = sorted(linked_from, key=lambda slug: (titles[slug], slug))
        if back:
            lines += ["", f"## {BACKLINKS}", "", *(f"- {link(titles[slug], slug + SUFFIX)}" for slug in back)]
        lines += ["", *(f"[^{number}]: {each}" for number, each in enumerate(self._footnotes, 1)), ""]
        return Page(
            file=self.slug + SUFFIX,
            title=self.title,
            text="\n".join(lines),
            sentences=len(self._footnotes),
            memories=frozenset(self._memories),
        )

    def _shown(self, heading: Heading) -> str:
        return escaped(heading.text) if heading.to is None else link(heading.text, heading.to + SUFFIX)

    def _add(self, heading: Heading, sentence: str, footnote: str) -> None:
        if heading.to is not None:
            self.links.add(heading.to)
        self._footnotes.append(footnote)
        self._sections.setdefault(heading, []).append(f"- {sentence}[^{len(self._footnotes)}]")

    def _pointing(self, version: MemoryVersion, called: Called) -> str:
        """A memory's text, in which the first mention of each other page points there."""
        text = one_line(version.text)
        to = {name: page for name, page in called.within(version).items() if page != self.slug}
        if not to:
            return escaped(text)
        longest_first = sorted(to, key=lambda name: (-len(name), name))
        return self._with_links(text, re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"), to)

    def _with_links(self, text: str, names: re.Pattern[str], to: Mapping[str, str]) -> str:
        parts, at, seen = [], 0, set[str]()
        for found in names.finditer(text):
            page = to[found[0]]
            if page in seen:
                continue
            seen.add(page)
            parts += [_between(text[at : found.start()], begins=at == 0), link(found[0], page + SUFFIX)]
            at = found.end()
        self.links |= seen
        return "".join([*parts, _between(text[at:], begins=at == 0)])


_LAST: Final = {HISTORY: 1, NOTES: 2}


def _between(text: str, *, begins: bool) -> str:
    """A stretch of a text of one line, escaped, with the spaces at its ends."""
    if not text.strip():
        return " " if text else ""
    before, after = " " * (text[0] == " " and not begins), " " * (text[-1] == " ")
    return f"{before}{escaped(text)}{after}"


def _cited(said: Said) -> str:
    version = said.version
    sequences = sorted({each.sequence for each in version.evidence})
    events = ", ".join(f"{sequence} ({_day(said.said_at.get(sequence))})" for sequence in sequences[:_MOST_EVENTS])
    more = f" and {len(sequences) - _MOST_EVENTS} more" if len(sequences) > _MOST_EVENTS else ""
    by = f"; said by {escaped(version.speaker)}" if version.speaker else ""
    return (
        f"Memory {version.memory_id}: event {events}{more} of {escaped(said.owner)}{by}; from {version.origin}, "
        f"trust {version.trust} of {HIGHEST_TRUST}, confidence {version.confidence:.2f}"
    )


def _day(moment: datetime | None) -> str:
    return "no date" if moment is None else moment.date().isoformat()
