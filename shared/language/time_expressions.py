"""The times that a query names, as a window of whole days in the asker's zone, or as first or latest. Pure.

English is read by a table of ours (`times/english.py`, which says what each means), other languages as far as
`times/elsewhere.py` knows them. What has one end goes on to the other (`since May` until today, `before 2022` from 1970
on); several times are joined to the days from the first to the last. A time that has not begun, or is over before 1970,
gives no window.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import Final, NamedTuple

from shared.contract.errors import InvalidInput
from shared.language.times import elsewhere
from shared.language.times.books import Phrase
from shared.language.times.english import RULES, days_of
from shared.language.times.meanings import ago
from shared.language.times.spans import FAR_AWAY, Span, moved, part
from shared.language.times.words import COUNT, UNIT

MAX_CHARS: Final = 2_000
"""Of a query are read for times; what is longer is a document, and its dates are not asked for."""


class Order(StrEnum):
    """Which of several is asked for."""

    EARLIEST = "earliest"
    LATEST = "latest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A time that a query asks about."""

    start: datetime  # UTC, inclusive
    end: datetime  # UTC, exclusive
    matched: str  # the words of the query it was read from


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """An event that a query counts from, since it gives no date."""

    relation: str  # before, after, since or until
    event: str  # in the query's words
    matched: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What a query says of time."""

    window: Window | None = None
    anchor: Anchor | None = None
    order: Order | None = None


NO_TIMES: Final = Times()

_HINT: Final = re.compile(
    r"\d|\b(?:ago|yesterday|today|tonight|last|past|this|previous|next|coming|other day|before|after|since|until|till|"
    r"prior|first|earliest|latest|newest|oldest|recent(?:ly)?|current(?:ly)?|now(?:adays)?|initial(?:ly)?|original(?:ly)?|"
    r"(?:in|on|by|over|during|throughout|between|from|of|early|mid|late)[\s-]+(?:the\s+)?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn|fall|winter|"
    r"christmas|new year|halloween|valentine))"
)
"""No query without one of these, small, names a time in English. Ignoring case took three times as long."""

_BEFORE: Final = frozenset({"before", "prior to", "earlier than"})
_UNTIL: Final = frozenset({"until", "till", "up to", "by", "as of"})
_AFTER: Final = frozenset({"after", "later than", "following"})
_SINCE: Final = frozenset({"since"})
_OPERATOR: Final = "|".join(name.replace(" ", r"\s+") for name in sorted(_BEFORE | _UNTIL | _AFTER | _SINCE))
_OF_EVENTS: Final = _BEFORE | _AFTER | _SINCE | {"until", "till"}
_EVENT: Final = (
    r"(?:the|an?|my|our|his|her|their|your|[^\W\d_]+['\u2019]s)\s+"
    r"(?:(?!(?:and|or|but|when|who|what|where|did|do|was|were|in|on|before|after|since|until)\b)[^\W\d_][\w'\u2019-]*\s+){1,4}"
    r"(?=(?:on|in)\s)"
)
"""What happened on the date that follows: `my trip on 16 June`. Counting is from that date."""
_PARTS: Final = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
    "late": "late",
}
_TIME: Final = re.compile(
    r"(?<![\w-])"
    rf"(?:(?:(?P<count>{COUNT}|(?:the\s+)?last|the)\s+(?P<unit>{UNIT})\s+)?\b(?P<op>{_OPERATOR})\s+"
    rf"(?P<event>{_EVENT})?)?"
    r"(?:\b(?P<at>in|during|throughout|over|between|from|for|around)\s+)?"
    r"(?:(?:the\s+)?(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+)?"
    r"(?:on\s+)?(?:the\s+)?"
    rf"(?:{'|'.join(f'(?P<{name}>{rule.written})' for name, rule in RULES.items())})",
    re.IGNORECASE,
)
_JOINT: Final = re.compile(r"\s*(?:,|[-\u2013\u2014]|and|to|or|through|until|till)\s*", re.IGNORECASE)
_ANCHOR: Final = re.compile(
    rf"(?:\b{COUNT}\s+{UNIT}\s+)?\b(?P<relation>before|prior\s+to|after|since|until|till)\s+"
    r"(?P<event>[^\W_](?:(?!\s(?:when|while|(?:did|do|does|had|have)\s+(?:I|we|you|he|she|they|it))\b)[^.,;:?!\n]){2,80})",
    re.IGNORECASE,
)
_ORDERS: Final = {
    Order.EARLIEST: re.compile(
        r"\b(?:first(?!\s+(?:name|aid|class|floor|person|lady|hand|language|half|order)\b|-)|earliest|oldest|initial(?:ly)?|"
        r"original(?:ly)?|zuerst|erstmals|das\s+erste\s+mal|primera\s+vez|primeira\s+vez|première\s+fois|prima\s+volta|"
        r"eerste\s+keer)\b|最初|初めて|第一次|처음",
        re.IGNORECASE,
    ),
    Order.LATEST: re.compile(
        r"\b(?:(?:the|my|our|his|her|their|'s)\s+last(?!\s+name)|last\s+time|lastly|latest|newest|most\s+recent(?:ly)?|"
        r"current(?:ly)?|now(?:adays)?|these\s+days|zuletzt|neueste[nrs]?|das\s+letzte\s+mal|última\s+vez|más\s+reciente|"
        r"dernière\s+fois|plus\s+récente?|ultima\s+volta|più\s+recente|mais\s+recente|laatste\s+keer)\b"
        r"|最後|最近|最新|最后|마지막",
        re.IGNORECASE,
    ),
}


class _Found(NamedTuple):
    """A time in the query."""

    start: int
    end: int
    span: Span | None
    """Without one the words mean no days, or none that have begun."""
    is_bound: bool
    """It has one end."""
    rule: str
    words: str
    words_at: int
    """Where those begin, behind what leads to them."""


def times(query: str, now: datetime, zone: tzinfo | None = None) -> Times:
    """What a query says of time.

    Days begin and end at midnight in `zone`; without one, in the zone of `now`, the asker's present.

    Raises:
        InvalidInput: `now` is naive and there is no zone.
    """
    zone = zone or now.tzinfo
    if zone is None:
        raise InvalidInput(f"now must carry a time zone, got {now.isoformat()}", now=now)
    query = query[:MAX_CHARS]
    if _HINT.search(query.casefold()) is None and not elsewhere.may_hold(query):
        return NO_TIMES
    today = now.astimezone(zone).date()
    found = _found(query, today)
    rest = _without(query, found)
    return Times(window=_window(query, found, today, zone), anchor=_anchor(query, rest), order=_order(rest))


def window(query: str, now: datetime, zone: tzinfo | None = None) -> Window | None:
    """The days that a query names; see `times`."""
    return times(query, now, zone).window


def _found(query: str, today: date) -> list[_Found]:
    found = list(_in_english(elsewhere.phrases(query), today))
    if found:
        return found
    for match in _TIME.finditer(query):
        found.append(_read(match, _rule(match), today, ranges=_goes_on(query, match, found)))
    if not found and (phrase := elsewhere.a_date(query)):
        return list(_in_english([phrase], today))
    for place in range(len(found) - 2, -1, -1):
        found[place] = _in_the_year_of(query, found[place], found[place + 1])
    return found


def _in_english(phrases: Iterable[Phrase], today: date) -> Iterator[_Found]:
    """Times in another language, read as what they are in English."""
    for phrase in phrases:
        match = _TIME.match(phrase.english)
        if match is not None and match.end() == len(phrase.english):
            found = _read(match, _rule(match), today, ranges=False)
            yield found._replace(start=phrase.start, end=phrase.end, words_at=phrase.start)


def _rule(match: re.Match[str]) -> str:
    return next(name for name in RULES if match[name] is not None)


def _goes_on(query: str, match: re.Match[str], found: list[_Found]) -> bool:
    """Whether `until` only ends what `from` began."""
    return bool(found) and query[found[-1].start :].lower().startswith("from") and match.start() - found[-1].end <= 1


def _read(match: re.Match[str], rule: str, today: date, *, ranges: bool) -> _Found:
    span = days_of(rule, match[rule], today)
    operator = " ".join((match["op"] or "").lower().split())
    if match["event"] and operator not in _OF_EVENTS:
        operator = ""  # by the lake, in May
    if span and match["part"]:
        word = match["part"].split()[0].lower()
        span = part(span, _PARTS.get(word, "late"))
    if span and match["count"] and operator in _BEFORE | _AFTER:
        span = _counted(span, match["count"], match["unit"], operator)
    elif span and operator and not ranges:
        span = _one_end(span, operator, today, within=bool(match["event"]) and span.first < span.last)
    is_bound = bool(operator) and not match["count"] and not ranges
    return _Found(match.start(), match.end(), span, is_bound, rule, match[rule], match.start(rule))


def _counted(span: Span, count: str, unit: str, operator: str) -> Span | None:
    """`two weeks before 8 May`, as exactly as that is said; `the week before 8 May` ends on the 7th."""
    try:
        if count.lower().startswith(("the", "last")):
            one = unit.lower().rstrip("s").replace("weekend", "week")
            if operator in _BEFORE:
                return Span(moved(span.first, -1, one), moved(span.first, -1, "day"))
            return Span(moved(span.last, 1, "day"), moved(span.last, 1, one))
        return ago(count, unit, span.first) if operator in _BEFORE else ago(count, unit, span.last, 1)
    except (ValueError, OverflowError):
        return None


def _one_end(span: Span, operator: str, today: date, *, within: bool) -> Span | None:
    """What lies before or after some days; also on them where an event was `within` them, nobody says when."""
    if operator in _BEFORE | _UNTIL:
        last = span.first - timedelta(days=1) if operator in _BEFORE and not within else span.last
        return Span(FAR_AWAY, last)
    return Span(span.first if operator in _SINCE or within else span.last + timedelta(days=1), today)


def _in_the_year_of(query: str, first: _Found, second: _Found) -> _Found:
    """`between 8 May and 3 June 2023`: the first is the latest that lies before the second."""
    joined = _JOINT.fullmatch(query[first.end : second.words_at])
    bare = first.rule in {"bare_days", "bare_months"}
    if not joined or not bare or first.is_bound or second.is_bound or not second.span:
        return first
    return first._replace(span=days_of(first.rule, first.words, second.span.last))


def _window(query: str, found: list[_Found], today: date, zone: tzinfo) -> Window | None:
    """The days from the first to the last that are named, cut where something begins or ends them."""
    told = [each for each in found if each.span]
    plain = [each.span for each in told if each.span and not each.is_bound]
    first, last = (
        min((each.first for each in plain), default=FAR_AWAY),
        max((each.last for each in plain), default=today),
    )
    for each in told:
        if each.is_bound and each.span:
            first, last = max(first, each.span.first), min(last, each.span.last)
    if not told or first > last or first > today or last < FAR_AWAY:
        return None
    matched = query[told[0].start : told[-1].end].strip()
    return Window(start=_midnight(first, zone), end=_midnight(last + timedelta(days=1), zone), matched=matched)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _without(query: str, found: list[_Found]) -> str:
    """The query with blanks where times stand."""
    for each in found:
        query = query[: each.start] + "." * (each.end - each.start) + query[each.end :]
    return query


def _anchor(query: str, rest: str) -> Anchor | None:
    found = _ANCHOR.search(rest)
    if found is None:
        return None
    relation = found["relation"].lower().split()[0]
    return Anchor(
        relation={"prior": "before", "till": "until"}.get(relation, relation),
        event=query[found.start("event") : found.end("event")].strip(),
        matched=query[found.start() : found.end()].strip(),
    )


def _order(rest: str) -> Order | None:
    """First or latest; neither where both are named, as in a comparison."""
    found = [order for order, pattern in _ORDERS.items() if pattern.search(rest)]
    return found[0] if len(found) == 1 else None
