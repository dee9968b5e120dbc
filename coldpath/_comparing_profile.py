"""What the profile view holds of a stream, beside what its memories come to, as far as the view goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Final

from shared.belief.blocks import Block, blocks, fields_of
from shared.belief.state import State
from shared.contract.scope import stream_of
from shared.store import generations, ledger, profiles
from shared.store.db import Session

_COLUMNS: Final = tuple(each.name for each in fields(Block))


def blocks_of(session: Session, state: State, *, until: int | None = None) -> tuple[Block, ...]:
    """The blocks that a stream's memories come to, as of an event of it."""
    versions = (version for versions in state.memories.values() for version in versions if version.claim)
    return blocks(session.tenant_id, stream_of(session.owner), versions, until=until)


def differences(session: Session, state: State) -> Iterator[tuple[str, str, str]]:
    """Table, key and column of all that differs in the live generation."""
    build = generations.live(session, "profile")
    generation = build.generation if build else 0
    until = profiles.positions(session).get(generation, 0)
    if until > (ledger.end_of(session, session.owner) or {}).get("last_sequence", 0):
        yield "profile_stream", f"generation {generation}", "sequence"
    expected = {each.block_id: each for each in blocks_of(session, state, until=until)}
    for held in profiles.stored(session, generation):
        wanted = expected.pop(held.block_id, None)
        if wanted is None:
            yield "profile", str(held.block_id), "unknown"
            continue
        # As they are read back: JSON has one way to write a number, whichever it was given in.
        plain = replace(wanted, fields=fields_of(wanted.content))
        for column in _COLUMNS:
            if getattr(held, column) != getattr(plain, column):
                yield "profile", str(held.block_id), column
    for block in expected:
        yield "profile", str(block), "missing"
