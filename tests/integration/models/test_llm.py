"""A language model over real HTTP: its answers told apart, its time kept whatever the server does, its key unseen."""

import logging
import traceback
from time import monotonic

import pytest
from pydantic import BaseModel, SecretStr

from shared.contract.errors import Misconfigured, ModelUnavailable
from shared.models import _connecting
from shared.models._deadline import GRACE_S
from shared.models.llm import connect
from shared.models.port import Endpoint, Finish, Price, Said
from tests.scripted_llm import (
    Drip,
    EndlessBody,
    EndlessHeaders,
    Hang,
    Raw,
    Refusal,
    Reply,
    Status,
    Streamed,
    nobody_accepts,
    scripted,
)

KEY = "sk-a-key-that-nobody-may-see"
SLACK_S = 0.75
"""For a machine that does other things at the same time."""


class Shape(BaseModel):
    facts: list[str]


def model(server, *, name="openai:scripted", price=None):
    address = server.address if name.startswith("openai") else server.address.removesuffix("/v1")
    return connect(Endpoint(name=name, base_url=address, api_key=SecretStr(KEY), price=price))


def ask(llm, *, deadline_s=5.0, schema=None):
    said = [Said(role="user", text="hello")]
    return llm.complete("Answer in JSON.", said, schema=schema, max_output_tokens=300, deadline_s=deadline_s)


@pytest.mark.parametrize("name", ["openai:scripted", "openai-chat:scripted", "anthropic:claude-haiku-4-5"])
def test_an_answer_comes_with_what_it_took(name):
    with scripted(Reply(text="yes", usage=(120, 7))) as server:
        answer = ask(model(server, name=name))
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("yes", 120, 7)
    assert (answer.finish, answer.model) == (Finish.STOP, "scripted-1")
    assert server.requests[0].system == "Answer in JSON."
    assert server.requests[0].said == ["hello"]


@pytest.mark.parametrize("name", ["openai:scripted", "anthropic:claude-haiku-4-5"])
def test_a_refusal_and_a_cut_off_are_told_apart(name):
    with scripted(Refusal(), Reply(text="half of", finish="length")) as server:
        llm = model(server, name=name)
        assert [ask(llm).finish, ask(llm).finish] == [Finish.REFUSED, Finish.LENGTH]


def test_a_filter_of_the_providers_is_a_refusal():
    with scripted(Reply(text="", finish="content_filter")) as server:
        assert ask(model(server)).finish is Finish.REFUSED


def test_json_is_asked_for_where_a_shape_is_given():
    with scripted("{}") as server:
        ask(model(server), schema=Shape)
        ask(model(server))
    assert server.requests[0].body["response_format"] == {"type": "json_object"}
    assert "response_format" not in server.requests[1].body
    assert server.requests[0].system == "Answer in JSON."


@pytest.mark.parametrize(
    ("name", "field"),
    [("openai:gpt-5-mini", "response_format"), ("anthropic:claude-haiku-4-5", "output_config")],
)
def test_a_providers_own_model_is_given_the_shape_itself(name, field, monkeypatch):
    with scripted("{}") as server:
        address = server.address if name.startswith("openai") else server.address.removesuffix("/v1")
        monkeypatch.setitem(_connecting._OURS, name.partition(":")[0], address)
        ask(connect(Endpoint(name=name, api_key=SecretStr(KEY))), schema=Shape)
    assert "facts" in str(server.requests[0].body[field])
    assert server.requests[0].system == "Answer in JSON."


@pytest.mark.parametrize(
    "entry",
    [Hang(), Drip(text="{}", every_s=1.0), Drip(text="{}", every_s=0.05), EndlessHeaders()],
    ids=["not a byte", "a byte a second", "twenty bytes a second", "headers without end"],
)
@pytest.mark.parametrize("deadline_s", [0.5, 1.5])
def test_the_deadline_holds_whatever_the_server_does(entry, deadline_s):
    with scripted(entry) as server:
        llm = model(server)
        began = monotonic()
        with pytest.raises(ModelUnavailable, match=f"within {deadline_s:g} s"):
            ask(llm, deadline_s=deadline_s)
        took = monotonic() - began
    assert deadline_s <= took + 0.05
    assert took < deadline_s + GRACE_S + SLACK_S


