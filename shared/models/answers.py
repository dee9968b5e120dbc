"""A model's answer, however it is wrapped, to the entries in it. Whole entries or none: half an answer is no answer.

Nothing is guessed at. What can be mended without a guess is a comma behind the last entry; the libraries that repair
JSON also close what was cut off, which would make half a fact a fact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

FACTS: Final = "facts"
MOST_CHARS: Final = 4_000_000
"""Above any answer that a limit of output tokens lets through."""
MOST_NESTED: Final = 50
MOST_THOUGHTS: Final = 10
LONGEST_REFUSAL: Final = 2_000
"""In characters."""

_THINKS: Final = re.compile(r"[^{\[]*?<(think|thinking|thought|reasoning)>", re.IGNORECASE)
"""A thought before the answer."""
_OPENS_JSON: Final = re.compile(r'\{\s*(?:"|\}|,|$)|\[\s*(?:\{|\]\s*$|$)')
"""What a bracket in prose does not look like."""
_CLOSING: Final = {"{": "}", "[": "]"}
_OPENING: Final = re.compile(r"[{\[]")
_SIGN: Final = re.compile(r'[{}\[\]"]')
_STRING: Final = re.compile(r'(?:[^"\\]++|\\.)*+"', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\\\|\\u([0-9a-fA-F]{4})")
_REFUSALS: Final = re.compile(
    r"\b(?:i(?:'m| am)? (?:really |very |so )?sorry|(?:i|we) (?:can(?:'t|not| not)|won't|will not|must decline)|"
    r"(?:i|we)(?: am| are|'m|'re) (?:not able|unable)|as an ai\b|"
    r"es tut mir leid|ich kann (?:das|dir|dabei|diese[rn]?) |je (?:suis désolé|ne peux pas)|lo siento|no puedo |"
    r"desculpe|não posso |mi dispiace|non posso |przykro mi|nie mogę )|"
    r"申し訳(?:ありません|ございません)|お(?:手伝い|答え)(?:は)?できません|抱歉|我(?:无法|不能|沒法|没法)|죄송(?:합니다|하지만)"
    r"|도와 ?드릴 수 없|답변할 수 없|извините|я не могу",
    re.IGNORECASE,
)

_REFUSES_TO_HELP: Final = re.compile(
    r"\b(?:can(?:'t|not| not)|won't|will not|(?:un|not )able to) (?:\w+ )?(?:help|assist|comply|fulfil|do th(?:is|at))"
    r"|\bmust decline\b|\bes tut mir leid\b|\bje suis désolé|\blo siento\b|\bmi dispiace\b|\bprzykro mi\b"
    r"|申し訳|抱歉|죄송",
    re.IGNORECASE,
)


class ParseFailed(ValueError):
    """There is no whole answer in a text; the message says for a model what to do about it."""


def facts_in(text: str, *, cut_off: bool = False) -> list[Any]:
    """The entries of an answer in their order, unchecked; an empty list where the model says that there are none.

    Taken are objects with a list `facts`, a list of objects, and objects with a `text` of their own, however many of
    them there are and whatever stands around them.

    Raises:
        ParseFailed: there is none, one is cut off or broken, or the provider says (`cut_off`) that more was to come.
    """
    if cut_off:
        raise ParseFailed("the answer was cut off; give the whole object, with fewer and shorter entries")
    if len(text) > MOST_CHARS:
        raise ParseFailed("the answer is far too long; give one JSON object with the entries that matter most")
    values = list(_values(_without_thoughts(text.lstrip("\ufeff"))))
    found = [entries for entries in map(_entries, values) if entries is not None]
    if not found:
        raise ParseFailed('there is no JSON object with a list "facts" in the answer')
    return [entry for entries in found for entry in entries]


def unescaped(text: str) -> str:
    """The text with letters in the place of JSON's numbers for them: whoever looks for words in it finds them."""
    return _ESCAPE.sub(_letter, text)


def _letter(escape: re.Match[str]) -> str:
    letter = chr(int(escape[1], 16)) if escape[1] else ""
    return letter if letter.isprintable() and letter not in {"", '"', "\\"} else escape[0]


def declines(text: str, *, found_nothing: bool = False) -> bool:
    """Whether a text is a refusal, as far as its words show that.

    With `found_nothing`, beside JSON that is empty, it must say what is refused: who cannot find anything has not
    refused to look.
    """
    words = _REFUSES_TO_HELP if found_nothing else _REFUSALS
    return len(text) < LONGEST_REFUSAL and words.search(text.replace("\u2019", "'")) is not None


def _without_thoughts(text: str) -> str:
    for _ in range(MOST_THOUGHTS):
        opened = _THINKS.match(text)
        if opened is None:
            break
        _, closing, text = _parted(text[opened.end() :], f"</{opened[1].lower()}>")
        if not closing:
            raise ParseFailed("the answer ends within a thought; give the JSON object alone")
    # Some servers keep the opening tag to themselves.
    before, closing, after = _parted(text, "</think>")
    return after if closing and FACTS not in before else text


def _parted(text: str, tag: str) -> tuple[str, str, str]:
    at = text.lower().find(tag)
    return (text, "", "") if at < 0 else (text[:at], tag, text[at + len(tag) :])


def _entries(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        if FACTS in value:
            return value[FACTS] if isinstance(value[FACTS], list) else None
        return [value] if "text" in value else None
    return value if all(isinstance(entry, dict) for entry in value) else None


def _values(text: str) -> Iterator[dict[str, Any] | list[Any]]:
    """The outermost objects and lists of a text, with prose around them passed over. Linear in the text."""
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        at = opening.start() + 1
        if _OPENS_JSON.match(text, opening.start()):
            at = _end(text, opening.start())
            yield _loaded(text[opening.start() : at])


def _end(text: str, start: int) -> int:
    """Just behind the bracket that closes the one at `start`."""
    awaited: list[str] = []
    at = start
    while (sign := _SIGN.search(text, at)) is not None and len(awaited) <= MOST_NESTED:
        at = sign.end()
        if sign[0] == '"':
            at = _end_of_string(text, at)
        elif sign[0] in _CLOSING:
            awaited.append(_CLOSING[sign[0]])
        elif sign[0] != awaited.pop():
            break
        elif not awaited:
            return at
    raise ParseFailed("the answer was cut off or its brackets do not match; give the whole object, with fewer entries")


def _end_of_string(text: str, start: int) -> int:
    found = _STRING.match(text, start)
    if found is None:
        raise ParseFailed("the answer was cut off within a text; give the whole object, with fewer entries")
    return found.end()


def _loaded(written: str) -> dict[str, Any] | list[Any]:
    for attempt in (written, _without_last_commas(written)):
        try:
            value: dict[str, Any] | list[Any] = json.loads(attempt, strict=False)
        except ValueError:
            continue
        return value
    raise ParseFailed("the answer is not valid JSON; give one JSON object, with quotes in texts escaped")


def _without_last_commas(written: str) -> str:
    """The text without commas before a closing bracket, where they stand outside of strings."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', written)
    return "".join(part if part.startswith('"') else re.sub(r",(\s*[\]}])", r"\1", part) for part in parts)
