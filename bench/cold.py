"""What it costs recall, and what it saves, that old sessions leave what it searches: the same questions, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from bench.jobs import tidied
from bench.night import Change, Fed, change_table, changes
from bench.quality import answer
from coldpath.reembed import fill
from coldpath.reindex import Pass
from shared import clock
from shared.store import streams
from shared.store.db import Role
from shared.store.postings import Statistics, statistics
from shared.work.queues import COMPRESS

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.corpus import Conversation, Corpus
    from bench.embedders import Remembering
    from bench.place import Place
    from bench.product import Advance, Memory, Product

AGES: Final[Mapping[str, int | None]] = {"older than 180 days": 180, "all of it": None}
"""In days, of what leaves, on the day after a conversation's end."""
_MOST_PASSES: Final = 20
"""A pass summarises or moves 2,000 episodes at most, and the conversations that are measured have some hundreds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cold:
    """What it did to the recall of one corpus that some of it left the hot tier."""

    corpus: str
    what: str
    """What has left, in words."""
    left: int
    """Memories in the cold tier, of all conversations."""
    hot_before: int
    hot_after: int
    """Memories that are searched."""
    words_before: int
    words_after: int
    """Their terms together: what the postings that are searched are as long as."""
    spent_s: float
    """Of all passes, the vectors of summaries included."""
    changes: tuple[Change, ...]


class Aged:
    """A memory that was fed, once what is old has left."""

    def __init__(self, fed: Fed, place: Place, encoder: Remembering, age_days: int | None) -> None:
        self._fed = fed
        self._place = place
        self._encoder = encoder
        self._age_days = age_days
        self.before: list[Statistics] = []
        self.after: list[Statistics] = []
        self.spent_s = 0.0

    def feed(self, conversation: Conversation, advance: Advance) -> Memory:
        """The memory of a conversation that was fed, behind whose old sessions stand summaries by now.

        Raises:
            Permanent: a pass was not done.
        """
        memory = self._fed.memories[conversation.id]
        tenant_id = memory.scope.tenant_id
        self.before += self._counts(tenant_id)
        began_s = clock.monotonic_s()
        settings = self._place.settings.model_copy(
            update={"compress_after_days": after_days(last_said(conversation), self._age_days, clock.now())}
        )
        passes = 0
        while tidied(self._place.database, settings, tenant_id, COMPRESS).accepted and passes < _MOST_PASSES:
            fill(self._place.database, self._encoder, tenant_id, Pass())
            passes += 1
        self.spent_s += clock.monotonic_s() - began_s
        self.after += self._counts(tenant_id)
        advance(len(conversation.turns))
        return memory

    def _counts(self, tenant_id: str) -> list[Statistics]:
        database = self._place.database
        owners = [owner for owner, _ in streams.with_memories(database, tenant_id)]
        with database.transaction(Role.READER, tenant_id, owners, read_only=True) as session:
            return [*statistics(session).values()]


def last_said(conversation: Conversation) -> datetime:
    """When the last message of a conversation was said."""
    return max(turn.at for turn in conversation.turns)


def after_days(end: datetime, age_days: int | None, now: datetime) -> int:
    """The setting by which now leaves what would the day after a conversation's end: what is `age_days` old; or all."""
    if age_days is None:
        return 1
    return (now - (end + timedelta(days=1))).days + age_days


def measure(corpus: Corpus, product: Product, place: Place, encoder: Remembering, progress: Progress) -> Iterator[Cold]:
    """Feed the conversations that are asked about and ask; then age them step by step, and ask the same at each.

    Raises:
        Permanent: a recall was degraded, or a pass was not done.
    """
    fed = Fed(product)
    before = answer(corpus, fed, encoder, progress, recall_alone=True)
    first: list[Statistics] = []
    for what, age_days in AGES.items():
        aged = Aged(fed, place, encoder, age_days)
        after = answer(corpus, aged, encoder, progress, recall_alone=True)
        first = first or aged.before
        yield Cold(
            corpus=corpus.name,
            what=what,
            left=sum(each.cold_documents for each in aged.after),
            hot_before=sum(each.documents for each in first),
            hot_after=sum(each.documents for each in aged.after),
            words_before=sum(each.length_sum for each in first),
            words_after=sum(each.length_sum for each in aged.after),
            spent_s=aged.spent_s,
            changes=tuple(changes(corpus, before.outcomes, after.outcomes)),
        )


def cold_tables(cold: Cold) -> Iterator[str]:
    """Paragraphs and tables."""
    yield f"## {cold.corpus}, before and after {cold.what} has left what is searched"
    searched = (
        f"{cold.hot_after:,} instead of {cold.hot_before:,}, of {cold.words_after:,} terms instead of "
        f"{cold.words_before:,}"
    )
    yield (
        f"{cold.left:,} memories left in {cold.spent_s:.1f} s. Searched are {searched}: fewer vectors and postings "
        "to keep in reach are what it saves. The change is paired, on the same questions."
    )
    yield change_table(cold.changes)
