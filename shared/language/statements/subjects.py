"""Whom or what a clause is about. Pure."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from shared.language.statements.called import begins_with_name, name_at, small_name
from shared.language.statements.kinship import FILLERS, FORMER, relation_at
from shared.language.statements.tagged import Token
from shared.language.statements.words import LEADS, MANY, OPENINGS, PETS, word_set


class About(StrEnum):
    """What sort of subject it is."""

    SELF = "self"
    US = "us"
    RELATED = "related"
    """Somebody's wife, dentist or dog; `relation` says which, `name` who, where they are named."""
    NAMED = "named"
    OWN = "own"
    """Something of the speaker's: `my favourite colour`."""
    THING = "thing"
    THEY = "they"
    """He, she, it or they: whoever was spoken of last."""
    NOBODY = "nobody"
    """Left out, as in `Moved to Berlin`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Whom a clause is about, and where in it they end."""

    about: About
    next: int
    relation: str = ""
    name: str = ""
    words: str = ""
    """Of a thing, without `my` or `the`."""
    said_as: str = ""
    """The relation in the speaker's own word: `mum`."""
    former: bool = False
    """An ex-wife, an old boss."""


_LONGEST_OWN: Final = 7
_LONGEST_BARE: Final = 4
_THEY: Final = frozenset({"he", "she", "they", "it"})
_OWNED_ALONE: Final = frozenset({"mine", "yours", "hers", "theirs", "ours"})
"""What these are of is told by what stands before: nobody is to be taken for it."""


def subject_of(tokens: Sequence[Token], text: str, people: Container[str] = ()) -> Subject:  # noqa: C901, PLR0911 - one answer for each way to begin
    """The subject that a clause begins with, behind words that only lead to it.

    `people` are names, folded, that count as such however they are written.
    """
    at = _behind_leads(tokens, people)
    if at >= len(tokens) or tokens[at].norm in _OWNED_ALONE:
        return Subject(about=About.NOBODY, next=len(tokens))
    first = tokens[at].norm
    if first in {"i", "im", "ive"}:
        return Subject(about=About.SELF, next=at + 1)
    if first == "me" and at + 2 < len(tokens) and tokens[at + 1].norm == "and":
        name = name_at(tokens, at + 2, people)
        return Subject(about=About.US, next=at + 2 + len(name), name=_written(name, text)) if name else _nobody(tokens)
    if first == "we":
        return Subject(about=About.US, next=at + 1)
    if first in {"my", "our"}:
        return _own(tokens, at + 1, text)
    if first in _THEY:
        return Subject(about=About.THEY, next=at + 1, words=first)
    name = name_at(tokens, at, people) or begins_with_name(tokens, at)
    if name and [token.norm for token in tokens[at + len(name) : at + len(name) + 2]] == ["and", "i"]:
        return Subject(about=About.US, next=at + len(name) + 2, name=_written(name, text))
    if name and tokens[at + len(name) : at + len(name) + 1] and tokens[at + len(name)].text == ",":
        behind = tokens[at + len(name) + 1 :]
        if behind and behind[0].norm in {"i", "we", "my", "our"}:
            rest = subject_of(behind, text, people)
            return replace(rest, next=rest.next + at + len(name) + 1)
    if name and (thing := _thing_of_named(tokens, at, len(name), text)):
        return thing
    if name:
        return Subject(about=About.NAMED, next=at + len(name), name=_written(name, text))
    if first in {"the", "his", "her", "their"}:
        return _thing(tokens, at, text)
    return _bare_relation(tokens, at, text) or _bare(tokens, at, text) or Subject(about=About.NOBODY, next=at)


def _thing_of_named(tokens: Sequence[Token], at: int, length: int, text: str) -> Subject | None:
    """`Pixel's next checkup is on Friday`: a thing of somebody's."""
    end = at + length
    if end + 1 >= len(tokens) or tokens[end].tag != "POS" or tokens[end + 1].pos not in {"NOUN", "ADJ"}:
        return None
    if tokens[end + 1].pos == "ADJ" and (end + 2 >= len(tokens) or tokens[end + 2].pos != "NOUN"):
        return None
    while end < len(tokens) and end - at < _LONGEST_OWN and _belongs(tokens, end):
        end += 1
    return Subject(about=About.THING, next=end, words=_written(tokens[at:end], text))


