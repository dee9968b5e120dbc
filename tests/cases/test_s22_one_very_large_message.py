"""S22: a message of any size is stored and found, or refused with the limit; the run's others are not its victims."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
import redis

import warmpath
from shared.contract.errors import InvalidRun
from shared.contract.receipts import Outcome, Stage, Work
from shared.contract.scope import Owner, Scope
from shared.embedded import open_database
from shared.language.indexing import LONGEST_WHOLE_CHARS, MAX_PASSAGES, PASSAGE_CHARS
from shared.settings import settings
from shared.store import ledger
from shared.store.db import Role
from shared.work.doorbell import Doorbell
from tests.cases.adapter import Words, said, scope
from warmpath import index
from warmpath._door import services
from warmpath._work import perform

pytestmark = pytest.mark.usefixtures("embedder")

FIRST, LATER = "zanzibarquokka", "marmotbutterscotch"
REST = [
    {"id": "before", "role": "user", "text": "Please look through the inventory for broken lamps."},
    {"id": "call", "role": "assistant", "text": "", "tool_calls": [{"id": "c1", "function": {"name": "inventory"}}]},
    {"id": "after", "role": "assistant", "text": "The lamp in the cellar is broken."},
    {"id": "last", "role": "user", "text": "Then order two bulbs from Halloran."},
]
MOST_MESSAGE_BYTES = 2_048
"""What a message on the broker may hold: Celery's own envelope with three ids is half of it."""


def four_megabytes() -> str:
    """400,000 distinct words, of which the very first and one further on are found nowhere else."""
    numbered = [f"w{n:08d}" for n in range(400_000)]
    numbered[20_000] = LATER
    return " ".join([FIRST, *numbered[1:]])


def run_with(big: object) -> list[dict]:
    result = {"id": "big", "role": "tool", "tool_call_id": "c1", "text": big}
    return [*REST[:2], result, *REST[2:]]


def base64_line() -> str:
    return base64.b64encode(random.Random(22).randbytes(675_000)).decode()


BIG = {
    "400000 distinct words": four_megabytes,
    "one line of base64": base64_line,
    "one letter": lambda: "a" * 1_000_000,
    "no spaces in Chinese": lambda: "".join(chr(0x4E00 + n % 5_000) for n in range(300_000)),
    "lines of JSON": lambda: json.dumps([{"id": n, "state": "ok"} for n in range(40_000)], indent=1),
    "emoji": lambda: "🦔🐝" * 100_000,
    "spaces": lambda: "lamp" + " " * 2_000_000 + "bulb",
    "line ends": lambda: "lamp\n" * 200_000,
}


def test_s22_the_run_is_finished_and_everything_else_in_it_is_recalled(words: Words) -> None:
    for user, kind in BIG.items():
        big = kind()
        words.ingest("acme", user, "run-1", run_with(big))
        assert words.status("acme", user, "run-1") == [("done", 0)], user
        outcomes = [each.outcome for each in words.receipts("acme", user, "run-1")]
        assert outcomes == [Outcome.ACCEPTED, Outcome.STORED, Outcome.PASSED, Outcome.INDEXED]
        kept = {event.message_id: event.payload or {} for event in words.evidence("acme", user)}
        assert list(kept) == ["before", "call", "big", "after", "last"]
        assert kept["big"]["text"] == big
        for query, text in {
            "which lamp is broken": "The lamp in the cellar is broken.",
            "order bulbs Halloran": "Then order two bulbs from Halloran.",
            "look through inventory": "Please look through the inventory for broken lamps.",
        }.items():
            assert text in {hit.text for hit in words.recall("acme", user, query)}, (user, query)


def test_s22_words_of_the_big_message_are_found_and_the_passage_says_where_they_stand(words: Words) -> None:
    big = four_megabytes()
    words.ingest("acme", "mira", "run-1", run_with(big))
    for word in (FIRST, LATER):
        hit = words.recall("acme", "mira", word)[0]
        assert word in hit.text
        assert len(hit.text) <= PASSAGE_CHARS
        assert [source.message_id for source in hit.sources] == ["big"]
    passages = [row for row in words.current("acme", "mira") if row["origin"] == "tool"]
    assert len(passages) == MAX_PASSAGES
    reach = sum(len(row["text"]) for row in passages)
    assert any(
        receipt.reason
        == f"in the ledger and findable, of one message only the first {reach:,} of {len(big):,} characters"
        for receipt in words.receipts("acme", "mira", "run-1")
    )
    assert "w00399999" not in "".join(hit.text for hit in words.recall("acme", "mira", "w00399999"))
    again = words.accept("acme", "mira", "run-2", [said(big, "m1"), said("Short.", "m2")])
    assert again.warnings == (
        f"m1: only its first {reach:,} of {len(big):,} characters are findable: send it in parts",
    )
    spans = words.owner.execute(
        "select span_start, span_end, text from memory join memory_evidence using (tenant_id, generation, memory_id) "
        "where origin = 'tool' order by doc"
    ).fetchall()
    assert all(text == big[start:end] for start, end, text in spans), "each cites its own span of the evidence"
    assert [start for start, _, _ in spans[1:]] == [end for _, end, _ in spans[:-1]], "and none is left out between"


