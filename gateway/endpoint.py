"""Health over HTTP, for process managers on this machine: GET /health and nothing else."""

from __future__ import annotations

import json
import os
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from gateway.health import health
from shared import clock
from shared.contract.errors import Misconfigured
from shared.embedded._failure import file_errors
from shared.log import logger

if TYPE_CHECKING:
    from pathlib import Path

    from gateway.reports import Liveness
    from shared.settings import Settings

PATH: Final = "/health"
FILE: Final = "health.json"
"""In the data folder: where the endpoint answers, and which process it is."""
USUAL_PORT: Final = 8630

_LOG: Final = logger(__name__)
_LOOPBACK: Final = "127.0.0.1"
_FRESH_S: Final = 1.0
_PATIENCE_S: Final = 10.0


class HealthServer(ThreadingHTTPServer):
    """Answers on 127.0.0.1 with the health of the settings' Daybook: 200 where it is well, 503 where it is not.

    Raises:
        Misconfigured: the port that was asked for is taken.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._looking = Lock()
        self._seen: tuple[float, Liveness] | None = None
        asked = settings.health_port
        try:
            super().__init__((_LOOPBACK, USUAL_PORT if asked is None else asked), _Handler)
        except OSError as error:
            if asked is not None:
                raise _taken(asked, error) from error
            _LOG.warning("health: port %d is taken, so another one is used", USUAL_PORT)
            super().__init__((_LOOPBACK, 0), _Handler)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{_LOOPBACK}:{self.server_port}{PATH}"

    def look(self) -> Liveness:
        """The health of now, or of a second ago: however many ask, the database is asked once."""
        with self._looking:
            if self._seen is None or clock.monotonic_s() - self._seen[0] > _FRESH_S:
                self._seen = (clock.monotonic_s(), health(self._settings))
            return self._seen[1]


def serve(settings: Settings) -> None:
    """Answer until the process is ended; where, stands in `health.json` of the data folder."""
    data_dir = settings.data_dir.expanduser().resolve()
    with HealthServer(settings) as server, file_errors(data_dir):
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = data_dir / FILE
        place.write_text(json.dumps({"url": server.url, "pid": os.getpid()}), encoding="utf-8")
        _LOG.info("health url=%s", server.url)
        try:
            server.serve_forever()
        finally:
            place.unlink(missing_ok=True)


def url_of(data_dir: Path) -> str | None:
    """Where the endpoint of a data folder was said to answer last; None where none did, or it has ended."""
    try:
        found = json.loads((data_dir / FILE).read_text(encoding="utf-8"))
        os.kill(found["pid"], 0)
        return str(found["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


class _Handler(BaseHTTPRequestHandler):
    server: HealthServer
    timeout = _PATIENCE_S

    def do_GET(self) -> None:
        """Health, or 404."""
        from pydantic_core import to_json

        if self.path.partition("?")[0] != PATH:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        found = self.server.look()
        body = to_json(found)
        self.send_response(HTTPStatus.OK if found.healthy else HTTPStatus.SERVICE_UNAVAILABLE)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's signature
        """Write no line for each request."""


def _taken(port: int, error: OSError) -> Misconfigured:
    msg = f"port {port} of {_LOOPBACK} cannot be had ({error.strerror}): set DAYBOOK_HEALTH_PORT to another, or to 0"
    return Misconfigured(msg)
