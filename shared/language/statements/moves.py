"""Several moves of one sentence: `to Rome in 2020, then to Milan, and back to Rome`, `but came back`. Pure.

Only where the last of them led somebody lives now. A stop before it is told with its time, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.dates import Bound, When
from shared.language.statements.moods import Mood
from shared.language.statements.phrases import in_times, phrase_at
from shared.language.statements.revisions import sentence_of
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.subjects import About, behind_adverbial, subject_of
from shared.language.statements.tagged import Token
from shared.language.statements.talk import Message
from shared.language.statements.wording import sentence
from shared.language.statements.words import word_set

_MOVED: Final = word_set("moved relocated emigrated lived living")
_LEADS: Final = word_set("""
    moved relocated emigrated returned came come went gone back then and , on over down up again later first eventually
    finally moving returning
""")
_LEADS_IN: Final = frozenset({"lived", "living", "back"})
_RETURNS: Final = word_set("returned returning back")
_HAVE_RETURNED: Final = word_set("and then came come went gone moved moving returned returning got flew am 'm are 're")
_NO_RETURN: Final = word_set("to in home and then when every")
"""Behind `back`: `back then`, `back in 2019`."""
_NOT: Final = word_set("never not n't nt almost nearly")
_BACK_THEN: Final = re.compile(r"back,? (?:then|when)\b", re.IGNORECASE)
"""Which another clause may begin with."""
_VISIT: Final = re.compile(
    r"\b(?:every|each|often|regularly|sometimes|for (?:the|a|my|our) (?:weekend|week|visit|holidays?|day|few|wedding"
    r"|funeral|birthday|party)|for christmas|for easter|to visit|on holiday|last weekend|at weekends|on business)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leg:
    """Where one move of several led."""

    place: str
    """Empty for `came back`, which does not say where to."""
    start: int
    returns: bool


def moves(clauses: Sequence[Clause], message: Message, found: Sequence[Statement]) -> list[Statement]:
    """What a sentence states, with where its speaker lives after all its moves."""
    legs = list(_legs(clauses, message))
    if len(legs) == 1 and legs[0].returns:
        return [*found, *_left_since(legs[0], clauses, message)]
    comes_back = any(leg.returns for leg in legs[1:])
    visits = comes_back and _VISIT.search(sentence_of(clauses, message.text))
    if len(legs) < 2 or visits or not _is_of_homes(clauses, message, found):  # noqa: PLR2004 - a move and another
        return list(found)
    kept = [each for each in found if not _is_stay(each, message.speaker) and not _is_left(each)]
    left = [each for each in found if _is_left(each)]
    if left:
        return [*kept, *(_left_again(each, legs) for each in left if legs[-1].returns)]
    places = {leg.place for leg in legs}
    present = [each for each in found if _is_stay(each, message.speaker) and each.object not in places]
    if any(each.change is Change.HOLDS for each in present):
        return [*kept, *present]
    start, end = clauses[0].start, clauses[-1].end
    return [*kept, *(replace(each, start=start, end=end) for each in _stays(legs, message, end))]


def _is_of_homes(clauses: Sequence[Clause], message: Message, found: Sequence[Statement]) -> bool:
    """Whether it speaks of where somebody lives: `moved the call to Zoom` does not."""
    lived = any(token.norm == "lived" for clause in clauses for token in clause.tokens)
    return lived or any(_is_stay(each, message.speaker) or _is_left(each) for each in found)


def _left_since(leg: _Leg, clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """`I moved to Rome. Then I moved back.`: where the sentence before led them is left."""
    before, who = message.talk.spoken.get(message.speaker), message.speaker
    if before is None or not any(token.norm == "moved" for clause in clauses for token in clause.tokens):
        return
    for stay in before.stated:
        if _is_stay(stay, who) and stay.change is Change.HOLDS and stay.object != leg.place and "moved" in before.norms:
            message.talk.taken_back.append(stay)
            text = f"{who} moved back from {stay.object}."
            ended = replace(_of(who, stay.object, "", Change.ENDED), text=text)
            yield replace(ended, start=clauses[0].start, end=clauses[-1].end)


def _legs(clauses: Sequence[Clause], message: Message) -> Iterator[_Leg]:
    """Where the speaker moved, in the order of the words."""
    mine = moved = False
    for clause in clauses:
        about = _about(clause, message)
        mine = about in {About.SELF, About.US} or (mine and about is About.NOBODY)
        if not mine or clause.mood is not Mood.SAID or {token.norm for token in clause.tokens} & _NOT:
            continue
        for leg in _of_clause(clause, message, moved=moved):
            moved = True
            yield leg


def _about(clause: Clause, message: Message) -> About:
    about = subject_of(clause.tokens, message.text, message.talk.people).about
    if about is About.NOBODY and (at := behind_adverbial(clause.tokens)):
        return subject_of(clause.tokens[at:], message.text, message.talk.people).about
    return about


def _of_clause(clause: Clause, message: Message, *, moved: bool) -> Iterator[_Leg]:
    tokens = clause.tokens
    times = [(when.start, when.end) for when in message.behind]
    for at, token in enumerate(tokens):
        moved = moved or token.norm in _MOVED or _is_left_for(tokens, at)
        if token.norm == "after" and tokens[at + 1 : at + 2] and tokens[at + 1].tag == "VBG":
            return
        if not moved:
            continue
        place = _place(tokens, at, message, times)
        returns = bool({each.norm for each in tokens[max(0, at - 3) : at]} & _RETURNS)
        if place:
            yield _Leg(place=place, start=token.start, returns=returns)
        elif _is_back(tokens, at, times) and not _BACK_THEN.match(message.text, token.start):
            yield _Leg(place="", start=token.start, returns=True)


def _place(tokens: Sequence[Token], at: int, message: Message, times: Sequence[tuple[int, int]]) -> str:
    """The place behind `to`, or behind `lived in` and `back in`; for `left Oslo` the one that was left."""
    before = tokens[at - 1] if at else None
    if before is None:
        return ""
    norm = tokens[at].norm
    leads = norm in {"to", "into"} and (before.norm in _LEADS or in_times(before, times) or before.text[:1].isupper())
    leads = leads or (norm == "in" and before.norm in _LEADS_IN) or _is_left_for(tokens, at)
    phrase = phrase_at(tokens, at + 1, message.text, times) if leads else None
    return phrase.text if phrase is not None and phrase.is_name and not phrase.owner else ""


def _is_left_for(tokens: Sequence[Token], at: int) -> bool:
    """`left Oslo for`, and no `left early for`."""
    left = any(token.norm == "left" for token in tokens[max(0, at - 4) : at])
    return tokens[at].norm == "for" and left and tokens[at - 1].text[:1].isupper()


def _is_back(tokens: Sequence[Token], at: int, times: Sequence[tuple[int, int]]) -> bool:
    """`came back`, `returned`, which does not say where to."""
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    timed = behind is None or in_times(behind, times)
    if tokens[at].norm not in {"back", "returned"} or not (timed or behind.norm not in _NO_RETURN):  # type: ignore[union-attr]
        return False
    return tokens[at].norm == "returned" or bool({each.norm for each in tokens[max(0, at - 2) : at]} & _HAVE_RETURNED)


def _is_stay(found: Statement, who: str) -> bool:
    return found.predicate == "lives_in" and found.subject == who and found.change is not Change.NEVER


def _is_left(found: Statement) -> bool:
    """`left Oslo for Bergen`, which ends a job or a home in Oslo."""
    ends = found.change is Change.ENDED and found.predicate in {"works_at", "lives_in"}
    return ends and found.text.startswith(f"{found.subject} left ")


def _left_again(left: Statement, legs: Sequence[_Leg]) -> Statement:
    """What was left for, and left again: its end, in place of that of where somebody came back to."""
    gone = next(leg.place for leg in legs if leg.place)
    text = f"{left.text.rstrip('.')} and came back."
    return replace(left, object=gone, text=text, until=None)


def _stays(legs: Sequence[_Leg], message: Message, end: int) -> Iterator[Statement]:
    """Where somebody lives now, and where they did before, as far as the times of both ends are told."""
    who, last = message.speaker, legs[-1]
    starts = [*(leg.start for leg in legs[1:]), end]
    whens = [_when(message.behind, leg.start, until) for leg, until in zip(legs, starts, strict=True)]
    dated = [*zip(legs, whens, strict=True)]
    for (leg, since), (after, until) in pairwise(dated):
        if not leg.place or leg.place == last.place:
            continue
        if since and until and since.days.first < until.days.first:
            stayed = _of(who, leg.place, f" from {_named(since)} until {_named(until)}")
            yield replace(stayed, since=since.days.first, until=until.days.first)
        elif after.returns:
            yield replace(_of(who, leg.place, "", Change.ENDED), until=None)
    if last.place:
        when = whens[-1]
        lives = _of(who, last.place, f" since {_named(when)}" if when else "")
        yield replace(lives, since=when.days.first if when else None)


def _of(who: str, place: str, when: str, change: Change = Change.HOLDS) -> Statement:
    text = sentence("lives_in", who, place, change, when)
    if " until " in when:
        text = text.replace(" lives in ", " lived in ", 1)
    return Statement(
        subject=who, predicate="lives_in", object=place, text=text, start=0, end=0, change=change, confidence=FAIR
    )


def _named(when: When) -> str:
    return when.written.partition(" ")[2]


def _when(whens: Sequence[When], start: int, end: int) -> When | None:
    return next((when for when in whens if start <= when.start < end and when.bound is Bound.AT), None)
