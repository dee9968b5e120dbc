from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.contract.errors import InvalidInput
from shared.language.time_expressions import MAX_CHARS, Order, times, window
from shared.language.times.english import RULES

NOW = datetime(2024, 1, 15, 12, tzinfo=UTC)
WEDNESDAY = datetime(2031, 5, 21, 15, tzinfo=UTC)


def days(query: str, now: datetime = WEDNESDAY) -> tuple[str, str] | None:
    """The first and the last day that a query asks about."""
    found = window(query, now)
    if found is None:
        return None
    return f"{found.start:%Y-%m-%d}", f"{found.end - timedelta(days=1):%Y-%m-%d}"


@pytest.mark.parametrize(
    ("query", "start", "end", "matched"),
    [
        ("What broke on 2021-06-02?", "2021-06-02", "2021-06-03", "on 2021-06-02"),
        ("at 2021-06-02T10:30", "2021-06-02", "2021-06-03", "2021-06-02"),
        ("2021/6/2", "2021-06-02", "2021-06-03", "2021/6/2"),
        ("Where was Tove on 8 May 2023?", "2023-05-08", "2023-05-09", "on 8 May 2023"),
        ("the 8th of May, 2023", "2023-05-08", "2023-05-09", "the 8th of May, 2023"),
        ("May 8, 2023", "2023-05-08", "2023-05-09", "May 8, 2023"),
        ("sept. 3rd 2023", "2023-09-03", "2023-09-04", "sept. 3rd 2023"),
        ("29 February 2020", "2020-02-29", "2020-03-01", "29 February 2020"),
        ("May 8-10, 2023", "2023-05-08", "2023-05-11", "May 8-10, 2023"),
        ("8 to 10 May 2023", "2023-05-08", "2023-05-11", "8 to 10 May 2023"),
        ("Who visited in May 2023?", "2023-05-01", "2023-06-01", "in May 2023"),
        ("Dec 2023", "2023-12-01", "2024-01-01", "Dec 2023"),
        ("2023-05", "2023-05-01", "2023-06-01", "2023-05"),
        ("between May and July 2023", "2023-05-01", "2023-08-01", "between May and July 2023"),
        ("In 2023, who moved?", "2023-01-01", "2024-01-01", "In 2023"),
        ("from 2021 to 2023", "2021-01-01", "2024-01-01", "from 2021 to 2023"),
        ("between 8 May 2023 and 2 June 2023", "2023-05-08", "2023-06-03", "between 8 May 2023 and 2 June 2023"),
        ("2023年5月8日に何をした", "2023-05-08", "2023-05-09", "2023年5月8日"),
        ("2023年5月", "2023-05-01", "2023-06-01", "2023年5月"),
    ],
)
def test_a_date_that_is_named_outright_is_a_window(query: str, start: str, end: str, matched: str) -> None:
    found = window(query, NOW)
    assert found is not None
    assert (found.start.date().isoformat(), found.end.date().isoformat(), found.matched) == (start, end, matched)
    assert found.start.tzinfo is found.end.tzinfo is UTC


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        # days
        ("What did I do today?", "2031-05-21", "2031-05-21"),
        ("Who called this morning?", "2031-05-21", "2031-05-21"),
        ("yesterday evening", "2031-05-20", "2031-05-20"),
        ("What did we watch last night?", "2031-05-20", "2031-05-20"),
        ("the day before yesterday", "2031-05-19", "2031-05-19"),
        ("What did I read the other day?", "2031-05-14", "2031-05-20"),
        ("three days ago", "2031-05-18", "2031-05-18"),
        ("30 hours ago", "2031-05-19", "2031-05-20"),
        ("ten minutes ago", "2031-05-21", "2031-05-21"),
        # a day of a month, and a month, without a year: the latest that has begun
        ("What did I plant on May 8?", "2031-05-08", "2031-05-08"),
        ("on 2 June", "2030-06-02", "2030-06-02"),
        ("What came on the 15th?", "2031-05-15", "2031-05-15"),
        ("What came on the 25th?", "2031-04-25", "2031-04-25"),
        ("on the 3rd of last month", "2031-04-03", "2031-04-03"),
        ("Who came in March?", "2031-03-01", "2031-03-31"),
        ("in May", "2031-05-01", "2031-05-31"),
        ("in June", "2030-06-01", "2030-06-30"),
        ("between October and February", "2030-10-01", "2031-02-28"),
        # `last` is over
        ("Where did I camp last May?", "2030-05-01", "2030-05-31"),
        ("last April", "2031-04-01", "2031-04-30"),
        ("last summer", "2030-06-01", "2030-08-31"),
        ("last winter", "2030-12-01", "2031-02-28"),
        ("last Christmas", "2030-12-24", "2030-12-26"),
        # weekdays
        ("Who came on Friday?", "2031-05-16", "2031-05-16"),
        ("last Friday", "2031-05-16", "2031-05-16"),
        ("on Wednesday", "2031-05-14", "2031-05-14"),
        ("this past Monday", "2031-05-19", "2031-05-19"),
        ("this Monday", "2031-05-19", "2031-05-19"),
        ("on the Tuesday two weeks ago", "2031-05-06", "2031-05-06"),
        # weeks, months and years of the calendar, and such as go back from today
        ("this week", "2031-05-19", "2031-05-25"),
        ("last week", "2031-05-12", "2031-05-18"),
        ("the week before last", "2031-05-05", "2031-05-11"),
        ("in the last week", "2031-05-14", "2031-05-21"),
        ("over the past two weeks", "2031-05-07", "2031-05-21"),
        ("in the last few days", "2031-05-17", "2031-05-21"),
        ("last weekend", "2031-05-17", "2031-05-18"),
        ("the weekend before last", "2031-05-10", "2031-05-11"),
        ("earlier this month", "2031-05-01", "2031-05-31"),
        ("last month", "2031-04-01", "2031-04-30"),
        ("the past month", "2031-04-21", "2031-05-21"),
        ("last year", "2030-01-01", "2030-12-31"),
        ("last quarter", "2031-01-01", "2031-03-31"),
        ("Q3 of 2029", "2029-07-01", "2029-09-30"),
        # ago: half a unit to each side
        ("two weeks ago", "2031-05-04", "2031-05-10"),
        ("a month ago", "2031-04-06", "2031-05-06"),
        ("half a year ago", "2030-11-06", "2030-12-06"),
        ("a few weeks ago", "2031-04-20", "2031-05-10"),
        ("a couple of days ago", "2031-05-18", "2031-05-20"),
        # seasons, parts, holidays, decades
        ("the summer of 2022", "2022-06-01", "2022-08-31"),
        ("in the winter of 2022", "2022-12-01", "2023-02-28"),
        ("Where did we swim in the summer?", "2030-06-01", "2030-08-31"),
        ("this spring", "2031-03-01", "2031-05-31"),
        ("early 2029", "2029-01-01", "2029-05-01"),
        ("in late April", "2031-04-21", "2031-04-30"),
        ("the end of last year", "2030-09-02", "2030-12-31"),
        ("the first week of June 2029", "2029-06-01", "2029-06-07"),
        ("the last weekend of April", "2031-04-26", "2031-04-27"),
        ("on Halloween", "2030-10-31", "2030-10-31"),
        ("at Christmas 2028", "2028-12-24", "2028-12-26"),
        ("in the 1990s", "1990-01-01", "1999-12-31"),
        ("May '22", "2022-05-01", "2022-05-31"),
        ("May '45", None, None),
        # a year told from today, beside what is within it
        ("in May of last year", "2030-05-01", "2030-05-31"),
        ("last year, in May", "2030-05-01", "2030-05-31"),
        ("on 8 May of the year before last", "2029-05-08", "2029-05-08"),
        ("in May two years ago", "2029-05-01", "2029-05-31"),
        ("from May to July last year", "2030-05-01", "2030-07-31"),
        ("the summer of last year", "2030-06-01", "2030-08-31"),
        ("Christmas last year", "2030-12-24", "2030-12-26"),
        ("the first week of June last year", "2030-06-01", "2030-06-07"),
        ("in March this year", "2031-03-01", "2031-03-31"),
        # days and weeks counted in words or from the end
        ("the first of May", "2031-05-01", "2031-05-01"),
        ("on the twenty-first of June 2029", "2029-06-21", "2029-06-21"),
        ("on May the third", "2031-05-03", "2031-05-03"),
        ("the second last week of April", "2031-04-17", "2031-04-23"),
        ("the second-to-last week of April", "2031-04-17", "2031-04-23"),
        ("the penultimate weekend of April", "2031-04-19", "2031-04-20"),
        ("the last week but one of April", "2031-04-17", "2031-04-23"),
        # fortnights, and what is counted by its name
        ("a fortnight ago", "2031-05-04", "2031-05-10"),
        ("over the last fortnight", "2031-05-07", "2031-05-21"),
        ("three Mondays ago", "2031-05-05", "2031-05-05"),
        ("two summers ago", "2029-06-01", "2029-08-31"),
        ("two Christmases ago", "2029-12-24", "2029-12-26"),
        # numbers
        ("25/12/2029", "2029-12-25", "2029-12-25"),
        ("12/25/2029", "2029-12-25", "2029-12-25"),
        ("8.5.2029", "2029-05-08", "2029-05-08"),
    ],
)
def test_a_time_in_words_has_one_meaning(query: str, first: str | None, last: str | None) -> None:
    assert days(query) == (None if first is None else (first, last))


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("since May 2030", "2030-05-01", "2031-05-21"),
        ("since Monday", "2031-05-19", "2031-05-21"),
        ("after 8 May 2031", "2031-05-09", "2031-05-21"),
        ("before 2022", "1970-01-01", "2021-12-31"),
        ("prior to last week", "1970-01-01", "2031-05-11"),
        ("until yesterday", "1970-01-01", "2031-05-20"),
        ("by the end of May 2023", "1970-01-01", "2023-05-31"),
        ("as of December 2022", "1970-01-01", "2022-12-31"),
        ("after May 2022 and before July 2022", "2022-06-01", "2022-06-30"),
        ("from May until July 2022", "2022-05-01", "2022-07-31"),
        ("from 3 May to yesterday", "2031-05-03", "2031-05-20"),
        ("between 8 May and 3 June 2022", "2022-05-08", "2022-06-03"),
        ("between December 20 and January 5, 2023", "2022-12-20", "2023-01-05"),
        ("between May 8 and May 10", "2031-05-08", "2031-05-10"),
        ("two weeks before August 11, 2022", "2022-07-25", "2022-07-31"),
        ("3 days after 1 May 2023", "2023-05-04", "2023-05-04"),
        ("the week before 16 May 2022", "2022-05-09", "2022-05-15"),
        ("the day after 16 May 2022", "2022-05-17", "2022-05-17"),
        ("two weeks before Christmas", "2030-12-07", "2030-12-13"),
        ("two weeks before my trip on 16 May", "2031-04-29", "2031-05-05"),
        ("the day after Tove's big exam on 3 March", "2031-03-04", "2031-03-04"),
        ("What did I do after my trip on 16 May?", "2031-05-17", "2031-05-21"),
        ("since the storm in April", "2031-04-01", "2031-05-21"),
        ("after the storm in April", "2031-04-01", "2031-05-21"),
        ("before the exam in April", "1970-01-01", "2031-04-30"),
        ("Who sang by the lake in April?", "2031-04-01", "2031-04-30"),
        ("since May of last year", "2030-05-01", "2031-05-21"),
    ],
)
def test_what_has_one_end_or_counts_from_a_date_is_a_window_too(query: str, first: str, last: str) -> None:
    assert days(query) == (first, last)


