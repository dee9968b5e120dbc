"""Health over HTTP: 200 or 503, on loopback, and nothing else."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from gateway import endpoint
from gateway.endpoint import FILE, HealthServer, url_of
from gateway.health import judge
from gateway.reports import Liveness
from shared.contract.errors import Misconfigured
from shared.settings import load
from tests.unit.gateway.test_health import IDLE, NOW, SWEPT, Counts

WELL = judge(load(), Counts(now=NOW, stages=(IDLE,), parked=0, views=(), builds=()), [SWEPT])
ILL = replace(WELL, healthy=False, reasons=("gate sleeps",))


@contextmanager
def answering(monkeypatch: pytest.MonkeyPatch, found: Liveness, asked: list[int] | None = None) -> Iterator[str]:
    def look(_: object) -> Liveness:
        if asked is not None:
            asked.append(1)
        return found

    monkeypatch.setattr(endpoint, "health", look)
    with HealthServer(load(health_port=0)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.url
        finally:
            server.shutdown()


@pytest.mark.parametrize(("found", "code"), [(WELL, 200), (ILL, 503)])
def test_the_code_says_it_and_the_document_says_why(
    monkeypatch: pytest.MonkeyPatch, found: Liveness, code: int
) -> None:
    with answering(monkeypatch, found) as url:
        try:
            answer = urllib.request.urlopen(url, timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            document = json.load(answer)
    assert (answer.status, document["healthy"], document["reasons"]) == (code, found.healthy, list(found.reasons))
    assert document["stages"][0]["stage"] == "gate"


@pytest.mark.parametrize(
    ("method", "path", "code"), [("GET", "/", 404), ("GET", "/metrics", 404), ("POST", "/health", 501)]
)
def test_there_is_nothing_else(monkeypatch: pytest.MonkeyPatch, method: str, path: str, code: int) -> None:
    with answering(monkeypatch, WELL) as url, pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(urllib.request.Request(url.replace("/health", path), method=method), timeout=10)
    with caught.value:
        assert caught.value.code == code


def test_many_who_ask_at_once_have_the_database_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(endpoint, "_FRESH_S", 60.0)
    with answering(monkeypatch, WELL, asked) as url:
        for _ in range(5):
            with urllib.request.urlopen(url, timeout=10) as answer:
                assert answer.status == 200
    assert len(asked) == 1


def test_it_answers_on_loopback_alone() -> None:
    with HealthServer(load(health_port=0)) as server:
        assert server.server_address[0] == "127.0.0.1"


def test_a_port_that_was_asked_for_and_is_taken_is_refused_and_the_usual_one_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        with pytest.raises(Misconfigured, match=f"port {taken} .* DAYBOOK_HEALTH_PORT"):
            HealthServer(load(health_port=taken))
        monkeypatch.setattr(endpoint, "USUAL_PORT", taken)
        with HealthServer(load()) as server:
            assert server.server_port != taken


def test_what_a_process_that_has_ended_wrote_counts_for_nothing(tmp_path: Path) -> None:
    assert url_of(tmp_path) is None
    (tmp_path / FILE).write_text(json.dumps({"url": "http://127.0.0.1:1/health", "pid": 2**22 + 1}))
    assert url_of(tmp_path) is None
    (tmp_path / FILE).write_text("{")
    assert url_of(tmp_path) is None
