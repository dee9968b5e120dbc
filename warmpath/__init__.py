"""The warm path: runs that have ended go into the ledger and become findable.

    from shared.contract.scope import Scope
    from warmpath import observe

    observe(Scope(tenant_id="acme", user_id="mira"), [{"role": "user", "text": "I keep two beehives."}], run_id="run-7")

Importing this loads no Celery, no broker client and no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import shared

if getattr(shared, "__distribution__", None) != "daybook-memory":
    msg = (
        f"{shared.__file__} is another distribution's package `shared`; Daybook's must come first on sys.path: "
        "remove the other, or run from a directory that holds no `shared`"
    )
    raise ImportError(msg)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from uuid import UUID

    from shared.accept.clean import RawMessage
    from shared.contract.bundle import Bundle
    from shared.contract.receipts import Receipt
    from shared.contract.scope import Scope

__all__ = ["aobserve", "aoutcome", "observe", "outcome"]


def observe(
    scope: Scope,
    messages: Sequence[RawMessage | Mapping[str, Any]],
    *,
    run_id: str,
    room: str | None = None,
    participants: Iterable[str] = (),
    inline: bool | None = None,
    spool: bool | None = None,
) -> Receipt:
    """Accept a run that has ended; when this returns, it is committed and cannot be lost.

    A message is a mapping with `text` (or `content`), and any of `id`, `role`, `speaker`, `ts`, `origin`. The same run
    with the same messages is answered with the first receipt. In a group conversation, `participants` are the users who
    may recall it and `room` is its id. With `inline` the stages that workers would do are done before this returns;
    by default `DAYBOOK_MODE` says. With `spool` (default: `DAYBOOK_SPOOL`) a run that Postgres does not take now is
    kept on this machine's disk and sent on later, which the receipt says.

    Raises:
        InvalidScope, InvalidRun: an argument does not fit; the message says which and why. Nothing was written.
        ConflictingMessage: a message id of this run was accepted before with another text.
        InboxFull, DatabaseUnavailable: the run was not accepted; send it again.
        SpoolFailed: nor did the disk take it; send it again.
    """
    from warmpath._door import door

    return door(inline=inline).observe(
        scope, messages, run_id=run_id, room=room, participants=participants, spool=spool
    )


async def aobserve(
    scope: Scope,
    messages: Sequence[RawMessage | Mapping[str, Any]],
    *,
    run_id: str,
    room: str | None = None,
    participants: Iterable[str] = (),
    inline: bool | None = None,
    spool: bool | None = None,
) -> Receipt:
    """`observe` on a worker thread, for programs on an event loop."""
    import asyncio

    return await asyncio.to_thread(
        observe, scope, messages, run_id=run_id, room=room, participants=participants, inline=inline, spool=spool
    )


def outcome(
    scope: Scope,
    turn: Bundle | UUID | str,
    *,
    used: Iterable[UUID | str] = (),
    misled: Iterable[UUID | str] = (),
    corrected: bool = False,
    abstained: bool = False,
    inline: bool | None = None,
    spool: bool | None = None,
) -> Receipt:
    """Report what came of a recall: which memories the answer rests on, and which made it wrong.

    `turn` is the bundle that recall returned, or its `turn_id`. Memories are named by id or as the bundle cites them
    (`m3`). `corrected`: the user had to correct the answer; `abstained`: none was given. As durable as `observe`. What
    is said last of a memory in a turn stands, also where it was said before and taken back: only what was said last,
    said again, is a repeat, and is answered with its first receipt. Append refuses memories that are not the scope's,
    and its receipt says how many.

    Raises:
        InvalidScope, InvalidInput: an argument does not fit; nothing was written.
        InboxFull, DatabaseUnavailable, SpoolFailed: it was not accepted; send it again.
    """
    from warmpath._door import door

    return door(inline=inline).outcome(
        scope, turn, used=used, misled=misled, corrected=corrected, abstained=abstained, spool=spool
    )


async def aoutcome(
    scope: Scope,
    turn: Bundle | UUID | str,
    *,
    used: Iterable[UUID | str] = (),
    misled: Iterable[UUID | str] = (),
    corrected: bool = False,
    abstained: bool = False,
    inline: bool | None = None,
    spool: bool | None = None,
) -> Receipt:
    """`outcome` on a worker thread, for programs on an event loop."""
    import asyncio

    return await asyncio.to_thread(
        outcome,
        scope,
        turn,
        used=used,
        misled=misled,
        corrected=corrected,
        abstained=abstained,
        inline=inline,
        spool=spool,
    )
