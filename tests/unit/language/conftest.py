from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.language.statements import Statement, statements_in
from shared.models.parsing import english_tagger

SAID_ON = date(2031, 5, 24)
"""A Saturday."""


@pytest.fixture
def read() -> Callable[..., list[Statement]]:
    """What a text states, said by Mira on a Saturday."""

    def read(text: str, *, speaker: str = "Mira", said_on: date | None = SAID_ON) -> list[Statement]:
        return statements_in(text, tag=english_tagger(), speaker=speaker, said_on=said_on)

    return read


@pytest.fixture
def told(read: Callable[..., list[Statement]]) -> Callable[[str], set[str]]:
    """The same as `subject predicate object`, with the change before it where it is not that it holds."""

    def told(text: str) -> set[str]:
        return {
            f"{'' if each.change == 'holds' else each.change + ' '}{each.subject} {each.predicate} {each.object}"
            for each in read(text)
        }

    return told
