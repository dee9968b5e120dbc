"""inject: a bundle in the form that a prompt wants it in. Pure.

`bundle.text` is the block itself; here are Markdown, XML, JSON and chat messages. Each keeps to the bundle's budget,
carries a nonce, and escapes what memories say, so that none can close its container or pass for another
(`shared.contract.forms`); the items keep the ordinals by which an answer cites them. None is ever in the system role.
Each is cut out of what comes in again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, tzinfo
from typing import Final, Literal, Protocol, TypedDict, overload

from hotpath.layers.labels import day_of, label
from shared.contract import block, forms
from shared.contract.bundle import Bundle, Item
from shared.contract.errors import InvalidQuery
from shared.language.tokens import DEFAULT_COUNTER, TokenCounter

Written = Literal["markdown", "xml", "json"]
Form = Literal["markdown", "xml", "json", "messages"]


class _Write(Protocol):
    """Writes items in a form."""

    def __call__(self, nonce: str, items: Iterable[block.Item], *, guard: str) -> str: ...


_WRITERS: Final[dict[Written, _Write]] = {"markdown": forms.markdown, "xml": forms.xml, "json": forms.json_text}


class Message(TypedDict):
    """One message of a chat."""

    role: Literal["user"]
    content: str


@overload
def render(bundle: Bundle, form: Written, *, counter: TokenCounter = ..., zone: tzinfo = ...) -> str: ...
@overload
def render(bundle: Bundle, form: Literal["messages"]) -> list[Message]: ...
def render(
    bundle: Bundle, form: Form, *, counter: TokenCounter = DEFAULT_COUNTER, zone: tzinfo = UTC
) -> str | list[Message]:
    """The items of a bundle in another form; empty where there are none.

    What does not fit the bundle's budget in this form, as `counter` counts, is left out: turns around hits first and
    then the least hits. Below a budget of `block.FEW_TOKENS` nothing is: recall took no more than fits every form.
    `zone` is the one whose days are shown. The messages are the bundle's own text, a message for the profile, if there
    is one, and one for the evidence: put them before the user's own.

    Raises:
        InvalidQuery: there is no such form.
    """
    if form == "messages":
        spans = block.whole_blocks(bundle.text)
        return [Message(role="user", content=bundle.text[slice(*span)]) for span in spans]
    write = _WRITERS.get(form)
    if write is None:
        raise InvalidQuery(f"there is no form {form!r}; take one of {', '.join(_WRITERS)}, messages")
    return _fitting(bundle, lambda items: _all_written(bundle, form, write, items, zone), counter)


def _all_written(bundle: Bundle, form: Written, write: _Write, items: Iterable[Item], zone: tzinfo) -> str:
    nonce = hashlib.sha256(bundle.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    labelled = _labelled(items, zone, each_day=form != "markdown")
    return write(nonce, labelled, guard=block.guard_of(bundle.budget_tokens))


def _fitting(bundle: Bundle, write: Callable[[Sequence[Item]], str], counter: TokenCounter) -> str:
    """As many of the items as fit, the most important first; empty if none do.

    Where the best does not fit by itself, the best of those that do.
    """
    by_worth = sorted(bundle.items, key=_worth)
    fit, too_many = 0, len(by_worth) + 1
    text, tried = "", len(by_worth)
    while fit < tried:
        written = _within(bundle, by_worth[:tried], write, counter)
        if written is not None:
            fit, text = tried, written
        else:
            too_many = tried
        tried = (fit + too_many) // 2
    alone = (_within(bundle, [item], write, counter) for item in by_worth[1:])
    return text or next(filter(None, alone), "")


def _within(
    bundle: Bundle, kept: Sequence[Item], write: Callable[[Sequence[Item]], str], counter: TokenCounter
) -> str | None:
    """Some of the items, written, if that is within the budget."""
    shown = _whole_groups(kept, bundle.items)
    written = write(shown) if shown else ""
    return written if bundle.budget_tokens is None or counter.count(written) <= bundle.budget_tokens else None


def _worth(item: Item) -> tuple[bool, float, int]:
    """The profile, which has no score, then hits by rank, then the turns around them."""
    is_neighbour = item.rank is None and item.score > 0
    return is_neighbour, item.rank or 0, item.ordinal


def _whole_groups(kept: Sequence[Item], every: Sequence[Item]) -> list[Item]:
    """Without what contradicts an item that is left out, in the order of the bundle."""
    ordinals = {item.ordinal for item in kept}
    torn = {item.group for item in every if item.group is not None and item.ordinal not in ordinals}
    return [item for item in every if item.ordinal in ordinals and item.group not in torn]


def _labelled(items: Iterable[Item], zone: tzinfo, *, each_day: bool) -> Iterable[block.Item]:
    """What each form shows of the items; a day that the item before has too only with `each_day`."""
    before = None
    for item in items:
        day = day_of(item.event_time, zone)
        shown = None if day == before and not each_day else day
        before = day
        yield block.Item(
            ordinal=item.ordinal,
            memory_id=block.short_id(item.memory_id),
            label=label(item, shown, item.also_at, zone=zone),
            text=item.text,
        )
