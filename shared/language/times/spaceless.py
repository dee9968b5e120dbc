"""Times in Japanese, Chinese and Korean, put into English words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shared.language.times.books import ENGLISH_MONTHS, ENGLISH_SEASONS, ENGLISH_WEEKDAYS, Phrase

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
}
_YEARS: Final = {
    "一昨年|前年|재작년": "the year before last",
    "昨年|去年|작년|지난 ?해": "last year",
    "今年|올해": "this year",
    "来年|來年|明年|내년": "next year",
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
_OF: Final = r"\s*[的の의]?\s*"
_YEAR: Final = rf"(?P<year>[12]\d{{3}}\s*[年년]|{'|'.join(_YEARS)})"
_NUMBER: Final = r"\d{1,2}|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九]"
_KOREAN_MONTHS: Final = ("일", "이", "삼", "사", "오", "유", "칠", "팔", "구", "시", "십일", "십이")
_DATE: Final = re.compile(
    rf"(?:(?:{_YEAR}{_OF})?(?P<month>{_NUMBER})\s*[月월]份?(?!天)|{_YEAR.replace('<year', '<of')}{_OF}"
    rf"(?P<named>{'|'.join(reversed(_KOREAN_MONTHS))})월)(?:{_OF}(?P<day>{_NUMBER})\s*[日号號일])?"
)
_SEASON: Final = re.compile(rf"{_YEAR}{_OF}(?:(?P<han>[春夏秋冬])[天季]?|(?P<ko>봄|여름|가을|겨울))")
_OF_LAST_MONTH: Final = re.compile(rf"(?:先月|上个月|上個月|지난 ?달){_OF}(?P<day>{_NUMBER})\s*[日号號일]")
_YEAR_ALONE: Final = re.compile(rf"{_YEAR}(?![前전代대間间간生생])")
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


_FORMS: Final = (_WEEKDAY, _OF_LAST_MONTH, _DATE, _SEASON, _AGO, _YEAR_ALONE, _SAID_PATTERN)
_ANY: Final = re.compile("|".join(re.sub(r"\(\?P<\w+>", "(?:", each.pattern) for each in _FORMS))


def _english(words: str) -> str:
    for pattern, said in ((_WEEKDAY, _weekday), (_DATE, _date), (_SEASON, _season)):
        if found := pattern.fullmatch(words):
            return said(found)
    if found := _OF_LAST_MONTH.fullmatch(words):
        return f"on the {_number(found['day'])}th of last month"
    if found := _AGO.fullmatch(words):
        unit = _UNITS.get(found["unit"], "week")
        return f"{_HAN_NUMBERS.get(found['n'], found['n'])} {unit}s ago"
    if found := _YEAR_ALONE.fullmatch(words):
        return f"in {_year(found['year'])}" if words[0].isdigit() else _year(found["year"])
    return next(english for said, english in _SAID.items() if re.fullmatch(said, words))


def _weekday(found: re.Match[str]) -> str:
    days = {"ja": "月火水木金土日", "zh": "一二三四五六日", "ko": "월화수목금토일"}[found.lastgroup or "ja"]
    return f"last {ENGLISH_WEEKDAYS[days.index((found[found.lastgroup or 'ja']).replace('天', '日'))]}"


def _season(found: re.Match[str]) -> str:
    seasons: Sequence[str] = "春夏秋冬" if found["han"] else ("봄", "여름", "가을", "겨울")
    return f"{ENGLISH_SEASONS[seasons.index(found['han'] or found['ko'])]} {_year(found['year'])}"


def _date(found: re.Match[str]) -> str:
    year = found["year"] or found["of"]
    month = _KOREAN_MONTHS.index(found["named"]) + 1 if found["named"] else _number(found["month"])
    if not 1 <= month <= len(ENGLISH_MONTHS):
        return ""
    day = f"{_number(found['day'])} " if found["day"] else "in "
    return f"{day}{ENGLISH_MONTHS[month - 1]} {_year(year) if year else ''}".strip()


def _number(written: str) -> int:
    """`21`, `二十一`."""
    if written.isdecimal():
        return int(written)
    tens, _, ones = written.rpartition("十")
    return ("十" in written) * 10 * (_DIGITS.find(tens) + 1 if tens else 1) + (_DIGITS.find(ones) + 1 if ones else 0)


def _year(written: str) -> str:
    if written[0].isdecimal():
        return written[:4]
    return next(english for said, english in _YEARS.items() if re.fullmatch(said, written))


_DIGITS: Final = "一二三四五六七八九"
