"""What a clause says of its subject: the verb, and how it is meant (denied, over, to come, wished for). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shared.language.statements.auxiliaries import Seen, step
from shared.language.statements.clauses import Clause
from shared.language.statements.dates import Bound, When
from shared.language.statements.subjects import Subject
from shared.language.statements.tagged import Token
from shared.language.statements.verbs import LEMMAS

_ENDERS: Final = frozenset({"stop", "quit", "give"})
_STARTERS: Final = frozenset({"start", "begin"})
_TRAILING: Final = (("any", "more"), ("any", "longer"), ("anymore",), ("any", "more", "now"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A clause, read as far as its verb."""

    subject: Subject
    verb: str
    """In its basic form; `be` for a copula."""
    at: int
    """Index of the token behind it."""
    clause: Clause
    text: str
    """The whole message."""
    whens: Sequence[When] = ()
    negated: bool = False
    never: bool = False
    over: bool = False
    """It was so and is no longer: `no longer`, `any more`, `used to`, `stopped`."""
    used_to: bool = False
    begun: bool = False
    future: bool = False
    modal: str = ""
    past: bool = False
    perfect: bool = False
    going_on: bool = False
    """Progressive."""
    passive: bool = False
    doubted: bool = False
    adverbs: frozenset[str] = field(default_factory=frozenset)
    borrowed: Sequence[When] = ()
    """The times of the clause before, which has the same subject: of `sold my car last week and bought a bike`."""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Of the clause."""
        return self.clause.tokens

    @property
    def times(self) -> list[tuple[int, int]]:
        """Where the times of the message stand."""
        return [(when.start, when.end) for when in self.whens]

    @property
    def own_whens(self) -> list[When]:
        """The times within the clause."""
        own = [when for when in self.whens if self.clause.start <= when.start < self.clause.end]
        return own or list(self.borrowed)

    @property
    def rest(self) -> tuple[Token, ...]:
        """What follows the verb."""
        return self.tokens[self.at :]

    @property
    def after(self) -> str:
        """The word behind the verb; empty at the end."""
        return self.tokens[self.at].norm if self.at < len(self.tokens) else ""

    @property
    def asserts(self) -> bool:
        """Whether it says that something is so, denied or over included, and does not wish, doubt or oblige."""
        return not self.doubted and self.modal == ""

    def word(self, at: int) -> str:
        """The word at a token, in small letters; empty where there is none."""
        return self.tokens[at].norm if 0 <= at < len(self.tokens) else ""

    def moved(self, by: int = 1) -> Said:
        """The same, read so many tokens further."""
        return replace(self, at=self.at + by)


def said_in(clause: Clause, subject: Subject, text: str, whens: Sequence[When]) -> Said | None:
    """What a clause says behind its subject; None where no verb is found."""
    seen = Seen()
    times = [(when.start, when.end) for when in whens]
    at, verb = subject.next, ""
    while at < len(clause.tokens) and not verb:
        taken, verb = step(clause.tokens, at, seen, times)
        if not taken:
            return None
        at += taken
    if not verb:
        return None
    said = Said(
        subject=subject, verb=verb, at=at, clause=clause, text=text, whens=whens, modal=seen.modal,
        adverbs=frozenset(seen.adverbs),
    )  # fmt: skip
    said = replace(said, **seen.flags)  # type: ignore[arg-type]  # the flags are fields by these names
    start, end = said.clause.start, clause.end
    if _RARELY.search(text[start:end]) or _ONLY_THEN.search(text[start : end + _NEXT]):
        said = replace(said, doubted=True)
    return with_ending(_with_inner(said))


_RARELY: Final = re.compile(
    r"\b(?:rarely|seldom|scarcely|infrequently|(?:hardly|scarcely|barely) ever|almost never"
    r"|not (?:very |so |too )?often|once in a (?:blue moon|while)|every blue moon|nowhere|less and less"
    r"|less (?:often|frequently)|fewer and fewer|(?:ever|much|a lot) less|in no particular)\b"
    r"|\bless(?: these days| now| lately| nowadays| than (?:i|we) (?:used to|did))?[\s.!]*$",
    re.IGNORECASE,
)
"""What is done no oftener, or nowhere, is no habit, wherever in the clause that stands."""
_ONLY_THEN: Final = re.compile(
    r"\bonly\b(?:[^.!?;]{0,60}\b)?(?:when|if|on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|holidays))\b",
    re.IGNORECASE,
)
"""Nor is what is done on one condition, or on one day."""
_NEXT: Final = len(", but only when ")
"""The condition is a clause of its own, of which this much is looked at."""


_PASSIVES: Final = frozenset({"promoted", "fired", "laid", "hired", "diagnosed", "rehired"}) & frozenset(LEMMAS)
"""What `get` makes a passive of."""


def _with_inner(said: Said) -> Said:
    """`stopped eating`, `gave up smoking`, `started working`, `began to learn`: the verb is the inner one."""
    rest = said.rest
    if said.verb == "get" and rest and rest[0].norm in _PASSIVES:
        return replace(said, verb=LEMMAS[rest[0].norm], at=said.at + 1, passive=True)
    if said.verb in _ENDERS or said.verb in _STARTERS or said.verb == "keep":
        up = said.verb == "give" and bool(rest) and rest[0].norm == "up"
        if said.verb == "give" and not up:
            return said
        at = said.at + up
        inner = said.tokens[at] if at < len(said.tokens) else None
        if inner is not None and inner.norm == "to" and said.verb in _STARTERS and at + 1 < len(said.tokens):
            at, inner = at + 1, said.tokens[at + 1]
        verb = LEMMAS.get(inner.norm, inner.lemma if inner.tag == "VBG" else "") if inner is not None else ""
        if inner is None or not verb or not (inner.norm.endswith("ing") or at > said.at + up):
            return said
        ends = said.verb in _ENDERS
        if ends and (said.negated or said.future):
            return replace(said, doubted=True)
        return replace(
            said, verb=verb, at=at + 1, over=said.over or ends, begun=said.verb in _STARTERS,
            past=said.past and not said.begun,
        )  # fmt: skip
    return said


_LASTING: Final = frozenset({"always", "still", "since", "long", "now", "mostly"})
_ALL_ALONG: Final = (
    ("all", "my"),
    ("all", "our"),
    ("my", "whole"),
    ("our", "whole"),
    ("my", "entire"),
    ("ever", "since"),
)


def lasts(said: Said) -> bool:
    """Whether a perfect says what is so still: `have lived there since May`, and not `have lived in four cities`."""
    if not said.perfect or said.going_on or said.over or said.never:
        return True
    words = [token.norm for token in said.tokens]
    along = any(tuple(words[at : at + 2]) in _ALL_ALONG for at in range(len(words)))
    bound = any(when.bound is Bound.SINCE for when in said.own_whens)
    since = bound or "since" in words or "since" in said.text[said.clause.end : said.clause.end + 7]
    return along or since or bool(said.adverbs & _LASTING)


def with_ending(said: Said) -> Said:
    """The same with `… any more` read, which makes what is denied something that was."""
    words = [token.norm for token in said.rest]
    if words[-2:] == ["no", "more"] and len(words) > 2 and words[-3] not in {",", "and", "but"}:  # noqa: PLR2004 - an object before them
        return replace(said, over=True)
    if not said.negated:
        return said
    for trailing in _TRAILING:
        for at in range(len(words)):
            if tuple(words[at : at + len(trailing)]) == trailing:
                return replace(said, over=True, negated=False)
    return said
