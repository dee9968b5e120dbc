"""S21: text is only text; no query raises, and a channel that fails leaves the other and is named."""

from __future__ import annotations

import random

import psycopg
import pytest

import hotpath
from shared.contract.errors import InvalidQuery
from shared.contract.scope import Scope
from shared.settings import settings
from tests.cases.adapter import Words, said

MIRA = Scope(tenant_id="acme", user_id="mira")
FACTS = [
    "Tove's plan is to sell the boat in May.",
    "The C++ course begins on Monday; a:b is how the form writes a ratio.",
    "The discount is 100%_done, says the label.",
    "The backup lies under C:\\backup\\mira.",
    "🦔 lives under the shed.",
    "Robert'); DROP TABLE students is the name of a cartoon.",
    "The blue kettle whistles.",
]
QUERIES = [
    "what's Tove's plan?",
    "a:b",
    "foo & | !",
    '"unclosed',
    "(((",
    "C++",
    "100%_done",
    "\\",
    "'; DROP TABLE x; --",
    ":*",
    "＇",
    "🦔",
    "plan " * 10_000,
    "the of and to is what",
]
FURTHER = [
    "%", "_", "*", "?", "!", "'", '"', "`", "''", "--", "/*", "*/", ";", "$$", "$1", "%s", "%(tenant_id)s", "%%",
    "{}", "{0}", "\\'", "\\\\", "\\x00", "<->", "<2>", "!!kettle", "kettle & !blue", "kettle <-> blue",
    "kettle:AB*", "-kettle", "+kettle", "kettle~2", "kettle^5", "title:kettle", "[1 TO 5]", "(kettle OR", "kettle)",
    "NOT", "AND AND", "NEAR/3", "kettle*", "\u2019", "\u201ckettle\u201d", "«kettle»", "…", "—", "\u00a0",
    "\u200b.", "\u202ekettle", "\t\n\r", "a\nb\nc", "#", "@mira", "😀" * 500, "a" * 100_000, "'" * 20_000,
    "((((" * 5_000, " ".join(map(str, range(10_000))), "é" * 3_000, "ไม่" * 2_000,
    "select 1; drop table memory cascade", "<script>", "&lt;", "</daybook-memory>", "[m1 0123456789ab]", "NULL",
    "0", "١٢٣",
]  # fmt: skip
LATENCY_MS = 2_000
"""The deadline of a recall that names none; warm, on a busy machine, most are a hundredth of it."""


@pytest.fixture
def words(words: Words) -> Words:
    words.ingest("acme", "mira", "run-1", [said(fact, f"m{n}") for n, fact in enumerate(FACTS)])
    words.bundle("acme", "mira", "warm")
    return words


def test_s21_no_query_raises_breaks_a_channel_or_takes_long(words: Words) -> None:
    for query in [*QUERIES, *FURTHER]:
        if not query.strip(" \t\n\r\u00a0"):
            with pytest.raises(InvalidQuery):
                hotpath.recall(MIRA, query)
            continue
        bundle = hotpath.recall(MIRA, query)
        assert bundle.degraded == (), query[:60]
        assert bundle.timings_ms["total"] < LATENCY_MS, query[:60]
    assert len(words.current("acme", "mira")) == len(FACTS), "nobody dropped a table"


def test_s21_noise_of_all_ascii_punctuation_is_only_text(words: Words) -> None:
    noise = random.Random(21)
    characters = "".join(chr(code) for code in range(32, 127)) + "’“”«»…、。！？＇"
    for _ in range(60):
        query = "".join(noise.choices(characters, k=noise.randint(1, 60)))
        if query.strip():
            assert words.bundle("acme", "mira", query).degraded == (), query


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\x00", "\u3000"])
def test_s21_a_query_that_asks_nothing_is_refused_with_a_typed_error(query: str) -> None:
    with pytest.raises(InvalidQuery, match="blank"):
        hotpath.recall(MIRA, query)


