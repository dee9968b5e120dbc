"""Decisions, and what an agent is told to do from now on. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.orders import FREED, FROM_NOW, INSTRUCTION, LANGUAGE, freed, freed_of, orders_of
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About
from shared.language.statements.tagged import Token
from shared.language.statements.wording import in_third_person, statement
from shared.language.statements.words import LANGUAGES, word_set

_MOST_WORDS: Final = 16
_WITH: Final = frozenset({"with", "for", "on"})


def decisions(said: Said, who: str) -> Iterator[Statement]:
    """`we decided to move the standup`, `I've settled on blue`, `we're going with Postgres`."""
    if said.subject.about not in {About.SELF, About.US} or said.negated or said.doubted or said.modal or said.used_to:
        return
    what = ""
    if (
        said.verb in {"decide", "agree"}
        and (said.past or said.perfect or said.passive)
        and said.after in {"to", "on", "against", "that"}
    ):
        what = _words(said, said.at + (said.after in {"to", "on", "that"}))
    elif said.verb == "settle" and said.after == "on" and (said.past or said.perfect):
        what = _words(said, said.at + 1)
    elif said.verb == "go" and said.after == "with" and (said.going_on or said.future or said.past):
        what = f"go with {_words(said, said.at + 1)}"
    elif said.verb in {"choose", "pick"} and (said.past or said.perfect) and _is_thing(said):
        what = _words(said, said.at)
    if what.startswith(("disagree", "differ")):
        return
    if what and len(what.split()) >= (2 if said.verb == "go" else 1) and what != "go with":
        found = _decided(said, who, what, together=said.subject.about is About.US)
        yield found
        if what.startswith("against "):
            yield from _no_longer_for(said, found)


def _no_longer_for(said: Said, against: Statement) -> Iterator[Statement]:
    """What was decided before for what is decided against now: to use it, to go with it, or it alone."""
    thing = phrase_at(said.tokens, said.at + 1, said.text, said.times)
    if thing is not None and not thing.owner and thing.head.pos != "PRON":
        for before in (f"use {thing.shown}", f"go with {thing.shown}", thing.text):
            yield replace(against, object=before, change=Change.ENDED, since=None, until=None)


def _is_thing(said: Said) -> bool:
    phrase = phrase_at(said.tokens, said.at, said.text, said.times)
    return phrase is not None and not phrase.owner and phrase.head.pos in {"NOUN", "PROPN"}


def _words(said: Said, at: int) -> str:
    taken: list[Token] = []
    for token in said.tokens[at : at + _MOST_WORDS]:
        if token.norm in {"because", "but", "since", "although", "it", "you"} and taken:
            break
        if token.norm in {"it", "you", "that", "this"} and not taken:
            return ""
        taken.append(token)
    while taken and taken[-1].text in {",", "-"}:
        taken.pop()
    if taken and taken[-1].pos in {"ADP", "PART", "DET"}:
        return ""
    return in_third_person(said, taken)


def _decided(said: Said, who: str, what: str, *, together: bool) -> Statement:
    whoever = f"{who} and others" if together else who
    to = "to " if (said.verb in {"decide", "agree"} and said.after == "to") or what.startswith("go with") else "on "
    text = f"{whoever} decided {'' if said.after == 'against' else to}{what}."
    return statement(said, who, "decided", what, text=text, confidence=FAIR)


_LETS: Final = re.compile(
    r"^(?:(?:ok|okay|so|then|alright|right|fine|great|yes|well)[, ]+)*let(?:'?s| us) (?:go with|use|stick with"
    r"|settle on|do) ",
    re.IGNORECASE,
)
_CALL_ME: Final = re.compile(
    rf"^(?:(?:{FROM_NOW}|and|but|so|ok|hi|hey|btw|just|do|please|you (?:can|may|should)(?: just)?"
    r"|can you|everyone|people|my friends|friends|most people|they|they all|always"
    r"|(?:i want|i'd like|i would like|i need|i prefer) you to"
    r"|(?:i'd|i would) (?:like|prefer|love) (?:it )?if you|i prefer if you|feel free to)[, ]+)*"
    r"(?:(?:calls?|called) me|(?:address|refer to) me as) (?P<name>(?:(?:dr|mr|mrs|ms"
    r"|prof)\.? )?[^\W\d_][\w'-]{1,20}(?: (?-i:[A-Z])[\w'-]{1,20})?)"
    r"(?:,? (?:please|instead|from now on|from here on|going forward|in (?:the )?future|from today|now"
    r"|by the way|btw|not .*|for short|though|ok|everyone does))*(?:[,;:.] .*)?$",
    re.IGNORECASE,
)
_CALL_ME_NOT: Final = re.compile(
    rf"^(?:(?:{FROM_NOW}|please|pls|and|but|so|ok|hey)[, ]+)*(?:(?:don't|dont|do not|never|you (?:must not|mustn't)"
    r"|nobody|no one)(?: ever)? calls? me|stop calling me) "
    r"(?P<name>(?-i:[A-Z])[\w'-]{1,20}(?: (?-i:[A-Z])[\w'-]{1,20})?)"
    r"(?:,? (?:please|any ?more|any longer|again|ever|ever again|now|from now on))*$",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(
    r"^(?:(?:also|and|oh|so|ok|okay|btw|but|one more thing|hey|right|alright|then|well|plus|lastly|finally)[,: ]+)+",
    re.IGNORECASE,
)
_NO_NAME: Final = word_set("""
    when later back tomorrow if a an the crazy old maybe at on in once after before asap today out anything
    names what
