"""Cuts a tagged text into clauses, and says of each whether it asserts anything. Pure.

By words and tags and not by a parse: people type without commas, and a clause that begins with `i`, `we`, `my sister`
is told as well by its first words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared.language.statements.moods import (
    ASIDES,
    ASKING_AUX,
    IF,
    SAYING,
    Mood,
    asks,
    is_in_doubt,
    is_unreal,
    mood_of,
)
from shared.language.statements.tagged import Token
from shared.language.statements.verbs import LEMMAS
from shared.language.statements.words import RELATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One verb and what belongs to it."""

    tokens: tuple[Token, ...]
    led_by: str
    """The word or sign before it: `and`, `because`, `,`; empty at the beginning of a sentence."""
    mood: Mood
    sentence: int
    """Number of its sentence within the text."""
    begins: bool
    """Whether it begins a sentence."""

    @property
    def start(self) -> int:
        """Of its first word, in characters of the text."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Of its last word, exclusive."""
        return self.tokens[-1].end


_STOPS: Final = re.compile(r"[.!?\u2026;\u2022]+|[\U0001f300-\U0001faff\u2600-\u27bf\u2764\ufe0f]+")
_SIGNS: Final = frozenset({":", "-", "\u2013", "\u2014", "--", "(", ")", "[", "]", "->", "=>", ":)", ";)", ":("})
_OWNED_ALONE: Final = frozenset({"mine", "yours", "hers", "theirs", "ours"})
_PRONOUNS: Final = _OWNED_ALONE | frozenset(
    {"i", "we", "he", "she", "they", "it", "you", "there", "this", "that", "im", "ive"}
)
_OWN: Final = frozenset({"i", "we", "im", "ive", "my", "our"})
_JOINING: Final = frozenset({"and", "but", "so", "or", "plus", "then", "&", "nor", "yet"})
_BECAUSE: Final = frozenset(
    {"because", "since", "as", "although", "though", "cos", "cuz", "coz", "bc", "'cause", "even"}
)
_MARKERS: Final = _BECAUSE | IF | ASIDES
_AUXILIARY: Final = frozenset(
    {"am", "is", "are", "was", "were", "be", "have", "has", "had", "will", "would", "can", "could", "do", "does", "did"}
    | {"should", "must", "might", "may", "'s", "'d", "'re", "'m", "'ve", "'ll", "ca", "wo", "m", "ve", "s", "d", "used"}
)


def clauses_of(tokens: Sequence[Token], text: str) -> list[Clause]:
    """The clauses of a text in order, whatever their mood."""
    found: list[Clause] = []
    for number, (sentence, ending) in enumerate(_sentences(tokens, text)):
        found += _clauses(sentence, ending, number, text)
    return found


def _sentences(tokens: Sequence[Token], text: str) -> Iterator[tuple[list[Token], str]]:
    """Each sentence without what ends it, and that."""
    sentence: list[Token] = []
    before = 0
    for token in tokens:
        if sentence and "\n" in text[before : token.start]:
            yield sentence, ""
            sentence = []
        before = token.end
        if _STOPS.fullmatch(token.text):
            if sentence:
                yield sentence, token.text
            sentence = []
        else:
            sentence.append(token)
    if sentence:
        yield sentence, ""


def _clauses(sentence: list[Token], ending: str, number: int, text: str) -> Iterator[Clause]:
    written = text[sentence[0].start : sentence[-1].end]
    parts = list(_parts(sentence))
    asking = [asks(part) for _, part in parts]
    marked = "?" in ending
    unreal = is_unreal(parts, written)
    asked_from = asking.index(True) if True in asking else 0
    before: list[Token] = []
    clause: Clause | None = None
    for at, (led_by, part) in enumerate(parts):
        mood = mood_of(led_by, before)
        if clause is not None and _goes_on_with_another(clause, part, led_by):
            mood = Mood.ASIDE
        if asking[at] or (marked and at >= asked_from):
            mood = Mood.ASKED
        elif unreal or "according to" in written.lower():
            mood = Mood.UNREAL
        elif is_in_doubt(text[part[0].start : part[-1].end]):
            mood = Mood.DOUBTED
        clause = Clause(tokens=tuple(part), led_by=led_by, mood=mood, sentence=number, begins=at == 0)
        yield clause
        before = part


