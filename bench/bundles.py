"""What stands in a bundle, held against the gold of its question. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hotpath.layers.labels import day_of, label
from shared.contract import block
from shared.language.tokens import DEFAULT_COUNTER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import tzinfo

    from shared.contract.bundle import Bundle, Item

_NONCE: Final = "0" * 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How much of what a bundle shows is evidence for the question, and how much of the evidence it shows."""

    items: int
    gold_items: int
    tokens: int
    """Of the whole text, its frame included."""
    gold_tokens: int
    """Of the lines of gold turns, their labels included."""
    gold: float
    """Share of the gold turns that are in the text."""
    whole: bool
    """All of them are."""
    whole_by_hits: bool
    """All are among the hits and what repeats them: none is there as a turn around a hit alone."""

    @property
    def density(self) -> float:
        """Share of the items that are gold; 0 of an empty bundle."""
        return self.gold_items / self.items if self.items else 0.0

    @property
    def token_density(self) -> float:
        """Share of the tokens that are gold; 0 of an empty bundle."""
        return self.gold_tokens / self.tokens if self.tokens else 0.0


def shown(bundle: Bundle, gold: Collection[str]) -> Shown:
    """Hold a bundle against gold turns, at least one. An item is gold if any turn that it stands for is."""
    lines = _lines(bundle.text)
    turns = {item.ordinal: _turn_ids(item) for item in bundle.items}
    found = [item for item in bundle.items if not turns[item.ordinal].isdisjoint(gold)]
    present = _gold(bundle.items, gold)
    return Shown(
        items=len(bundle.items),
        gold_items=len(found),
        tokens=bundle.tokens,
        gold_tokens=sum(_tokens(lines[item.ordinal]) for item in found),
        gold=len(present) / len(set(gold)),
        whole=present == set(gold),
        whole_by_hits=_gold((item for item in bundle.items if item.rank is not None), gold) == set(gold),
    )


def rendered(items: Sequence[Item], zone: tzinfo) -> str:
    """Items alone as the bundle's block would show them, numbered anew; a day is given where it changes."""
    return block.render(_NONCE, _labelled(items, zone))


def tokens_of_ranked(bundle: Bundle, zone: tzinfo) -> int:
    """Tokens of the hits of a bundle as rendered, without the turns around them."""
    return DEFAULT_COUNTER.count(rendered([item for item in bundle.items if item.rank is not None], zone))


def _labelled(items: Iterable[Item], zone: tzinfo) -> Iterator[block.Item]:
    before = None
    for ordinal, item in enumerate(items, 1):
        day = day_of(item.event_time, zone)
        says = label(item, None if day == before else day, item.also_at, zone=zone)
        before = day
        yield block.Item(ordinal=ordinal, memory_id=block.short_id(item.memory_id), label=says, text=item.text)


def _gold(items: Iterable[Item], gold: Collection[str]) -> set[str]:
    return set(gold) & {turn_id for item in items for turn_id in _turn_ids(item)}


def _turn_ids(item: Item) -> set[str]:
    """The turns that an item stands for: its own, and those that say the same."""
    sources = [*item.sources, *(source for repeat in item.repeats for source in repeat.sources)]
    return {source.message_id for source in sources if source.message_id is not None}


def _lines(text: str) -> Mapping[int, str]:
    """The lines of a text that show an item, by its ordinal."""
    shown_lines = (line for line in text.splitlines() if line.startswith("[m"))
    return {block.item_of(line).ordinal: line for line in shown_lines}


def _tokens(line: str) -> int:
    """What a line adds to a text: counters add something to each text by itself."""
    return DEFAULT_COUNTER.count(f"\n{line}\n") - DEFAULT_COUNTER.count("\n")
