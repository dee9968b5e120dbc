"""What goes into a network: texts of bounded length, batches with little padding. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

# Far above the 4 to 5 characters that a token of prose has, so that only text the model would not have seen is lost,
# while a message of megabytes costs a tokeniser as little as one of a page.
CHARS_PER_TOKEN: Final = 32


def bounded(text: str, most_tokens: int) -> str:
    """The part of a text that a model of `most_tokens` tokens can see; lone surrogates become `?`."""
    return text[: most_tokens * CHARS_PER_TOKEN].encode("utf-8", "replace").decode("utf-8")


def batches(lengths: Sequence[int], *, most_texts: int, most_tokens: int) -> Iterator[list[int]]:
    """Positions of texts that go through the network together, shortest texts first.

    Texts of like length meet, so that little of a batch is padding. A batch has at most `most_texts` texts and at most
    `most_tokens` tokens with its padding; a text longer than that is a batch of its own.
    """
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        full = len(batch) == most_texts or lengths[position] * (len(batch) + 1) > most_tokens
        if batch and full:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
