"""What somebody wrote in exported pages, taken in as what the user says: as evidence, by the front door, like any run.

Nothing is deleted by what is missing in a page, and what the compiler makes of a page later is not touched: the new
sentences stand under its Notes, and what is claimed in them is believed as whatever else the user says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from gateway.wiki.folder import Folder, Imported
from gateway.wiki.reading import RUNS
from shared.belief.wiki.edits import Edits, digest, edits
from shared.contract.receipts import Receipt
from shared.contract.scope import Scope


class Observe(Protocol):
    """The front door."""

    def __call__(self, scope: Scope, messages: Sequence[Mapping[str, Any]], /, *, run_id: str) -> Receipt:
        """Accept a run; see `warmpath.observe`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What was taken in of a page."""

    file: str
    page: str
    """Slug of the page under whose Notes it will stand."""
    added: int
    """New sentences."""
    gone: int
    """Sentences that the page says no longer. They are held as before: `daybook forget` is for that."""
    run_id: str | None
    """None where nothing was new."""


def take_in(folder: Folder, scope: Scope, observe: Observe, now: datetime) -> list[Taken]:
    """Take in all pages of a folder that were changed or added since they were exported, page by page.

    A page that was taken in and not written down as such, since somebody was killed, is the same run again.

    Raises:
        DaybookError: what the front door raises; the pages before are taken in.
    """
    known = {each for page in folder.manifest.pages.values() for each in page.sentences}
    taken = []
    for file in folder.changed:
        text, exported = folder.texts[file], folder.manifest.pages.get(file)
        found = edits(file, text, exported.sentences if exported else (), known)
        messages = _messages(found, scope, _written_at(folder, file, now))
        run_id = _run(messages)
        if run_id:
            observe(scope, messages, run_id=run_id)
        folder.note({file: Imported(digest=digest(text), messages=[each["id"] for each in messages])})
        taken.append(Taken(file=file, page=found.page, added=len(messages), gone=found.gone, run_id=run_id))
    return taken


def on_their_way(folder: Folder, noted: frozenset[str]) -> list[str]:
    """Files whose imported sentences are not all in the ledger yet: exported now, a page would lose them."""
    imported = folder.manifest.imported
    return sorted(file for file in folder.texts if file in imported and not noted.issuperset(imported[file].messages))


def _messages(found: Edits, scope: Scope, written_at: datetime) -> list[dict[str, Any]]:
    """What was written at another time is another message: said again, a forgotten sentence is a new one."""
    when = written_at.isoformat()
    said = {"role": "user", "speaker": scope.owner, "ts": when}
    ids = (f"wiki/{found.page}/{digest(f'{when} {text}')[:32]}" for text in found.added)
    return [{**said, "id": each, "text": text} for each, text in zip(ids, found.added, strict=True)]


def _run(messages: Sequence[dict[str, Any]]) -> str | None:
    """The same messages are the same run."""
    return RUNS + digest("\n".join(each["id"] for each in messages))[:32] if messages else None


def _written_at(folder: Folder, file: str, now: datetime) -> datetime:
    """When a page was last written: what stands there was said then, whenever it is imported."""
    changed = datetime.fromtimestamp((folder.place / file).stat().st_mtime, UTC)
    return min(changed, now)
