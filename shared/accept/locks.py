"""What opens a lock, a phone or an account by a number: PINs, codes sent once, codes of doors, combinations. Pure.

A number counts only where it is called so ("the alarm code is 9981", "PIN: four seven one one", "the PIN for my Visa is
7391"): an error code, a dress code and "the gate code is 11" stay. What opens a door may have letters ("4822C").
The words are those of `lock_words.py`.
"""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept import lock_words
from shared.accept.windows import windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shared.accept.known_secrets import Found


def _any(rows: Mapping[str, str]) -> str:
    return "|".join(rows.values())


_PIN: Final = rf"(?P<pin>{_any(lock_words.PINS)})"
_CODE: Final = (
    rf"(?P<card>{lock_words.CARDS})|(?P<once>{_any(lock_words.ONCE)})|(?P<door>{_any(lock_words.DOORS)})|"
    rf"(?P<code>{lock_words.CODES})"
)
_NOW: Final = r"(?:\s(?:now|still|currently|set to|jetzt|ahora))?"
_ASKED: Final = r"\s?\?\s(?:it['\u2019]s|it is|(?:es|sie) ist|c['\u2019]est|es)\s"
_IS: Final = (
    rf"(?:{_ASKED}|,?\sc['\u2019]est\s|\s?[:=|\uff1a]\s?|"
    rf"['\u2019]s\s|\s(?:{lock_words.VERBS}){_NOW}\s?:?\s|\s?(?:是|为|為|は|는|은)\s?)"
)
_OF: Final = rf"\s(?:{lock_words.THINGS})\s"
_THING: Final = r"(?:[\w'\u2019-]{1,20}\s){0,3}?[\w'\u2019-]{1,30}"
_OF_SOMEBODY: Final = rf"(?=(?:[^\W\d_]+\s){{0,2}}?(?:{lock_words.WHOSE}|{lock_words.OF_A_PIN})(?!\w))"
_QUALIFIED: Final = (
    r"\s?\([^()\n]{1,30}\)|\s(?:meiner|meines|unserer)\s[\w-]{1,30}|"
    r"\s(?:that\s|which\s)?(?:you|i|we)(?:\s[\w'\u2019-]{1,20}){1,3}?"
)
_ABOUT: Final = rf"(?:{_QUALIFIED}|{_OF}(?(pin){_OF_SOMEBODY})(?(code){_OF_SOMEBODY}){_THING})"
"""A pin is also a part of a machine, and a country has a phone code: what these are of must be somebody's."""
_LINK: Final = rf"(?:(?P<told>{_ABOUT}?{_IS})|\sfrom\s(?=\S{{3,12}} to \d)|\s)[\"'`“‘*_]{{0,3}}"
_NUMBER: Final = r"(?P<number>\d{1,2} ?[rl](?:(?:,? |-)\d{1,2} ?[rl]){1,3}|#?\d{1,12}(?:[ .\-/]\d{1,6}){0,7}[#*]?)"
_WITH_LETTERS: Final = r"(?P<mixed>#?(?=[^\W\d_]{0,8}-?\d)[^\W_]{1,10}(?:-[^\W_]{1,8}){0,3}[#*]?)"
_NUMERALS: Final = (
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|"
    "zéro|un|deux|trois|quatre|cinq|six|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|"
    "due|tre|quattro|cinque|sei|sette|otto|nove|um|dois|três|quatro|sete|oito|nul|een|twee|drie|vijf|zes|zeven|negen|"
    "jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять"
)
_NUMERAL: Final = rf"(?:(?:double |triple )?(?:{_NUMERALS}))"
_SPELT: Final = rf"(?P<spelt>{_NUMERAL}(?:(?:\s?[,-]\s?|\s){_NUMERAL}){{2,11}})"
_AFTER: Final = (
    r"(?![\w]|[.,:/]\d|\s?(?:%|[€$£°]|st\b|nd\b|rd\b|th\b|am\b|pm\b|digits?\b|characters?\b|numbers?\b|times?\b|o'clock|"
    r"[mck]?m\b|[mk]?g\b|m?l\b|oz\b|lbs?\b|meters?\b|metres?\b|miles?\b|feet\b|inch|lines?\b|people\b|euros?\b|dollars?\b|percent\b|years?\b))"
)
_LABELLED: Final = re.compile(
    rf"(?<![^\W\d_])(?:{_PIN}|{_CODE})(?![^\W\d_]){_LINK}(?:{_NUMBER}{_AFTER}|{_SPELT}{_AFTER}|{_WITH_LETTERS}{_AFTER})"
)
_BEFORE: Final = re.compile(
    r"(?<![\w.,:/-])(?P<number>\d{4,8})(?P<spelt>(?!))?(?P<mixed>(?!))?(?P<told>(?!))?\s(?:is|was|as|ist|als|est|comme|es|como|è|come|é)\s"
    r"(?:the|my|your|our|his|her|die|der|das|mein|meine|ihr|dein|le|votre|ton|mon|el|tu|su|mi|il|la|o|a|seu|meu)\s"
    rf"(?:[\w-]{{1,20}}\s){{0,2}}?(?:{_PIN}|{_CODE})(?![^\W\d_]|\s\d)"
)
_SENT: Final = re.compile(
    r"(?<![^\W\d_])(?P<once>code)(?: is)?:? (?P<number>(?:g-)?\d{4,8})(?P<spelt>(?!))?(?P<mixed>(?!))?(?P<told>(?!))?"
    r"(?P<card>(?!))?(?P<pin>(?!))?(?P<door>(?!))?(?P<code>(?!))?"
    r"(?:(?<=g-\d{6})|(?=[.,]? [^\n]{0,60}?(?:do(?:n['\u2019]t| not) share|never share|expires|valid for|minutes)))"
)
_OPENS: Final = re.compile(
    rf"(?<![^\W\d_])(?P<door>(?:{lock_words.LOCKS})(?:['\u2019]s|\s(?:is|was|ist|war|est|es|è|é|has|hat|takes))"
    rf"(?:\sset to)?|"
    rf"(?:{lock_words.LOCKS}|{lock_words.OPENED})\s(?:{lock_words.OPENING})\s(?:with|on|mit)"
    r"(?:\s(?:the|code|number|combination|dem|der)){0,2})\s"
    r"(?P<number>#?\d{4,10}[#*]?|\d{1,3}(?:[ -]\d{1,3}){2,4})"
    r"(?=[.,;!?)]*(?:\s*$|\s*\n|[.,;!?)]|\s(?:and|or|but|then|und|auf|et|y|e)\b))"
    r"(?P<card>(?!))?(?P<pin>(?!))?(?P<once>(?!))?(?P<code>(?!))?(?P<spelt>(?!))?(?P<mixed>(?!))?(?P<told>(?!))?"
)
"""Without a word for a code: "the safe opens with 12-34-56", "its padlock is 0815"."""
_SPACELESS: Final = re.compile(
    rf"(?P<card>(?!))?(?P<mixed>(?!))?(?P<told>(?!))?(?P<code>(?!))?(?:(?P<pin>{lock_words.SPACELESS_PINS})|"
    rf"(?P<once>{lock_words.SPACELESS_ONCE})|(?P<door>{lock_words.SPACELESS_DOORS}))"
    rf"(?:{_IS}|\s?คือ\s?|\s)[\"'`“‘*_]{{0,3}}{_NUMBER}(?P<spelt>(?!))?(?!\d)"
)
_FURTHER: Final = re.compile(
    r"[\"'`”’*_]{0,3}(?:\s\([^()\n]{1,30}\))?(?:[,;.]?\s(?:and |but |while |und |et |y |e |и )?"
    rf"(?:[^\s\d.;!?]{{1,20}} ){{0,4}}?(?:[^\s\d.;!?]{{1,20}}['\u2019]s )?"
    rf"(?:is|it['\u2019]s|was|ist|war|est|es|è|é|to)\s"
    rf"(?:now |still )?(?:{_NUMBER}|{_WITH_LETTERS}){_AFTER}|"
    rf"(?:,|\s?/|\s(?:and|or|then|und|oder|et|y|e|и))\s?(?P<next>\d{{3,8}})(?=[\s.,;)]*(?:$|[,.;)]|\s(?:and|or))))",
    re.IGNORECASE,
)
_FIGURES: Final = re.compile(r"\d")
_NUMERAL_WORDS: Final = re.compile(rf"(?<!\w){_NUMERAL}[\s,-]{{1,3}}{_NUMERAL}")
_NAMES_A_STANDARD: Final = re.compile(
    r"(?:iso|rfc|utf|sha|md|aes|ibc|irc|nfpa|es|din|en)-?\d.*|\d+(?:st|nd|rd|th|am|pm|x|k|gb|mb)"
)
_ONE_LETTER: Final = re.compile(r"\d{3,6}[^\W\d_]")
_LONGEST_BEFORE: Final = 44
_LONGEST_AFTER: Final = 130
_LEAST_OF_PIN: Final = 4
_LEAST_OF_CODE: Final = 3
_LEAST_BESIDE_LETTERS: Final = 2
_MOST: Final = 16
_DATE: Final = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_A_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def locks(lowered: str) -> Iterator[Found]:
    """The numbers that a text calls a PIN, a door's or an alarm's code, or a combination. Linear in the text."""
    yield from _numbers(lowered, _called(lowered))
    yield from _numbers(lowered, _opened(lowered))