def _parts(sentence: list[Token]) -> Iterator[tuple[str, list[Token]]]:
    """What stands between cuts, with the word that led to each."""
    led_by = ""
    part: list[Token] = []
    for at, token in enumerate(sentence):
        if token.text in _SIGNS and not _is_hyphen(sentence, at):
            if part:
                yield led_by, part
            led_by, part = token.text, []
            continue
        cut = _cut_before(sentence, at) if part and (_has_verb(part) or asks(sentence[at:])) else None
        if cut is not None:
            if part := _stripped(part):
                yield led_by, part
            led_by, part = cut, []
            if token.norm in _MARKERS and _starts(sentence, at + 1):
                continue
        elif not part and token.norm in _MARKERS and _starts(sentence, at + 1):
            led_by = token.norm
            continue
        if part or token.text != ",":
            part.append(token)
    if part := _stripped(part):
        yield led_by, part


def _is_hyphen(sentence: Sequence[Token], at: int) -> bool:
    """A dash without spaces around it: `forty-two`."""
    if not sentence[at].text.startswith(("-", "\u2013")) or at in {0, len(sentence) - 1}:
        return False
    return sentence[at - 1].end == sentence[at].start and sentence[at].end == sentence[at + 1].start


def _has_verb(part: Sequence[Token]) -> bool:
    """Whether a clause is there to be ended: `Yesterday`, `in March,` and `Oskar,` are none."""
    ordered = {token.norm for token in part[-2:]} & {"please", "pls", "plz"} and len(part) > 2  # noqa: PLR2004 - always metric please
    return bool(ordered) or any(_is_verb(token) or token.norm in SAYING for token in part)


def _stripped(part: list[Token]) -> list[Token]:
    """Without the joining word or comma that leads to the next."""
    while part and (part[-1].norm in _JOINING | _MARKERS or part[-1].text == ","):
        part = part[:-1]
    return part


def _cut_before(sentence: list[Token], at: int) -> str | None:  # noqa: PLR0911 - one answer for each way to begin
    """The word that leads to the clause that begins here; None where none begins."""
    previous = sentence[at - 1]
    before = previous.norm
    token = sentence[at]
    if token.norm in _OWN and before == "that" and at > 1 and sentence[at - 2].norm in SAYING:
        return before
    if (before in _MARKERS and _starts(sentence, at)) or _is_relative_verb(sentence, at):
        return before
    if at > 1 and sentence[at - 2].norm == "born":
        return None
    if before in _JOINING or before == ",":
        if _starts(sentence, at) or asks(sentence[at:]) or _continues(sentence, at):
            return before
        return None
    if before in ASKING_AUX:
        return None
    if token.norm in _OWN and _starts(sentence, at) and not _is_relative(sentence, at):
        return before if before in SAYING else "run on"
    if before in SAYING and (_starts(sentence, at) or token.norm in _PRONOUNS):
        return before
    return None


_RELATIVES: Final = frozenset({"who", "which", "that", "whose"})
_MOST_OF_WHOSE: Final = 4
"""Words of what is somebody's behind `whose`, with the verb: `whose younger sister works`."""


def _is_relative_verb(sentence: Sequence[Token], at: int) -> bool:
    """Whether what somebody else does begins here: `Peter, who works at Acme`, `a friend that lives in Kiel`."""
    led = sentence[at - 1]
    if led.norm not in _RELATIVES or at < 2:  # noqa: PLR2004 - somebody, who
        return False
    if led.norm == "whose":
        return any(_may_be_finite(token) for token in sentence[at + 1 : at + _MOST_OF_WHOSE])
    if led.norm == "that" and (led.tag != "WDT" or sentence[at - 2].norm in SAYING):
        return False
    verb = next((token for token in sentence[at : at + 3] if token.pos != "ADV"), None)
    return verb is not None and _may_be_finite(verb)


