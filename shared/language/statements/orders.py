"""What an agent is told to do from now on, order by order, and what it no longer has to. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.words import LANGUAGES

VERBS: Final = (
    "use|answer|reply|respond|write|speak|talk|call|address|give|keep|include|add|show|explain|start|end|format|cite|ask"
    "|send|suggest|recommend|mention|refer|remind|check|put|say|tell|make|convert|translate|avoid|sign|assume|round"
    "|summari[sz]e|spell|quote|list|return|provide|skip|share|schedule|book|apologi[sz]e|greet|be|do|offer|open|link|print|"
    "default|stick|treat|prefix|append|confirm|double-check|verify|wait|run|test|comment|name|indent|create|delete|commit|push"
)
FROM_NOW: Final = (
    r"(?:from now on|going forward|from here on|in (?:the )?future|from today|by default|as a rule|every time)"
)
INSTRUCTION: Final = re.compile(
    rf"^(?:please,? )?(?:{FROM_NOW}[,:]? (?:please )?(?:(?:i want|i'd like|i need) you to )?(?:always |never "
    rf"|only |don't |do not )?(?:{VERBS})\b"
    rf"|(?:please )?(?:always|never) (?:{VERBS})\b"
    r"|(?:please|pls) (?:always|never) (?!remember|forget|mind)[a-z]+ [a-z]+"
    r"|(?:please )?use (?:the )?(?:metric|imperial|si|british|american|celsius|fahrenheit|24[- ]hour|12[- ]hour)"
    r"(?: (?:system|units|spelling|english|format|time|clock|measurements|temperatures))?$"
    r"|(?:please |pls )?no more (?:[\w-]+ ){0,3}(?:tips|jokes|suggestions|shortcuts|recommendations|lectures|ads|emojis"
    r"|bullet points|questions|links|examples|disclaimers|apologies|puns|tables|summaries|recipes|reminders)\b"
    rf"|(?:please )?(?:don't|dont|do not) (?:ever )?(?:{VERBS})\b.*\b(?:again|any ?more|ever|in future"
    rf"|from now on|unless)\b"
    rf"|(?:please )?(?:don't|dont|do not) ever (?:{VERBS})\b"
    r"|(?:please )?(?:stop|quit) (?:using|calling|adding|saying|apologi[sz]ing|giving|writing|sending|suggesting"
    r"|including|asking|repeating|telling|recommending|putting|showing|offering|making|ending|starting|mentioning"
    r"|correcting|ending|finishing|explaining|assuming|translating|rounding|quoting)\b"
    rf"|(?:please )?(?:drop|skip|lose|ditch|cut|leave out|no more) (?:the|all|those|these|any) \w+.*\b{FROM_NOW}"
    r"|(?:please )?(?:always|only) (?!happy|the one|a matter)[a-z]+(?: [a-z]+)? (?:please|pls|plz|thanks)\b"
    r"|[a-z]+(?: units| temperatures?| english| spelling)? only,? (?:please|pls|plz|thanks)$"
    rf"|(?:please )?(?:{VERBS})\b.*\b{FROM_NOW}\s*$"
    r"|(?:please )?keep (?:your|all|the) (?:answers|replies|responses|messages|explanations|summaries)\b"
    r"|(?:i want|i'd like|i would like|i need|i prefer) you to (?:always|never)\b"
    r"|(?:i want|i'd like|i need) you to be (?:more |less |very |brutally |as )*"
    r"(?:blunt|honest|concise|brief|direct|formal|informal|strict|critical|short|polite)\b"
    rf"|(?:whenever|when(?:ever)? i ask|every time i|each time i|if i ask|when you (?:{VERBS}))\b.*, (?:please "
    rf"|always |just |you should )*(?:{VERBS})\b"
    rf"|(?:you should|you must|make sure (?:you|to)|be sure to|remember to) (?:always|never) (?:{VERBS})\b)",
    re.IGNORECASE,
)
LANGUAGE: Final = re.compile(
    r"\b(?:answer|reply|respond|write|speak|talk)\b.{0,20}\bin (?P<language>[a-z]+)\b", re.IGNORECASE
)
FREED: Final = re.compile(
    rf"^(?:(?:{FROM_NOW}|now|actually|it's ok|that's ok)[, ]+)*"
    rf"(?:(?:you(?:'re| are)? (?:may|can|could|allowed to|welcome to)|feel free to|it's (?:ok|okay|fine|all right) to) "
    rf"(?P<again>(?:{VERBS})\b.+?) (?:again|after all)"
    rf"|(?:you (?:don't|do not|needn't)(?: (?:have|need) to)?|(?:there's )?no need to) (?:always )?"
    rf"(?P<over>(?:{VERBS})\b.+?) (?:any ?more|any longer))(?: if you (?:want|like))?$",
    re.IGNORECASE,
)


def freed(found: re.Match[str], who: str, start: int, end: int) -> Iterator[Statement]:
    """`you may use emojis again`, `you don't have to answer in French any more`: what was told before is over."""
    what = found["again"] or found["over"]
    language = LANGUAGE.search(what) if found["over"] else None
    named = language["language"].lower() if language and language["language"].lower() in LANGUAGES else ""
    order = what if found["over"] else f"never {what}"
    predicate = "preferred_language" if named else "instruction"
    yield from freed_of(predicate, named.capitalize() if named else order, who, start, end, order=order)


def freed_of(predicate: str, what: str, who: str, start: int, end: int, *, order: str = "") -> Iterator[Statement]:
    """That something an agent was told before, of language, name or order, is wanted no longer."""
    said = {"preferred_language": f"answer in {what}", "preferred_name": f"call {who} {what}"}.get(predicate, what)
    text = f"{who} no longer wants this of the agent: {order or said}."
    yield Statement(
        subject=who, predicate=predicate, object=what, text=text, start=start, end=end, change=Change.ENDED,
        is_preference=True, confidence=FAIR,
    )  # fmt: skip


_JOINED: Final = re.compile(
    rf"(?:,? (?:and|but)(?: also| please)*|[,;])\s+(?=(?:(?:please )?(?:never|always|don't|do not|stop|only|no more)"
    rf"|(?P<bare>{VERBS}))\b)",
    re.IGNORECASE,
)


def orders_of(words: str) -> list[str]:
    """The orders of a sentence, one by one, so that one of them can be given anew: `Answer in French and never ...`.

    It is cut before what begins an order by itself; before a bare verb only where one of them is about the language.
    """
    first = _LED.match(words)
    found = _JOINED.finditer(words, first.end() if first else 0)
    cuts = [cut for cut in found if not cut["bare"] or LANGUAGE.search(words)]
    edges = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(words)]
    parts = [words[start:end].strip(" ,;") for start, end in zip(edges, ends, strict=True)]
    if len(parts) == 1 or _LED_BY_TIME.match(words):
        return [words]
    told = [_led(part, parts[0], bare=bool(cut["bare"])) for part, cut in zip(parts[1:], cuts, strict=True)]
    return [parts[0], *told] if all(map(INSTRUCTION.match, told)) else [words]


def _led(order: str, first: str, *, bare: bool) -> str:
    """An order with what leads to the first one: `from now on` leads to all, `always` to a bare verb."""
    since, how = _LED.match(first), _ALWAYS.match(first)
    lead = since.group() if since else ""
    return f"{how.group() if bare and how else lead}{order}"


_LED: Final = re.compile(rf"{FROM_NOW}[,:]? (?:please )?", re.IGNORECASE)
_ALWAYS: Final = re.compile(rf"(?:{FROM_NOW}[,:]? )?(?:please )?(?:(?:always|never) )?", re.IGNORECASE)
_LED_BY_TIME: Final = re.compile(r"(?:whenever|when|if|every time|each time)\b", re.IGNORECASE)
"""What such an order says is to be done then, all of it."""
