"""What is wrong with pages, whoever has written them: by rules, without a model or a database. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from shared.belief.wiki.draft import BACKLINKS, CITED
from shared.belief.wiki.markdown import Line, Read, read
from shared.belief.wiki.pages import INDEX, LOG

_ELSEWHERE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|#|//")


class Fault(StrEnum):
    """What may be wrong; stable, for counting."""

    DEAD_LINK = "dead_link"
    """A link to a page that is not there."""
    UNCITED_SENTENCE = "uncited_sentence"
    DEAD_CITATION = "dead_citation"
    """A sentence cites a footnote that is not there."""
    CLOSED_CLAIM = "closed_claim"
    """A sentence quotes a memory that is held no longer."""
    ORPHAN = "orphan"
    """No page points to it."""
    CHANGED_BY_HAND = "changed_by_hand"
    """Somebody has changed or added the page since it was exported, and it was not imported."""
    MISSING_PAGE = "missing_page"
    """Somebody has taken an exported page away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong with a page."""

    code: Fault
    file: str
    line: int | None
    """From 1; None where it is of the whole page."""
    detail: str


def lint(pages: Mapping[str, str], held: Collection[UUID] | None = None, own: Collection[str] = ()) -> list[Finding]:
    """What is wrong with pages, by file and line. Of what is `held` no longer nothing is said where that is None.

    Files of `own` are somebody's own pages: what they say is cited elsewhere, and no page need point to them.
    """
    known = None if held is None else frozenset(map(str, held))
    parsed = {file: read(text) for file, text in pages.items()}
    pointed_at = {to for file, page in parsed.items() for line in page.lines for to in line.links if to != file}
    found = [each for file, page in parsed.items() for each in _of_page(file, page, pages, known)]
    found = [each for each in found if each.file not in own or each.code is not Fault.UNCITED_SENTENCE]
    found += [
        Finding(code=Fault.ORPHAN, file=file, line=None, detail="no page points to it")
        for file in pages
        if file not in pointed_at and file != INDEX and file not in own
    ]
    return sorted(found, key=lambda each: (each.file, each.line or 0, each.code, each.detail))


def _of_page(file: str, page: Read, pages: Mapping[str, str], held: Collection[str] | None) -> Iterator[Finding]:
    for line in page.lines:
        for to in line.links:
            if not _ELSEWHERE.match(to) and to.partition("#")[0] not in pages:
                yield _finding(Fault.DEAD_LINK, file, line, f"no page {to[:200]}")
        if file not in {INDEX, LOG} and line.section != BACKLINKS and not line.is_heading:
            yield from _of_citations(file, line, page, held)


def _of_citations(file: str, line: Line, page: Read, held: Collection[str] | None) -> Iterator[Finding]:
    if not line.cites:
        yield _finding(Fault.UNCITED_SENTENCE, file, line, line.text[:80])
    for cite in line.cites:
        footnote = page.footnotes.get(cite)
        if footnote is None:
            yield _finding(Fault.DEAD_CITATION, file, line, f"no footnote {cite}")
            continue
        named = CITED.match(footnote)
        if named and held is not None and named[1] not in held:
            yield _finding(Fault.CLOSED_CLAIM, file, line, f"memory {named[1]} is held no longer")


def _finding(code: Fault, file: str, line: Line, detail: str) -> Finding:
    return Finding(code=code, file=file, line=line.number, detail=detail)
