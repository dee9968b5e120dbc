"""S33: on whichever path a secret comes in, none of it is in any table, key, file, log or request to a model."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import redis

import hotpath
import warmpath
from gateway import Daybook
from shared.settings import settings
from shared.store.db import forget_pools
from tests.cases.adapter import Words, said, scope
from tests.cases.beliefs import Parrot
from tests.cases.test_s33_no_secret_reaches_a_model import ALIKE, SECRETS, SEEN
from tests.model_reading import entry, facts
from tests.scripted_llm import ScriptedLlm
from tests.unit.accept.said_secrets_table import HITS

CARD = "4929 1273 6485 0025"
"""Of no account; it passes Luhn's test."""
ALL = [*SECRETS.values(), f"my card is {CARD}"]
FRAGMENTS = [*SEEN, CARD, CARD.replace(" ", "")]
LOOK_ALIKES = [*ALIKE, "my password manager is Bitvault"]
LONG = 8
DAY = datetime(2025, 1, 10, 9, tzinfo=UTC)
MIRA = scope("acme", "Mira", {})


def sentences() -> list[str]:
    return [f"For the bakery I use {secret}, mostly." for secret in ALL]


def as_text(_: Words) -> None:
    messages = [said(text, f"m{n}", ts=DAY) for n, text in enumerate(sentences())]
    warmpath.observe(MIRA, messages, run_id="text", inline=True)


def as_every_role(_: Words) -> None:
    for role in ("assistant", "tool", "system", "developer"):
        messages = [{"id": f"{role}-{n}", "role": role, "text": text} for n, text in enumerate(sentences())]
        warmpath.observe(MIRA, messages, run_id=role, inline=True)


def as_json(_: Words) -> None:
    messages: list[dict[str, Any]] = [
        {"id": f"j{n}", "role": "tool", "text": {"body": {"list": [text]}, "raw": json.dumps({"v": text})}}
        for n, text in enumerate(sentences())
    ]
    warmpath.observe(MIRA, messages, run_id="json", inline=True)


def as_parts_and_calls(_: Words) -> None:
    messages: list[dict[str, Any]] = []
    for n, text in enumerate(sentences()):
        messages.append({"id": f"p{n}", "role": "user", "content": [{"type": "text", "text": text}]})
        call = {"id": f"c{n}", "function": {"name": "deploy", "arguments": json.dumps({"with": text})}}
        messages.append({"id": f"a{n}", "role": "assistant", "text": "Calling.", "tool_calls": [call]})
    warmpath.observe(MIRA, messages, run_id="parts", inline=True)


def as_speaker_of_a_room(_: Words) -> None:
    messages = [said(text, f"r{n}", speaker="Mira") for n, text in enumerate(sentences())]
    warmpath.observe(MIRA, messages, run_id="room", room="kitchen", participants=["Mira", "Oskar"], inline=True)


def as_a_record(_: Words) -> None:
    for n, text in enumerate(sentences()):
        data = {"trigger": f"when deploying {n}", "steps": [text, "wait"]}
        warmpath.record(MIRA, "procedure", data, run_id=f"rec-{n}", occurred_at=DAY, evidence=text, inline=True)


def awaited(_: Words) -> None:
    messages = [said(text, f"w{n}") for n, text in enumerate(sentences())]
    asyncio.run(warmpath.aobserve(MIRA, messages, run_id="awaited", inline=True))
    data = {"trigger": "when deploying", "steps": sentences()}
    asyncio.run(warmpath.arecord(MIRA, "procedure", data, run_id="awaited-2", occurred_at=DAY, inline=True))


def through_the_gateway(_: Words) -> None:
    with Daybook() as daybook:
        messages = [said(text, f"g{n}") for n, text in enumerate(sentences())]
        daybook.observe(MIRA, messages, run_id="gateway", inline=True)
        data = {"trigger": "when deploying", "steps": sentences()}
        daybook.record(MIRA, "procedure", data, run_id="gateway-2", occurred_at=DAY, inline=True)


def as_a_question(words: Words) -> None:
    words.ingest("acme", "Mira", "first", [said("I keep two beehives.", "b")])
    for text in sentences():
        bundle = hotpath.recall(MIRA, text, deadline_ms=30_000)
        asyncio.run(hotpath.arecall(MIRA, text, deadline_ms=30_000))
        warmpath.outcome(MIRA, bundle, abstained=True)


def waiting_for_workers(words: Words) -> None:
    words.accept("acme", "Mira", "waits", [said(text, f"q{n}") for n, text in enumerate(sentences())])


PATHS: dict[str, Callable[[Words], None]] = {
    each.__name__: each
    for each in (
        *(as_text, as_every_role, as_json, as_parts_and_calls, as_speaker_of_a_room, as_a_record, awaited),
        *(through_the_gateway, as_a_question, waiting_for_workers),
    )
}


def everything(words: Words, folder: Path) -> Iterable[tuple[str, str]]:
    """Every row of every table, every key of the broker, and every file of the data folder."""
    tables = words.owner.execute(
        """
        select format('%I.%I', schemaname, tablename) from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')
        """
    ).fetchall()
    for (table,) in tables:
        for (row,) in words.owner.execute(f"select t::text from {table} as t").fetchall():
            yield table, row
    url = settings().redis_url
    assert url is not None
    with redis.Redis.from_url(url.get_secret_value()) as client:
        for key in client.scan_iter():
            yield f"key {key!r}", repr(key) + repr(client.dump(key))
    for path in folder.rglob("*"):
        if path.is_file():
            yield str(path), path.read_text(errors="replace")


