"""Whether what a night does to memories costs recall anything: the same questions before it and after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.figures import IN_BUNDLE, LEVELS, TABLED, TOKENS_OF_TEN, scores
from bench.jobs import tidied
from bench.metrics import Estimate, estimate, paired_difference
from bench.quality import answer
from bench.systems import WHOLE
from bench.tables import plain, table
from bench.verdicts import REFUSED
from coldpath import profile
from coldpath.reindex import Pass
from shared.store.db import Database
from shared.work.queues import CONSOLIDATE, DEDUPE, LINK, PROFILE, PROMOTE, SUPERSEDE

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.corpus import Conversation, Corpus
    from bench.embedders import Remembering
    from bench.place import Place
    from bench.product import Advance, Memory, Product
    from bench.quality import Answered, Content, Outcome
    from shared.settings import Settings

NIGHT: Final = (DEDUPE, PROMOTE, SUPERSEDE, CONSOLIDATE, LINK, PROFILE)
"""What runs by night, in its order, without what needs memories that are months old."""


class Fed:
    """A memory that keeps what was fed to it."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self.memories: dict[str, Memory] = {}
        """By conversation."""

    def feed(self, conversation: Conversation, advance: Advance) -> Memory:
        """Take a conversation in."""
        self.memories[conversation.id] = self._product.feed(conversation, advance)
        return self.memories[conversation.id]


class Slept:
    """The same memory, a night later."""

    def __init__(self, fed: Fed, database: Database, settings: Settings) -> None:
        self._fed = fed
        self._database = database
        self._settings = settings
        self.accepted: dict[str, int] = dict.fromkeys(NIGHT, 0)
        """What each job changed, of all conversations."""

    def feed(self, conversation: Conversation, advance: Advance) -> Memory:
        """The memory of a conversation that was fed, once all jobs of a night are done on it.

        Raises:
            Permanent: a job was not done.
        """
        memory = self._fed.memories[conversation.id]
        for job in NIGHT:
            self.accepted[job] += self._do(job, memory.scope.tenant_id)
        advance(len(conversation.turns))
        return memory

    def _do(self, job: str, tenant_id: str) -> int:
        if job == PROFILE:
            going = Pass()
            profile.refresh(self._database, tenant_id, going)
            return going.worked
        return tidied(self._database, self._settings, tenant_id, job).accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One overall figure, before and after, on the same questions."""

    name: str
    before: Estimate
    after: Estimate
    difference: Estimate
    is_share: bool = True
    """Or a number of tokens."""
    fewer: bool = False
    """Whether less of it is better."""

    @property
    def is_worse(self) -> bool:
        """Whether the mean is on the wrong side of where it was."""
        return self.difference.mean > 0 if self.fewer else self.difference.mean < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """What a night did to the recall of one corpus."""

    corpus: str
    accepted: dict[str, int]
    """What each job changed."""
    changes: tuple[Change, ...]


def measure(corpus: Corpus, product: Product, place: Place, encoder: Remembering, progress: Progress) -> Night:
    """Feed the conversations that are asked about and ask; then do a night's jobs on each, and ask the same again.

    Raises:
        Permanent: a recall was degraded, or a job was not done.
    """
    fed = Fed(product)
    before = answer(corpus, fed, encoder, progress, recall_alone=True)
    slept = Slept(fed, place.database, place.settings)
    after = answer(corpus, slept, encoder, progress, recall_alone=True)
    return compared(corpus, before, after, slept.accepted)


def compared(corpus: Corpus, before: Answered, after: Answered, accepted: dict[str, int]) -> Night:
    """Hold every overall figure of the one against that of the other: they were asked the same, in the same order.

    Raises:
        ValueError: they were not asked equally much.
    """
    return Night(corpus=corpus.name, accepted=accepted, changes=tuple(changes(corpus, before.outcomes, after.outcomes)))


def changes(corpus: Corpus, before: Sequence[Outcome], after: Sequence[Outcome]) -> Iterator[Change]:
    """Every overall figure before and after, of questions that were asked in the same order."""
    mine, other = (scores(corpus, each) for each in (after, before))
    for level in LEVELS:
        for measure in TABLED:
            yield _change(f"{level} {measure}", other[level][WHOLE][measure], mine[level][WHOLE][measure])
    shown, shows = _contents(before), _contents(after)
    for name, of in IN_BUNDLE.items():
        tokens = name == TOKENS_OF_TEN
        yield _change(name, [*map(of, shown)], [*map(of, shows)], is_share=not tokens, fewer=tokens)
    yield _change("right verdicts", [*map(_is_right, before)], [*map(_is_right, after)])
    spent = [[float(each.tokens) for each in of] for of in (before, after)]
    yield _change("tokens of the bundle", *spent, is_share=False, fewer=True)


def _is_right(outcome: Outcome) -> float:
    """Whether a question is refused where it has no answer, and only there."""
    return float((outcome.verdict not in REFUSED) == outcome.question.answerable)


def _contents(outcomes: Iterable[Outcome]) -> list[Content]:
    return [each.content for each in outcomes if each.content is not None]


def _change(
    name: str, before: list[float], after: list[float], *, is_share: bool = True, fewer: bool = False
) -> Change:
    return Change(
        name=name,
        before=estimate(before),
        after=estimate(after),
        difference=paired_difference(after, before),
        is_share=is_share,
        fewer=fewer,
    )


def night_tables(night: Night) -> Iterator[str]:
    """Paragraphs and tables."""
    yield f"## {night.corpus}, before a night and after it"
    done = ", ".join(f"{job} {count:,}" for job, count in night.accepted.items())
    yield f"Changed by each job, in order: {done}. The change is paired, on the same questions."
    yield change_table(night.changes)


def change_table(found: Iterable[Change]) -> str:
    """A row a figure, with a mark at what is worse."""
    return table(("recall", "before", "after", "change", "n", ""), map(_row, found))


def _row(change: Change) -> tuple[str, ...]:
    factor, digits = (100, 1) if change.is_share else (1, 0)
    cells = (plain(each, factor=factor, digits=digits) for each in (change.before, change.after))
    difference = plain(change.difference, factor=factor, signed=True, digits=2)
    return (change.name, *cells, difference, str(change.before.n), "✗" if change.is_worse else "✓")
