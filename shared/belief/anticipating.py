"""What somebody is likely to ask next, with what is known of it put together ahead of time. Pure, and no model.

Likely is what was asked on several days, what was asked once and has another answer since, and what is planned for the
days to come. What is put together is said already: a question, and the facts that speak of it, each in its own words,
one after the other. So nothing new is claimed, and nothing of it can be wrong that is not wrong in a fact.

    a question is asked again     where its words, but for those that carry no meaning, are those of an earlier one
    a fact speaks of it           where it has a share of the question's words, rare ones counting for more
    it ends                       some weeks after it was last asked, or when the day that was planned is over

It is an inference, less sure than any of its facts, and never a fact's source, nor another inference's. All of it is
worked out anew from what is held at each pass: whatever differs by then is held no more, and replaced.
"""

# Above 300 lines: what is likely, what answers it and how long it stands are one rule each, read one after the other.

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from shared.belief.grounding import drawn_before
from shared.belief.rules.instructions import gives_orders
from shared.belief.rules.sensitivity import classes_of
from shared.belief.segments import distinct
from shared.contract.events import Role
from shared.contract.operations import AbstractPayload, ClosePayload, WrittenEntry
from shared.contract.proposals import Proposal
from shared.contract.records import EpistemicType, Kind, MemoryVersion, Operation
from shared.contract.trust import TRUST, Origin
from shared.language.text import terms

REASON: Final = "anticipated"
KEPT: Final = timedelta(days=30)
"""How long after it was last asked a question is likely to come again."""
FEWEST_DAYS: Final = 2
_FEWEST_FACTS: Final = 2
"""One fact is found by itself, and needs nobody to put it together."""
_MOST_FACTS: Final = 5
MOST_CHARS: Final = 200
"""Of a question; what is longer is a task, or pasted."""
_LEAST_SHARE: Final = 1 / 3
"""Of what the best fact has of a question's words, as the share that another one has too."""
_LEAST_OF_QUESTION: Final = 0.4
"""Of a question's words, as the share that the best fact has: else nothing that is held speaks of it."""
_LESS_SURE: Final = 0.9
"""It is as sure as its least sure fact, times this: whether they belong together is a guess."""
_POLITE: Final = frozenset({"pleas", "again", "remind", "tell", "hey", "hi", "hello", "thank"})
"""Words, as stems, that make no other question."""
_ASKS: Final = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much is worked out ahead."""

    most: int
    """Of one stream; 0 is none."""
    ahead: timedelta
    """How near a planned day must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """An open memory that was worked out ahead."""

    memory: MemoryVersion
    sources: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """A question that is likely, and what answers it."""

    rank: tuple[float, float, int]
    """Those with less come first: the days until it matters, or how seldom it was asked; then age."""
    asked: MemoryVersion | None
    """The first time that it was asked; None of a plan."""
    facts: tuple[MemoryVersion, ...]
    until: datetime
    reason: str = REASON
    said: str | None = None
    """In other words than those of its sources (`foretelling`)."""

    @property
    def sources(self) -> tuple[MemoryVersion, ...]:
        """What is cited, in the order in which it is named."""
        return (self.asked, *self.facts) if self.asked else self.facts

    @property
    def text(self) -> str:
        """What is held."""
        return self.said or _joined(self.sources)

    @property
    def proposal(self) -> Proposal:
        """That it is held."""
        return put_together(self.reason, self.facts, asked=self.asked, until=self.until, text=self.said)


def anticipations(
    asked: Iterable[MemoryVersion],
    beliefs: Iterable[MemoryVersion],
    ahead: Collection[Ahead],
    bounds: Bounds,
    *,
    at: datetime,
    foretold: Iterable[Likely] = (),
) -> Iterator[Proposal]:
    """What is to be held ahead of time of one stream at a time, and what is to be held no more.

    `asked` are episodes of people, `beliefs` what is held in words of its own, in any order; `ahead` is what earlier
    passes have worked out and is held; `foretold` is what a model says, as far as it stands, and comes last. On what it
    comes to it proposes nothing.
    """
    facts = sorted((each for each in beliefs if is_ground(each, at)), key=lambda each: each.doc)
    likely = _likely(list(asked), facts, foretold, bounds, at) if bounds.most > 0 else []
    wanted = {(each.text, tuple(source.memory_id for source in each.sources)): each for each in likely}
    for each in sorted(ahead, key=lambda made: made.memory.doc):
        if _is_over(each, at) or wanted.pop((each.memory.text, each.sources), None) is None:
            yield _let_go(each, at)
    for new in wanted.values():
        yield new.proposal


