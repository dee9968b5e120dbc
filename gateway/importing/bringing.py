"""What would be taken in and what that may cost, and taking it in, conversation by conversation, by the front door.

Whoever is stopped begins again: what was taken in is answered with the receipt of then, and costs nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from gateway.importing.conversation import Conversation
from gateway.importing.sources import Source
from shared import clock
from shared.accept.times import TimeRule, dated
from shared.contract.errors import ConflictingMessage, InboxFull, InvalidInput, InvalidRun
from shared.contract.scope import Scope
from shared.language.tokens import ConservativeCounter

if TYPE_CHECKING:
    from gateway import Daybook
    from shared.contract.receipts import Receipt
    from shared.settings import Settings

RUN_MESSAGES: Final = 500
"""Most messages of one run: a long conversation is several, so that no worker is at one of them for long."""
CALL_TOKENS: Final = 2_500
"""What a call of the model is shown beside the messages, about: what it is to do, and what is known already."""
_SHARE_ANSWERED: Final = 0.25
"""Tokens of an answer for each of what was said, about."""
_PATIENCE_S: Final = 900.0
"""Waited for room in the inbox before giving up."""
_PAUSE_S: Final = 1.0

_TIMES: Final = ("ts", "at", "timestamp", "created_at")

Heard = Callable[[int, int | None], None]
"""Told how many messages are done, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a path holds."""

    files: dict[str, str] = field(default_factory=dict)
    """Their names, each with its format."""
    conversations: int = 0
    runs: int = 0
    messages: int = 0
    tokens: int = 0
    """Of all messages, at most (`shared.language.tokens`)."""
    first: datetime | None = None
    last: datetime | None = None
    undated: int = 0
    """Messages without a time that is believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What it may cost to have a model read it; about, since nobody knows what it will answer."""

    model: str
    calls: int
    usd: float | None
    """None where the model's price is not known."""


@dataclass(slots=True, kw_only=True)
class Brought:
    """What became of it."""

    conversations: int = 0
    messages: int = 0
    """In runs that were accepted now; of a run that has grown also those that were known."""
    runs: int = 0
    """Accepted now."""
    repeated: int = 0
    """Runs that had been accepted before, with the same messages."""
    empty: int = 0
    """Conversations in which nothing was said."""
    redacted: int = 0
    """Secrets that were cut out."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Runs and files that were not taken in, or not to their end, each with the reason."""

    def note(self, receipt: Receipt) -> None:
        """Count a run that was taken in, now or before."""
        if receipt.repeated:
            self.repeated += 1
            return
        self.runs += 1
        self.messages += receipt.counts.get("messages", 0)
        self.redacted += receipt.counts.get("redacted", 0)


def price_of(told: Survey, settings: Settings) -> Price | None:
    """What the model of the settings would cost; None where rules read, for nothing.

    Raises:
        Misconfigured: the model cannot be had.
    """
    from shared.models.llm import llm

    model = llm(settings)
    if model is None:
        return None
    calls = max(told.runs, -(-told.tokens // settings.extraction_window_tokens))
    usd = model.cost_usd(told.tokens + calls * CALL_TOKENS, int(told.tokens * _SHARE_ANSWERED))
    return Price(model=model.name, calls=calls, usd=usd)


def most_of_a_run(settings: Settings) -> int:
    """How many messages a run has at most that is taken in."""
    return min(RUN_MESSAGES, settings.max_run_messages)


def time_rule(settings: Settings) -> TimeRule:
    """How the times of messages are read now: as the front door reads them."""
    latest = clock.now() + timedelta(seconds=settings.future_tolerance_s)
    return TimeRule(naive_zone=ZoneInfo(settings.naive_timezone), latest=latest)


def read(
    found: Sequence[Source],
    rule: TimeRule,
    *,
    since: datetime | None = None,
    everything: bool = False,
    damaged: Callable[[str, str], None] = lambda *_: None,
) -> Iterator[Conversation]:
    """The conversations of some sources, those alone in which something was said at `since` or later.

    One whose messages have no time is among them. A file among others that is damaged ends where it is, and `damaged`
    hears of it with the reason.

    Raises:
        InvalidRun: the only file is damaged.
    """
    for source in found:
        try:
            for each in source.conversations(everything=everything):
                times = [at for at in _times(each, rule) if at]
                if since is None or not times or max(times) >= since:
                    yield each
        except InvalidRun as error:
            if len(found) == 1:
                raise
            damaged(source.name, str(error))


def survey(
    found: Sequence[Source],
    conversations: Iterable[Conversation],
    rule: TimeRule,
    *,
    most: int = RUN_MESSAGES,
    heard: Heard = lambda *_: None,
) -> Survey:
    """Count what there is, in runs of `most` messages, holding one conversation at a time."""
    counter, told = ConservativeCounter(), Survey(files={each.name: each.format for each in found})
    for each in conversations:
        times = _times(each, rule)
        known = sorted(at for at in (*times, told.first, told.last) if at)
        told = replace(
            told,
            conversations=told.conversations + 1,
            runs=told.runs + sum(1 for _ in each.runs(most)),
            messages=told.messages + len(each.messages),
            tokens=told.tokens + sum(counter.count(str(message["text"])) for message in each.messages),
            first=known[0] if known else None,
            last=known[-1] if known else None,
            undated=told.undated + times.count(None),
        )
        heard(told.messages, None)
    return told


def bring(
    daybook: Daybook,
    scope: Scope,
    conversations: Iterable[Conversation],
    *,
    total: int | None = None,
    inline: bool = False,
    heard: Heard = lambda *_: None,
) -> Brought:
    """Take in conversations one after the other; what the front door refuses is told, and does not stop the others.

    Each is a session of its own, unless the scope names one. Where the inbox is full, room is waited for: `_PATIENCE_S`
    at most.

    Raises:
        InboxFull, DatabaseUnavailable: not all was taken in; the same call goes on from there.
    """
    brought, done = Brought(), 0
    most = most_of_a_run(daybook.settings)
    for each in conversations:
        brought.conversations += 1
        brought.empty += not each.messages
        whose = replace(scope, session_id=scope.session_id or each.id)
        for run_id, messages in each.runs(most):
            accept = partial(daybook.observe, whose, messages, run_id=run_id, inline=inline or None)
            try:
                brought.note(_waiting_for_room(accept))
            except (InvalidInput, ConflictingMessage) as error:
                brought.refused.append((run_id, str(error)))
            done += len(messages)
            heard(done, total)
    return brought


def _times(conversation: Conversation, rule: TimeRule) -> list[datetime | None]:
    """When each message was said, as far as that is believed."""
    return [
        dated(next((each[name] for name in _TIMES if each.get(name)), None), rule).at for each in conversation.messages
    ]


def _waiting_for_room(accept: Callable[[], Receipt]) -> Receipt:
    began = clock.monotonic_s()
    while True:
        try:
            return accept()
        except InboxFull:
            if clock.monotonic_s() - began > _PATIENCE_S:
                raise
            time.sleep(_PAUSE_S)
