"""Times in Thai, put into English words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.language.times.books import ENGLISH_MONTHS, ENGLISH_WEEKDAYS, Phrase

THAI: Final = re.compile(r"[\u0e00-\u0e7f]")
_BUDDHIST_YEARS: Final = 543
"""What a year of Thailand's calendar is ahead; those that are told there begin where ours have not come yet."""
_FIRST_BUDDHIST: Final = 2400
_PAST: Final = r"(?:ที่แล้ว|ที่ผ่านมา|ก่อนหน้านี้|ก่อน)"
_SAID: Final = {
    "เมื่อวานซืน(?:นี้)?": "the day before yesterday",
    "เมื่อวาน(?:นี้)?": "yesterday",
    "เมื่อคืน(?:นี้)?": "last night",
    "วันนี้": "today",
}
_UNITS: Final = {"วัน": "day", "สัปดาห์": "week", "อาทิตย์": "week", "เดือน": "month", "ปี": "year"}
_NUMBERS: Final = ("หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า", "สิบ")
_WEEKDAYS: Final = ("จันทร์", "อังคาร", "พุธ", "พฤหัส(?:บดี)?", "ศุกร์", "เสาร์", "อาทิตย์")
_MONTHS: Final = (
    "มกรา(?:คม)?", "กุมภา(?:พันธ์)?", "มีนา(?:คม)?", "เมษา(?:ยน)?", "พฤษภา(?:คม)?", "มิถุนา(?:ยน)?", "กรกฎา(?:คม)?",
    "สิงหา(?:คม)?", "กันยา(?:ยน)?", "ตุลา(?:คม)?", "พฤศจิกา(?:ยน)?", "ธันวา(?:คม)?",
)  # fmt: skip
_UNIT: Final = "|".join(_UNITS)
_FORMS: Final = (
    rf"(?P<said>{'|'.join(_SAID)})",
    rf"วัน(?P<weekday>{'|'.join(_WEEKDAYS)}){_PAST}",
    rf"(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS)})\s*(?P<unit>{_UNIT}){_PAST}",
    (
        rf"(?:(?P<day>\d{{1,2}})\s*)?(?:เดือน)?(?P<month>{'|'.join(_MONTHS)})"
        rf"(?:\s*(?:(?:ปี|พ\.ศ\.|ค\.ศ\.)?\s*(?P<year>\d{{4}})|(?P<told>ปี(?:{_PAST}|นี้|หน้า))))?"
    ),
    rf"(?P<past>{_UNIT}){_PAST}",
    rf"(?P<this>{_UNIT})นี้",
)
_ANY: Final = re.compile("|".join(_FORMS))


def phrases(text: str) -> Iterator[Phrase]:
    """The times of a text, in order."""
    for match in _ANY.finditer(text):
        yield Phrase(match.start(), match.end(), _english(match))


def _english(match: re.Match[str]) -> str:
    if said := match["said"]:
        return next(english for pattern, english in _SAID.items() if re.fullmatch(pattern, said))
    if weekday := match["weekday"]:
        return f"last {ENGLISH_WEEKDAYS[_place(_WEEKDAYS, weekday)]}"
    if number := match["n"]:
        count = int(number) if number.isdigit() else _NUMBERS.index(number) + 1
        return f"{count} {_UNITS[match['unit']]}s ago"
    if match["month"]:
        return _date(match)
    return f"this {_UNITS[match['this']]}" if match["this"] else f"last {_UNITS[match['past']]}"


def _date(match: re.Match[str]) -> str:
    month, year = ENGLISH_MONTHS[_place(_MONTHS, match["month"])], ""
    if match["year"]:
        number = int(match["year"])
        year = str(number - _BUDDHIST_YEARS if number >= _FIRST_BUDDHIST else number)
    elif told := match["told"]:
        year = {"นี้": "this year", "หน้า": "next year"}.get(told.removeprefix("ปี"), "last year")
    return f"{int(match['day'])} {month} {year}".strip() if match["day"] else f"in {month} {year}".strip()


def _place(patterns: tuple[str, ...], said: str) -> int:
    return next(place for place, pattern in enumerate(patterns) if re.fullmatch(pattern, said))
