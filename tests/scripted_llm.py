"""A provider of language models on this machine, which answers as it is told and keeps what it was asked.

It speaks OpenAI's chat completions (`/v1/chat/completions`) and Anthropic's messages (`/v1/messages`) over real HTTP.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        """The system's words, in either protocol."""
        own = self.body.get("system")
        if own is not None:
            return own if isinstance(own, str) else "\n".join(part["text"] for part in own)
        return "\n".join(_text(one) for one in self.body["messages"] if one["role"] in {"system", "developer"})

    @property
    def said(self) -> list[str]:
        """The turns after them."""
        return [_text(one) for one in self.body["messages"] if one["role"] not in {"system", "developer"}]

    @property
    def words(self) -> str:
        """All that was sent, headers and keys too."""
        return json.dumps([self.path, dict(self.headers), self.body], ensure_ascii=False)


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer. `usage`: tokens in and out; None: the server does not say."""

    text: str
    finish: str = "stop"
    usage: tuple[int, int] | None = (100, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The model declines, by the provider's own means."""

    text: str = "I cannot help with that."


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An error of the server's, or a redirect."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = '{"error": {"message": "no", "type": "error", "code": null}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """Not a byte, until the server is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drip:
    """A good answer, one byte at a time."""

    text: str
    every_s: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EndlessHeaders:
    """A header each few milliseconds, and never a body."""

    every_s: float = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class EndlessBody:
    """A body as fast as it is read, without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """Events of a stream, though none was asked for."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Bytes as they stand, after which the connection closes."""

    sent: bytes


Entry = Reply | Refusal | Status | Hang | Drip | EndlessHeaders | EndlessBody | Streamed | Raw


class ScriptedLlm:
    """The server. Its script is worked off call by call; the last entry answers whatever comes after it."""

    def __init__(self, script: Sequence[Entry]) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        """What an OpenAI-compatible client is given; for Anthropic's it is the part before `/v1`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def next(self, request: Request) -> Entry:
        """Note the request, and say how to answer it."""
        with self._lock:
            self.requests.append(request)
            return self.script[min(len(self.requests), len(self.script)) - 1]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def scripted(*script: Entry | str) -> Iterator[ScriptedLlm]:
    """A server for the length of the block; a text in the script is an answer."""
    with ScriptedLlm([Reply(text=one) if isinstance(one, str) else one for one in script]) as server:
        yield server


@contextmanager
def nobody_accepts() -> Iterator[str]:
    """An address whose connections are never taken: its queue is full, and what asks again is not heard."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            for one in waiting:
                one.close()


def _handler(server: ScriptedLlm) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            entry = server.next(Request(path=self.path, headers=dict(self.headers), body=body))
            self.close_connection = True
            with suppress(BrokenPipeError, ConnectionResetError):  # the client has gone
                _answer(self, entry, server.closing)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _answer(handler: BaseHTTPRequestHandler, entry: Entry, closing: threading.Event) -> None:  # noqa: C901, PLR0912
    write = handler.wfile.write
    anthropic = handler.path.endswith("/messages")
    match entry:
        case Reply():
            _send(handler, 200, (_anthropic if anthropic else _openai)(entry))
        case Refusal():
            _send(handler, 200, _anthropic_refusal(entry) if anthropic else _openai_refusal(entry))
        case Status():
            _send(handler, entry.code, entry.body, entry.headers)
        case Hang():
            closing.wait()
        case Drip():
            for byte in _http(_openai(Reply(text=entry.text))):
                if closing.wait(entry.every_s):
                    return
                write(bytes([byte]))
        case EndlessHeaders():
            write(b"HTTP/1.1 200 OK\r\n")
            while not closing.wait(entry.every_s):
                write(b"X-More: and more\r\n")
        case EndlessBody():
            write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
            while not closing.is_set():
                write(b" " * 65_536)
        case Streamed():
            _send(handler, 200, _events(entry.text), {"Content-Type": "text/event-stream"})
        case Raw():
            write(entry.sent)


def _send(handler: BaseHTTPRequestHandler, code: int, body: str, headers: Mapping[str, str] | None = None) -> None:
    sent = body.encode()
    handler.send_response(code)
    for name, value in ({"Content-Type": "application/json"} | dict(headers or {})).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(sent)))
    handler.end_headers()
    handler.wfile.write(sent)


def _http(body: str) -> bytes:
    sent = body.encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
    return head.encode() + sent


def _openai(reply: Reply, refusal: str | None = None) -> str:
    message = {"role": "assistant", "content": None if refusal else reply.text, "refusal": refusal}
    answer: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_900_000_000,
        "model": "scripted-1",
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
    }
    if reply.usage:
        sent, answered = reply.usage
        answer["usage"] = {"prompt_tokens": sent, "completion_tokens": answered, "total_tokens": sent + answered}
    return json.dumps(answer)


def _openai_refusal(refusal: Refusal) -> str:
    return _openai(Reply(text=""), refusal=refusal.text)


def _anthropic(reply: Reply) -> str:
    sent, answered = reply.usage or (0, 0)
    reasons = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
    return json.dumps(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "scripted-1",
            "content": [{"type": "text", "text": reply.text}] if reply.text else [],
            "stop_reason": reasons[reply.finish],
            "stop_sequence": None,
            "usage": {"input_tokens": sent, "output_tokens": answered},
        }
    )


def _anthropic_refusal(refusal: Refusal) -> str:
    return _anthropic(Reply(text=refusal.text, finish="content_filter"))


def _events(text: str) -> str:
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted-1"}
    delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    return f"data: {json.dumps(chunk | {'choices': [delta]})}\n\ndata: [DONE]\n\n"
