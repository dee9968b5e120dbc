"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import click

from gateway.terminal import Terminal

Function = TypeVar("Function", bound=Callable[..., object])

pass_terminal = click.make_pass_decorator(Terminal, ensure=True)


def for_machines(function: Function) -> Function:
    """Add `--json` and `--debug`, which the terminal keeps."""
    with_json = click.option(
        "--json", is_flag=True, expose_value=False, callback=_keep("as_json"), help="One JSON document on stdout."
    )
    with_debug = click.option(
        "--debug", is_flag=True, expose_value=False, callback=_keep("debug"), help="Show tracebacks of errors."
    )
    return with_json(with_debug(function))


def for_scope(function: Function) -> Function:
    """Add `--tenant` and `--user`. Both must be given: a missing one is never read as everybody."""
    with_user = click.option("--user", required=True, metavar="ID", help="Whose memory, within the tenant.")
    with_tenant = click.option("--tenant", required=True, metavar="ID", help="Which tenant's memory.")
    return with_tenant(with_user(function))


class Id(click.ParamType[str]):
    """An id, whole or its first digits; refused before anything is started where it can be none."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """As it was given.

        Raises:
            InvalidInput: it is no id.
        """
        from shared.contract.ids import IdRange

        IdRange.of(value, field="id" if param is None or param.name is None else param.name)
        return str(value)


class Moment(click.ParamType[datetime]):
    """A date or time in ISO 8601; without a zone, in `DAYBOOK_NAIVE_TIMEZONE`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, aware."""
        from shared.settings import settings

        try:
            found = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a date or time like 2026-03-01 or 2026-03-01T09:30:00+01:00", param, ctx)
        return found if found.tzinfo else found.replace(tzinfo=ZoneInfo(settings().naive_timezone))


def _keep(name: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def keep(context: click.Context, _parameter: click.Parameter, given: bool) -> None:  # noqa: FBT001 - click's
        terminal = context.ensure_object(Terminal)
        setattr(terminal, name, getattr(terminal, name) or given)

    return keep
