"""How English writes months, weekdays, seasons, counts and units: the patterns that times are put together from."""

from __future__ import annotations

from typing import Final

MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
COUNTS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
VAGUE: Final = {"couple": 2, "few": 3, "several": 4}
HOLIDAYS: Final = {
    "christmas eve": (12, 24, 24), "christmas": (12, 24, 26), "new year's eve": (12, 31, 31),
    "new year's day": (1, 1, 1), "halloween": (10, 31, 31), "valentine's day": (2, 14, 14),
}  # fmt: skip

MONTH: Final = (
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
SURE_MONTH: Final = MONTH.replace("|may|", "|(?-i:May)|").replace("mar(?:ch)?", "(?-i:Mar(?:ch)?)")
TO: Final = r"\s*(?:[-–—]|\bto\b|\band\b|\bor\b|\bthrough\b)\s*"  # noqa: RUF001 - dashes that people type
YEAR: Final = r"[12]\d{3}(?![^\W_]|[-/.,:]\d)"
SHORT_YEAR: Final = rf"(?:{YEAR}|['\u2019]\d\d\b)"
NOT_A_YEAR: Final = r"(?!\s*(?:%|words?\b|tokens?\b|characters?\b|steps?\b|pieces?\b|people\b|dollars?\b|euros?\b))"
ORDINAL: Final = r"\d{1,2}(?:st|nd|rd|th)"
DAYS: Final = rf"(?<![\w.,/-])\d{{1,2}}(?:st|nd|rd|th)?\b(?:{TO}\d{{1,2}}(?:st|nd|rd|th)?\b)?"
WEEKDAY: Final = (
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b"
    r"(?!\s+(?:mornings|afternoons|evenings|nights))"
)
"""One day, and not `on Friday nights`, which is a habit."""
SEASON: Final = r"(?:summer|winter|spring|autumn|fall)\b"
HOLIDAY: Final = r"(?:christmas eve|christmas(?: day)?|new year's (?:eve|day)|halloween|valentine's day)\b"
CALENDAR: Final = r"(?:week(?:end)?|month|quarter|year)\b"
COUNT: Final = (
    rf"(?:\d{{1,3}}|an?(?: couple of| few)?|(?:a )?(?:couple of|few)|several|half an?|{'|'.join(COUNTS[1:])})"
)
UNIT: Final = r"(?:minutes?|hours?|days?|weeks?|fortnights?|weekends?|months?|years?|decades?)\b"

_NTH: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ORDINALS: Final = (
    *(*_NTH, "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
    *("eighteenth", "nineteenth", "twentieth", *(f"twenty-{nth}" for nth in _NTH), "thirtieth", "thirty-first"),
)
"""Of a month's days, as words."""
WORDED_DAY: Final = rf"\b(?:{'|'.join(reversed(ORDINALS)).replace('-', '[- ]')})\b"
RELATIVE_YEAR: Final = (
    rf"(?:\b(?:the\s+)?(?:last|this|previous|next|coming)\s+year\b|\bthe\s+year\s+before\s+last\b"
    rf"|\b{COUNT}\s+years?\s+ago\b)"
)
"""A year as one tells it from today."""
ANY_YEAR: Final = rf"(?:{YEAR}|{RELATIVE_YEAR})"
ANY_SHORT_YEAR: Final = rf"(?:{SHORT_YEAR}|{RELATIVE_YEAR})"
