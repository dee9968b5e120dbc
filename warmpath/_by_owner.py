"""Work that is done for several owners, one after the other: nobody's failure keeps it from the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from shared.contract.errors import DaybookError
from shared.contract.scope import Owner
from shared.log import logger

_LOG: Final = logger(__name__)


def for_each(what: str, owners: Sequence[tuple[str, Owner]], do: Callable[[str, Owner], int]) -> int:
    """What `do` counts for each tenant and owner, in all. One that fails is logged as `what`, and passed over.

    Raises:
        DaybookError: it failed for all of them; the last of their errors.
    """
    counted, failures = 0, 0
    for tenant_id, owner in owners:
        try:
            counted += do(tenant_id, owner)
        except DaybookError as error:
            failures += 1
            _LOG.warning("%s: passed over for one owner of tenant %s: %s", what, tenant_id, error)
            if failures == len(owners):
                raise
    return counted
