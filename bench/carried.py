"""What an earlier run measured, in a file: a job over a million memories takes long, and is not done twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bench.figures import Quantiles
from bench.ratios import Ratio
from bench.rebuilding import Costs
from bench.scopes import new_scope
from shared.contract.errors import InvalidInput
from shared.contract.scope import Scope

if TYPE_CHECKING:
    from pathlib import Path

    from shared.settings import Settings


class Carried:
    """Scopes by size, and what was measured in them. Each is written as soon as it is known."""

    def __init__(self, path: Path | None, settings: Settings | None = None) -> None:
        """Read what there is; without a path nothing is kept.

        Raises:
            InvalidInput: the file cannot be read, or the database is one that is deleted after the run.
        """
        if path and settings and settings.database_url is None:
            raise InvalidInput("what is to be gone on with needs a database that stays: set DAYBOOK_DATABASE_URL")
        self._path = path
        self._known: dict[str, dict[str, Any]] = {"scopes": {}, "costs": {}, "ratios": {}}
        if path and path.exists():
            try:
                self._known |= json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise InvalidInput(f"cannot take costs from {path}: {error}; give another file") from error

    def scope(self, size: int) -> Scope:
        """The scope of a size: the one of the earlier run, or a new one."""
        tenant_id = self._of("scopes", str(size), lambda: new_scope(f"loaded-{size}").tenant_id)
        return Scope(tenant_id=tenant_id, user_id=new_scope("").user_id)

    def costs(self, job: str, size: int, measure: Callable[[], Costs]) -> Costs:
        """What a job costs at a size, measured if that is not known."""
        known = self._of("costs", f"{job}, {size}", lambda: asdict(measure()))
        return Costs(**{name: Quantiles(**each) for name, each in known.items()})

    def ratio(self, name: str, size: int, measure: Callable[[], Ratio]) -> Ratio:
        """A ratio at a size, measured if it is not known."""
        known = self._of("ratios", f"{name}, {size}", lambda: asdict(measure()))
        sides = {side: Quantiles(**known[side]) for side in ("measured", "against")}
        return Ratio(**{**known, **sides})

    def _of(self, kind: str, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._known[kind]:
            self._known[kind][name] = make()
            self._save()
        return self._known[kind][name]

    def _save(self) -> None:
        if self._path is None:
            return
        half = self._path.with_suffix(".half")
        try:
            half.write_text(json.dumps(self._known, indent=2), encoding="utf-8")
            half.replace(self._path)
        except OSError as error:
            raise InvalidInput(f"cannot keep costs in {self._path}: {error}; give another file") from error