def is_ground(each: MemoryVersion, at: datetime) -> bool:
    """Whether a belief may stand in what is worked out: a fact that has a claim, of now, and nothing delicate."""
    return (
        each.is_open
        and each.claim is not None
        and each.schema_name is None
        and each.epistemic_type in {EpistemicType.FACT, EpistemicType.PREFERENCE}
        and (each.valid_to is None or each.valid_to > at)
        and not classes_of(each.text, holds_secret=False)
    )


def asks(text: str) -> bool:
    """Whether a text is a question, and states nothing."""
    return text.rstrip().endswith(_ASKS)


def _is_question(each: MemoryVersion, at: datetime) -> bool:
    """Whether somebody asks, in few words, at a known time that is no dream."""
    return (
        each.is_open
        and each.epistemic_type is EpistemicType.EVIDENCE
        and each.role is Role.USER
        and each.trust == TRUST[Origin.USER]
        and each.valid_from is not None
        and each.valid_from <= at
        and len(each.text) <= MOST_CHARS
        and asks(each.text)
        and not gives_orders(each.text)
        and not classes_of(each.text, holds_secret=False)
    )


def _likely(
    asked: Sequence[MemoryVersion],
    facts: Sequence[MemoryVersion],
    foretold: Iterable[Likely],
    bounds: Bounds,
    at: datetime,
) -> list[Likely]:
    """What is likely, the likeliest first: what is soonest, then what was asked most often; one for each set of facts.

    A plan whose facts a question has too is that question's, and what is foretold of about the same facts as either is
    left out.
    """
    known = Facts(facts)
    found = sorted([*_asked_again(asked, known, at), *_planned(known, bounds, at)], key=lambda each: each.rank)
    kept: list[Likely] = []
    seen: list[frozenset[UUID]] = []
    for each in sorted(found, key=lambda likely: likely.asked is None):
        own = frozenset(fact.memory_id for fact in each.facts)
        if not any(own <= other for other in seen):
            seen.append(own)
            kept.append(each)
    kept += [each for each in foretold if not drawn_before({fact.memory_id for fact in each.facts}, seen)]
    return sorted(kept, key=lambda each: each.rank)[: bounds.most]


class Facts:
    """Facts by the words that they have."""

    def __init__(self, facts: Sequence[MemoryVersion]) -> None:
        self.all = facts
        self._words = {fact.memory_id: frozenset(terms(fact.text)) for fact in facts}
        self._in = Counter(word for words in self._words.values() for word in words)
        self._with: dict[str, list[MemoryVersion]] = {}
        for fact in facts:
            for word in self._words[fact.memory_id]:
                self._with.setdefault(word, []).append(fact)

    def words_of(self, fact: MemoryVersion) -> frozenset[str]:
        """Those that carry meaning."""
        return self._words[fact.memory_id]

    def speaking_of(self, words: Collection[str], like: MemoryVersion) -> tuple[MemoryVersion, ...]:
        """The facts that speak of what some words are about, in order of their numbers; of the agent and trust of one.

        A word counts for ln(1 + N / n), where n of N facts have it (Sparck Jones 1972, kept above 0), and N + 1 for n
        where none has.
        """
        order = self._nearest(words, like)
        best = order[0][0] if order else 0.0
        if not order or best < _LEAST_OF_QUESTION * sum(map(self._weight, words)):
            return ()
        enough = [fact for near, fact in order if near >= _LEAST_SHARE * best][:_MOST_FACTS]
        return tuple(sorted(enough, key=lambda fact: fact.doc))

    def nearest(self, words: Collection[str], like: MemoryVersion, most: int) -> list[MemoryVersion]:
        """Those that have any of some words, the best of them first; of the agent and trust of one."""
        return [fact for _, fact in self._nearest(words, like)[:most]]

    def _nearest(self, words: Collection[str], like: MemoryVersion) -> list[tuple[float, MemoryVersion]]:
        near: defaultdict[UUID, float] = defaultdict(float)
        by_id: dict[UUID, MemoryVersion] = {}
        for word in words:
            for fact in self._with.get(word, ()):
                if fact.agent_id == like.agent_id and fact.trust == like.trust:
                    near[fact.memory_id] += self._weight(word)
                    by_id[fact.memory_id] = fact
        return sorted(((near[each], fact) for each, fact in by_id.items()), key=lambda of: (-of[0], -of[1].doc))

    def having(self, word: str) -> int:
        """How many of them have a word."""
        return self._in[word]

    def _weight(self, word: str) -> float:
        return math.log1p(len(self.all) / (self._in[word] or len(self.all) + 1))


