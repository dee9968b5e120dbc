"""Where conversations are read from: a file, a folder or an archive, file by file, and which format each is in."""

from __future__ import annotations

import codecs
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import IO, Final

from ijson import JSONError

from gateway.importing import chatgpt, claude, claude_code, mem0, plain
from gateway.importing.conversation import Conversation
from shared.contract.errors import InvalidInput, InvalidRun

FORMATS: Final = (chatgpt.SOURCE, claude.SOURCE, claude_code.SOURCE, mem0.SOURCE, plain.LINES, plain.MARKDOWN)
_HEAD_BYTES: Final = 262_144
"""Of a file that are looked at to know its format."""
_LINES: Final = frozenset({".jsonl", ".ndjson"})
_MARKDOWN: Final = frozenset({".md", ".markdown", ".txt"})
_MARKS: Final = (
    (chatgpt.SOURCE, re.compile(rb'"mapping"\s*:\s*\{')),
    (claude.SOURCE, re.compile(rb'"chat_messages"\s*:\s*\[')),
    (mem0.SOURCE, re.compile(rb'"memory"\s*:\s*"')),
)
_OF_A_SESSION: Final = re.compile(rb'"(?:sessionId|parentUuid|leafUuid)"\s*:')


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file, and how it is read."""

    name: str
    format: str
    opened: Callable[[], AbstractContextManager[IO[bytes]]]

    def conversations(self, *, everything: bool = False) -> Iterator[Conversation]:
        """What is in it, one conversation at a time.

        Raises:
            InvalidRun: it is damaged, or not in that format; the message says where.
        """
        found = 0
        try:
            with self.opened() as file:
                if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
                    file.seek(0)
                for each in _READERS[self.format](file, self.name, everything):
                    found += 1
                    yield each
        except InvalidRun as error:
            raise InvalidRun(f"{self.name}: {error}") from error
        except _DAMAGED as error:
            at = f"conversation {found + 1} of {self.name}" if found else self.name
            raise InvalidRun(f"{at} cannot be read as {self.format}: {type(error).__name__}: {error}") from error
        if not found:
            raise InvalidRun(f"{self.name}: there is no conversation in it, as {self.format} writes them")


def sources(path: Path, given: str | None = None) -> Sequence[Source]:
    """The files of a path, in the order of their names, each in the format that is `given`, or else its own.

    Of a folder or an archive, what is in no known format is left out.

    Raises:
        InvalidInput: there is nothing there that can be read, or no such format.
    """
    if given is not None and given not in FORMATS:
        raise InvalidInput(f"format {given!r} is none; use one of {', '.join(FORMATS)}", field="format")
    try:
        files = list(_files(path))
        found = [each for name, opened in files if (each := _source(name, opened, given, alone=len(files) == 1))]
    except (OSError, zipfile.BadZipFile, RuntimeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", field="path") from error
    if not found:
        msg = f"{path} holds nothing in a format that is known ({', '.join(FORMATS)}); say which it is with --format"
        raise InvalidInput(msg, field="path")
    return found


_DAMAGED: Final = (
    JSONError, ValueError, TypeError, AttributeError, LookupError, RuntimeError, RecursionError, EOFError, OSError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What reading a file raises that is not as its format says, or not whole."""
_READERS: Final[dict[str, Callable[[IO[bytes], str, bool], Iterator[Conversation]]]] = {
    chatgpt.SOURCE: lambda file, _, everything: chatgpt.read(file, everything=everything),
    claude.SOURCE: lambda file, _, everything: claude.read(file, everything=everything),
    claude_code.SOURCE: lambda file, _, everything: claude_code.read(file, everything=everything),
    mem0.SOURCE: lambda file, _, everything: mem0.read(file, everything=everything),
    plain.LINES: lambda file, name, _: plain.read_lines(file, name=name),
    plain.MARKDOWN: lambda file, name, _: plain.read_markdown(file, name=name),
}


def _files(path: Path) -> Iterator[tuple[str, Callable[[], AbstractContextManager[IO[bytes]]]]]:
    if path.is_dir():
        for each in sorted(path.rglob("*")):
            if each.is_file() and not _is_hidden(each.relative_to(path)):
                yield str(each.relative_to(path)), partial(_opened, each)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            listed = [each.filename for each in archive.infolist() if not each.is_dir()]
        names = sorted(each for each in listed if not _is_hidden(PurePath(each)))
        for name in names:
            yield name, partial(_Member, path, name)
    else:
        yield path.name, partial(_opened, path)


def _is_hidden(name: PurePath) -> bool:
    """Whether a file is a program's own: of a folder that begins with a dot, or beside an archive's by a Mac."""
    return any(part.startswith(".") or part == "__MACOSX" for part in name.parts)


def _opened(path: Path) -> IO[bytes]:
    return path.open("rb")


class _Member:
    """A file of an archive, open as long as its block."""

    def __init__(self, path: Path, name: str) -> None:
        self._archive = zipfile.ZipFile(path)
        self._name = name

    def __enter__(self) -> IO[bytes]:
        self._file = self._archive.open(self._name)
        return self._file

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._archive.close()


def _source(
    name: str, opened: Callable[[], AbstractContextManager[IO[bytes]]], given: str | None, *, alone: bool
) -> Source | None:
    """A file as it is read; None where its format is not known, or it is a text among others in which nobody speaks."""
    known = given
    if known is None:
        with opened() as file:
            head = file.read(_HEAD_BYTES)
        known = _format_of(name, head)
        if known == plain.MARKDOWN and not alone and not plain.speaks(head.decode("utf-8-sig", errors="ignore")):
            return None
    return Source(name=name, format=known, opened=opened) if known else None


def _format_of(name: str, head: bytes) -> str | None:
    """The format of a file, by its name and how it begins; None where neither tells."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _MARKDOWN:
        return plain.MARKDOWN
    if suffix in _LINES:
        return claude_code.SOURCE if _OF_A_SESSION.search(head) else plain.LINES
    if suffix == ".json" and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"[", b"{"}:
        return next((known for known, mark in _MARKS if mark.search(head)), None)
    return None
