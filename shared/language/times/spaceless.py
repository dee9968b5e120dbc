"""Times in Japanese, Chinese and Korean, put into English words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.language.times.books import ENGLISH_MONTHS, ENGLISH_WEEKDAYS, Phrase

_SAID: Final = {
    "一昨日|おととい|前天|그저께|그제": "the day before yesterday",
    "昨日|きのう|昨天|어제": "yesterday",
    "今日|きょう|今天|오늘": "today",
    "先々週": "the week before last",
    "先週末|上周末|上週末|지난 ?주말": "last weekend",
    "先週|上个?星期(?![一二三四五六日天])|上个?[周週](?![一二三四五六日天])|上個[周週]|지난 ?주": "last week",
    "今週|这周|這週|이번 ?주": "this week",
    "先月|上个月|上個月|지난 ?달": "last month",
    "今月|这个月|這個月|이번 ?달": "this month",
    "一昨年|前年|재작년": "the year before last",
    "昨年|去年|작년|지난 ?해": "last year",
    "今年|올해": "this year",
}
_SAID_PATTERN: Final = re.compile("|".join(f"(?P<w{n}>{said})" for n, said in enumerate(_SAID)))
_AGO: Final = re.compile(
    r"(?P<n>\d{1,3}|[一二两兩三四五六七八九十]|한|두|세|네)\s*(?P<unit>日|天|일|週間|周|週|个?星期|주|か月|ヶ月|个月|個月|개월|달|年|년)\s*(?:前|전)"
)
_HAN_NUMBERS: Final = {"两": "two", "兩": "two", "한": "a", "두": "two", "세": "three", "네": "four"} | {
    sign: str(number) for number, sign in enumerate("一二三四五六七八九十", 1)
}
_UNITS: Final = {"日": "day", "天": "day", "일": "day", "年": "year", "년": "year"} | dict.fromkeys(
    ("か月", "ヶ月", "个月", "個月", "개월", "달"), "month"
)
_DATE: Final = re.compile(
    r"(?:(?P<year>[12]\d{3})\s*[年년]\s*)?(?P<month>\d{1,2})\s*[月월](?:\s*(?P<day>\d{1,2})\s*[日号號일])?"
)
_WEEKDAY: Final = re.compile(
    r"(?:先週の|上个?(?:周|星期)|지난 ?주? ?)"
    r"(?:(?P<ja>[月火水木金土日])曜日?|(?P<zh>[一二三四五六日天])|(?P<ko>[월화수목금토일])요일)"
)
SPACELESS: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


def phrases(text: str) -> Iterator[Phrase]:
    """The times of a text, in order."""
    taken = 0
    for match in _ANY.finditer(text):
        english = _english(text[match.start() : match.end()])
        if english and match.start() >= taken:
            taken = match.end()
            yield Phrase(match.start(), match.end(), english)


_ANY: Final = re.compile(
    "|".join(re.sub(r"\(\?P<\w+>", "(?:", each.pattern) for each in (_WEEKDAY, _DATE, _AGO, _SAID_PATTERN))
)


def _english(words: str) -> str:
    if found := _WEEKDAY.fullmatch(words):
        days = {"ja": "月火水木金土日", "zh": "一二三四五六日", "ko": "월화수목금토일"}[found.lastgroup or "ja"]
        return f"last {ENGLISH_WEEKDAYS[days.index((found[found.lastgroup or 'ja']).replace('天', '日'))]}"
    if found := _DATE.fullmatch(words):
        month, day, year = int(found["month"]), found["day"], found["year"] or ""
        if not 1 <= month <= len(ENGLISH_MONTHS):
            return ""
        return (
            f"{day} {ENGLISH_MONTHS[month - 1]} {year}".strip()
            if day
            else f"in {ENGLISH_MONTHS[month - 1]} {year}".strip()
        )
    if found := _AGO.fullmatch(words):
        unit = _UNITS.get(found["unit"], "week")
        return f"{_HAN_NUMBERS.get(found['n'], found['n'])} {unit}s ago"
    return next(english for said, english in _SAID.items() if re.fullmatch(said, words))
