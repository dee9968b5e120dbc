"""Statements of who is what to somebody. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.ordinary import MONTHS, ORDINARY, WEEKDAYS
from shared.language.statements.called import name_at
from shared.language.statements.clauses import Clause
from shared.language.statements.kinship import relation_of
from shared.language.statements.phrases import Phrase
from shared.language.statements.presupposed import is_former, is_title
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About, Subject, subject_of
from shared.language.statements.tagged import Token
from shared.language.statements.wording import statement
from shared.language.statements.words import (
    LANGUAGES,
    MANY,
    MARITAL,
    NATIONS,
    RELATIONS,
    predicate_of,
)
from shared.language.stop_words import STOP_WORDS

_CALLED: Final = frozenset({"called", "named", "name"})


def relations(said: Said, who: str) -> Iterator[Statement]:
    """What a clause says of who belongs to somebody."""
    yield from _in_passing(said, who)
    if not said.asserts or (said.negated and not said.never):
        return
    about = said.subject.about
    if about is About.RELATED and said.verb in {"be", "call", "name"} and not said.subject.name:
        yield from _who_is(said, who)
    elif about is About.NAMED and said.verb == "be" and said.after in {"my", "our"} and not said.past:
        yield from _is_mine(said, who)
    elif about in {About.SELF, About.US, About.NAMED, About.NOBODY, About.RELATED}:
        yield from _of_whom(said, who if about in {About.SELF, About.US, About.NOBODY} else said.subject.name or "")


def related(
    said: Said,
    who: str,
    relation: str,
    name: str,
    *,
    change: Change | None = None,
    confidence: float = SURE,
    dated: bool = False,
) -> Statement:
    """That somebody is somebody's `relation`; with `dated` from when the clause says."""
    predicate = predicate_of(relation)
    ended = change is Change.ENDED
    text = f"{name} is {'no longer ' if ended else ''}{who}'s {relation}."
    of = said if dated else replace(said, whens=(), borrowed=())
    return statement(of, who, predicate, name, change=change or Change.HOLDS, confidence=confidence, text=text)


def _in_passing(said: Said, who: str) -> Iterator[Statement]:
    """`my sister Ana`, wherever it stands: that she is called so is told by the way."""
    speaker = who
    subject = said.subject
    if (
        subject.about is About.RELATED
        and subject.name
        and not subject.former
        and said.verb not in {"die", "pass", "lose", "bury", "rehome"}
    ):
        yield related(said, speaker, subject.relation, subject.name)
    if said.doubted or said.modal or said.verb in {"lose", "bury", "rehome"}:
        return
    for at in range(said.at, len(said.tokens)):
        if said.tokens[at].norm in {"my", "our"} and not is_title(said.tokens, at):
            yield from _named_in_passing(said, speaker, at + 1)


def in_passing(clause: Clause, subject: Subject, who: str, text: str) -> Iterator[Statement]:
    """Who `my sister Ana` is, of whom nothing else is understood."""
    if subject.about is About.RELATED and subject.name[:1].isupper() and not subject.former:
        said = Said(subject=subject, verb="", at=subject.next, clause=clause, text=text)
        yield related(said, who, subject.relation, subject.name, confidence=FAIR)


def _named_in_passing(said: Said, who: str, at: int) -> Iterator[Statement]:
    """Who is named behind `my` as what: one, or several of several (`our two kids, Leo and Mia`)."""
    while at < len(said.tokens) and (said.tokens[at].pos in {"NUM", "ADJ"} and not relation_of(said.tokens[at].norm)):
        if said.tokens[at].norm in {"ex", "former", "late"} or is_former(said.tokens, at):
            return
        at += 1
    if at >= len(said.tokens) or not relation_of(said.tokens[at].norm):
        return
    word = said.tokens[at]
    phrase = Phrase(text=word.text, tokens=(word,), next=at + 1, article="", owner="my")
    names = names_behind(said, phrase)
    for name in names if word.norm in MANY else names[:1]:
        yield related(said, who, relation_of(word.norm), name)


def _who_is(said: Said, who: str) -> Iterator[Statement]:
    """`my dentist is Dr Rao`, `my cat is called Mo`."""
    if said.past and not said.passive:
        return
    at = said.at + (said.after in _CALLED)
    if said.word(at) in {"this", "a", "the"} and said.word(at + 1) in {
        "guy",
        "girl",
        "woman",
        "man",
        "bloke",
        "lad",
        "lady",
    }:
        at += 2 + (said.word(at + 2) in _CALLED)
    name = _named_at(said.tokens, at, called=said.after in _CALLED or said.verb in {"call", "name"}) or _capital(
        said, at
    )
    behind = said.tokens[at + len(name) : at + len(name) + 1]
    if name and (not behind or behind[0].text in {",", "&"} or behind[0].norm in {"and", "now", "but", "from", "at"}):
        relation = said.subject.relation
        if "late" in said.subject.words.lower().split():
            return
        if said.subject.former:
            relation = "ex"
        yield related(said, who, relation, said.text[name[0].start : name[-1].end])


def _capital(said: Said, at: int) -> list[Token]:
    """A word with a capital that is tagged as no name, and is none of those that have one anyway."""
    found = list(said.tokens[at : at + 1])
    if not found or not found[0].text.istitle() or found[0].norm in NATIONS | LANGUAGES | MONTHS | WEEKDAYS | {"i"}:
        return []
    return found


