"""The schemas of records that an application registers: what DAYBOOK_SCHEMAS names, loaded once in a process."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from shared.belief.schemas import BUILT_IN, RecordSchema, Schemas
from shared.contract.askable import ASKABLE, require_askable
from shared.contract.errors import InvalidInput, InvalidSchema, Misconfigured
from shared.settings import names_of

if TYPE_CHECKING:
    from shared.settings import Settings

_FORM = "write it as package.module:NAME"


def schemas(settings: Settings) -> Schemas:
    """The schemas of this process, those that are built in among them.

    Raises:
        Misconfigured: what the setting names cannot be had, or is no schemas; the message says which.
    """
    return BUILT_IN if settings.schemas is None else _loaded(settings.schemas)


def asked_about(settings: Settings) -> frozenset[str]:
    """Kinds and schemas of which each write waits for a person.

    Whoever begins to take runs asks once, so that a name mistyped is not first met where it lets a write pass.

    Raises:
        Misconfigured: one of them is neither, or the schemas cannot be had.
    """
    named = names_of(settings.ask_about)
    if all(name in ASKABLE for name in named):
        return frozenset(named)
    try:
        return require_askable(named, (schema.name for schema in schemas(settings)))
    except InvalidInput as error:
        raise Misconfigured(f"DAYBOOK_ASK_ABOUT: {error}", setting="DAYBOOK_ASK_ABOUT") from error


@lru_cache(maxsize=16)
def _loaded(named: str) -> Schemas:
    module_name, _, name = named.partition(":")
    try:
        module = import_module(module_name)
    except ImportError as error:
        where = f"{module_name!r} cannot be imported ({error})"
        msg = f"DAYBOOK_SCHEMAS: {where}; {_FORM}, of a module that every worker and agent can import"
        raise Misconfigured(msg, setting="DAYBOOK_SCHEMAS") from error
    found = getattr(module, name, None)
    if found is None:
        raise Misconfigured(f"DAYBOOK_SCHEMAS: {module_name!r} has no {name!r}; {_FORM}", setting="DAYBOOK_SCHEMAS")
    try:
        return BUILT_IN.with_(*_listed(found, named))
    except InvalidSchema as error:
        raise Misconfigured(f"DAYBOOK_SCHEMAS: {error}", setting="DAYBOOK_SCHEMAS") from error


def _listed(found: object, named: str) -> list[RecordSchema]:
    if isinstance(found, RecordSchema):
        return [found]
    given = list(found) if isinstance(found, Iterable) and not isinstance(found, str) else [found]
    listed = [each for each in given if isinstance(each, RecordSchema)]
    if not listed or len(listed) < len(given):
        msg = f"DAYBOOK_SCHEMAS: {named} is a {type(found).__name__} and holds no schemas"
        raise Misconfigured(f"{msg}; make it a RecordSchema, a list of them, or Schemas", setting="DAYBOOK_SCHEMAS")
    return listed
