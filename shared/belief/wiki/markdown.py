"""Words in Markdown: people's words as text that is never structure, and pages of lines read back. Pure.

What a person said is one line in which no sign has a meaning: no heading, list, link, picture, code, HTML, entity,
table, formula, mention or footnote can come of it, in CommonMark or in the dialect of GitHub.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from shared.contract.invisible import without_invisible

_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ALWAYS: Final = re.compile(r"[\\`*_{}\[\]<>()#|~&$^@]|:(?=\S)|!(?=\[)|(?<=www)\.|--+|\+\+|==")
_FIRST: Final = re.compile(r"^(?:[-+=:!]|\d{1,9}(?=[.)]))")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARK: Final = re.compile(r"\\.|\[\^([^\]\s]{1,40})\]|\]\(<?([^()<>\s]*)>?\)")
_DEFINITION: Final = re.compile(r"\[\^([^\]\s]{1,40})\]:\s?(.*)")
_BULLET: Final = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+")
_HEADING: Final = re.compile(r"(#{1,6})\s+(.*)")
_REFERENCE: Final = re.compile(r"\\.|\[\^[^\]\s]{1,40}\]")
_TARGET: Final = re.compile(r"\]\([^()\s]*\)")
_LINKED: Final = re.compile(r"((?:\\.|[^\\\[\]])*)")


def one_line(text: str) -> str:
    """A text on one line: every break, run of spaces and control character is one space, what is unseen is gone."""
    return " ".join(_BREAKS.sub(" ", without_invisible(text)).split())


def escaped(text: str) -> str:
    """A text as Markdown that shows it and nothing else; `plain` gives `one_line` of it back."""
    line = _ALWAYS.sub(lambda found: "".join(f"\\{char}" for char in found[0]), one_line(text))
    return _FIRST.sub(lambda found: f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}", line)


def link(text: str, to: str) -> str:
    """A link to a page beside this one; the text is escaped, the target is a slug with its ending."""
    return f"[{escaped(text)}]({to})"


def plain(line: str) -> str:
    """What a line of Markdown says: without bullet, marks of footnotes and targets of links, on one line."""
    text = _REFERENCE.sub(lambda found: found[0] if found[0][0] == "\\" else "", _BULLET.sub("", line.strip(), count=1))
    return one_line(_ESCAPED.sub(r"\1", _without_targets(text)))


def _without_targets(text: str) -> str:
    parts, at = [], 0
    while (begins := _unescaped(text, "[", at)) >= 0:
        words = _LINKED.match(text, begins + 1)
        ends = words.end() if words else begins
        target = _TARGET.match(text, ends)
        parts.append(text[at:begins])
        if words and target:
            parts.append(words[1])
            at = target.end()
        else:
            parts.append("[")
            at = begins + 1
    return "".join([*parts, text[at:]])


def _unescaped(text: str, sign: str, at: int) -> int:
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == sign:
            return at
        else:
            at += 1
    return -1


class Line(NamedTuple):
    """A line of a page that is not blank."""

    number: int
    """From 1."""
    section: str
    """The heading above it or that it is, as plain text; empty above the first."""
    text: str
    cites: tuple[str, ...]
    links: tuple[str, ...]
    is_heading: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A page as it is read, whoever wrote it."""

    lines: tuple[Line, ...]
    """Without blank ones, front matter and the list of footnotes."""
    footnotes: dict[str, str]
    """By mark."""


def read(page: str) -> Read:
    """A page's lines and footnotes. Linear in the page; any text will do."""
    lines: list[Line] = []
    footnotes: dict[str, str] = {}
    section = ""
    for number, raw in _body(page):
        text = raw.strip()
        if heading := _HEADING.fullmatch(text):
            section = plain(heading[2]) if len(heading[1]) > 1 else ""
        if definition := _DEFINITION.fullmatch(text):
            footnotes.setdefault(definition[1], definition[2])
        elif text:
            cites, links = _marks(text)
            is_heading = heading is not None
            lines.append(Line(number, section, text, cites, links, is_heading))
    return Read(lines=tuple(lines), footnotes=footnotes)


def _body(page: str) -> Iterator[tuple[int, str]]:
    """The lines behind front matter, with their numbers."""
    lines = list(enumerate(page.split("\n"), 1))
    if lines[0][1].strip() == "---":
        ends = next((at for at, (_, text) in enumerate(lines[1:], 1) if text.strip() == "---"), None)
        return iter(lines if ends is None else lines[ends + 1 :])
    return iter(lines)


def _marks(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = [each.groups() for each in _MARK.finditer(text)]
    return tuple(cite for cite, _ in found if cite), tuple(target for _, target in found if target is not None)
