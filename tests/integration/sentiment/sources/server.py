"""An HTTP server on the loopback interface that answers as a test tells it to."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Request:
    """What arrived."""

    method: str
    path: str
    parameters: dict[str, str]
    headers: dict[str, str]
    body: str


@dataclass(frozen=True)
class Answer:
    """What to send back: `body` is bytes, or something to write as JSON."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, handler: "_Handler") -> None:
        content = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        handler.send_response(self.status)
        for name, value in {"Content-Length": str(len(content)), **self.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)


class Drop(Answer):
    """Closes the connection instead of answering."""

    def send(self, handler: "_Handler") -> None:
        handler.close_connection = True


class Cut(Answer):
    """Promises more than it sends."""

    def send(self, handler: "_Handler") -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"half": ')
        handler.close_connection = True


class Hang(Answer):
    """Says nothing until the test is over."""

    def send(self, handler: "_Handler") -> None:
        handler.server.over.wait()
        handler.close_connection = True


class Drip(Answer):
    """Sends a byte every now and then, for as long as anybody listens."""

    def send(self, handler: "_Handler") -> None:
        _endless(handler, b" ", every=0.02)


class Flood(Answer):
    """Sends without an end, for as long as anybody listens."""

    def send(self, handler: "_Handler") -> None:
        _endless(handler, b" " * 65536, every=0)


class Server(ThreadingHTTPServer):
    """Gives the answers it was told, one for each request, or those of an `application`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Request] = []
        self.application: Callable[[Request], Answer] = self._next
        self.over = threading.Event()
        self._answers: list[Answer] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def will_answer(self, *answers: Answer) -> None:
        self._answers += answers

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that breaks off is what some tests are about; all else is a mistake here."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def _next(self, _: Request) -> Answer:
        if self._answers:
            return self._answers.pop(0)
        return Answer({"error": "no answer was prepared for this request"}, 418)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self._respond()

    def _respond(self) -> None:
        address = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        parameters = dict(parse_qsl(address.query))
        request = Request(self.command, address.path, parameters, headers, body)
        self.server.requests.append(request)
        self.server.application(request).send(self)

    def log_message(self, format: str, *args: Any) -> None:
        """The test's output is no place for an access log."""


def _endless(handler: _Handler, piece: bytes, every: float) -> None:
    handler.send_response(200)
    handler.end_headers()
    handler.close_connection = True
    try:
        while not handler.server.over.wait(every):
            handler.wfile.write(piece)
    except OSError:
        return  # nobody listens any more


@contextmanager
def running(made: Server | None = None) -> Iterator[Server]:
    with made or Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