@pytest.mark.parametrize("query", [None, 5, b"plan", ["plan"], {"q": "plan"}])
def test_s21_a_query_that_is_no_text_is_refused_with_a_typed_error(query) -> None:
    with pytest.raises(InvalidQuery, match="string"):
        hotpath.recall(MIRA, query)


def test_s21_punctuation_changes_nothing_about_what_is_found_first(words: Words) -> None:
    for plain, forms in {
        "whats Toves plan": [
            "what's Tove's plan?",
            "what’s Tove’s plan",
            "WHAT'S TOVE'S PLAN!?",
            "\"what's\" (Tove's) plan:*",
            "plan & Tove",
        ],
        "kettle": [
            "kettle?",
            "'kettle'",
            "kettle:*",
            "!kettle",
            "-kettle",
            "kettle & | !",
            "((kettle",
            "«kettle»",
            "kettle\\",
        ],
        "discount 100%_done": ["100%_done", "'100%_done'", "100%_done;--"],
        "C++ course": ["C++", "c++?", "(C++)", "C++'s course"],
        "🦔": ["🦔?", "(🦔", "'🦔'", "🦔🦔🦔"],
    }.items():
        first = words.recall("acme", "mira", plain)[0].text
        for form in forms:
            assert words.recall("acme", "mira", form)[0].text == first, form


def test_s21_operators_in_a_query_do_not_exclude_what_they_would_elsewhere(words: Words) -> None:
    for query in (
        "!kettle",
        "-kettle",
        "NOT kettle",
        "kettle AND nothing",
        "kettle & !blue",
        "%kettle%",
        "kett* kettle",
    ):
        assert any("kettle" in hit.text for hit in words.recall("acme", "mira", query)), query


def test_s21_with_the_keyword_arm_throwing_the_other_answers_and_the_bundle_says_so(
    words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throw(*_: object) -> None:
        raise ValueError("syntax error in tsquery")

    monkeypatch.setattr("shared.store.postings.fetch", throw)
    bundle = words.bundle("acme", "mira", "what's Tove's plan?")
    assert bundle.degraded == ("sparse",)
    assert "Tove's plan is to sell the boat in May." in {item.text for item in bundle.items}


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        ("revoke select on posting from daybook_app", "sparse"),
        ("alter table posting rename column entries to entered", "sparse"),
        ("update posting set entries = '\\x01'", "sparse"),
        ("revoke select on memory_vector from daybook_app", "dense"),
        ("alter table memory_vector rename column embedding to embedded", "dense"),
    ],
)
def test_s21_with_one_arms_table_broken_the_other_answers_and_the_bundle_says_so(
    words: Words, owner: psycopg.Connection, damage: str, named: str
) -> None:
    owner.execute(damage.encode())
    bundle = words.bundle("acme", "mira", "what's Tove's plan?")
    assert bundle.degraded == (named,)
    assert "Tove's plan is to sell the boat in May." in {item.text for item in bundle.items}


def test_s21_with_every_arm_broken_the_answer_is_empty_and_says_so(words: Words, owner: psycopg.Connection) -> None:
    owner.execute("revoke select on posting, memory_vector, entity from daybook_app")
    bundle = words.bundle("acme", "mira", "what's Tove's plan?")
    assert set(bundle.degraded) == {"sparse", "dense", "graph"}
    assert (bundle.items, bundle.text, bundle.verdict) == ((), "", "unknown")


def test_s21_a_message_of_punctuation_is_stored_as_it_is(words: Words) -> None:
    texts = [f"entry {n} {query}" for n, query in enumerate(FURTHER) if len(query) < 200 and query.strip() == query]
    words.ingest("acme", "oskar", "run-1", [said(text, f"m{n}") for n, text in enumerate(texts)])
    kept = {row["text"] for row in words.current("acme", "oskar")}
    unchanged = {text for text in texts if "daybook-memory" not in text and "[m1" not in text}
    assert unchanged <= kept
    assert settings().mode == "inline"
