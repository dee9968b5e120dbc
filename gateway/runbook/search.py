"""Search this folder: messages by words, speaker and date, as spans to cite; and lines of a file by number.

Needs Python 3.11 or newer and nothing else. Reads the folder that it stands in, and writes nothing there.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

DEFAULT_LIMIT: Final = 20
MOST_LINES: Final = 400
SNIPPET_CHARS: Final = 200
SPENT: Final = 3
"""Exit code: the budget is used up."""

_HEADER: Final = re.compile(r'@ (\S+) ("(?:[^"\\]|\\.)*") ')
_TEXT: Final = "> "
_SPAN: Final = re.compile(r"(?P<file>[^:]+):(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?")


class Entry(NamedTuple):
    """A message as it stands in a file: its lines, the first of which says who and when."""

    file: str
    start: int
    end: int
    date: str
    speaker: str
    text: str

    @property
    def span(self) -> str:
        """What to cite it by."""
        return f"{self.file}:{self.start}-{self.end}"


class Wanted(NamedTuple):
    """What is searched for; what is empty or None asks nothing."""

    words: Sequence[str] = ()
    speaker: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int = DEFAULT_LIMIT


def entries(root: Path) -> Iterator[Entry]:
    """Every message of the folder, in the order of files and lines."""
    for path in sorted(root.glob("streams/**/*.md"), key=str):
        if not path.is_symlink():
            yield from _of_file(path.relative_to(root).as_posix(), path.read_text("utf-8").split("\n"))


def find(told: Sequence[Entry], wanted: Wanted) -> list[Entry]:
    """The messages that fit, best first: those with rarer words, and more of them, before others; else by date."""
    words = [folded(word) for word in wanted.words if word.strip()]
    fitting = [each for each in told if _fits(each, wanted)]
    if not words:
        return sorted(fitting, key=lambda each: (each.date, each.file, each.start))[: wanted.limit]
    holding = [(each, folded(each.text)) for each in fitting]
    weights = {word: _weight(sum(word in text for _, text in holding), len(holding)) for word in words}
    scored = [(sum(weights[word] for word in weights if word in text), each) for each, text in holding]
    hits = [(score, each) for score, each in scored if score > 0]
    hits.sort(key=lambda hit: (-hit[0], hit[1].file, hit[1].start))
    return [each for _, each in hits[: wanted.limit]]


def listed(found: Sequence[Entry], words: Sequence[str]) -> str:
    """Messages found, a line each: span, date, speaker, and the part of the text around the first word."""
    rows = [f"{each.span}  {each.date}  {json.dumps(each.speaker)}  {_snippet(each.text, words)}" for each in found]
    return "\n".join(rows) if rows else "nothing fits"


def opened(root: Path, file: str, start: int, end: int) -> str | None:
    """Lines of a file of the folder, numbered, `MOST_LINES` at most; None where there are no such lines."""
    path = root / file
    known = {each.relative_to(root).as_posix() for each in root.rglob("*.md") if not each.is_symlink()}
    if file not in known:
        return None
    lines = path.read_text("utf-8").split("\n")
    shown = lines[start - 1 : min(end, start + MOST_LINES - 1)]
    if start < 1 or end < start or not shown:
        return None
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(shown, start))


def folded(text: str) -> str:
    """A text as words are compared: without case and compatibility forms."""
    return unicodedata.normalize("NFKC", text).casefold()


def _of_file(file: str, lines: Sequence[str]) -> Iterator[Entry]:
    number = 0
    while number < len(lines):
        header = _HEADER.match(lines[number])
        number += 1
        if header is None:
            continue
        start = number
        while number < len(lines) and lines[number].startswith(_TEXT):
            number += 1
        text = "\n".join(line[len(_TEXT) :] for line in lines[start:number])
        yield Entry(file, start, number, header[1], json.loads(header[2]), text)


def _fits(entry: Entry, wanted: Wanted) -> bool:
    if wanted.speaker is not None and folded(wanted.speaker) not in folded(entry.speaker):
        return False
    if wanted.since is None and wanted.until is None:
        return True
    day = entry.date[: len("2000-01-01")]
    if not day[:1].isdigit():
        return False
    return (wanted.since or day) <= day <= (wanted.until or day)


def _weight(holding: int, count: int) -> float:
    return math.log(1 + (count + 1) / (holding + 1))


def _snippet(text: str, words: Sequence[str]) -> str:
    flat = " / ".join(line for line in text.split("\n") if line.strip())
    low = flat.casefold()
    places = [place for place in (low.find(word.casefold()) for word in words) if place >= 0]
    start = max(0, min(places, default=0) - SNIPPET_CHARS // 4)
    cut = flat[start : start + SNIPPET_CHARS]
    return f"{'…' if start else ''}{cut}{'…' if start + SNIPPET_CHARS < len(flat) else ''}"


class Meter:
    """Counts what is looked at against the budget of a search, in a file outside the folder; without one, nothing.

    Whoever searches may write that file: it keeps those to the budget who do not mean to break it.
    """

    def __init__(self) -> None:
        self._path = os.environ.get("RUNBOOK_METER")
        self._states = int(os.environ.get("RUNBOOK_STATES", "0"))
        self._bytes = int(os.environ.get("RUNBOOK_BYTES", "0"))

    def left_bytes(self) -> int | None:
        """How many bytes may still be read; None for any number, 0 where states or bytes are used up."""
        if not self._path:
            return None
        counted = read_meter(Path(self._path))
        if counted is None:
            return 0
        states, size = counted
        return 0 if states >= self._states else max(0, self._bytes - size)

    def count(self, size: int) -> None:
        """Add one state and the bytes that it read."""
        if self._path:
            with Path(self._path).open("a", encoding="ascii") as meter:
                meter.write(f"{size}\n")


def read_meter(path: Path) -> tuple[int, int] | None:
    """States and bytes counted so far; None where the file is gone or damaged, which counts as all of them."""
    try:
        sizes = [int(line) for line in path.read_text("ascii").splitlines()]
    except (OSError, ValueError):
        return None
    return None if any(size < 0 for size in sizes) else (len(sizes), sum(sizes))


def _day(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a date like 2026-03-01")
    return text


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="words, in any order; a part of a word will do")
    parser.add_argument("--speaker", help="only what this speaker said; a part of the name will do")
    parser.add_argument("--since", type=_day, metavar="DATE", help="only from this day on (UTC)")
    parser.add_argument("--until", type=_day, metavar="DATE", help="only up to the end of this day (UTC)")
    parser.add_argument("--limit", type=int, default=DEFAULT_LIMIT, help="most messages (default: %(default)s)")
    parser.add_argument("--open", metavar="FILE:START-END", help="show these lines of a file instead")
    return parser.parse_args(arguments)


def _answer(root: Path, given: argparse.Namespace) -> str | None:
    if given.open is not None:
        span = _SPAN.fullmatch(given.open)
        return span and opened(root, span["file"], int(span["start"]), int(span["end"] or span["start"]))
    wanted = Wanted(given.words, given.speaker, given.since, given.until, max(1, given.limit))
    return listed(find(list(entries(root)), wanted), given.words)


def main(arguments: Sequence[str]) -> int:
    """Answer one call; returns the exit code."""
    given = _arguments(arguments)
    meter = Meter()
    left = meter.left_bytes()
    if left == 0:
        sys.stderr.write("the budget is used up: answer now with what you have\n")
        return SPENT
    answer = _answer(Path(__file__).resolve().parent, given)
    if answer is None:
        sys.stderr.write(f"there are no lines {given.open!r}; write FILE:START-END with a file of this folder\n")
        return 2
    shown = f"{answer}\n".encode("utf-8", "replace")[:left]
    meter.count(len(shown))
    sys.stdout.buffer.write(shown)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
