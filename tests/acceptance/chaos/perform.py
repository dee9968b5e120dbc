"""`python -m tests.acceptance.chaos.perform JOB TENANT [USER]`: a job of the cold path, to be killed at its work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from shared.contract.scope import Scope
from shared.embedded import open_database
from shared.settings import settings
from shared.store.db import Database


def replay(database: Database, tenant: str, *_: str) -> None:
    """Write every table of the tenant anew from its ledger."""
    from coldpath.replay import replay_streams

    for each in replay_streams(database, tenant, verify=False):
        if not each.is_equal:
            raise SystemExit(f"the stream of {each.owner} is not what its ledger comes to: {each.differences}")


def erase(database: Database, tenant: str, user: str) -> None:
    """Erase everything of a user."""
    from coldpath.forget import erase as erase_user

    erase_user(database, Scope(tenant_id=tenant, user_id=user))


JOBS: Final[dict[str, Callable[..., None]]] = {"replay": replay, "erase": erase}

if __name__ == "__main__":
    JOBS[sys.argv[1]](open_database(settings()), *sys.argv[2:])
