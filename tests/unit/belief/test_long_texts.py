"""What reads texts of strangers takes a time that grows as they do: none may hold a worker for hours."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

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
TIMES_LONGER = 4
AT_MOST = 9.0
"""By which a text that is four times as long may take longer: 4 is linear, and 16 grows as the square."""
NOTHING_S = 0.05
"""Of a processor: what takes less tells nothing of how it grows, and what grew as the square took 3 seconds or more."""
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


def spent_s(reader: Callable[[str], object], text: str) -> float:
    """The better of two, in seconds of a processor: what else the machine does is no part of it."""

    def once() -> float:
        began_s = time.process_time()
        reader(text)
        return time.process_time() - began_s

    return min(once(), once())


@pytest.mark.parametrize("reader", READERS)
def test_a_text_four_times_as_long_takes_hardly_more_than_four_times_as_long(reader: str) -> None:
    for piece in PIECES:
        for begins, ends in (("", ""), ("1", "1"), ("a", "!")):
            short, long = (f"{begins}{piece * (chars // len(piece))}{ends}" for chars in (CHARS // TIMES_LONGER, CHARS))
            took_s = spent_s(READERS[reader], long)
            if took_s > NOTHING_S:
                assert took_s < AT_MOST * spent_s(READERS[reader], short), (piece, begins)
