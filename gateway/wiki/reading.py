"""The pages of a scope, compiled as they are asked for: so none is behind, and what is forgotten is in none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from shared import clock
from shared.belief.wiki.draft import Note, Page
from shared.belief.wiki.names import SUFFIX, name_in
from shared.belief.wiki.pages import Held, compile_pages
from shared.contract.errors import NotFound
from shared.contract.events import local
from shared.contract.scope import Owner, Scope, checked_scope, room_id_of
from shared.language.name_keys import key_of
from shared.language.names import names_in
from shared.store import ledger, memories
from shared.store.db import Database, Role, Session

if TYPE_CHECKING:
    from shared.settings import Settings

RUNS: Final = "wiki-"
"""How the id of a run begins by which notes came in; one of its message ids is `wiki/<slug of the page>/<digest>`."""
_PARTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiki:
    """All pages of a scope."""

    pages: tuple[Page, ...]
    """The index first, the log second, then by file."""
    noted: frozenset[str]
    """Ids of all messages that came in as notes, shown or not."""
    at: datetime

    @property
    def texts(self) -> dict[str, str]:
        """The pages' texts, by file."""
        return {page.file: page.text for page in self.pages}

    @property
    def quoted(self) -> frozenset[UUID]:
        """All memories that a page quotes."""
        return frozenset[UUID]().union(*(page.memories for page in self.pages))


def wiki_of(database: Database, settings: Settings, scope: Scope, *, at: datetime | None = None) -> Wiki:
    """The pages of what a user holds, and the rooms that the user takes part in, at a time of the world (None: now).

    Reads all beliefs of these streams; to compile 10,000 takes 0.8 s. Where the scope names an agent, what it may read.

    Raises:
        InvalidScope: the scope is not acceptable.
        DatabaseUnavailable: nothing was read.
    """
    checked_scope(scope)
    at, zone = at or clock.now(), ZoneInfo(settings.naive_timezone)
    with database.transaction(
        Role.READER, scope.tenant_id, [scope.owner], read_only=True, agent_id=scope.agent_id
    ) as session:
        rooms = sorted(owner for owner in session.owners if room_id_of(owner) is not None)
        owners = dict.fromkeys([scope.owner, *rooms])
        held = [_held(replace(session, owners=(owner,)), owner, zone) for owner in owners]
        noted, notes = _notes(replace(session, owners=(scope.owner,)), zone)
    return Wiki(pages=compile_pages(held, at=at, notes=notes, zone=zone), noted=noted, at=at)


def page_named(wiki: Wiki, named: str) -> Page:
    """A page by its file, with its ending or without, or by its title or the name that it is of.

    Raises:
        NotFound: no page is called so, or several are.
    """
    found = [page for page in wiki.pages if named in {page.file, page.file.removesuffix(SUFFIX)}]
    if not found:
        key = key_of(named) or named.casefold()
        found = [page for page in wiki.pages if key in {key_of(page.title), page.title.casefold(), _name(page)}]
    if len(found) == 1:
        return found[0]
    why = "no page is called so" if not found else f"several are: {', '.join(page.file for page in found)}"
    raise NotFound(f"{named[:80]!r}: {why}; `daybook wiki show index` lists all", page=named[:80])


def pages_named(wiki: Wiki, text: str) -> list[Page]:
    """The pages of whom and what a text names, by file."""
    keys = {name.key for name in names_in(text)}
    return [page for page in wiki.pages if _name(page) in keys]


def _name(page: Page) -> str | None:
    return name_in(page.file.removesuffix(SUFFIX))


def _held(session: Session, owner: Owner, zone: tzinfo) -> Held:
    versions = memories.told(session)
    cited = {each.sequence for version in versions if version.is_open for each in version.evidence}
    said = ledger.said_locally(session, cited, zone) if cited else {}
    return Held(owner=owner, versions=versions, said_at=said)


def _notes(session: Session, zone: tzinfo) -> tuple[frozenset[str], list[Note]]:
    """The ids of all notes, and those that are neither forgotten nor quarantined."""
    runs = [run for run in ledger.runs(session) if run.startswith(RUNS)]
    rows = ledger.noted(session, runs) if runs else []
    notes = []
    for row in rows:
        page = _page_of(row["message_id"])
        if page is not None and row["payload"]:
            notes.append(
                Note(
                    page=page,
                    text=row["payload"]["text"],
                    owner=session.owner,
                    sequence=row["sequence"],
                    said_at=local(row["occurred_at"], row["payload"].get("original_at"), zone),
                    speaker=row["speaker"],
                )
            )
    return frozenset(row["message_id"] for row in rows), notes


def _page_of(message_id: str) -> str | None:
    """The slug in a message's id. Anybody may have written that id, so it names a file only where it is a slug."""
    parts = message_id.split("/")
    return parts[1] if len(parts) == _PARTS and parts[0] == "wiki" and name_in(parts[1]) is not None else None
