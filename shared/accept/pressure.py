"""Back-pressure: a tenant whose runs are not worked off is told so, before its inbox grows without end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from shared import clock
from shared.contract.errors import InboxFull
from shared.store import inbox

if TYPE_CHECKING:
    from shared.settings import Settings
    from shared.store.db import Database

LOOK_EVERY_S: Final = 1.0
"""A process looks at a tenant's inbox no more often, so that accepting stays one transaction: what is accepted within
this time comes on top of the limit."""

_MOST_TENANTS: Final = 10_000
"""Of no more tenants it is remembered how it was; to forget it costs a look."""

_looked: dict[tuple[int, int, str], tuple[float, bool]] = {}


def require_room(database: Database, settings: Settings, tenant_id: str) -> None:
    """Make sure that fewer than `DAYBOOK_INBOX_LIMIT` runs of the tenant wait to be appended.

    Raises:
        InboxFull: there are as many; nothing was written.
    """
    key = (os.getpid(), id(database), tenant_id)
    looked_at, full = _looked.get(key, (-LOOK_EVERY_S, False))
    if clock.monotonic_s() - looked_at >= LOOK_EVERY_S:
        full = inbox.holds(database, tenant_id, settings.inbox_limit)
        if len(_looked) >= _MOST_TENANTS:
            _looked.clear()
        _looked[key] = (clock.monotonic_s(), full)
    if full:
        msg = (
            f"{settings.inbox_limit:,} runs of tenant {tenant_id!r} wait to be appended: see `daybook status` for why "
            "they are not worked off, send this run again later, or raise DAYBOOK_INBOX_LIMIT"
        )
        raise InboxFull(msg, tenant_id=tenant_id, limit=settings.inbox_limit)
