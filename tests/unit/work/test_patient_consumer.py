"""A worker's consumer begins anew after whatever may become of its connection, and at whichever step."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
import redis
from celery.bootsteps import CLOSE
from kombu.exceptions import OperationalError

from shared.settings import load
from shared.work.broker import make_app
from shared.work.consumer import PatientConsumer

BROKEN = [
    redis.exceptions.ConnectionError("cut"),
    redis.exceptions.OutOfMemoryError("full"),
    OperationalError("cut while it greeted the other workers"),
]


@pytest.fixture
def consumer() -> PatientConsumer:
    app = make_app("patient", load(), lambda: "redis://127.0.0.1:1/0")
    return PatientConsumer(lambda _: None, app=app, pool=Mock(is_green=False), controller=Mock(), timer=Mock())


def test_the_worker_that_is_set_up_listens_so(consumer: PatientConsumer) -> None:
    assert consumer.app.conf.worker_consumer == f"{PatientConsumer.__module__}:{PatientConsumer.__name__}"


@pytest.mark.parametrize("error", BROKEN, ids=lambda error: type(error).__name__)
def test_it_begins_anew(consumer: PatientConsumer, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []

    def begin(parent: PatientConsumer) -> None:
        begun.append(parent)
        if len(begun) == 1:
            raise error
        parent.blueprint.state = CLOSE

    monkeypatch.setattr(consumer.blueprint, "start", begin)
    consumer.start()
    assert len(begun) == 2


def test_what_is_a_fault_of_the_program_ends_it(consumer: PatientConsumer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer.blueprint, "start", Mock(side_effect=ZeroDivisionError))
    with pytest.raises(ZeroDivisionError):
        consumer.start()
