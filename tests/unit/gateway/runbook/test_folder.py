"""The files are private and read-only, what is done to them is seen, and they go."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from gateway.runbook.answers import Budget
from gateway.runbook.folder import changed, written
from gateway.runbook.tree import HELPER, grown
from shared.contract.errors import Misconfigured


@pytest.fixture
def tree(bees):
    return grown(bees, of=3, budget=Budget())


def note(root: Path, kept: bool) -> None:  # noqa: FBT001 - what is called
    assert kept or list(root.iterdir()) == [], "before anything else"
    (root / "whose.json").write_text("kept" if kept else "at work")


def test_only_we_may_enter_and_nothing_can_be_executed(tree, tmp_path):
    with written(tree, tmp_path, note) as folder:
        (root,) = (tmp_path / "deep").iterdir()
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
        found = {path.relative_to(folder.tree).as_posix(): path for path in folder.tree.rglob("*")}
        assert {name for name, path in found.items() if path.is_file()} == tree.files.keys()
        for name, path in found.items():
            assert not path.is_symlink()
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode == (0o500 if path.is_dir() else 0o400), name
            assert path.is_dir() or path.read_bytes() == tree.files[name]
        assert list(folder.scratch.iterdir()) == []
    assert list((tmp_path / "deep").iterdir()) == []


def test_what_is_kept_can_be_removed_by_hand(tree, tmp_path):
    with written(tree, tmp_path, note, keep=True) as folder:
        pass
    (root,) = (tmp_path / "deep").iterdir()
    assert sorted(each.name for each in root.iterdir()) == ["tree", "whose.json"]
    assert (root / "whose.json").read_text() == "kept"
    assert (folder.tree / HELPER).exists()
    shutil.rmtree(root)


def test_the_files_go_when_the_search_fails(tree, tmp_path):
    with pytest.raises(RuntimeError), written(tree, tmp_path, note):
        raise RuntimeError
    assert list((tmp_path / "deep").iterdir()) == []


def unlocked(path: Path) -> Path:
    path.chmod(0o700)
    return path


def rewrite(root: Path) -> None:
    unlocked(root / "index.md").write_text("all is well")
    (root / "index.md").chmod(0o400)


def rewrite_as_long(root: Path) -> None:
    path = unlocked(root / "index.md")
    path.write_bytes(path.read_bytes()[:-2] + b"!\n")
    path.chmod(0o400)


def add(root: Path) -> None:
    (unlocked(root) / "new.md").write_text("new")


def add_deep(root: Path) -> None:
    (unlocked(root / "streams") / "new").mkdir()


def link(root: Path) -> None:
    unlocked(root)
    (root / "index.md").unlink()
    (root / "index.md").symlink_to("README.md")


def pipe(root: Path) -> None:
    unlocked(root)
    (root / "index.md").unlink()
    os.mkfifo(root / "index.md", 0o400)


def drop(root: Path) -> None:
    (unlocked(root) / "index.md").unlink()


def drop_all(root: Path) -> None:
    root.rename(root.parent / "elsewhere")


def loosen(root: Path) -> None:
    (root / "index.md").chmod(0o777)


@pytest.mark.parametrize(
    "touch",
    [rewrite, rewrite_as_long, add, add_deep, link, pipe, drop, drop_all, loosen],
    ids=lambda each: each.__name__,
)
def test_whatever_is_done_to_the_files_is_seen_and_does_not_stay(tree, tmp_path, touch):
    with written(tree, tmp_path, note) as folder:
        assert changed(folder, tree) is None
        touch(folder.tree)
        assert changed(folder, tree) is not None
    assert list((tmp_path / "deep").iterdir()) == []


def test_a_link_out_of_the_folder_is_not_followed_when_it_is_removed(tree, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    with written(tree, tmp_path, note) as folder:
        (folder.scratch / "link").symlink_to(outside)
    assert stat.S_IMODE(outside.stat().st_mode) == 0o500


def test_a_disk_that_does_not_take_it_is_told_of(tree, tmp_path):
    (tmp_path / "deep").write_text("in the way")
    with pytest.raises(Misconfigured, match="DAYBOOK_DATA_DIR"), written(tree, tmp_path, note):
        pass