def test_s22_a_long_message_loses_no_word_to_its_passages(words: Words) -> None:
    for chars in (LONGEST_WHOLE_CHARS - 1, LONGEST_WHOLE_CHARS, LONGEST_WHOLE_CHARS + 1, 9_000, 60_000):
        text = " ".join(f"item{n}" for n in range(chars))[:chars].rsplit(" ", 1)[0].ljust(chars, "x")
        words.ingest("acme", f"user-{chars}", "run-1", [said(text, "m1")])
        passages = words.current("acme", f"user-{chars}")
        assert (len(passages) == 1) is (chars <= LONGEST_WHOLE_CHARS)
        assert "".join(row["text"] for row in passages) == text
        assert len({row["memory_id"] for row in passages}) == len(passages)
        everything = text.split()
        for word in (everything[0], everything[len(everything) // 2], everything[-1]):
            assert word in words.recall("acme", f"user-{chars}", word)[0].text.split()
    assert words.count("memory_vector") == words.count("memory")


def test_s22_a_second_indexing_touches_no_row(words: Words, owner: psycopg.Connection) -> None:
    words.ingest("acme", "mira", "run-1", run_with("lamp " * 5_000))
    rows = "select tableoid::regclass::text, ctid::text, xmin::text from memory_vector order by 1, 2"
    before, events = owner.execute(rows).fetchall(), words.count("event")
    assert before
    ((inbox_id,),) = owner.execute("select inbox_id from inbox").fetchall()
    work = Work(tenant_id="acme", owner=Owner("mira"), inbox_id=inbox_id)
    made = services(settings())
    for _ in range(2):
        assert perform(made, Stage.INDEX, index.run, work) is None, "what is done is not taken up again"
        owner.execute("update inbox set stage = 'index', state = 'waiting'")
        again = perform(made, Stage.INDEX, index.run, work)
        assert again is not None
        assert again.counts == {"vectors": 0}
    assert owner.execute(rows).fetchall() == before
    assert words.count("event") == events


def test_s22_what_is_above_the_limit_is_refused_with_the_limit_and_nothing_is_stored(words: Words) -> None:
    for size, character in ((8_000_001, "a"), (2_700_000, "猫"), (2_100_000, "🦔"), (30_000_000, "\n")):
        with pytest.raises(InvalidRun, match=r"message 2: .* the limit is 8000000 .*DAYBOOK_MAX_MESSAGE_BYTES"):
            words.accept("acme", "mira", "run-1", run_with(character * size))
    assert words.count("inbox") == 0


def test_s22_a_large_tool_call_counts_against_the_limit_too(words: Words) -> None:
    call = {"id": "c1", "function": {"name": "write", "arguments": {"content": "a" * 8_000_001}}}
    with pytest.raises(InvalidRun, match="the limit is"):
        words.accept("acme", "mira", "run-1", [{"role": "assistant", "text": "", "tool_calls": [call]}])
    assert words.count("inbox") == 0


def test_s22_more_messages_than_a_run_may_hold_are_refused_with_the_limit(words: Words) -> None:
    with pytest.raises(InvalidRun, match="more than 10000 messages"):
        words.accept("acme", "mira", "run-1", [said(f"Note {n}", f"m{n}") for n in range(10_001)])
    assert words.count("inbox") == 0


@pytest.mark.parametrize("big_is", ["call", "result", "text before"])
def test_s22_a_call_and_its_result_are_kept_together_in_order(words: Words, big_is: str) -> None:
    """Whatever is cut, is cut from what is indexed: in the ledger each result stands after its call, both whole."""
    big = "lamp " * 100_000
    messages = []
    for n in range(3):
        arguments = {"q": big if big_is == "call" and n == 1 else "lamp"}
        call = {"id": f"c{n}", "type": "function", "function": {"name": "inventory", "arguments": arguments}}
        messages += [
            said(big if big_is == "text before" and n == 1 else f"Question number {n}", f"q{n}"),
            {"id": f"a{n}", "role": "assistant", "content": None, "tool_calls": [call]},
            {
                "id": f"r{n}",
                "role": "tool",
                "tool_call_id": f"c{n}",
                "content": big if big_is == "result" and n == 1 else f"lamp {n}",
            },
        ]
    words.ingest("acme", "mira", "run-1", messages)
    kept = words.evidence("acme", "mira")
    assert [event.message_id for event in kept] == [message["id"] for message in messages]
    for call_event, result in zip(kept[1::3], kept[2::3], strict=True):
        calls = (call_event.payload or {})["tool_calls"]
        assert [call["id"] for call in calls] == [(result.payload or {})["tool_call_id"]]
        assert result.sequence == call_event.sequence + 1
    assert [(event.payload or {})["tool_calls"][0]["function"] for event in kept[1::3]] == [
        message["tool_calls"][0]["function"] for message in messages[1::3]
    ]


@pytest.mark.parametrize("given", ["anthropic", "openai"])
def test_s22_the_parts_of_one_message_are_never_half_of_a_call(words: Words, given: str) -> None:
    call = {"type": "tool_use", "id": "c1", "name": "inventory", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "lamp " * 50_000}]}
    if given == "openai":
        call = {"type": "function_call", "call_id": "c1", "name": "inventory", "arguments": "{}"}
        result = {"type": "function_call_output", "call_id": "c1", "output": "lamp " * 50_000}
    messages = [{"id": "a", "role": "assistant", "content": [call]}, {"id": "r", "role": "user", "content": [result]}]
    words.ingest("acme", "mira", "run-1", messages)
    first, second = words.evidence("acme", "mira")
    assert (first.payload or {})["tool_calls"] == [call]
    assert (second.payload or {})["tool_call_id"] == "c1"
    assert (second.origin, second.actor_role) == ("tool", "tool"), "a tool's words are not the user's"


