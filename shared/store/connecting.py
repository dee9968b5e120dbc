"""Connecting to Postgres, and remembering why that failed."""

from __future__ import annotations

from typing import Any, Self

import psycopg

from shared.store.reasons import reason


def remembering(refusals: list[str]) -> type[psycopg.Connection[dict[str, Any]]]:
    """A connection class that keeps why the last attempt to connect failed: the pool tries on and tells nobody."""

    class Remembering(psycopg.Connection[dict[str, Any]]):
        @classmethod
        def connect(cls, *arguments: Any, **options: Any) -> Self:
            try:
                return super().connect(*arguments, **options)
            except psycopg.Error as error:
                refusals[:] = [reason(error)]
                raise psycopg.OperationalError(refusals[0]) from None  # the pool logs it

    return Remembering
