"""Records: how they stand to the schemas that are registered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shared.contract.scope import AUDIT_OWNER, Owner
from warmpath import refit
from warmpath._work import Services
from warmpath.refit import Checked


def checked(
    services: Services, streams: Iterable[tuple[str, Owner, int]], *, applies: bool = False
) -> Iterator[Checked]:
    """How the records of some streams stand to the registered schemas, and with `applies` have them brought to these.

    Raises:
        Misconfigured: the schemas cannot be had.
        DatabaseUnavailable: the stream it stopped at, and those behind it, are as they were.
    """
    act = refit.apply if applies else refit.check
    for tenant_id, owner, _ in streams:
        if owner != AUDIT_OWNER:
            yield act(services, tenant_id, owner)
