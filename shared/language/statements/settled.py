"""Decisions, and what an agent is told to do from now on. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shared.language.statements.clauses import Clause
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
        yield _decided(said, who, what, together=said.subject.about is About.US)


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
_VERBS: Final = (
    "use|answer|reply|respond|write|speak|talk|call|address|give|keep|include|add|show|explain|start|end|format|cite|ask"
    "|send|suggest|recommend|mention|refer|remind|check|put|say|tell|make|convert|translate|avoid|sign|assume|round"
    "|summari[sz]e|spell|quote|list|return|provide|skip|share|schedule|book|apologi[sz]e|greet|be|do|offer|open|link|print|"
    "default|stick|treat|prefix|append|confirm|double-check|verify|wait|run|test|comment|name|indent|create|delete|commit|push"
)
_FROM_NOW: Final = (
    r"(?:from now on|going forward|from here on|in (?:the )?future|from today|by default|as a rule|every time)"
)
_INSTRUCTION: Final = re.compile(
    rf"^(?:please,? )?(?:{_FROM_NOW}[,:]? (?:please )?(?:(?:i want|i'd like|i need) you to )?(?:always |never "
    rf"|only |don't |do not )?(?:{_VERBS})\b"
    rf"|(?:please )?(?:always|never) (?:{_VERBS})\b"
    r"|(?:please|pls) (?:always|never) (?!remember|forget|mind)[a-z]+ [a-z]+"
    r"|(?:please |pls )?no more (?:[\w-]+ ){0,3}(?:tips|jokes|suggestions|shortcuts|recommendations|lectures|ads|emojis"
    r"|bullet points|questions|links|examples|disclaimers|apologies|puns|tables|summaries|recipes|reminders)\b"
    rf"|(?:please )?(?:don't|dont|do not) (?:ever )?(?:{_VERBS})\b.*\b(?:again|any ?more|ever|in future"
    rf"|from now on|unless)\b"
    rf"|(?:please )?(?:don't|dont|do not) ever (?:{_VERBS})\b"
    r"|(?:please )?(?:stop|quit) (?:using|calling|adding|saying|apologi[sz]ing|giving|writing|sending|suggesting"
    r"|including|asking|repeating|telling|recommending|putting|showing|offering|making|ending|starting|mentioning"
    r"|correcting|ending|finishing|explaining|assuming|translating|rounding|quoting)\b"
    rf"|(?:please )?(?:drop|skip|lose|ditch|cut|leave out|no more) (?:the|all|those|these|any) \w+.*\b{_FROM_NOW}"
    r"|(?:please )?(?:always|only) (?!happy|the one|a matter)[a-z]+(?: [a-z]+)? (?:please|pls|plz|thanks)\b"
    r"|[a-z]+(?: units| temperatures?| english| spelling)? only,? (?:please|pls|plz|thanks)$"
    rf"|(?:please )?(?:{_VERBS})\b.*\b{_FROM_NOW}\s*$"
    r"|(?:please )?keep (?:your|all|the) (?:answers|replies|responses|messages|explanations|summaries)\b"
    r"|(?:i want|i'd like|i would like|i need|i prefer) you to (?:always|never)\b"
    r"|(?:i want|i'd like|i need) you to be (?:more |less |very |brutally |as )*"
    r"(?:blunt|honest|concise|brief|direct|formal|informal|strict|critical|short|polite)\b"
    rf"|(?:whenever|when(?:ever)? i ask|every time i|each time i|if i ask|when you (?:{_VERBS}))\b.*, (?:please "
    rf"|always |just |you should )*(?:{_VERBS})\b"
    rf"|(?:you should|you must|make sure (?:you|to)|be sure to|remember to) (?:always|never) (?:{_VERBS})\b)",
    re.IGNORECASE,
)
_CALL_ME: Final = re.compile(
    r"^(?:(?:and|but|so|ok|hi|hey|btw|just|please|you can|can you|everyone|people|my friends|friends|most people"
    r"|they|they all|always)[, ]+)*"
    r"(?:calls? me) (?P<name>(?:(?:dr|mr|mrs|ms"
    r"|prof)\.? )?[^\W\d_][\w'-]{1,20}(?: (?-i:[A-Z])[\w'-]{1,20})?)(?:,? (?:please|instead|from now on"
    r"|by the way|btw|not .*|for short|though|ok|everyone does))*(?:[,;:.] .*)?$",
    re.IGNORECASE,
)
_LANGUAGE: Final = re.compile(
    r"\b(?:answer|reply|respond|write|speak|talk)\b.{0,20}\bin (?P<language>[a-z]+)\b", re.IGNORECASE
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
    rf"\b(?:{_FROM_NOW}|always|never|any ?more|again|whenever|each time|unless i ask|until i say)\b", re.IGNORECASE
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
    elif _INSTRUCTION.match(words) and not _NOT_AN_ORDER.match(words):
        yield from _instruction(words, who, start, end)


def _is_a_name(name: str) -> bool:
    """`Kit`, also in small letters, and not `when you get there` or `old-fashioned`."""
    return name.lower() not in _NO_NAME and not (name.islower() and "-" in name)


def _instruction(words: str, who: str, start: int, end: int) -> Iterator[Statement]:
    language = _LANGUAGE.search(words)
    order = re.sub(
        r"^(?:please,? )?(?:(?:i want|i'd like|i would like|i need|i prefer) you to )?", "", words, flags=re.IGNORECASE
    )
    text = f"{who} wants this of the agent: {order}."
    if (
        language
        and language["language"].lower() in LANGUAGES
        and not re.match(r"(?:never|don't|do not)\b", order, re.IGNORECASE)
    ):
        yield Statement(
            subject=who,
            predicate="preferred_language",
            object=language["language"].capitalize(),
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