def assert_nowhere(found: Iterable[tuple[str, str]]) -> None:
    for place, text in found:
        held = [each for each in FRAGMENTS if each in text or each.encode().hex() in text]
        assert held == [], f"{place}: {text[:300]}"


@pytest.mark.parametrize("reader", ["rules", "parrot"])
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_s33_no_secret_is_in_any_table_key_file_log_or_request(
    path: Callable[[Words], None],
    reader: str,
    learning: Words,
    answers: Callable[..., ScriptedLlm],
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    server = answers(Parrot()) if reader == "parrot" else None
    caplog.set_level(logging.DEBUG)
    path(learning)
    assert_nowhere(everything(learning, tmp_path))
    assert_nowhere([("the log", caplog.text)])
    assert_nowhere(("a request", request.words) for request in (server.requests if server else ()))
    assert learning.count("inbox") >= 1
    if path is as_text and server is not None:
        assert server.requests, "what is left of it is read"


def test_s33_a_run_that_is_kept_on_the_disk_holds_none(
    learning: Words, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DAYBOOK_DATABASE_URL", "postgresql://nobody:x@127.0.0.1:9/none")
    settings.cache_clear()
    messages = [said(text, f"d{n}") for n, text in enumerate(sentences())]
    receipt = warmpath.observe(MIRA, messages, run_id="spooled", spool=True, inline=False)
    assert receipt.outcome == "spooled"
    kept = list(everything(learning, tmp_path))
    assert any("bakery" in text for _, text in kept)
    assert_nowhere(kept)
    forget_pools()


def test_s33_a_secret_that_a_model_puts_together_itself_is_not_kept(
    learning: Words, answers: Callable[..., ScriptedLlm], tmp_path: Path
) -> None:
    halves = "My key begins with sk-test- and goes on as " + SECRETS["sk-test-"].removeprefix("sk-test-")[:20] + "."
    whole = SECRETS["sk-test-"]
    answers(facts(entry(f"Mira's key is {whole}.", predicate="key", object=whole)))
    learning.ingest("acme", "Mira", "run-1", [said(halves, "m1")])
    assert not [place for place, text in everything(learning, tmp_path) if whole in text]


def test_s33_what_only_looks_like_one_is_recalled_as_it_was(learning: Words) -> None:
    texts = [f"My order is {each}" if each in ALIKE else each for each in LOOK_ALIKES]
    learning.ingest("acme", "Mira", "run-1", [said(text, f"m{n}") for n, text in enumerate(texts)])
    for text in texts:
        assert learning.recall("acme", "Mira", text)[0].text == text


def test_s33_what_is_useful_beside_a_secret_stays(learning: Words) -> None:
    learning.ingest("acme", "Mira", "run-1", [said(sentences()[0], "m1")])
    (found,) = [item.text for item in learning.bundle("acme", "Mira", "What do I use for the bakery?").items]
    assert found.startswith("For the bakery I use [redacted")


def test_s33_no_password_of_ordinary_words_is_anywhere(learning: Words, tmp_path: Path) -> None:
    marked = re.compile("⟦(.*?)⟧")
    secrets = {secret for hit in HITS for secret in marked.findall(hit) if len(secret) >= LONG and not secret.isdigit()}
    texts = [marked.sub(r"\1", hit) for hit in HITS]
    learning.ingest("acme", "Mira", "run-1", [said(text, f"m{n}", ts=DAY) for n, text in enumerate(texts)])
    for place, text in everything(learning, tmp_path):
        assert [secret for secret in secrets if secret in text] == [], place


def test_s33_the_number_of_an_alarm_is_no_belief(learning: Words) -> None:
    learning.ingest(
        "acme", "Mira", "run-1", [said("The alarm code is 9981.", "m1"), said("I use hunter2 as my password.", "m2")]
    )
    texts = learning.owner.execute("select text from memory").fetchall()
    assert texts
    assert not [text for (text,) in texts if "9981" in text or "hunter2" in text]


WRITES = {"observe", "aobserve", "record", "arecord", "outcome", "aoutcome"}


def test_s33_there_is_no_other_way_in_for_words() -> None:
    """Whoever adds one adds it to `PATHS`: its words go through the same door, or this fails."""
    assert set(warmpath.__all__) == WRITES
    takes_words = {
        name
        for name, method in inspect.getmembers(Daybook, inspect.isfunction)
        if not name.startswith("_") and {"messages", "data", "text", "question", "query"} & set(_parameters(method))
    }
    assert takes_words == {"observe", "record", "recall", "deep", "why"}
    tested = "".join(inspect.getsource(each) for each in PATHS.values())
    assert all(f"warmpath.{each}(" in tested for each in ("observe", "aobserve", "record", "arecord", "outcome"))
    assert all(f"daybook.{each}(" in tested for each in ("observe", "record"))


def _parameters(method: Callable[..., Any]) -> Iterable[str]:
    return inspect.signature(method).parameters
