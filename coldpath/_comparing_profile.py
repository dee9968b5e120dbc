"""What the profile view holds of a stream, beside what its memories come to, as far as the view goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Final

from shared.belief.blocks import Block, blocks, fields_of
from shared.belief.state import State, Versions
from shared.contract.records import MemoryVersion
from shared.contract.scope import stream_of
from shared.store import generations, ledger, profiles
from shared.store.db import Session

_COLUMNS: Final = tuple(each.name for each in fields(Block))


def blocks_of(session: Session, state: State) -> tuple[Block, ...]:
    """The blocks that a stream's memories come to."""
    versions = (version for versions in state.memories.values() for version in versions if version.claim)
    return blocks(session.tenant_id, stream_of(session.owner), versions)


class Profiles:
    """The profile view, as the memories of a stream go by (`coldpath._comparing.Part`)."""

    def __init__(self, session: Session, differ: Callable[[str, str, str], None]) -> None:
        """Begin before the first memory; `differ` is told the table, key and column of all that differs."""
        self._session, self._differ = session, differ
        self._claims: list[MemoryVersion] = []

    def take(self, versions: Versions) -> None:
        """Go on with the next memory."""
        self._claims += [version for version in versions if version.claim]

    def end(self) -> None:
        """Say what differs, once all memories have gone by."""
        build = generations.live(self._session, "profile")
        generation = build.generation if build else 0
        until = profiles.positions(self._session).get(generation, 0)
        if until > (ledger.end_of(self._session, self._session.owner) or {}).get("last_sequence", 0):
            self._differ("profile_stream", f"generation {generation}", "sequence")
        made = blocks(self._session.tenant_id, stream_of(self._session.owner), self._claims, until=until)
        expected = {each.block_id: each for each in made}
        for held in profiles.stored(self._session, generation):
            wanted = expected.pop(held.block_id, None)
            if wanted is None:
                self._differ("profile", str(held.block_id), "unknown")
                continue
            # As they are read back: JSON has one way to write a number, whichever it was given in.
            plain = replace(wanted, fields=fields_of(wanted.content))
            for column in _COLUMNS:
                if getattr(held, column) != getattr(plain, column):
                    self._differ("profile", str(held.block_id), column)
        for block in expected:
            self._differ("profile", str(block), "missing")
