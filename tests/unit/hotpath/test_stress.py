"""However a query, an answer or a message is written, reading it takes no longer than it is long."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import pytest

from hotpath import _asked, _reading, _twins
from hotpath._plan import plan
from hotpath._shape import shape_of
from shared.contract import block, citations, cutting, forms
from shared.language import asking, guessing, indexing, name_keys, names, summaries, text, time_expressions

NOW = datetime(2026, 11, 30, tzinfo=UTC)
CHARS: Final = 40_000
MOST_S: Final = 0.75
"""What grows with the square of a text took from 5 s on; what does not, up to .15 s."""
PIECES: Final = (
    *("a", "A", "1", " ", "\n", "\t", "[", "(", "<", '"', "'", ".", "@", "-", "_", "\\", "aA", "A1", "A.", "a. ", "1."),
    *("The ", "of the ", "a-", " \n", "\r\n", "[m1", "[m1, ", "(m1 and ", "m1~001f ", "ア", "ア・", "年", "去年"),
    *("ก", "“", "last ", "two days ", "in May ", "who ", "of which ", "what was ", "'a ", "\u3000", "e\u0301", "&lt;"),
)
ENDS: Final = (("", ""), ("é", "A"), ("(1", "B)"), ('"a', '" x'))

READ: Final[dict[str, Callable[[str], object]]] = {
    "plan": lambda query: plan(query, now=NOW),
    "shape": shape_of,
    "times": lambda query: time_expressions.times(query, NOW),
    "asked": _asked.words_of,
    "asks": _reading.asks,
    "twins": _twins.words_of,
    "names": names.names_in,
    "phrases": name_keys.phrases,
    "key": name_keys.key_of,
    "terms": text.terms,
    "normalise": text.normalise,
    "passages": indexing.passages,
    "language": guessing.language_of,
    "memory asked": asking.asks_memory,
    "summary": lambda said: summaries.summary_of(said.split("\n")),
    "citations": lambda answer: citations.check_citations(answer, {}),
    "one citation": citations.cited,
    "escaped": lambda said: block.escaped(said) + block.escaped_label(said) + forms.markdown_escaped(said),
    "unescaped": block.unescaped,
    "cut": cutting.cut,
}


@pytest.mark.parametrize("name", READ)
def test_no_text_takes_longer_than_it_is_long(name: str) -> None:
    """By the processor's time of this thread, the better of two where the first was slow."""
    for piece in PIECES:
        for before, after in ENDS:
            written = before + (piece * CHARS)[:CHARS] + after
            assert any(_took_s(READ[name], written) < MOST_S for _ in range(2)), (name, piece, before, after)


def _took_s(read: Callable[[str], object], written: str) -> float:
    began = time.thread_time()
    read(written)
    return time.thread_time() - began