@pytest.mark.parametrize(
    ("today", "first"),
    [("2031-05-19", "2031-05-17"), ("2031-05-20", "2031-05-17"), ("2031-05-22", None), ("2031-05-24", "2031-05-24")],
)
def test_this_weekend_is_the_one_just_over_until_tuesday_and_then_the_next(today: str, first: str | None) -> None:
    found = days("What did we do this weekend?", datetime.fromisoformat(f"{today}T12:00Z"))
    assert (found and found[0]) == first


@pytest.mark.parametrize(
    "query",
    ["31 February 2023", "February 31, 2023", "2023-02-31", "29 February 2023", "2023-13", "32 May 2023", "2023年13月"],
)
def test_a_day_that_does_not_exist_is_no_window_not_even_its_month(query: str) -> None:
    assert window(query, NOW) is None


@pytest.mark.parametrize("query", ["03/04/2023", "05/08/2023", "8/5/23", "08-05-2023"])
def test_numbers_whose_order_depends_on_the_country_are_left_alone(query: str) -> None:
    assert window(query, NOW) is None


@pytest.mark.parametrize(
    "query",
    ["next week", "next Friday", "on 8 May 2032", "in 2040", "this Friday", "in June 2031", "in 1945", "before 1960",
     "in the 1950s", "500 years ago", "999 decades ago", "since 2033", "after today", "in May next year",
     "next year in May", "on 8 May of next year", "明年五月", "来年の5月", "내년 5월"],
)  # fmt: skip
def test_what_has_not_begun_and_what_is_over_before_1970_is_no_window(query: str) -> None:
    assert days(query) is None