def _bare_relation(tokens: Sequence[Token], at: int, text: str) -> Subject | None:
    """`mum's scan is on Friday`, `roommate plays bassoon`: one's own, where a verb or what is theirs follows."""
    noun, length = relation_at(tokens, at)
    if not noun or noun in PETS or tokens[at].norm in MANY or noun in _NOT_BARE:
        return None
    behind = tokens[at + length : at + length + 1]
    if not behind or not (behind[0].norm in {"'s", "has", "is", "was"} or behind[0].tag in {"VBZ", "VBD", "POS", "MD"}):
        return None
    return _own(tokens, at, text)


_NOT_BARE: Final = word_set("baby child kid parent parents nurse assistant cleaner coach teacher professor trainer ex")


def _bare(tokens: Sequence[Token], at: int, text: str) -> Subject | None:
    """A thing without an article, before a form of `be`: `gate code is 11`."""
    end = at
    while end < len(tokens) and end - at < _LONGEST_BARE and tokens[end].pos in {"NOUN", "ADJ", "PROPN"}:
        if end > at and tokens[end].norm in _THINGS_DO and tokens[end + 1 : end + 2] and tokens[end + 1].pos == "ADP":
            break
        end += 1
    if (
        end > at
        and (tokens[end - 1].pos == "NOUN" or tokens[end - 1].text.islower())
        and end < len(tokens)
        and (tokens[end].norm in {"is", "'s", "has"} or (tokens[end].norm in _THINGS_DO and end - at <= 2))  # noqa: PLR2004 - the words of a thing
    ):
        return Subject(about=About.THING, next=end, words=_written(tokens[at:end], text))
    return None


_THINGS_DO: Final = frozenset({"moves", "starts", "costs", "goes", "are"})


def _nobody(tokens: Sequence[Token]) -> Subject:
    return Subject(about=About.NOBODY, next=len(tokens))


def _behind_leads(tokens: Sequence[Token], people: Container[str]) -> int:
    at = 0
    while at < len(tokens):
        rest = " ".join(token.norm for token in tokens[at : at + 8]).replace(" n't", "n't").replace(" '", "'")
        opening = next(
            (words for words in OPENINGS if rest.startswith(words) and rest[len(words) :][:1] in {"", " "}), ""
        )
        if opening:
            length = len(opening)
            taken = 0
            while taken < len(tokens) - at and length > 0:
                length -= len(tokens[at + taken].norm) + 1
                taken += 1
            at += taken
        elif tokens[at].text in {",", "\u2019", "'", "*", "/"} or (
            tokens[at].norm in LEADS and not _may_be_verb(tokens, at)
        ):
            at += 1
        elif tokens[at].norm in people and at + 1 < len(tokens) and tokens[at + 1].text == ",":
            at += 2
        else:
            break
    return at


def _may_be_verb(tokens: Sequence[Token], at: int) -> bool:
    """`like` before a thing liked."""
    return tokens[at].norm == "like" and at == 0 and len(tokens) > 1 and tokens[1].norm not in {"i", "we", "my", ","}


def behind_adverbial(tokens: Sequence[Token]) -> int:
    """Where the subject of `In the mornings I drink tea` begins; 0 where nothing of the kind leads to it."""
    for at, token in enumerate(tokens[:9]):
        if token.pos in {"VERB", "AUX"} or token.norm in {"that", "which", "who", "than", "when", "if"}:
            return 0
        if at and token.norm in {"he", "she"} and tokens[at - 1].text == ",":
            return at
        if at and token.norm in {"i", "we", "my"}:
            pointed = {each.norm for each in tokens[:at]} & _POINTED_AT
            begins = not pointed or tokens[0].pos in {"ADP", "ADV", "SCONJ", "NUM"} or tokens[at - 1].text == ","
            begins = begins or tokens[0].norm in {"last", "next", "this", "every", "two", "one", "since", "a", "as"}
            return at if begins else 0
    return 0


