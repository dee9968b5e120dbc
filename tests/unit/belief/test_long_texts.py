"""What reads texts of strangers takes a time that grows as they do: none may hold a worker for hours."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from shared import clock
from shared.accept.likeness import is_placeholder, looks_like_key, looks_like_password
from shared.accept.scrub import scrub
from shared.accept.times import TimeRule, dated
from shared.belief.rules import derivable, unsaid
from shared.belief.rules.gate import Gate
from shared.belief.rules.instructions import gives_orders
from shared.belief.similarity import telling
from shared.contract.cutting import cut
from tests.unit.belief.gates import candidate, context

CHARS = 40_000
AT_MOST_S = 1.5
"""What grew as the square took 3 seconds or more."""
RULE = TimeRule(naive_zone=UTC, latest=datetime(2040, 1, 1, tzinfo=UTC))
PIECES = [
    "a",
    "1",
    "-",
    " ",
    "\n",
    "\t",
    "a ",
    "1 ",
    "a.",
    "1.",
    "_",
    "\\",
    "a/",
    "0,1",
    "1:",
    "1月",
    "the ",
    "A ",
    "> \n",
]


def gate_of(text: str) -> Gate:
    """As a model's candidate that nothing had cut to what a candidate may say."""
    return Gate(candidate("short").model_copy(update={"text": text}), context("It is said."))


READERS: dict[str, Callable[[str], object]] = {
    "a time": lambda text: dated(text, RULE),
    "secrets": scrub,
    "a placeholder": is_placeholder,
    "a key": looks_like_key,
    "a password": looks_like_password,
    "orders": gives_orders,
    "what tells it apart": telling,
    "recalled blocks": cut,
    "numbers": lambda text: unsaid.has_unsaid_number(gate_of(text)),
    "code": lambda text: derivable.is_of_code(gate_of(text)),
    "the world": lambda text: derivable.is_of_world(gate_of(text)),
    "a sum": lambda text: derivable.is_computed(gate_of(text)),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_long_text_is_read_in_no_time(reader: str) -> None:
    for piece in PIECES:
        for begins, ends in (("", ""), ("1", "1"), ("a", "!")):
            text = f"{begins}{piece * (CHARS // len(piece))}{ends}"
            began_s = clock.monotonic_s()
            READERS[reader](text)
            assert clock.monotonic_s() - began_s < AT_MOST_S, (piece, begins)
