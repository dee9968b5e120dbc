"""Says in the third person what was stated: by a sentence for each predicate, or in the speaker's own words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.dates import Bound
from shared.language.statements.phrases import Phrase
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, SURE, Statement
from shared.language.statements.subjects import About
from shared.language.statements.tagged import Token
from shared.language.statements.words import word_set

_SENTENCES: Final[dict[str, tuple[str, str, str]]] = {
    "name": ("{s}'s name is {o}", "{s}'s name is no longer {o}", "{s}'s name is not {o}"),
    "preferred_name": ("{s} wants to be called {o}", "{s} no longer wants to be called {o}", "{s} is not called {o}"),
    "age": ("{s} is {o} years old", "{s} is no longer {o} years old", "{s} is not {o} years old"),
    "birthday": ("{s}'s birthday is {o}", "{s}'s birthday is no longer {o}", "{s}'s birthday is not {o}"),
    "birthplace": ("{s} was born in {o}", "{s} was not born in {o}", "{s} was not born in {o}"),
    "hometown": ("{s} is from {o}", "{s} is no longer from {o}", "{s} is not from {o}"),
    "nationality": ("{s} is {o}", "{s} is no longer {o}", "{s} is not {o}"),
    "speaks": ("{s} speaks {o}", "{s} no longer speaks {o}", "{s} does not speak {o}"),
    "lives_in": ("{s} lives in {o}", "{s} no longer lives in {o}", "{s} never lived in {o}"),
    "works_at": ("{s} works at {o}", "{s} no longer works at {o}", "{s} never worked at {o}"),
    "worked_at": ("{s} worked at {o}", "{s} worked at {o}", "{s} never worked at {o}"),
    "job": ("{s} works as {a}", "{s} no longer works as {a}", "{s} never worked as {a}"),
    "studies_at": ("{s} studies at {o}", "{s} no longer studies at {o}", "{s} never studied at {o}"),
    "graduated_from": ("{s} graduated from {o}", "{s} did not graduate from {o}", "{s} never graduated from {o}"),
    "learns": ("{s} is learning {o}", "{s} is no longer learning {o}", "{s} never learned {o}"),
    "marital_status": ("{s} is {o}", "{s} is no longer {o}", "{s} was never {o}"),
    "pet": ("{s} has {a}", "{s} no longer has {a}", "{s} never had {a}"),
    "owns": ("{s} has {a}", "{s} no longer has {a}", "{s} never had {a}"),
    "plays": ("{s} plays {o}", "{s} no longer plays {o}", "{s} never played {o}"),
    "uses": ("{s} uses {o}", "{s} no longer uses {o}", "{s} never used {o}"),
    "likes": ("{s} likes {o}", "{s} no longer likes {o}", "{s} never liked {o}"),
    "dislikes": ("{s} dislikes {o}", "{s} no longer dislikes {o}", "{s} never disliked {o}"),
    "prefers": ("{s} prefers {o}", "{s} no longer prefers {o}", "{s} never preferred {o}"),
    "fears": ("{s} is afraid of {o}", "{s} is no longer afraid of {o}", "{s} was never afraid of {o}"),
    "allergic_to": ("{s} is allergic to {o}", "{s} is no longer allergic to {o}", "{s} was never allergic to {o}"),
    "intolerant_to": ("{s} does not tolerate {o}", "{s} tolerates {o} again", "{s} was never intolerant to {o}"),
    "diet": ("{s} is {o}", "{s} is no longer {o}", "{s} was never {o}"),
    "has_condition": ("{s} has {o}", "{s} no longer has {o}", "{s} never had {o}"),
    "state": ("{s} is {o}", "{s} is no longer {o}", "{s} was never {o}"),
    "takes": ("{s} takes {o}", "{s} no longer takes {o}", "{s} never took {o}"),
    "drinks": ("{s} drinks {o}", "{s} no longer drinks {o}", "{s} never drank {o}"),
    "eats": ("{s} eats {o}", "{s} no longer eats {o}", "{s} never ate {o}"),
    "avoids": ("{s} avoids {o}", "{s} no longer avoids {o}", "{s} never avoided {o}"),
}
_OF_OWN: Final = ("{s}'s {p} is {o}", "{s}'s {p} is no longer {o}", "{s}'s {p} is not {o}")
_VOWELS: Final = tuple("aeiou")


def a_or_an(words: str) -> str:
    """With an article, unless it has a number, a name, or is several."""
    first = words.split(maxsplit=1)[0] if words else ""
    last = words.rsplit(maxsplit=1)[-1].lower() if words else ""
    plural = last.endswith("s") and not last.endswith(("ss", "us"))
    if (
        not first
        or first.lower() in {"a", "an", "the"}
        or first[0].isupper()
        or first[0].isdigit()
        or plural
        or first.lower() in _NUMBERS
    ):
        return words
    return f"an {words}" if first[0].lower() in _VOWELS else f"a {words}"


def with_article(what: Phrase, written: Phrase) -> str:
    """A thing as somebody has it: with the article that it was written with, also where it is a name: `a Tesla`."""
    is_one = written.article in {"a", "an"} or (written.owner in {"my", "our"} and not what.text.endswith("s"))
    if not is_one or not what.text[0].isupper():
        return a_or_an(what.text)
    article = written.article or ("an" if what.text[0].lower() in _VOWELS else "a")
    return f"{article} {what.text}"


_NUMBERS: Final = word_set(
    "one two three four five six seven eight nine ten retired unemployed self-employed freelance"
)


def sentence(predicate: str, who: str, what: str, change: Change, when: str = "") -> str:
    """What is claimed, as one would say it of somebody: `Mira no longer lives in Porto`."""
    forms = _SENTENCES.get(predicate, _OF_OWN)
    form = forms[{Change.HOLDS: 0, Change.ENDED: 1, Change.NEVER: 2}[change]]
    if predicate == "job" and what in {"retired", "unemployed", "self-employed", "freelance"}:
        form = "{s} is no longer {o}" if change is Change.ENDED else "{s} is {o}"
    said = form.format(s=who, o=what, a=a_or_an(what), p=predicate.replace("_", " "))
    return f"{said}{when}."


def statement(
    said: Said,
    who: str,
    predicate: str,
    what: str,
    *,
    change: Change | None = None,
    is_preference: bool = False,
    confidence: float = SURE,
    text: str = "",
    shown: str = "",
) -> Statement:
    """A statement with the times that its clause names, and a sentence for it.

    `change` is by default what the verb says: over, never, or so. `text` stands for the predicate's own sentence,
    `shown` for the object in it.
    """
    change = change or (Change.ENDED if said.over else Change.NEVER if said.never else Change.HOLDS)
    since, until, when = _times(said, change)
    if said.subject.about not in {About.SELF, About.US}:
        confidence = min(confidence, FAIR)
    return Statement(
        subject=who,
        predicate=predicate,
        object=what,
        text=text or sentence(predicate, who, shown or what, change, when),
        start=said.clause.start,
        end=said.clause.end,
        change=change,
        since=since,
        until=until,
        is_preference=is_preference,
        confidence=confidence,
    )


def _times(said: Said, change: Change) -> tuple[date | None, date | None, str]:
    """From when, until when, and both in words."""
    since = until = None
    words = ""
    for when in said.own_whens:
        named = when.written.partition(" ")[2]
        if when.bound is Bound.UNTIL:
            until = when.days.first
            words += f" until {named}"
        elif change is Change.HOLDS and since is None:
            since = when.days.first
            words += f" since {named}"
        elif change is Change.ENDED and until is None and when.bound is Bound.AT and not said.used_to:
            until = when.days.first
            words += f" as of {named}"
    if since and until and until < since:
        return None, None, ""
    return since, until, words


_THEIRS: Final = {
    "i": "they", "me": "them", "my": "their", "mine": "theirs", "we": "they", "us": "them", "our": "their",
    "myself": "themselves", "ourselves": "themselves", "am": "are", "'m": "are", "m": "are",
}  # fmt: skip


def in_third_person(said: Said, tokens: Sequence[Token]) -> str:
    """Some tokens of a clause with `my` as `their`, and with absolute dates."""
    parts: list[str] = []
    done: set[int] = set()
    before: Token | None = None
    for token in tokens:
        when = next((when for when in said.whens if when.start <= token.start < when.end), None)
        if when is None:
            whole = token.text[0] in "'\u2019" and token.norm.isalpha()
            glued = before is not None and before.end == token.start and not whole
            word = _THEIRS.get(token.norm, token.norm if whole else token.text)
            parts.append(f"{'' if glued else ' '}{word}")
        elif when.start not in done:
            parts.append(f" {when.written}")
            done.add(when.start)
        before = token
    return "".join(parts).strip(" ,")
