"""The warm path: runs that have ended go into the ledger and become findable.

    from shared.contract.scope import Scope
    from warmpath import observe

    observe(Scope(tenant_id="acme", user_id="mira"), [{"role": "user", "text": "I keep two beehives."}], run_id="run-7")

Importing this loads no Celery, no broker client and no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import shared

if getattr(shared, "__distribution__", None) != "daybook-memory":
    msg = (
        f"{shared.__file__} is another distribution's package `shared`; Daybook's must come first on sys.path: "
        "remove the other, or run from a directory that holds no `shared`"
    )
    raise ImportError(msg)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from uuid import UUID

    from pydantic import BaseModel

    from shared.accept.clean import RawMessage
    from shared.contract.bundle import Bundle
    from shared.contract.receipts import Receipt
    from shared.contract.scope import Scope

__all__ = ["aobserve", "aoutcome", "arecord", "observe", "outcome", "record"]


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
    may recall it and `room` is its id. With `inline` the stages that workers would do are done before this returns, of
    this run alone, ahead of what of the same user may wait for workers; by default `DAYBOOK_MODE` says. With `spool`
    (default: `DAYBOOK_SPOOL`) a run that Postgres does not take now is kept on this machine's disk and sent on later,
    which the receipt says.

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
    and its receipt says how many; with `inline` so does the one that is returned, by its counts and a warning.

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


def record(  # noqa: PLR0913 - what a record says, and who says it
    scope: Scope,
    schema: str,
    data: BaseModel | Mapping[str, Any],
    *,
    run_id: str,
    occurred_at: datetime | None,
    evidence: str | Iterable[str] = (),
    origin: Literal["user", "tool"] = "tool",
    source: str | None = None,
    subject: str | None = None,
    change: Literal["holds", "ended", "never"] = "holds",
    since: datetime | None = None,
    until: datetime | None = None,
    confidence: float = 0.9,
    inline: bool | None = None,
    spool: bool | None = None,
) -> Receipt:
    """Accept a record: fields of a schema that is built in or that `DAYBOOK_SCHEMAS` names. As durable as `observe`.

    No model is asked. The statement itself is evidence, from the user or a tool (`origin`) called `source`; `evidence`
    is what it rests on besides: a text, or ids of messages of the same run, whose trust it then has where that is
    lower. It is of `subject`, by default the scope's user. `occurred_at` is when it was so in the world; without a time
    it supersedes nothing. To end a record, or deny it, state its data once more with `change`. The same record in the
    same run is answered with the first receipt; the gate may still have a person asked, which the run's receipts say.

    Raises:
        InvalidRecord: the data does not fit the schema; the message names field, value and what to do.
        InvalidScope, InvalidInput, InvalidRun: another argument does not fit, or the run has no message of an id that
            `evidence` names; nothing was written.
        ConflictingMessage: the run has a record of the same thing and time with another value of a field.
        Misconfigured: the schemas cannot be had.
        InboxFull, DatabaseUnavailable, SpoolFailed: it was not accepted; send it again.
    """
    from warmpath._door import door

    return door(inline=inline).record(
        scope, schema, data, run_id=run_id, occurred_at=occurred_at, evidence=evidence, origin=origin, source=source,
        subject=subject, change=change, since=since, until=until, confidence=confidence, spool=spool,
    )  # fmt: skip


async def arecord(
    scope: Scope,
    schema: str,
    data: BaseModel | Mapping[str, Any],
    *,
    run_id: str,
    occurred_at: datetime | None,
    **said: Any,
) -> Receipt:
    """`record` on a worker thread, for programs on an event loop; takes what `record` takes."""
    import asyncio

    return await asyncio.to_thread(record, scope, schema, data, run_id=run_id, occurred_at=occurred_at, **said)