def _numbers(lowered: str, labels: Iterator[re.Match[str]]) -> Iterator[Found]:
    end = 0
    for label in labels:
        if label.start() < end or not _is_number(label):
            continue
        kind = "card code" if label["card"] else "pin" if label["pin"] else "code"
        yield *_span(label), kind
        end = label.end()
        while further := _FURTHER.match(lowered, end):
            start, stop = _span(further)
            if len(_FIGURES.findall(lowered, start, stop)) < _LEAST_OF_CODE:
                break
            yield start, stop, kind
            end = further.end()


def _span(match: re.Match[str]) -> tuple[int, int]:
    return next(match.span(group) for group in ("number", "spelt", "mixed", "next") if match.groupdict().get(group))


def _opened(lowered: str) -> Iterator[re.Match[str]]:
    for start, end in windows(lowered, lock_words.OPENING_HINTS, before=_LONGEST_BEFORE, after=_LONGEST_AFTER):
        yield from _OPENS.finditer(lowered, start, end)


def _called(lowered: str) -> Iterator[re.Match[str]]:
    plain = lowered.isascii()
    hints = lock_words.HINTS if plain else (*lock_words.HINTS, *lock_words.HINTS_BEYOND_ASCII)
    for start, end in windows(lowered, hints, before=_LONGEST_BEFORE, after=_LONGEST_AFTER):
        if _FIGURES.search(lowered, start, end) or _NUMERAL_WORDS.search(lowered, start, end):
            patterns = (_LABELLED, _BEFORE, _SENT) if plain else (_LABELLED, _BEFORE, _SENT, _SPACELESS)
            found = [match for pattern in patterns for match in pattern.finditer(lowered, start, end)]
            yield from sorted(found, key=lambda match: match.start())


def _is_number(label: re.Match[str]) -> bool:
    if label["spelt"]:
        return True
    if label["mixed"]:
        return _is_mixed(label["mixed"], label)
    said = label["number"]
    figures = len(_FIGURES.findall(said))
    if _DATE.fullmatch(said) or (label["once"] and _A_YEAR.fullmatch(said)):
        return False
    if label["card"]:
        return figures in {3, 4} and said.isdigit()
    return (_LEAST_OF_PIN if label["pin"] or label["once"] else _LEAST_OF_CODE) <= figures <= _MOST


def _is_mixed(said: str, label: re.Match[str]) -> bool:
    """Whether figures and letters are a code; a size, an ordinal and the name of a standard are none."""
    figures = len(_FIGURES.findall(said))
    if not figures or _NAMES_A_STANDARD.fullmatch(said) or len(said.strip("#*-")) < _LEAST_OF_PIN:
        return False
    if label["door"]:
        return figures >= (_LEAST_BESIDE_LETTERS if label["told"] else _LEAST_OF_CODE)
    return bool(label["told"] and (label["once"] or (label["code"] and _ONE_LETTER.fullmatch(said)))) and figures > 1