@pytest.mark.parametrize(
    "query",
    [
        "", "in 2000 words", "room 2023", "2023", "call 2023-4471", "KX-2031-06-02", "version 2023.10.1", "in 20235",
        "it may rain", "May I ask?", "we march on", "the 2023-24 season", "10-8 May 2023", "How many days ago was it?",
        "on the 5th floor", "on Saturday mornings", "on Tuesdays", "the fall of the wall", "a spring mattress",
        "Christmas presents", "how long ago", "a few days", "What did June say?", "second floor", "the last name",
    ],
)  # fmt: skip
def test_what_is_no_time_is_no_window(query: str) -> None:
    assert window(query, NOW) is None


@pytest.mark.parametrize(
    ("query", "relation", "event"),
    [
        ("What did we buy two weeks before the wedding?", "before", "the wedding"),
        ("How did Evan feel after the accident?", "after", "the accident"),
        ("What has changed since I moved to Porto?", "since", "I moved to Porto"),
        ("How many days before the 'Tulip Run' did I buy shoes?", "before", "the 'Tulip Run'"),
        ("What did I do until the storm, and then?", "until", "the storm"),
    ],
)
def test_an_event_without_a_date_is_an_anchor_and_no_window(query: str, relation: str, event: str) -> None:
    found = times(query, WEDNESDAY)
    assert found.window is None
    assert found.anchor is not None
    assert (found.anchor.relation, found.anchor.event) == (relation, event)
    assert found.anchor.matched in query


def test_a_date_is_no_anchor() -> None:
    assert times("What did we buy two weeks before 8 May 2023?", WEDNESDAY).anchor is None


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("What was my first bike?", Order.EARLIEST),
        ("Where did I originally keep the shears?", Order.EARLIEST),
        ("What is the earliest thing you know?", Order.EARLIEST),
        ("When did I last see Tove? The last time?", Order.LATEST),
        ("What did I pay on my most recent visit?", Order.LATEST),
        ("Which is the latest?", Order.LATEST),
        ("Where do I currently keep the shears?", Order.LATEST),
        ("What was on my last trip?", Order.LATEST),
        ("Wo war ich zuletzt?", Order.LATEST),
        ("¿Cuándo fue la primera vez?", Order.EARLIEST),
        ("How long between my first and my last visit?", None),
        ("What is her first name?", None),
        ("Do I have a first-aid box?", None),
        ("What did I do last week?", None),
        ("the first week of June", None),
        ("Where do the bees live?", None),
    ],
)
def test_first_and_latest_are_orders(query: str, order: Order | None) -> None:
    assert times(query, WEDNESDAY).order is order


@pytest.mark.parametrize(
    ("english", "others"),
    [
        ("yesterday", [
            "Was habe ich gestern gekocht?",
            "Qu'ai-je fait hier ?",
            "¿Qué cociné ayer?",
            "Cosa ho fatto ieri?",
            "O que fiz ontem?",
            "Wat deed ik gisteren?",
            "Что я делал вчера?",
            "昨日何をしましたか？",
            "我昨天做了什么？",
            "어제 뭐 했어?",
        ]),
        ("two weeks ago", [
            "Was war vor zwei Wochen?",
            "Que s'est-il passé il y a deux semaines ?",
            "¿Qué pasó hace 2 semanas?",
            "Cosa è successo due settimane fa?",
            "O que houve há duas semanas?",
            "Wat was er twee weken geleden?",
            "Что было две недели назад?",
            "2週間前に何があった？",
            "两周前发生了什么？",
            "2주 전에 뭐 했어?",
        ]),
        ("last month", [
            "Wo war ich letzten Monat?",
            "Où étais-je le mois dernier ?",
            "¿Dónde estuve el mes pasado?",
            "Dov'ero il mese scorso?",
            "Onde estive no mês passado?",
            "Waar was ik vorige maand?",
            "Где я был в прошлом месяце?",
            "先月どこにいた？",
            "上个月我在哪里？",
            "지난달에 뭐 했어?",
        ]),
        ("last Friday", [
            "Wer kam letzten Freitag?",
            "Qui est venu vendredi dernier ?",
            "¿Quién vino el viernes pasado?",
            "Chi è venuto venerdì scorso?",
            "Quem veio na sexta-feira passada?",
            "Wie kwam er vorige vrijdag?",
            "Кто был в прошлую пятницу?",
            "先週の金曜日に何をした？",
            "上周五我做了什么？",
            "지난주 금요일에 뭐 했어?",
        ]),
        ("8 May 2022", [
            "Wen traf ich am 8. Mai 2022?",
            "Qui ai-je vu le 8 mai 2022 ?",
            "¿Qué hice el 8 de mayo de 2022?",
            "Chi ho visto l'8 maggio 2022?",
            "O que fiz em 8 de maio de 2022?",
            "Wat deed ik op 8 mei 2022?",
            "Где я был 8 мая 2022 года?",
            "2022年5月8日に誰に会った？",
            "2022년 5월 8일에 뭐 했어?",
        ]),
        ("in March", [
            "Was haben wir im März gemacht?",
            "Que faisais-je en mars ?",
            "¿Qué hice en marzo?",
            "Dov'ero a marzo?",
            "O que fiz em março?",
            "Wat deed ik in maart?",
            "Что мы делали в марте?",
            "3月に何をした？",
        ]),
        ("May 8", [
            "Wen traf ich am 8. Mai?",
            "¿Qué hice el 8 de mayo?",
            "5月8日に誰に会った？",
            "5월 8일에 뭐 했어?",
        ]),
        ("last May", [
            "Wo war Tomas letzten Mai?",
            "Où étais-je en mai dernier ?",
            "Dov'ero lo scorso maggio?",
        ]),
        ("May of last year", [
            "Wo war ich im Mai letzten Jahres?",
            "Où étais-je en mai de l'année dernière ?",
            "¿Dónde estuve en mayo del año pasado?",
            "Dov'ero nel maggio dell'anno scorso?",
            "Onde estive em maio do ano passado?",
            "Waar was ik in mei vorig jaar?",
            "Где я был в мае прошлого года?",
            "أين كنت في مايو من العام الماضي؟",
            "去年五月我在哪里？",
            "去年的5月份我在哪里？",
            "2030年五月",
            "去年の5月にどこにいた？",
            "작년 5월에 어디 있었어?",
            "작년 오월에 어디 있었어?",
            "เดือนพฤษภาคมปีที่แล้วฉันอยู่ที่ไหน",
        ]),
        ("the 21st of May of last year", ["去年五月二十一日", "昨年の5月21日", "작년 5월 21일", "21 พฤษภาคม 2573"]),
        ("in May this year", ["今年五月", "今年の5月", "올해 5월", "في مايو من هذا العام ماذا فعلت"]),
        ("last summer", ["去年夏天", "去年の夏", "작년 여름", "ماذا فعلت الصيف الماضي؟"]),
        ("on the 5th of last month", ["上个月五号", "先月の5日に", "지난달 5일"]),
        ("last month", ["เดือนที่แล้วฉันทำอะไร", "ماذا فعلت الشهر الماضي؟"]),
        ("yesterday", ["เมื่อวานฉันทำอะไร", "ماذا فعلت أمس؟"]),
        ("the day before yesterday", ["เมื่อวานซืนฉันทำอะไร", "ماذا فعلت أول أمس؟"]),
        ("two weeks ago", ["สองสัปดาห์ก่อน", "2 สัปดาห์ที่แล้ว", "ماذا حدث قبل أسبوعين؟"]),
        ("three days ago", ["สามวันก่อน", "ماذا حدث قبل 3 أيام؟"]),
        ("last Friday", ["วันศุกร์ที่แล้ว", "من جاء يوم الجمعة الماضي؟"]),
        ("8 May 2022", ["8 พฤษภาคม 2565", "من زارني في 8 مايو 2022؟"]),
        ("summer 2022", [
            "Was geschah im Sommer 2022?",
            "Que faisais-je en été 2022 ?",
            "¿Qué pasó en el verano de 2022?",
        ]),
        ("8 May 2022", [
            "8 května 2022 jsem byl kde?",
            "8 Mayıs 2022 neredeydim?",
            "Gdzie byłem 8 maja 2022?",
        ]),
    ],
)  # fmt: skip
def test_a_time_in_another_language_means_what_it_does_in_english(english: str, others: list[str]) -> None:
    assert days(english) is not None
    for query in others:
        assert days(query) == days(english), query
        found = window(query, WEDNESDAY)
        assert found is not None
        assert found.matched in query


@pytest.mark.parametrize(
    "query",
    ["Was ist hier passiert?", "Where is the mayo?", "Who was in Paris with mein Freund?", "¿Qué hice con Mayo?"],
)
def test_a_word_that_is_a_time_in_another_language_alone_is_none(query: str) -> None:
    assert window(query, NOW) is None


def test_a_day_begins_at_midnight_where_the_asker_is() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    expected = datetime(2023, 5, 7, 15, tzinfo=UTC)
    by_zone, by_now = window("8 May 2023", NOW, tokyo), window("8 May 2023", NOW.astimezone(tokyo))
    assert by_zone is not None
    assert by_now is not None
    assert by_zone.start == by_now.start == expected


def test_today_is_the_day_that_the_asker_lives_through() -> None:
    late = datetime(2031, 5, 21, 22, tzinfo=UTC)
    for zone, start in (("Pacific/Auckland", "2031-05-20T12:00Z"), ("America/Los_Angeles", "2031-05-20T07:00Z")):
        found = window("yesterday", late, ZoneInfo(zone))
        assert found is not None
        assert found.start == datetime.fromisoformat(start)


def test_a_day_on_which_the_clocks_change_is_as_long_as_it_was() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    spring, autumn = window("26 March 2023", NOW, berlin), window("29 October 2023", NOW, berlin)
    assert spring is not None
    assert autumn is not None
    assert (spring.end - spring.start, autumn.end - autumn.start) == (timedelta(hours=23), timedelta(hours=25))


def test_a_naive_now_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        window("8 May 2023", datetime(2024, 1, 1))  # noqa: DTZ001


@settings(deadline=None)
@given(st.dates(date(1970, 1, 1), date(2024, 1, 15)), st.integers(-12, 14))
def test_every_day_can_be_named_in_every_form_and_zone(day: date, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    now = datetime(2024, 1, 15, 23, tzinfo=zone)
    for form in (f"{day:%Y-%m-%d}", f"{day:%d %B %Y}", f"{day:%b %d, %Y}", f"{day:%Y年%m月%d日}", f"{day:%d.%m.%Y}"):
        found = window(f"What about {form}?", now, zone)
        assert found is not None
        assert found.matched == form
        assert found.start.astimezone(zone).date() == day
        assert found.end - found.start == timedelta(days=1)


zones = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
moments = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@settings(deadline=None)
@given(moments, zones)
def test_windows_begin_and_end_at_midnight_and_never_lie_in_the_future(now: datetime, zone: str) -> None:
    asker = ZoneInfo(zone)
    for query in (
        *("yesterday", "last week", "last May", "in March", "two months ago", "last weekend", "since Monday"),
        *("this year", "in the summer", "on Friday", "last winter", "early last year", "a day ago", "this month"),
    ):
        found = window(query, now, asker)
        assert found is not None
        start, end = found.start.astimezone(asker), found.end.astimezone(asker)
        assert (start.hour, start.minute, end.hour, end.minute) == (0, 0, 0, 0)
        assert found.start < found.end
        assert found.start <= now


@settings(deadline=None)
@given(moments, st.integers(0, 400), st.sampled_from(["day", "week", "month", "year"]))
def test_so_many_units_ago_holds_the_day_that_lies_so_far_back(now: datetime, count: int, unit: str) -> None:
    found = window(f"What was {count} {unit}s ago?", now)
    back = count * {"day": 1, "week": 7, "month": 30.44, "year": 365.25}[unit]
    if found is None:
        assert (now - timedelta(days=back)).year <= 1970
        return
    middle = found.start + (found.end - found.start) / 2
    assert abs((now - middle) / timedelta(days=1) - back) <= 4


VOCABULARY = """
    in on last this the May March 2023 8 - to since before ago two weeks day 31 first of week from until Friday summer
    early end yesterday and between half a few am letzten vor hace el il y 年 5 月 ' . 02/03/2023
"""


@settings(deadline=None)
@given(
    st.text(st.sampled_from("0123456789-/ ,年月日") | st.characters())
    | st.lists(st.sampled_from(VOCABULARY.split()), max_size=12).map(" ".join),
    moments,
)
def test_any_query_gives_a_window_that_is_not_empty_or_none(query: str, now: datetime) -> None:
    found = times(query, now)
    if found.window is not None:
        assert found.window.start < found.window.end
        assert found.window.matched in query
        assert found.window.start <= now
    assert found.anchor is None or found.anchor.matched in query


def test_a_long_query_takes_no_longer_than_its_beginning() -> None:
    started = time.process_time()
    for piece in ("in May ", "1 ", "between ", "the last week of ", "two weeks before ", "'", "8 May 2023 and ", "на "):
        assert times(piece * 100_000, NOW) == times((piece * 100_000)[:MAX_CHARS], NOW)
    assert time.process_time() - started < 5


def test_every_rule_says_how_it_is_written() -> None:
    assert len(RULES) == len({rule.written for rule in RULES.values()})


def test_dateparser_is_loaded_by_a_date_that_needs_it_and_by_nothing_else() -> None:
    program = """
import sys
from datetime import UTC, datetime
from shared.language.time_expressions import window
for query in ("last May", "8 May 2023", "Was war vor zwei Wochen?", "先週何をした？", "the 12 eggs of 2023"):
    window(query, datetime(2031, 5, 21, tzinfo=UTC))
    assert "dateparser" not in sys.modules, query
assert window("8 května 2022 jsem byl kde?", datetime(2031, 5, 21, tzinfo=UTC))
assert "dateparser" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
