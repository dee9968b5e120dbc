"""A folder of exported pages, and the list in it of what was exported, by which a change by hand is told.

A first export is written beside its place and renamed. A later one says first what it will write, so that whoever is
killed in the middle leaves only pages that are known: of before, or of after. What is not ours is left alone: other
files, folders, and any page that somebody has changed and not imported, for which nothing is written at all.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gateway.reading import text_of
from shared.belief.wiki.edits import digest, sentences
from shared.belief.wiki.names import SUFFIX
from shared.contract.errors import InvalidInput
from shared.contract.scope import Scope

MANIFEST: Final = ".daybook-wiki.json"


class Exported(BaseModel):
    """A page as it was written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    digests: list[str]
    """Of the texts that are ours: the one written, and during an export the one before."""
    sentences: list[str] = Field(default_factory=list)
    """Digests of what it says."""


class Imported(BaseModel):
    """A page as somebody had changed it when it was imported."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    digest: str
    messages: list[str]
    """Ids of the messages that its new sentences became."""


class Manifest(BaseModel):
    """What was exported into a folder, of whom, and what was imported from it since."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int = 1
    tenant: str
    user: str
    pages: dict[str, Exported] = Field(default_factory=dict)
    imported: dict[str, Imported] = Field(default_factory=dict)


class Folder:
    """An exported folder, opened by `opened`."""

    def __init__(self, place: Path, manifest: Manifest) -> None:
        self.place = place
        self.manifest = manifest
        self.texts = _pages(place)
        """The pages that stand there, by file."""

    @property
    def changed(self) -> list[str]:
        """Files that somebody has changed or added, and not imported."""
        return sorted(file for file, text in self.texts.items() if not self.is_known(file, text))

    @property
    def missing(self) -> list[str]:
        """Files of pages that somebody has taken away."""
        return sorted(self.manifest.pages.keys() - self.texts.keys())

    @property
    def own(self) -> list[str]:
        """Files of pages that somebody has added, and imported as they are: they stay, and stand in Notes too."""
        found = (file for file in self.manifest.imported.keys() - self.manifest.pages.keys() if file in self.texts)
        return sorted(file for file in found if self.is_known(file, self.texts[file]))

    def is_known(self, file: str, text: str) -> bool:
        """Whether a page's text was exported, or imported as it is."""
        now, exported, imported = digest(text), self.manifest.pages.get(file), self.manifest.imported.get(file)
        return bool((exported and now in exported.digests) or (imported and now == imported.digest))

    def note(self, imported: Mapping[str, Imported]) -> None:
        """Write down what was imported."""
        self._keep(self.manifest.model_copy(update={"imported": {**self.manifest.imported, **imported}}))

    def write(self, pages: Mapping[str, str]) -> None:
        """Bring the pages there to what they are by now; those alone that differ are written.

        Raises:
            InvalidInput: somebody changes a page meanwhile; what was written stays, and the next export goes on.
        """
        before = self.manifest.pages
        both = {
            file: _exported(text, *(before[file].digests if file in before else ())) for file, text in pages.items()
        }
        self._keep(self.manifest.model_copy(update={"pages": {**before, **both}}))
        for file in sorted(self.texts.keys() | pages.keys()):
            self._bring(file, pages.get(file))
        ours = {file: _exported(text) for file, text in pages.items()}
        own = {file: each for file, each in self.manifest.imported.items() if file in self.own}
        self._keep(self.manifest.model_copy(update={"pages": ours, "imported": own}))

    def _bring(self, file: str, text: str | None) -> None:
        place = self.place / file
        stands = _text(place)
        if stands == text or (text is None and file in self.own):
            return
        if stands is not None and not self.is_known(file, stands):
            raise InvalidInput(f"{file} is being changed: `daybook wiki import` first", field="folder")
        if text is None:
            place.unlink(missing_ok=True)
        else:
            _put(place, text)

    def _keep(self, manifest: Manifest) -> None:
        self.manifest = manifest
        _put(self.place / MANIFEST, manifest.model_dump_json(indent=1) + "\n")


def write_new(place: Path, scope: Scope, pages: Mapping[str, str]) -> None:
    """Write pages into a folder that is not there yet, or is empty, so that it is whole once it is there.

    Raises:
        InvalidInput: there is something already.
    """
    if place.is_symlink() or (place.exists() and (not place.is_dir() or any(place.iterdir()))):
        msg = f"{place} holds something else than an export: name a folder that is empty or is not there yet"
        raise InvalidInput(msg, field="folder")
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        for file, text in pages.items():
            _put(fresh / file, text)
        ours = {file: _exported(text) for file, text in pages.items()}
        manifest = Manifest(tenant=scope.tenant_id, user=scope.owner, pages=ours)
        _put(fresh / MANIFEST, manifest.model_dump_json(indent=1) + "\n")
        fresh.rename(place)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def is_export(place: Path) -> bool:
    """Whether a folder was exported."""
    return (place / MANIFEST).is_file()


@contextmanager
def opened(place: Path, scope: Scope | None = None) -> Iterator[Folder]:
    """An exported folder, for one process at a time; with a scope, one that was exported of its user.

    Raises:
        InvalidInput: it is none, is another user's, is damaged, or another process is at it.
    """
    if not is_export(place):
        msg = f"{place} is no folder that `daybook wiki export` wrote: it has no {MANIFEST}"
        raise InvalidInput(msg, field="folder")
    descriptor = os.open(place, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInput(f"another process is at {place}; wait until it is done", field="folder") from None
        manifest = _manifest(place)
        if scope is not None and (manifest.tenant, manifest.user) != (scope.tenant_id, scope.owner):
            msg = f"{place} was exported of user {manifest.user!r} of tenant {manifest.tenant!r}"
            raise InvalidInput(msg, field="folder")
        yield Folder(place, manifest)
    finally:
        os.close(descriptor)


def _manifest(place: Path) -> Manifest:
    try:
        return Manifest.model_validate_json((place / MANIFEST).read_bytes())
    except ValidationError as error:
        msg = f"{place / MANIFEST} is damaged: {error.errors(include_url=False, include_input=False)[0]['msg'].lower()}"
        raise InvalidInput(msg, field="folder") from error


def _exported(text: str, *before: str) -> Exported:
    digests = list(dict.fromkeys([digest(text), *before]))
    return Exported(digests=digests, sentences=[digest(each) for each in sentences(text)])


def _pages(place: Path) -> dict[str, str]:
    """The pages of a folder: files of its own alone, since a link may lead to what is no page of anybody's."""
    found = {each.name: _text(each) for each in sorted(place.glob(f"*{SUFFIX}")) if not each.name.startswith(".")}
    return {name: text for name, text in found.items() if text is not None}


def _text(place: Path) -> str | None:
    if place.is_symlink() or not place.is_file():
        return None
    return text_of(place.read_bytes()).replace("\r\n", "\n")


def _put(place: Path, text: str) -> None:
    """Write a file whole, or not at all."""
    descriptor, fresh = tempfile.mkstemp(prefix=".", suffix=".part", dir=place.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(fresh).replace(place)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise
