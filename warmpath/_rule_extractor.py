"""Reads a run without a language model: what people state in English, by rules, and a summary in any language.

Only what users say is read for statements: an assistant guesses, and a tool reports what others have written. Where the
English tagger is not installed, nothing is stated and runs keep their summaries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from shared import clock
from shared.belief.entities import ALSO_KNOWN_AS
from shared.belief.predicates import BUILT_IN, Cardinality, claim_of
from shared.contract.candidates import Candidate, Change, Extraction, ExtractionStatus, Line, Reading
from shared.contract.errors import InvalidInput
from shared.contract.events import Role
from shared.contract.records import EpistemicType, EvidenceRef, Kind
from shared.language.guessing import language_of, main_language
from shared.language.statements import Statement, Talk, Token, statements_in
from shared.language.statements.words import ONE_OF_ONES_OWN, SAME_RELATION
from shared.language.summaries import summary_of
from shared.models import parsing
from warmpath._heard import UNNAMED, is_a_name, is_unnamed, is_users

NAME: Final = "rules/4"
NAME_WITHOUT_ENGLISH: Final = f"{NAME} without the extra english"
"""On receipts, so that nobody takes a run of which nothing could be said for one in which nothing was."""
FEWEST_MESSAGES: Final = 8
"""Of users, in a run that gets a summary. The episodes of a shorter one are found with the turns around them, so a
summary of it would only say them again."""
SUMMARY_CONFIDENCE: Final = 0.6
"""What is chosen stands there word for word; that it stands for the whole is a guess."""

_THE_USER: Final = f"the {UNNAMED}"
"""What somebody without a name is called in a sentence."""

Tagger = Callable[[str], Sequence[Token]]


class RuleExtractor:
    """An `Extractor` by rules. Loads the tagger with the first English line that may state something.

    Reads some hundred messages a second on one core. Safe with threads; deterministic.
    """

    def __init__(self, tagger: Tagger | None) -> None:
        self._tagger = tagger
        self.name = NAME if tagger else NAME_WITHOUT_ENGLISH

    def extract(self, reading: Reading, *, deadline_s: float) -> Extraction:
        """See `Extractor`. What is not read when the time is up is counted as rejected: `out_of_time`.

        Raises:
            Misconfigured: the tagger's files are not the known ones.
        """
        ends_at = clock.monotonic_s() + deadline_s
        rejected: Counter[str] = Counter()
        candidates = [*self._stated(reading, ends_at, rejected), *summary(reading)]
        status = ExtractionStatus.STORED if candidates else ExtractionStatus.NOTHING_FOUND
        return Extraction(extractor=self.name, status=status, candidates=candidates, rejected=dict(rejected))

    def _stated(self, reading: Reading, ends_at: float, rejected: Counter[str]) -> Iterator[Candidate]:
        said: list[_Said] = []
        lines = [line for line in reading.lines if is_users(line.role, line.origin)]
        talk = _talk(reading, lines)
        for each in self._read(reading, lines, talk, ends_at, rejected):
            # What is corrected within a run was never so: it is cited by what replaces it, and not stored.
            corrected = [before for before in said if _is_put_right(before, each)]
            said = [before for before in said if before not in corrected]
            leans_on = corrected or _naming(each, said)
            said.append(replace(each, leans_on=tuple(before.evidence for before in leans_on)))
        for each in said:
            if any(each.found is gone for gone in talk.taken_back):
                continue
            candidate = _candidate(each)
            rejected["impossible"] += candidate is None
            if candidate is not None:
                yield candidate
                yield from _aliases(each, candidate)

    def _read(
        self, reading: Reading, lines: Sequence[Line], talk: Talk, ends_at: float, rejected: Counter[str]
    ) -> Iterator[_Said]:
        if self._tagger is None:
            return
        usual = main_language(line.text for line in lines)
        for line in lines:
            who = _speaker(line, reading, lines)
            if not who or (language_of(line.text) or usual or "en") != "en":
                continue
            if clock.monotonic_s() > ends_at:
                rejected["out_of_time"] += 1
                continue
            said_on = line.said_at.date() if line.said_at else None
            nameless = is_unnamed(who) or (reading.owner_speaker and not is_a_name(who))
            called = _THE_USER if nameless else who
            for found in statements_in(line.text, tag=self._tagger, speaker=called, said_on=said_on, talk=talk):
                yield _Said(found=found, line=line, called=called, who=who)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A statement with the line that it was read from."""

    found: Statement
    line: Line
    called: str
    """Its speaker, as the statement has them; `who` is their id."""
    who: str
    leans_on: tuple[EvidenceRef, ...] = ()
    """Where it was read from besides: what it corrects."""

    @property
    def evidence(self) -> EvidenceRef:
        """The words that it was read from."""
        return EvidenceRef(sequence=self.line.sequence, start=self.found.start, end=self.found.end)


def _naming(said: _Said, before: Sequence[_Said]) -> list[_Said]:
    """What named the one that a statement is about, where its own line has only `she`."""
    who = said.found.subject
    if who == said.called or who in said.line.text or "'s " in who:
        return []
    return [each for each in before if each.found.object == who and each.line.sequence < said.line.sequence][-1:]


_PUTS_RIGHT: Final = re.compile(
    r"\b(?:sorry|oops|wait|actually|correction|scratch that|i meant|mistyped|typo|my mistake|i was wrong|just checked"
    r"|wrong)\b|^no\b|, not\b",
    re.IGNORECASE,
)


_HAS_CHANGED: Final = re.compile(r"\b(?:now|nowadays|these days|anymore|changed|moved|new)\b", re.IGNORECASE)
_SAME_TALK: Final = timedelta(days=1)
"""What is said later than this is news, however it begins."""


