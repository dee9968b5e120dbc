"""An inference whose grounds are all shown says nothing more."""

from __future__ import annotations

from typing import Any

import pytest

from hotpath._assemble import Page, assemble
from hotpath._covered import set_aside
from hotpath._expand import Piece
from shared.contract.bundle import Source
from shared.language.tokens import ConservativeCounter
from tests.unit.hotpath.pieces import piece

EARLY, LATE = "I took the early train on Monday.", "The early train was full again."
HABIT = "Often takes the early train."


def resting(number: int, text: str, *sequences: int, **other: Any) -> Piece:
    sources = tuple(Source(run_id=None, message_id=None, stream="user:mira", sequence=each) for each in sequences)
    return piece(number, text, sources=sources, **other)


def inference(number: int, *sequences: int, text: str = HABIT, **other: Any) -> Piece:
    return resting(number, text, *sequences, **{"kind": "semantic", "epistemic_type": "inference", **other})


def shown(*hits: Piece, budget_tokens: int = 2_000) -> tuple[list[str], int, int]:
    page = Page(budget_tokens=budget_tokens, counter=ConservativeCounter(), nonce="0" * 16)
    found = assemble(hits, lambda _: (), page)
    return [each.text for each in found.pieces], found.covered, found.omitted


def test_an_inference_is_left_out_where_better_hits_say_all_that_it_cites() -> None:
    hits = (resting(1, EARLY, 1), resting(2, LATE, 2), inference(3, 1, 2))
    assert shown(*hits) == ([EARLY, LATE], 1, 0)


@pytest.mark.parametrize(
    "hits",
    [
        (inference(1, 1, 2), resting(2, EARLY, 1), resting(3, LATE, 2)),
        (resting(1, EARLY, 1), inference(2, 1, 2), resting(3, LATE, 2)),
        (resting(1, EARLY, 1), inference(2, 1, 2)),
        (resting(1, EARLY, 1), resting(2, LATE, 2), inference(3, 1, 2, kind="procedural")),
        (resting(1, EARLY, 1), resting(2, LATE, 2), inference(3, 1, 2, group="takes")),
        (resting(1, EARLY, 1), resting(2, LATE, 2), inference(3, 1, 2, epistemic_type="preference")),
        (inference(1, 1, 2, text="Travels early."), inference(2, 1, 2)),
        (resting(1, EARLY, 1), resting(2, LATE, 2), inference(3)),
    ],
)
def test_what_comes_first_or_says_more_is_shown(hits: tuple[Piece, ...]) -> None:
    texts, covered, omitted = shown(*hits)
    assert (len(texts), covered, omitted) == (len(hits), 0, 0)


def test_a_fact_covers_what_quotes_it_and_nothing_else() -> None:
    facts = [resting(n, text, n, kind="semantic", epistemic_type="fact") for n, text in ((1, EARLY), (2, LATE))]
    assert set_aside([*facts, inference(3, 1, 2)])[1] == []
    quoting = inference(3, 1, 2, text=f"{EARLY} {LATE}")
    assert set_aside([*facts, quoting]) == (facts, [quoting])


def test_an_inference_stands_for_its_grounds_where_these_do_not_fit() -> None:
    long = resting(2, "The early train " * 400, 2)
    texts, covered, omitted = shown(resting(1, EARLY, 1), long, inference(3, 1, 2), budget_tokens=300)
    assert texts == [HABIT, EARLY]
    assert (covered, omitted) == (0, 1)


def test_of_another_stream_nothing_is_covered() -> None:
    other = inference(2, 1)
    sources = tuple(Source(run_id=None, message_id=None, stream="room:kitchen", sequence=1) for _ in range(1))
    assert set_aside([resting(1, EARLY, 1), other._replace(sources=sources)])[1] == []
