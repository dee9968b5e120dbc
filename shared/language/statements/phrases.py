"""Noun phrases: how far the thing goes that a verb is followed by. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.language.statements.tagged import Token
from shared.language.statements.words import word_set

MAX_CHARS: Final = 80
_MOST_TOKENS: Final = 9
_ARTICLES: Final = frozenset({"a", "an", "the", "some", "any", "both", "all", "another"})
_OWNERS: Final = frozenset({"my", "our", "his", "her", "their", "its"})
_POINTING: Final = frozenset({"this", "that", "these", "those", "your", "it", "you", "them", "him", "me", "such"})
_DEGREES: Final = word_set("""
    really very so just far too much many more mostly mainly only quite pretty super extremely especially
    particularly also even still absolutely usually always mildly severely slightly deathly badly highly
""")
_ENDS: Final = word_set("""
    now anymore again too though currently recently since instead anyway actually btw lol haha please thanks
    right yet well together alone either because but so when while who which that where if than as until
    before after for with without from on during than then also already ever rn atm tho cos cuz bc and or &
    plus not whenever more most called named name aged yesterday today tomorrow tonight myself here there like
    really much lot tmrw tmr tomoz 2moro
""")
_FRACTIONS: Final = frozenset({"half", "part", "some", "most"})
"""Behind a thing: `in Riga half of the year`."""
_INSIDE: Final = frozenset(
    {"of", "de", "du", "da", "del", "des", "la", "le", "van", "von", "der", "al", "el", "the", "'s", "'"}
)
_UNITS: Final = word_set("years yrs months weeks days hours times year month week")
_PARTS: Final = frozenset({"ADJ", "NOUN", "PROPN", "NUM", "X", "INTJ"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A noun phrase without its article."""

    text: str
    """As it is written."""
    tokens: tuple[Token, ...]
    next: int
    """Index of the token behind it."""
    article: str
    """`a`, `the` and the like; empty without one."""
    owner: str
    """`my`, `our` and the like; empty without one."""

    @property
    def head(self) -> Token:
        """The noun that says what it is: the last one before `of`."""
        for at, token in enumerate(self.tokens):
            if token.norm == "of" and at:
                return self.tokens[at - 1]
        return self.tokens[-1]

    @property
    def is_name(self) -> bool:
        """Whether each of its words is written as a name's is."""
        return all(token.text[0].isupper() or token.norm in _INSIDE for token in self.tokens) and (
            self.tokens[0].text[0].isupper()
        )

    @property
    def words(self) -> str:
        """In small letters."""
        return self.text.lower()

    @property
    def shown(self) -> str:
        """With its article."""
        return f"{self.article} {self.text}" if self.article in {"a", "an", "the"} else self.text


def phrase_at(tokens: Sequence[Token], at: int, text: str, times: Sequence[tuple[int, int]] = ()) -> Phrase | None:
    """The phrase that begins at a token, if one does; times and words that follow are no part of it."""
    article = owner = ""
    while at < len(tokens) and (tokens[at].norm in _ARTICLES | _OWNERS | _DEGREES):
        if in_times(tokens[at], times):
            return None
        if tokens[at].norm in _ARTICLES:
            article = tokens[at].norm
        elif tokens[at].norm in _OWNERS:
            owner = tokens[at].norm
        at += 1
    end = _end(tokens, at, times)
    while end > at and tokens[end - 1].norm in _INSIDE | {"-"} and not _is_name_of_shop(tokens, at, end):
        end -= 1
    if end == at:
        return None
    found = tuple(tokens[at:end])
    written = " ".join(text[found[0].start : found[-1].end].split())
    if len(written) > MAX_CHARS or not any(sign.isalnum() for sign in written):
        return None
    return Phrase(text=written, tokens=found, next=end, article=article, owner=owner)


def _is_name_of_shop(tokens: Sequence[Token], at: int, end: int) -> bool:
    """`St Mary's`, `Sainsbury's`, at the end of what is said."""
    return tokens[end - 1].norm == "'s" and end - 1 > at and _is_name(tokens[end - 2])


def _end(tokens: Sequence[Token], at: int, times: Sequence[tuple[int, int]]) -> int:
    first = at
    while at < min(len(tokens), first + _MOST_TOKENS):
        token = tokens[at]
        if in_times(token, times) or not _may_stand(tokens, at, first):
            return at
        at += 1
    return at


def _may_stand(tokens: Sequence[Token], at: int, first: int) -> bool:  # noqa: C901, PLR0911 - one answer for each kind of word
    token, is_first = tokens[at], at == first
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    glued = not is_first and tokens[at - 1].end == token.start
    if token.text in {"-", "/", "'"} or (token.text == "&" and following is not None and following.text[0].isupper()):
        return not is_first and following is not None and (glued or token.text == "&")
    if token.norm == "'s" and not is_first and following is None:
        return _is_name(tokens[at - 1])
    if token.pos == "NUM" and not is_first and following is not None and following.norm in _UNITS:
        return False
    if is_first and token.norm in _INSIDE and _is_name(token) and following is not None and _is_name(following):
        return True
    if token.norm in _INSIDE:
        return not is_first and following is not None and (token.norm not in {"the", "la", "el"} or _is_name(following))
    if token.norm in _POINTING or (token.norm in _ENDS and not (token.text[0].isupper() and not is_first)):
        return False
    if not is_first and token.norm in _FRACTIONS and following is not None and following.norm in {"of", "the", "a"}:
        return False
    if token.pos in _PARTS:
        return True
    if glued and tokens[at - 1].text in {"-", "/"}:
        return True
    if token.tag in {"VBG", "VBN"} or (token.pos == "VERB" and _is_name(token)):
        return is_first or (following is not None and following.pos in {"NOUN", "PROPN"}) or token.tag == "VBG"
    if token.pos == "ADV":
        return following is not None and following.pos in {"ADJ", "NOUN"} and not in_ends(following)
    return (
        is_first and token.text.isalpha() and token.pos in {"VERB", "ADV", "AUX"} and token.tag in {"VB", "VBP", "VBD"}
    )


def in_ends(token: Token) -> bool:
    """Whether a word ends a phrase wherever it stands."""
    return token.norm in _ENDS


def _is_name(token: Token) -> bool:
    return token.text[:1].isupper()


def in_times(token: Token, times: Sequence[tuple[int, int]]) -> bool:
    """Whether a token is part of a time."""
    return any(start <= token.start < end for start, end in times)


def _closes_item(tokens: Sequence[Token], at: int) -> bool:
    """Whether a thing listed is over, and is not the beginning of something else that is said."""
    return at >= len(tokens) or tokens[at].text == "," or tokens[at].norm in {"and", "or", "&", "nor", "too"}


def phrases_at(tokens: Sequence[Token], at: int, text: str, times: Sequence[tuple[int, int]] = ()) -> list[Phrase]:
    """The phrases of a list that begins at a token: `peanuts, eggs and shellfish` are three."""
    found: list[Phrase] = []
    by_comma = False
    while (phrase := phrase_at(tokens, at, text, times)) is not None:
        if found and (phrase.owner or (by_comma and not _closes_item(tokens, phrase.next))):
            break
        found.append(phrase)
        at = phrase.next
        joined = False
        by_comma = at < len(tokens) and tokens[at].text == ","
        while at < len(tokens) and (tokens[at].text == "," or tokens[at].norm in {"and", "or", "&", "nor"}):
            by_comma = by_comma and tokens[at].text == ","
            at, joined = at + 1, True
        if not joined:
            break
    return found