def _is_put_right(before: _Said, now: _Said) -> bool:
    """Whether what was said before was never so: it is taken back, or the same speaker gives its one value anew."""
    if _is_same(before.found, now.found.replaces):
        return True
    one, other = before.found, now.found
    same = (before.who, one.subject, one.predicate) == (now.who, other.subject, other.predicate)
    held = one.change is other.change is Change.HOLDS and one.object != other.object
    return (
        same
        and held
        and _takes_back(before.line, now.line)
        and BUILT_IN.find(one.predicate).cardinality is Cardinality.SINGLE
    )


def _takes_back(before: Line, now: Line) -> bool:
    """Whether a line corrects an earlier one, and does not tell that something has changed meanwhile."""
    if before.sequence >= now.sequence or not _PUTS_RIGHT.search(now.text) or _HAS_CHANGED.search(now.text):
        return False
    return before.said_at is None or now.said_at is None or now.said_at - before.said_at <= _SAME_TALK


def _is_same(one: Statement, other: Statement | None) -> bool:
    """Whether they claim the same, wherever it was said."""
    return other is not None and (one.subject, one.predicate, one.object, one.change) == (
        other.subject, other.predicate, other.object, other.change,
    )  # fmt: skip


def rule_extractor() -> RuleExtractor:
    """The extractor that needs no language model; loads nothing yet."""
    return RuleExtractor(parsing.english_tagger() if parsing.is_installed() else None)


def _talk(reading: Reading, lines: Sequence[Line]) -> Talk:
    """Who takes part, and whether orders are meant for the agent."""
    names = {line.speaker.casefold() for line in lines if not is_unnamed(line.speaker)}
    has_agent = any(line.role is Role.ASSISTANT for line in reading.lines)
    return Talk(people=frozenset(names), addresses_agent=has_agent or len({line.speaker for line in lines}) <= 1)


def _speaker(line: Line, reading: Reading, lines: Sequence[Line]) -> str:
    """By what name a line's speaker is claimed of; empty where it cannot be told who of several it is."""
    if not is_unnamed(line.speaker):
        return line.speaker
    if reading.owner_speaker:
        return reading.owner_speaker
    return UNNAMED if all(is_unnamed(line.speaker) for line in lines) else ""


def _candidate(said: _Said) -> Candidate | None:
    """What is stated as a candidate; None where it cannot be one."""
    found = said.found
    whose, of, what = found.subject.partition("'s ")
    subject = f"{said.who if whose == said.called else whose}{of}{what}"
    try:
        return Candidate(
            kind=Kind.SEMANTIC,
            epistemic_type=EpistemicType.PREFERENCE if found.is_preference else EpistemicType.FACT,
            text=_of_the_user(found.text),
            claim=claim_of(subject, found.predicate, found.object, BUILT_IN),
            change=Change(found.change),
            since=_midnight(found.since, said.line.zone),
            until=_midnight(found.until, said.line.zone),
            began_earlier=found.earlier or None,
            of_then=found.of_then or None,
            evidence=(*said.leans_on, said.evidence),
            confidence=found.confidence,
            language="en",
        )
    except (InvalidInput, ValueError):
        return None


def _aliases(said: _Said, candidate: Candidate) -> Iterator[Candidate]:
    """That `my sister` is Lena, of whoever says `my sister Lena`: what is said of the two is of one person.

    Where there are two sisters, both have the same other name, and neither stands for it.
    """
    found, claim = said.found, candidate.claim
    told = f"{found.object} is {said.called}'s "
    if (
        claim is None
        or found.subject != said.called
        or found.change is not Change.HOLDS
        or not found.text.startswith(told)
    ):
        return
    relation = found.text.removeprefix(told).rstrip(".")
    words = [word for word, same in SAME_RELATION.items() if same == relation]
    words = [word for word in (relation, *words) if re.search(rf"\b{word}\b", said.line.text, re.IGNORECASE)]
    for word in words if relation in ONE_OF_ONES_OWN else ():
        alias = claim_of(found.object, ALSO_KNOWN_AS, f"{said.who}'s {word}", BUILT_IN)
        yield candidate.model_copy(update={"claim": alias})


def _of_the_user(text: str) -> str:
    """`the user lives in Leeds`, said of somebody without a name, as a sentence begins."""
    return f"T{text[1:]}" if text.startswith(_THE_USER) else text


def _midnight(day: date | None, zone: tzinfo) -> datetime | None:
    return datetime.combine(day, time(), zone) if day else None


def summary(reading: Reading) -> Iterator[Candidate]:
    """What stands for a run as a whole, of the words of its users: an assistant's are no evidence of theirs."""
    lines = [line for line in reading.lines if is_users(line.role, line.origin)]
    picked = summary_of([line.text for line in lines]) if len(lines) >= FEWEST_MESSAGES else []
    if len(picked) < 2:  # noqa: PLR2004 - one sentence is an episode
        return
    said = [(lines[each.line], lines[each.line].text[each.start : each.end]) for each in picked]
    yield Candidate(
        kind=Kind.EPISODIC,
        epistemic_type=EpistemicType.INFERENCE,
        text="\n".join(f"{line.speaker}: {' '.join(words.split())}" for line, words in said),
        since=said[0][0].said_at,
        evidence=tuple(
            EvidenceRef(sequence=lines[each.line].sequence, start=each.start, end=each.end) for each in picked
        ),
        confidence=SUMMARY_CONFIDENCE,
        language=main_language(words for _, words in said),
    )
