"""A2: what has been released is never edited, and no revision's id is ever used again."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from shared.store import migrations

VERSIONS: Final = Path(migrations.__file__).parent / "versions"
CHANGELOG: Final = Path(__file__).parents[2] / "CHANGELOG.md"

# Revision: the release that brought it, and the SHA-256 of its files, by name. Lines are added at a release and never
# changed or taken away: a database somewhere stands at each of them.
RELEASED: Final = {
    "0001": (
        "0.1.0",
        {
            "0001_spine.py": "09f2d207ac9caa3d54c4729f07164c38161dcc34c66d436babe02bab3f5eab5e",
            "0001_spine.sql": "37f755488276e30988febf62e739ea83ce73e92a2c52caf133f5f2424567531b",
        },
    ),
}


def files(revision: str) -> dict[str, str]:
    """The files of a revision and their digests; a line's end is the same on every system."""
    return {
        path.name: hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
        for path in sorted(VERSIONS.glob(f"{revision}_*.*"))
        if path.suffix in {".py", ".sql"}
    }


def revisions() -> list[tuple[str, str | None, str]]:
    """Of each migration: its id, the one before, and its file."""
    pattern = r'^revision = "(\w+)"\ndown_revision = (?:"(\w+)"|None)$'
    found = []
    for path in sorted(VERSIONS.glob("*.py")):
        [(revision, before)] = re.findall(pattern, path.read_text("utf-8"), re.MULTILINE)
        found.append((revision, before or None, path.name))
    return found


def test_a2_a_released_migration_is_as_it_was_released() -> None:
    assert {revision: files(revision) for revision in RELEASED} == {
        revision: digests for revision, (_, digests) in RELEASED.items()
    }


def test_a2_each_id_is_used_once_in_order_and_is_the_beginning_of_its_file_name() -> None:
    ids = [revision for revision, _, _ in revisions()]
    assert ids == [f"{n:04}" for n in range(1, len(ids) + 1)]
    assert [before for _, before, _ in revisions()] == [None, *ids[:-1]]
    assert all(name.startswith(f"{revision}_") for revision, _, name in revisions())
    assert {path.name[:4] for path in VERSIONS.glob("*.sql")} <= set(ids)


def test_a2_what_is_in_no_release_yet_comes_after_all_that_is() -> None:
    ids = [revision for revision, _, _ in revisions()]
    assert ids[: len(RELEASED)] == list(RELEASED)
    if ids[len(RELEASED) :]:
        assert re.search("^## Unreleased$", CHANGELOG.read_text("utf-8"), re.MULTILINE), (
            f"{ids[len(RELEASED) :]} are released by now: write down the digests of their files"
        )
