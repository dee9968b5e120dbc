"""What keeps a worker that woke up too late from having an effect: see `shared.work.passes.Job.fence`."""

from __future__ import annotations

from collections.abc import Callable

from shared.store.db import Session

Fence = Callable[[Session], None]
"""Called in the transaction that writes, before what it writes; raises LeaseLost where somebody has taken over."""


def unfenced(_session: Session) -> None:
    """The fence of what nobody can take over."""