@pytest.fixture
def queue() -> Iterator[redis.Redis]:
    """A database of the broker that nobody else uses."""
    found = settings().redis_url
    assert found is not None
    client = redis.Redis.from_url(_beside(found.get_secret_value()))
    client.flushdb()
    yield client
    client.flushdb()
    client.close()


def _beside(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path="/9"))


def test_s22_what_goes_through_the_broker_is_ids_alone(words: Words, queue: redis.Redis) -> None:
    url = _beside(settings().redis_url.get_secret_value())  # type: ignore[union-attr]
    bell = Doorbell(settings(), lambda: url)
    words.accept("acme", "mira", "run-1", run_with(four_megabytes()))
    ((stage, work),) = words.bell.rung
    for each in Stage.APPEND, Stage.GATE, Stage.INDEX:
        bell.ring(each, work)
    assert stage is Stage.APPEND
    assert bell.drain(30)
    assert {name.decode() for name in queue.scan_iter() if queue.type(name) == b"list"} == {"append", "gate", "index"}
    for name in ("append", "gate", "index"):
        (message,) = queue.lrange(name, 0, -1)
        assert len(message) < MOST_MESSAGE_BYTES
        body = base64.b64decode(json.loads(message)["body"]).decode()
        assert json.loads(body)[0] == ["acme", "mira", str(work.inbox_id)]
    whole = b"".join(queue.dump(name) or b"" for name in queue.scan_iter())
    assert not any(word.encode() in whole for word in (FIRST, "Halloran", "w00000001"))


def test_s22_a_run_that_fails_each_time_is_parked_and_not_picked_again_for_ever(
    words: Words, monkeypatch: pytest.MonkeyPatch, owner: psycopg.Connection
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("cannot hold this row")

    monkeypatch.setattr("shared.store.postings.append", fail)
    words.accept("acme", "mira", "run-1", run_with("lamp " * 1_000))
    ring = words.bell.rung.pop()
    for _ in range(settings().task_attempts):
        words.bell.rung.append(ring)
        with pytest.raises(MemoryError):
            words.drain()
        owner.execute("update inbox set retry_at = null")
    for _ in range(3):
        words.bell.rung.append(ring)
        assert words.drain() == []
        owner.execute("update inbox set retry_at = null")
    assert [state for state, _ in words.status("acme", "mira", "run-1")] == ["parked"]
    (parked,) = [each for each in words.receipts("acme", "mira", "run-1") if each.stage is Stage.APPEND]
    assert parked.outcome is Outcome.FAILED
    assert owner.execute("select payload is not null from inbox").fetchone() == (True,), "nothing of it is lost"
    monkeypatch.undo()


def test_s22_the_ledger_holds_a_payload_of_the_full_size(words: Words) -> None:
    words.ingest("acme", "mira", "run-1", [said("é" * 4_000_000, "m1")])
    with open_database(settings()).transaction(Role.READER, "acme", [Owner("mira")]) as session:
        first = next(iter(ledger.read(session, Owner("mira"))))
    assert len((first.payload or {})["text"]) == 4_000_000
    warmpath.observe(
        Scope(tenant_id="acme", user_id="mira"), [said("And then tea.", "m2")], run_id="run-2", inline=True
    )
    assert words.recall("acme", "mira", "tea")[0].text == "And then tea."
    assert scope("acme", "mira", {}).owner == "mira"