def _asked_again(asked: Iterable[MemoryVersion], known: Facts, at: datetime) -> Iterator[Likely]:
    """Questions that were asked on several days, or whose answer is another since."""
    by_words: dict[object, list[MemoryVersion]] = {}
    questions = (each for each in asked if _is_question(each, at))
    for each in sorted(questions, key=lambda question: (question.valid_from, question.doc)):
        words = _words_of(each)
        if words:
            by_words.setdefault((each.agent_id, each.speaker, words), []).append(each)
    for times in by_words.values():
        first, last = times[0], times[-1].valid_from
        facts = known.speaking_of(_words_of(first), first)
        if last is None or last + KEPT <= at or len(facts) < _FEWEST_FACTS:
            continue
        days = {each.valid_from.date() for each in times if each.valid_from}
        if len(days) >= FEWEST_DAYS or any(_began(fact, last, at) for fact in facts):
            yield Likely(rank=(KEPT.days / len(days), -last.timestamp(), first.doc), asked=first, facts=facts,
                until=last + KEPT)  # fmt: skip


def _words_of(question: MemoryVersion) -> frozenset[str]:
    """What a question is about; who asks, when and where are stop words: what is known of it answers them all."""
    return frozenset(terms(question.text)) - _POLITE


def _began(fact: MemoryVersion, since: datetime, at: datetime) -> bool:
    return fact.valid_from is not None and since < fact.valid_from <= at


def _planned(known: Facts, bounds: Bounds, at: datetime) -> Iterator[Likely]:
    """What is planned for the days to come, with what else is known of it."""
    for plan in known.all:
        day = _day_of(plan)
        if day is None or not at.date() <= day <= (at + bounds.ahead).date():
            continue
        said_of = _words_of_what(plan, known)
        facts = known.speaking_of(said_of, plan) if said_of else ()
        if plan not in facts or len(facts) < _FEWEST_FACTS:
            continue
        over = datetime.combine(day + timedelta(days=1), time(), UTC)
        yield Likely(rank=(float((day - at.date()).days), -over.timestamp(), plan.doc), asked=None, facts=facts,
            until=over)  # fmt: skip


def _day_of(plan: MemoryVersion) -> date | None:
    """The day that a fact names as what it says, or begins on where that is later than it was said; else None."""
    if plan.claim is not None and _DAY.fullmatch(plan.claim.object):
        try:
            return date.fromisoformat(plan.claim.object)
        except ValueError:
            return None
    named = _DAY.search(plan.text)
    begins = plan.valid_from.date() if plan.valid_from else None
    return begins if named and begins and named.group() == begins.isoformat() else None


def _words_of_what(plan: MemoryVersion, known: Facts) -> frozenset[str]:
    """What a plan is about: its words, without the days, and without those that half of all facts have."""
    words = known.words_of(plan) - frozenset(terms(" ".join(_DAY.findall(plan.text))))
    most = max(len(known.all) / 2, 2)
    return frozenset(word for word in words if known.having(word) <= most)


def _is_over(ahead: Ahead, at: datetime) -> bool:
    return ahead.memory.valid_to is not None and ahead.memory.valid_to <= at


def _let_go(ahead: Ahead, at: datetime) -> Proposal:
    reason = "time_is_over" if _is_over(ahead, at) else "not_likely"
    closing = ClosePayload(op=Operation.EXPIRE, reason=reason, memory=ahead.memory.memory_id)
    return Proposal(operation=closing, read={ahead.memory.memory_id: ahead.memory.version})


def _joined(sources: Iterable[MemoryVersion]) -> str:
    return " ".join(each.text.strip() for each in sources)


def put_together(
    reason: str,
    facts: Sequence[MemoryVersion],
    *,
    asked: MemoryVersion | None = None,
    until: datetime | None = None,
    text: str | None = None,
) -> Proposal:
    """An inference of facts, behind the question where somebody asked it, less sure than any of them.

    Word for word, or as `text` has it. No more to be trusted than the least of them, for it rests on the evidence of
    all.
    """
    sources = (asked, *facts) if asked else tuple(facts)
    begins = [each.valid_from for each in sources if each.valid_from is not None]
    entry = WrittenEntry(
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.INFERENCE,
        text=text or _joined(sources),
        valid_from=min(begins, default=None),
        valid_to=until,
        evidence=distinct(ref for each in sources for ref in each.evidence),
        confidence=round(_LESS_SURE * min(each.confidence for each in sources), 4),
    )
    return Proposal(
        operation=AbstractPayload(reason=reason, sources=tuple(each.memory_id for each in sources), entry=entry),
        read={each.memory_id: each.version for each in sources},
    )