@pytest.mark.parametrize("entry", [EndlessBody(), Streamed(text="{}"), Raw(sent=b"\x00garbage"), Raw(sent=b"")])
def test_what_is_no_answer_ends_in_time(entry):
    with scripted(entry) as server:
        llm = model(server)
        began = monotonic()
        with pytest.raises(ModelUnavailable):
            ask(llm, deadline_s=1.0)
    assert monotonic() - began < 1.0 + GRACE_S + SLACK_S


def test_the_deadline_holds_while_a_connection_is_not_taken():
    with nobody_accepts() as address:
        llm = connect(Endpoint(name="openai:scripted", base_url=address))
        began = monotonic()
        with pytest.raises(ModelUnavailable):
            ask(llm, deadline_s=0.7)
    assert 0.65 < monotonic() - began < 0.7 + GRACE_S + SLACK_S


def test_the_deadline_holds_for_a_name_that_is_looked_up_for_ever(monkeypatch):
    import socket
    import threading

    found = threading.Event()

    def for_ever(*_, **__):
        found.wait(20)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", for_ever)
    llm = connect(Endpoint(name="openai:scripted", base_url="http://nowhere.invalid/v1"))
    began = monotonic()
    with pytest.raises(ModelUnavailable):
        ask(llm, deadline_s=0.5)
    took = monotonic() - began
    found.set()
    assert took < 0.5 + GRACE_S + SLACK_S


def test_a_call_can_be_made_from_within_a_running_event_loop():
    import asyncio

    async def on_a_loop(llm):
        return ask(llm)  # the caller's own affair that it blocks

    with scripted("yes") as server:
        assert asyncio.run(on_a_loop(model(server))).text == "yes"


def test_a_busy_server_is_asked_again_when_it_said():
    with scripted(Status(code=429, headers={"Retry-After": "0.4"}), "yes") as server:
        llm = model(server)
        began = monotonic()
        assert ask(llm).text == "yes"
    assert monotonic() - began >= 0.4
    assert len(server.requests) == 2


def test_one_that_asks_for_more_time_than_there_is_is_left_at_once():
    with scripted(Status(code=429, headers={"Retry-After": "60"})) as server:
        llm = model(server)
        began = monotonic()
        with pytest.raises(ModelUnavailable, match="too many requests") as caught:
            ask(llm, deadline_s=5.0)
    assert monotonic() - began < 1.5
    assert len(server.requests) == 1
    assert caught.value.details["retry_after_s"] == 60


def test_an_ailing_server_is_asked_four_times_and_no_more():
    with scripted(Status(code=503)) as server, pytest.raises(ModelUnavailable, match=r"in 4 attempts.*status 503"):
        ask(model(server), deadline_s=20.0)
    assert len(server.requests) == 4


def test_a_server_that_recovers_is_heard():
    with scripted(Status(code=503), Status(code=500), "yes") as server:
        assert ask(model(server), deadline_s=10.0).text == "yes"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (Status(code=401, body='{"error": {"code": "invalid_api_key"}}'), "EXTRACTION_API_KEY"),
        (Status(code=404, body='{"error": {"code": "model_not_found"}}'), "EXTRACTION_MODEL"),
        (Status(code=400), "EXTRACTION_MODEL"),
        (Status(code=429, body='{"error": {"code": "insufficient_quota", "type": "insufficient_quota"}}'), "used up"),
        (Status(code=400, body='{"error": {"code": "context_length_exceeded"}}'), "WINDOW_TOKENS"),
    ],
)
def test_a_call_that_is_refused_is_not_made_again(status, said):
    with scripted(status) as server, pytest.raises(Misconfigured, match=said):
        ask(model(server))
    assert len(server.requests) == 1


def test_a_redirect_is_not_followed_with_the_key():
    with scripted("yes") as other, scripted(Status(code=307, headers={"Location": f"{other.address}/x"})) as server:
        for name in ("openai:scripted", "anthropic:claude-haiku-4-5"):
            with pytest.raises((ModelUnavailable, Misconfigured)):
                ask(model(server, name=name), deadline_s=1.0)
    assert other.requests == []