def _named_at(tokens: tuple[Token, ...], at: int, *, called: bool) -> list[Token]:
    """A name; behind `called` also a word in small letters."""
    if found := name_at(tokens, at):
        return found
    capital = []
    for token in tokens[at : at + 3]:
        if not token.text[0].isupper() and token.text not in {"Dr.", "Mr.", "Mrs.", "Ms."}:
            break
        capital.append(token)
    if called and capital:
        return capital
    small = list(tokens[at : at + 1])
    return small if called and small and small[0].text.isalpha() and small[0].norm not in STOP_WORDS else []


def _is_mine(said: Said, who: str) -> Iterator[Statement]:
    """`Ana is my wife`."""
    found = subject_of(said.tokens[said.at :], said.text)
    if (
        found.about is About.RELATED
        and not found.name
        and (said.at + found.next == len(said.tokens) or _closes(said.tokens[said.at + found.next]))
    ):
        if "late" in found.words.lower().split():
            return
        relation = "ex" if found.former else found.relation
        change = Change.ENDED if said.over else None
        yield related(said, who, relation, said.subject.name, change=change)


def _closes(token: Token) -> bool:
    return token.text in {",", "&"} or token.norm in {"and", "now", "but", "since", "who"}


def _of_whom(said: Said, who: str) -> Iterator[Statement]:
    if not who:
        return
    marries = said.verb == "marry" or (said.verb == "get" and said.after == "married")
    if marries and said.subject.about is About.US and said.subject.name and not said.past and not said.negated:
        yield related(said, who, "fiancé", said.subject.name)
    if said.verb == "be" or (said.verb == "get" and said.after in MARITAL):
        yield from _marital(said, who)
    elif said.verb in {"marry", "divorce", "date", "break", "split", "separate"}:
        yield from _coupled(said, who)


def _marital(said: Said, who: str) -> Iterator[Statement]:
    if (
        said.after not in MARITAL
        or said.negated
        or said.future
        or (said.verb == "get" and not (said.past or said.perfect))
    ):
        return
    if said.past and said.verb != "get" and not said.over:
        return
    behind = said.tokens[said.at + 1 : said.at + 2]
    if said.after == "single" and behind and behind[0].pos in {"NOUN", "PROPN"}:
        return
    name = said.subject.name if said.subject.about is About.US and said.after in {"married", "engaged"} else ""
    if behind and behind[0].norm == "to" and (whom := name_at(said.tokens, said.at + 2)):
        name = said.text[whom[0].start : whom[-1].end]
    if name and not said.over:
        relation = "spouse" if said.after != "engaged" else "fiancé"
        together = related(said, who, relation, name, dated=said.verb == "get")
        yield together
        # That it is to her ends with her, whatever is known of whom by then.
        yield replace(together, predicate="marital_status", object=f"{said.after} to {name}")
    elif not (said.after == "engaged" and behind and behind[0].norm in {"in", "with"}):
        yield statement(said, who, "marital_status", said.after, change=Change.ENDED if said.over else None)


def _coupled(said: Said, who: str) -> Iterator[Statement]:
    """`I married Ana`, `I'm dating Tom`, `broke up with Tom`."""
    if said.negated or said.future or (said.subject.name and said.subject.about is About.US):
        return
    up = said.verb == "break" and said.after == "up"
    at = said.at + up
    at += at < len(said.tokens) and said.tokens[at].norm == "with"
    name = name_at(said.tokens, at)
    shown = said.text[name[0].start : name[-1].end] if name else ""
    if said.verb == "marry" and (said.past or said.perfect) and name:
        yield related(said, who, "spouse", shown, dated=True)
    elif said.verb == "date" and said.going_on and name and not said.past:
        yield related(said, who, "partner", shown, dated=True)
    elif (up or said.verb in {"divorce", "split"}) and name and (said.past or said.perfect):
        yield related(said, who, "partner", shown, change=Change.ENDED, dated=True)


def names_behind(said: Said, phrase: Phrase) -> list[str]:
    """`called Mo and Zo`, `, Leo and Mia`, `Leo and Mia`."""
    at = phrase.next
    called = False
    while at < len(said.tokens) and (said.tokens[at].text in {",", "(", "-", ":"} or said.tokens[at].norm in _CALLED):
        called = called or said.tokens[at].norm in _CALLED
        at += 1
    if small := _small_names(said.tokens, at, phrase):
        return small
    found: list[str] = []
    while at < len(said.tokens):
        name = _named_at(said.tokens, at, called=called or (at < len(said.tokens) and said.tokens[at].pos == "PROPN"))
        if not name or relation_of(name[0].norm) or name[0].norm in RELATIONS:
            break
        found.append(said.text[name[0].start : name[-1].end])
        at += len(name)
        if at < len(said.tokens) and (said.tokens[at].text == "," or said.tokens[at].norm in {"and", "&"}):
            at += 1
        else:
            break
    behind = said.tokens[at : at + 1]
    if behind and behind[0].tag in {"VBZ", "VBP", "VBD"} and not called:
        return []
    return found


def _small_names(tokens: tuple[Token, ...], at: int, phrase: Phrase) -> list[str]:
    """`two boys, theo and max`, typed without capitals: two words that are no others, where that is all."""
    if phrase.head.norm not in MANY or not 0 < at - phrase.next <= 1:
        return []
    rest = tokens[at : at + 3]
    if (
        len(rest) < 3  # noqa: PLR2004 - `theo and max`
        or rest[1].norm not in {"and", "&"}
        or (len(tokens) > at + 3 and tokens[at + 3].text != "," and tokens[at + 3].norm != "and")
    ):
        return []
    words = [rest[0], rest[2]]
    plain = all(
        word.text.isalpha() and word.norm not in STOP_WORDS | ORDINARY and not word.tag.startswith("VBD")
        for word in words
    )
    return [word.text for word in words] if plain else []