""")
_NOT_AN_ORDER: Final = re.compile(
    r"^(?:never mind|always happy|never again|never say|never been|always been)", re.IGNORECASE
)


OWN_BEHIND: Final = re.compile(r"(?:please|pls|plz|,)[, ]+(?:i|my|we|i'm|we're) ", re.IGNORECASE)
"""What the speaker says of themselves behind an order."""
_CUT: Final = re.compile(
    r"[,;:]\s+(?:so |and |but )?"
    r"|\s(?:so|pls|please) (?=(?:stop|always|never|only|no more|pls|please|don'?t)\b)|\sand (?=stop\b)"
)


def parts_of(text: str, start: int, end: int, clauses: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where an order may stand within a sentence: in one of its clauses, or behind a comma or `so`."""
    cuts = {(start + cut.end(), end) for cut in _CUT.finditer(text[start:end])}
    parts = [*clauses, *sorted(cuts)] if len(clauses) > 1 else sorted(cuts)
    return list(dict.fromkeys(parts))


_ASKED: Final = re.compile(
    r"^(?:(?:mate|hey|ok|please|pls|plz|also|and)[, ]+)*(?:can|could|would|will) (?:you|u) (?:please |pls |just )*",
    re.IGNORECASE,
)
_LASTING: Final = re.compile(
    rf"\b(?:{FROM_NOW}|always|never|any ?more|again|whenever|each time|unless i ask|until i say)\b", re.IGNORECASE
)


def instructions(sentence: str, who: str, start: int, end: int, *, asked: bool = False) -> Iterator[Statement]:
    """What a sentence tells an agent to do from now on, or what to call its speaker.

    What is `asked` is an order only where it says that it is meant for good: `can you ... from now on`.
    """
    lasting = _ASKED.match(" ".join(sentence.split())) is not None and _LASTING.search(sentence) is not None
    if asked and not lasting:
        return
    if lasting:
        sentence = _ASKED.sub("", " ".join(sentence.split()))
    words = " ".join(sentence.replace("\u2019", "'").split()).strip(" ,.!")
    words = _LEADING.sub("", words)
    if (named := _CALL_ME.match(words)) and _is_a_name(named["name"]):
        name = named["name"]
        yield Statement(
            subject=who,
            predicate="preferred_name",
            object=name,
            text=f"{who} wants to be called {name}.",
            start=start,
            end=end,
            is_preference=True,
        )
    elif (unnamed := _CALL_ME_NOT.match(words)) and _is_a_name(unnamed["name"]):
        yield from freed_of("preferred_name", unnamed["name"], who, start, end)
    elif allowed := FREED.match(words):
        yield from freed(allowed, who, start, end)
    elif INSTRUCTION.match(words) and not _NOT_AN_ORDER.match(words):
        for order in orders_of(words):
            yield from _instruction(order, who, start, end)


def _is_a_name(name: str) -> bool:
    """`Kit`, also in small letters, and not `when you get there` or `old-fashioned`."""
    return name.lower() not in _NO_NAME and not (name.islower() and "-" in name)


def _instruction(words: str, who: str, start: int, end: int) -> Iterator[Statement]:
    language = LANGUAGE.search(words)
    order = re.sub(
        r"^(?:please,? )?(?:(?:i want|i'd like|i would like|i need|i prefer) you to )?", "", words, flags=re.IGNORECASE
    )
    text = f"{who} wants this of the agent: {order}."
    if language and language["language"].lower() in LANGUAGES:
        named = language["language"].capitalize()
        yield Statement(
            subject=who,
            predicate="preferred_language",
            object=f"not {named}" if _FORBIDS.match(order) else named,
            text=text,
            start=start,
            end=end,
            is_preference=True,
        )
        return
    yield Statement(
        subject=who,
        predicate="instruction",
        object=order,
        text=text,
        start=start,
        end=end,
        is_preference=True,
        confidence=SURE if len(order) < 200 else FAIR,  # noqa: PLR2004 - characters of one order
    )


_FORBIDS: Final = re.compile(r"(?:never|don't|do not|stop)\b", re.IGNORECASE)


def let_us(clause: Clause, who: str, text: str) -> Iterator[Statement]:
    """`let's go with Postgres`, where something is settled by it."""
    words = " ".join(text[clause.start : clause.end].replace("\u2019", "'").split())
    found = _LETS.match(words)
    what = words[found.end() :].strip(" ,.!") if found else ""
    if (
        found is None
        or not what
        or len(what.split()) > _MOST_WORDS
        or what.lower().split()[0] in {"it", "that", "this", "something", "nothing"}
        or (found.group().lower().split()[-1] in {"use", "do"} and not any(map(str.isupper, what)))
    ):
        return
    if " do " in f" {found.group().lower()}" and len(what.split()) < 2:  # noqa: PLR2004 - `let's do it`
        return
    verb = found.group().lower().split()[-1] if found.group().lower().strip().endswith(("use", "do")) else "go with"
    yield Statement(
        subject=who,
        predicate="decided",
        object=f"{verb} {what}",
        text=f"{who} and others decided to {verb} {what}.",
        start=clause.start,
        end=clause.end,
        confidence=FAIR,
    )