@pytest.mark.parametrize("status", [401, 500])
def test_the_key_is_in_no_error_no_log_and_no_repr(status, caplog):
    caplog.set_level(logging.DEBUG)
    echo = f'{{"error": {{"message": "bad key {KEY}", "code": "{KEY}", "type": "{KEY}"}}}}'
    with scripted(Status(code=status, body=echo)) as server:
        llm = model(server)
        with pytest.raises((Misconfigured, ModelUnavailable)) as caught:
            ask(llm, deadline_s=1.0)
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.details)
    assert KEY not in told + repr(llm) + repr(vars(llm)) + caplog.text
    assert f"Bearer {KEY}" in server.requests[0].words


def test_no_key_of_another_variable_is_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with scripted("yes") as server:
        ask(connect(Endpoint(name="openai:scripted", base_url=server.address)))
    assert "sk-of-somebody-else" not in server.requests[0].words
    with pytest.raises(Misconfigured, match="DAYBOOK_EXTRACTION_API_KEY"):
        connect(Endpoint(name="openai:gpt-5-mini"))


def test_a_known_price_is_counted_and_an_unknown_one_is_not_nothing():
    with scripted(Reply(text="yes", usage=(1_000_000, 100_000))) as server:
        unknown = ask(model(server))
        priced = ask(model(server, price=Price(input_usd=0.5, output_usd=2.0)))
    assert unknown.cost_usd is None
    assert priced.cost_usd == pytest.approx(0.7)


def test_the_clients_table_knows_what_the_providers_ask():
    llm = connect(Endpoint(name="anthropic:claude-haiku-4-5", api_key=SecretStr(KEY)))
    cost = llm.cost_usd(1_000_000, 0)
    assert cost is not None
    assert 0.0 < cost < 100.0
    assert connect(Endpoint(name="openai:no-such-model", api_key=SecretStr(KEY))).cost_usd(1, 1) is None


def test_a_server_that_does_not_count_is_counted_upward():
    with scripted(Reply(text="a longer answer than none", usage=None)) as server:
        answer = ask(model(server))
    assert answer.input_tokens > 0
    assert answer.output_tokens > 0


def test_calls_from_many_threads_do_not_meet():
    from concurrent.futures import ThreadPoolExecutor

    with scripted("yes") as server:
        llm = model(server)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: ask(llm, deadline_s=20.0).text, range(16)))
    assert answers == ["yes"] * 16


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        (Endpoint(name="gpt-5-mini"), "provider:model"),
        (Endpoint(name="openai:"), "provider:model"),
        (Endpoint(name="nobody:model"), "no provider known"),
        (Endpoint(name="mistral:large", api_key=SecretStr(KEY)), "pip install"),
    ],
)
def test_a_model_that_cannot_be_asked_is_refused_with_what_to_do(endpoint, said):
    with pytest.raises(Misconfigured, match=said):
        connect(endpoint)


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(Misconfigured, match=r"pip install 'daybook-memory\[llm\]'"):
        connect(Endpoint(name="openai:gpt-5-mini", api_key=SecretStr(KEY)))


def test_an_answer_that_is_none_is_paid_for_twice_at_most_and_said_so():
    with scripted(Raw(sent=b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ngarbage")) as server:
        with pytest.raises(ModelUnavailable) as caught:
            ask(model(server), deadline_s=20.0)
        assert len(server.requests) == 2
    assert caught.value.details["answers"] == 2


def test_what_an_ailing_server_sent_is_no_answer_that_was_paid_for():
    with scripted(Status(code=503)) as server, pytest.raises(ModelUnavailable) as caught:
        ask(model(server), deadline_s=20.0)
    assert caught.value.details["answers"] == 0


def test_what_an_answer_that_was_none_may_have_cost_is_counted_with_the_one_that_came():
    garbage = Raw(sent=b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ngarbage")
    with scripted(garbage, Reply(text="yes", usage=(120, 7))) as server:
        answer = ask(model(server, price=Price(input_usd=1.0, output_usd=1.0)))
    assert answer.input_tokens > 120
    assert answer.output_tokens == 7 + 300
    assert answer.cost_usd == pytest.approx((answer.input_tokens + answer.output_tokens) / 1e6)
