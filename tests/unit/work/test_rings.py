"""Rings that cannot be sent are lost, counted and told by kind, whatever the URL and whatever the client raises."""

from __future__ import annotations

import threading
from uuid import UUID

import pytest

from shared import metrics
from shared.contract.errors import BrokerUnavailable, DaybookError, Misconfigured, ServiceFailed
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.settings import load
from shared.work import broker
from shared.work.doorbell import Doorbell
from shared.work.eviction import eviction_policy

WORK = Work(tenant_id="acme", owner=Owner("mira"), inbox_id=UUID(int=7))
PATIENCE_S = 20.0
UNUSABLE = [
    "foo://x",
    "redis://h:notaport",
    "redis://127.0.0.1:99999",
    "redis://127.0.0.1:1/notanumber",
    "sqs://",
    "amqps://x:y",
    "sentinel://127.0.0.1:1",
]
AWAY = ["redis://127.0.0.1:1/0", "amqp://guest:guest@127.0.0.1:1//"]


def app_of(url: str):
    return broker.make_app("rings", load(broker_timeout_s=0.5), lambda: url, only_sends=True)


def lost() -> float:
    return metrics.RINGS_LOST._value.get()


CALLS = {
    "send": lambda app: broker.send(app, "append", "acme", expires_s=60),
    "reach": lambda app: broker.reach(app, timeout_s=0.5),
    "answering": lambda app: broker.answering(app, timeout_s=0.5),
    "lengths": lambda app: broker.lengths(app, ["append"]),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("url", UNUSABLE)
def test_a_url_that_no_broker_can_have_is_a_matter_of_settings(url: str, call: str) -> None:
    with pytest.raises(Misconfigured, match="DAYBOOK_REDIS_URL"):
        CALLS[call](app_of(url))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("url", AWAY)
def test_a_broker_that_is_away_is_unavailable(url: str, call: str) -> None:
    with pytest.raises(BrokerUnavailable):
        CALLS[call](app_of(url))


@pytest.mark.parametrize("url", AWAY)
def test_a_ring_for_a_broker_that_is_away_is_tried_once_not_for_seconds(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", pauses.append)
    with pytest.raises(BrokerUnavailable):
        CALLS["send"](app_of(url))
    assert sum(pauses) == 0


def test_whatever_else_a_client_raises_is_one_of_our_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AttributeError("no such thing")

    app = app_of(AWAY[0])
    monkeypatch.setattr(app, "send_task", fail)
    with pytest.raises(BrokerUnavailable, match="AttributeError"):
        CALLS["send"](app)


@pytest.mark.parametrize("url", ["redis://:top/secret@h:6379/0", "redis://u:top:secret/x@h:1", "foo://u:secret@h"])
def test_a_password_is_not_told(url: str) -> None:
    with pytest.raises(DaybookError) as raised:
        CALLS["reach"](app_of(url))
    assert "top" not in str(raised.value)
    assert "secret" not in str(raised.value)


def test_the_eviction_policy_of_no_redis_url_is_a_matter_of_settings() -> None:
    with pytest.raises(Misconfigured):
        eviction_policy("redis://h:notaport", timeout_s=0.5)


def ring(bell: Doorbell) -> None:
    bell.ring(Stage.APPEND, WORK)
    assert bell.drain(PATIENCE_S), "the thread does not send any more"


@pytest.mark.parametrize("url", [*UNUSABLE, *AWAY])
def test_every_ring_that_is_not_sent_is_counted_not_the_first_alone(url: str) -> None:
    bell = Doorbell(load(broker_timeout_s=0.5), lambda: url)
    before = lost()
    for _ in range(3):
        ring(bell)
    assert lost() == before + 3


@pytest.mark.parametrize("error", [ZeroDivisionError(), MemoryError(), KeyError("x"), ServiceFailed("x")])
def test_the_thread_survives_whatever_is_raised_and_sends_the_next_ring(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    sent: list[str] = []
    outcomes = iter([error, None])

    def send(_app: object, task: str, *_: str, **__: object) -> None:
        if raised := next(outcomes):
            raise raised
        sent.append(task)

    monkeypatch.setattr(broker, "send", send)
    bell = Doorbell(load(), lambda: AWAY[0])
    before = lost()
    ring(bell)
    ring(bell)
    assert (sent, lost() - before) == (["append"], 1)


def test_a_broker_whose_place_is_not_known_yet_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Celery forgets a configuration that failed to load, and would ring at a broker on localhost from then on."""
    seen: list[str] = []
    places = iter([ServiceFailed("still starting"), "redis://127.0.0.1:1/5"])

    def where() -> str:
        found = next(places)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(broker, "send", lambda app, *_, **__: seen.append(app.conf.broker_url))
    bell = Doorbell(load(), where)
    ring(bell)
    ring(bell)
    assert seen == ["redis://127.0.0.1:1/5"]


def test_a_system_without_threads_to_give_loses_the_ring_and_no_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(broker, "send", lambda _app, task, *_, **__: sent.append(task))
    bell = Doorbell(load(), lambda: AWAY[0])
    before = lost()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        bell.ring(Stage.APPEND, WORK)
    assert lost() == before + 1
    ring(bell)
    assert sent == ["append"]