_POINTED_AT: Final = word_set(
    "the a an this that every all any no everything anything nothing thing things one only first"
)
"""Before `I` they make a relative clause: `the city I live in`."""


def _own(tokens: Sequence[Token], at: int, text: str) -> Subject:
    """What is named behind `my`."""
    former = False
    start = at
    while at < len(tokens) and (tokens[at].norm in FILLERS | FORMER or tokens[at].text == "-"):
        former = former or (tokens[at].norm in FORMER and tokens[at].norm != "old")
        at += 1
    end = start
    while end < len(tokens) and end - start < _LONGEST_OWN and _belongs(tokens, end):
        end += 1
    words = _written(tokens[start:end], text)
    noun, length = relation_at(tokens, at)
    if not noun:
        end = _with_tail(tokens, end)
        words = _written(tokens[start:end], text)
        return Subject(about=About.OWN, next=end, words=words)
    behind = at + length
    if behind < len(tokens) and _is_possessive(tokens, behind):
        return Subject(about=About.OWN, next=end, words=words, relation=noun, said_as=_written(tokens[at:behind], text))
    comma = behind < len(tokens) and tokens[behind].text == ","
    name = name_at(tokens, behind + comma) or ([] if comma else small_name(tokens, behind))
    next_ = behind + comma * bool(name) + len(name)
    if name and next_ < len(tokens) and tokens[next_].text == ",":
        next_ += 1
        if next_ + 1 < len(tokens) and tokens[next_].text.isdecimal() and tokens[next_ + 1].text == ",":
            next_ += 2
    if not name and end > behind and tokens[behind].pos == "NOUN":
        return Subject(about=About.OWN, next=end, words=words)
    return Subject(
        about=About.RELATED,
        next=next_,
        relation=noun,
        name=_written(name, text),
        former=former,
        words=words,
        said_as=_written(tokens[at:behind], text),
    )


def _is_possessive(tokens: Sequence[Token], at: int) -> bool:
    behind = tokens[at + 1].tag if at + 1 < len(tokens) else ""
    return (
        (tokens[at].tag == "POS" and behind not in {"VBG", "VBD", "VBN", "DT", "RB", "IN", "PRP$"})
        or (tokens[at].norm in {"'s", "s", "'"} and at + 1 < len(tokens) and tokens[at + 1].pos == "NOUN")
        or tokens[at].norm in {"name", "birthday"}
    )


def _belongs(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.tag == "POS" or token.text == "-":
        return True
    if token.norm == "'s" and at + 1 < len(tokens) and tokens[at + 1].pos == "NOUN":
        return True
    if token.norm == "of":
        return at + 1 < len(tokens) and tokens[at + 1].pos in {"NOUN", "PROPN"}
    return token.pos in {"NOUN", "PROPN", "ADJ", "NUM"} or token.tag == "VBG"


def _with_tail(tokens: Sequence[Token], end: int) -> int:
    """`flight to Oslo`, `meeting with Dr Rao`: what belongs to a thing, where its verb follows."""
    if end >= len(tokens) or tokens[end].norm not in {"to", "with", "for", "at", "of"}:
        return end
    behind = end + 1
    while (
        behind < len(tokens)
        and behind - end < _LONGEST_BARE
        and tokens[behind].pos in {"NOUN", "PROPN", "DET", "ADJ", "PRON"}
    ):
        behind += 1
    return behind if behind < len(tokens) and tokens[behind].norm in {"is", "'s", "has", "was", "will", "are"} else end


def _thing(tokens: Sequence[Token], at: int, text: str) -> Subject:
    start = end = at + 1
    while end < len(tokens) and end - start < _LONGEST_OWN and _belongs(tokens, end):
        end += 1
    end = _with_tail(tokens, end)
    return Subject(about=About.THING, next=end, words=_written(tokens[start:end], text))


def _written(tokens: Sequence[Token], text: str) -> str:
    return " ".join(text[tokens[0].start : tokens[-1].end].split()) if tokens else ""
