"""A tree of files on the disk: private, read-only, gone afterwards."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gateway.runbook.tree import Tree
from shared.contract.errors import Misconfigured

NOTE: Final = "whose.json"
_READABLE: Final = 0o400
_ENTERABLE: Final = 0o500
_PRIVATE: Final = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """Where a tree stands, and a place beside it that an agent may write to."""

    tree: Path
    scratch: Path
    """Holds nothing of anybody's memory unless the agent puts it there; goes with the folder."""


def place_in(data_dir: Path) -> Path:
    """Where the folders of deep questions are."""
    return data_dir.expanduser().resolve() / "deep"


@contextmanager
def written(tree: Tree, data_dir: Path, note: Callable[[Path, bool], None], *, keep: bool = False) -> Iterator[Folder]:
    """Write a tree into a new folder that only this user enters, and remove it at the end unless it is to be kept.

    The tree appears whole, under its last name, below `deep` in the data folder. `note` writes into the folder whose it
    is, before anything else, and again where it is kept (True). What a process that is killed outright leaves there is
    found by `gateway.runbook.stale`.

    Raises:
        Misconfigured: the disk does not take it.
    """
    try:
        place = place_in(data_dir)
        place.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        root = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=place))
    except OSError as error:
        raise _refused(error) from error
    kept = False
    try:
        yield _filled(root, tree, note)
        kept = keep
    finally:
        if kept:
            note(root, True)
        remove(root, root / "scratch" if kept else root)


def changed(folder: Folder, tree: Tree) -> str | None:
    """The first thing in the folder that is not as it was written, by its path; None where all is."""
    modes = _modes(tree)
    found = {}
    for path in _below(folder.tree):
        name = path.relative_to(folder.tree).as_posix()
        status = path.lstat()
        found[name] = status.st_mode
        if status.st_mode != modes.get(name):
            return name
        if name in tree.files and (status.st_size != len(tree.files[name]) or path.read_bytes() != tree.files[name]):
            return name
    return min(modes.keys() - found.keys(), default=None)


def _filled(root: Path, tree: Tree, note: Callable[[Path, bool], None]) -> Folder:
    folder = Folder(tree=root / "tree", scratch=root / "scratch")
    writing = root / "writing"
    try:
        note(root, False)
        folder.scratch.mkdir(mode=_PRIVATE)
        writing.mkdir(mode=_PRIVATE)
        for name, content in tree.files.items():
            path = writing / name
            path.parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(_READABLE)
        for path in _below(writing):
            if path.is_dir():
                path.chmod(_ENTERABLE)
        writing.rename(folder.tree)
        folder.tree.chmod(_ENTERABLE)
    except OSError as error:
        raise _refused(error) from error
    return folder


def _modes(tree: Tree) -> Mapping[str, int]:
    """The mode of each thing in the folder, what sort of thing it is included."""
    folders = {parent.as_posix() for name in tree.files for parent in Path(name).parents} - {"."}
    return dict.fromkeys(tree.files, stat.S_IFREG | _READABLE) | dict.fromkeys(folders, stat.S_IFDIR | _ENTERABLE)


def _below(root: Path) -> Iterator[Path]:
    """Everything below a folder, in order; links are not followed."""
    for folder, folders, files in os.walk(root):
        for name in sorted([*folders, *files]):
            yield Path(folder) / name


def remove(root: Path, unwanted: Path | None = None) -> None:
    """Remove a folder, or what is unwanted of it; what is gone already is none of anybody's.

    Raises:
        Misconfigured: something does not go.
    """
    unwanted = unwanted or root
    try:
        _unlock(root)
        shutil.rmtree(unwanted)
    except OSError as error:
        if not unwanted.exists():
            return
        msg = f"{unwanted} could not be removed: {error}; it holds what people said, so remove it by hand"
        raise Misconfigured(msg) from error


def _unlock(root: Path) -> None:
    """Let every folder be written to again, or nothing in it could be removed."""
    root.chmod(_PRIVATE)
    for folder, folders, _ in os.walk(root):
        for name in folders:
            path = Path(folder) / name
            if not path.is_symlink():
                path.chmod(_PRIVATE)


def _refused(error: OSError) -> Misconfigured:
    msg = f"the files of a deep question cannot be written: {error}; set DAYBOOK_DATA_DIR to one with room, or lower "
    return Misconfigured(f"{msg}DAYBOOK_DEEP_TREE_BYTES")