def _may_be_finite(token: Token) -> bool:
    """Whether it is a finite verb, or is known as one and taken for a noun: `who works`, `whose sister plays`."""
    return _is_finite(token) or (token.norm in LEMMAS and token.norm.endswith("s"))


def _goes_on_with_another(clause: Clause, part: Sequence[Token], led_by: str) -> bool:
    """Whether a clause without a subject goes on with a relative one: `who lives in Bonn and works at Acme`."""
    relative = clause.mood is Mood.ASIDE or (clause.mood is Mood.ASKED and clause.tokens[0].norm in _RELATIVES)
    if not relative or led_by not in {"and", "but", "or", ","}:
        return False
    verb = next((token for token in part if token.pos != "ADV" or token.norm in LEMMAS), None)
    if verb is None or not _may_be_finite(verb):
        return False
    third = verb.norm.endswith("s") or verb.tag == "VBZ"
    leads = {clause.led_by, clause.tokens[0].norm}
    return third or (verb.tag in {"VBD", "VBN", "MD"} and bool(leads & {"who", "whose", "that", "and", "but"}))


def _starts(sentence: Sequence[Token], at: int) -> bool:
    """Whether a subject with its verb begins here."""
    rest = sentence[at : at + 8]
    if not rest:
        return False
    if rest[0].norm in _PRONOUNS:
        return any(_is_verb(token) for token in rest[1:4])
    if rest[0].norm in {"my", "our", "his", "her", "their", "the"} or (
        rest[0].pos == "PROPN" and rest[0].text[0].isupper()
    ):
        after = next((token for token in rest[1:] if not _is_of_subject(token)), None)
        return after is not None and after.norm not in {",", "'s"} and _is_finite(after)
    return False


def _is_of_subject(token: Token) -> bool:
    return (
        token.pos in _IN_A_NAME
        or token.norm in RELATIONS
        or token.norm in {"with", "of", "her", "him", "them", "dr", "the"}
    )


_IN_A_NAME: Final = frozenset({"PROPN", "NOUN", "ADJ", "NUM", "PART"})


def _continues(sentence: Sequence[Token], at: int) -> bool:
    """Whether a verb begins here that has the subject of the clause before: `and work at`."""
    rest = [token for token in sentence[at : at + 4] if token.pos != "ADV" or token.norm in LEMMAS]
    if not rest or rest[0].tag == "VBG":
        return False
    if rest[0].norm == "been" and len(rest) > 1:
        return True
    if rest[0].norm in LEMMAS and len(rest) > 1 and rest[1].norm in {"at", "for", "as", "in", "to"}:
        return True
    return _is_finite(rest[0]) and (rest[0].norm in LEMMAS or rest[0].norm in _AUXILIARY)


def _is_verb(token: Token) -> bool:
    return token.pos in {"VERB", "AUX"} or token.norm in _AUXILIARY or token.norm in LEMMAS


def _is_finite(token: Token) -> bool:
    return (
        token.tag in {"VBD", "VBZ", "VBP", "MD"}
        or token.norm in _AUXILIARY
        or (token.tag == "VBN" and token.pos == "VERB")
    )


def _is_relative(sentence: Sequence[Token], at: int) -> bool:
    """`the city i live in`, `everything i own`: what is said of a thing and asserts nothing by itself."""
    head = sentence[at - 1]
    if head.norm in {"everything", "anything", "all", "one", "thing", "things", "way", "reason", "time"}:
        return True
    if head.pos not in {"NOUN", "PROPN"} or head.text[:1].isupper():
        return False
    before = [token.norm for token in sentence[max(0, at - 4) : at - 1]]
    return bool({"the", "a", "an", "every", "only", "any", "this", "that", "first", "same", "no"} & set(before))
