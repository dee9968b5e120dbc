"""All that an installation writes down beside its variables, looked at at once by whoever starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.accept.policies import policies
from shared.accept.registered import asked_about, schemas
from shared.contract.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.settings import Settings

_READ: Final[tuple[Callable[[Settings], object], ...]] = (policies, schemas, asked_about)


def require_configured(settings: Settings) -> None:
    """Make sure that policies, gates and schemas can be had, so that no mistake is first met in the night.

    For commands, workers, beat and whoever opens a `Daybook`, as they start; not for `hotpath.recall` by itself, which
    needs none of it and always answers.

    Raises:
        Misconfigured: some cannot; the message names each variable, file, and line or key, and what to do.
    """
    faults: dict[str, Misconfigured] = {}
    for read in _READ:
        try:
            read(settings)
        except Misconfigured as error:
            faults[str(error)] = error
    if len(faults) == 1:
        raise next(iter(faults.values()))
    if faults:
        named = sorted({str(error.details.get("setting", "")) for error in faults.values()})
        raise Misconfigured("; ".join(faults), setting=", ".join(named))
