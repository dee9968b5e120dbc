"""The hot path: the right evidence for a query, within a deadline and a token budget.

    from hotpath import recall
    from shared.contract.scope import Scope

    bundle = recall(Scope(tenant_id="acme", user_id="mira"), "Where are the beehives?")
    print(bundle.text)

Importing this loads no Celery, no broker client and no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import shared

if getattr(shared, "__distribution__", None) != "daybook-memory":
    msg = (
        f"{shared.__file__} is another distribution's package `shared`; Daybook's must come first on sys.path: "
        "remove the other, or run from a directory that holds no `shared`"
    )
    raise ImportError(msg)

if TYPE_CHECKING:
    from datetime import datetime

    from hotpath.layers.inject import Form, Message, Written
    from shared.contract.bundle import Bundle
    from shared.contract.scope import Scope

__all__ = ["arecall", "recall", "render"]


def recall(
    scope: Scope,
    query: str,
    *,
    budget_tokens: int | None = None,
    deadline_ms: int | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    k: int | None = None,
    recipe: str = "balanced",
    explain: bool = False,
) -> Bundle:
    """The memories of a scope that bear on a query, as evidence to put before a model.

    Always answers: within `deadline_ms` (default `DAYBOOK_RECALL_DEADLINE_MS`) and `budget_tokens`, counted on the
    rendered text and useful from about 200 on. What could not be asked in time, or failed, is named in `degraded`. The
    budget is by default `DAYBOOK_RECALL_BUDGET_TOKENS`, and half as much again for a tenant whose contradictions have
    not fitted it lately (`daybook evaluate memory`).
    `as_of` asks for what was true then, `known_at` for what was known then, and with `as_of` the query's "yesterday" is
    that day's; `k` bounds the number of hits. `recipe` is how much is done for it: `fast`, `balanced`, `thorough`, or
    one of your own (see `hotpath.recipes`). With `explain`, each item carries the score of every channel.

    Raises:
        InvalidScope, InvalidQuery: an argument does not fit. Nothing else raises.
    """
    from hotpath._recall import recall as find

    return find(
        scope,
        query,
        budget_tokens=budget_tokens,
        deadline_ms=deadline_ms,
        as_of=as_of,
        known_at=known_at,
        k=k,
        recipe=recipe,
        explain=explain,
    )


async def arecall(
    scope: Scope,
    query: str,
    *,
    budget_tokens: int | None = None,
    deadline_ms: int | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    k: int | None = None,
    recipe: str = "balanced",
    explain: bool = False,
) -> Bundle:
    """`recall` on a worker thread, for programs on an event loop."""
    import asyncio

    return await asyncio.to_thread(
        recall,
        scope,
        query,
        budget_tokens=budget_tokens,
        deadline_ms=deadline_ms,
        as_of=as_of,
        known_at=known_at,
        k=k,
        recipe=recipe,
        explain=explain,
    )


@overload
def render(bundle: Bundle, form: Written) -> str: ...
@overload
def render(bundle: Bundle, form: Literal["messages"]) -> list[Message]: ...
def render(bundle: Bundle, form: Form) -> str | list[Message]:
    """A bundle as `markdown`, `xml` or `json`, or as chat `messages` in the user's role; see `hotpath.layers.inject`.

    Each keeps to the bundle's budget and is empty where nothing fits. `bundle.text` is the block that needs no form.

    Raises:
        InvalidQuery: there is no such form.
    """
    from hotpath.layers.inject import render as write

    return write(bundle, form)
