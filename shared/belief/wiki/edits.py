"""What somebody has changed in an exported page: the sentences that are new, and those that are gone. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from shared.belief.wiki.draft import BACKLINKS
from shared.belief.wiki.markdown import plain, read
from shared.belief.wiki.names import SUFFIX, Sort, name_in, slug


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What a page says that it did not, and what it says no longer."""

    page: str
    """Slug of the page under whose Notes the new sentences will stand."""
    added: tuple[str, ...]
    """In the page's order, each once; a changed sentence is one that is new, and one that is gone."""
    gone: int


def digest(text: str) -> str:
    """By which a text is known again: SHA-256, hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sentences(text: str) -> tuple[str, ...]:
    """What a page says, line by line as plain text, each once, without headings, footnotes and what links to it."""
    said = (plain(line.text) for line in read(text).lines if not line.is_heading and line.section != BACKLINKS)
    return tuple(dict.fromkeys(filter(None, said)))


def edits(file: str, text: str, before: Collection[str], known: Collection[str]) -> Edits:
    """What was changed in a page of which the sentences had some digests `before`; `known` are those of all pages.

    A sentence that stands on any other page is none that somebody has written: it was moved or copied.
    """
    said = {digest(each): each for each in sentences(text)}
    added = tuple(each for key, each in said.items() if key not in before and key not in known)
    return Edits(page=page_of(file), added=added, gone=len(set(before) - said.keys()))


def page_of(file: str) -> str:
    """The slug of the page that a file's name stands for; one that we did not name is a page of somebody's own."""
    stem = file.removesuffix(SUFFIX)
    return stem if name_in(stem) is not None else slug(Sort.NOTE, stem)
