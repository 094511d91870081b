"""The client of the local cloud asks a busy API again, of whatever it asks."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from local.clients.api import Api

BODY = {"name": "Ada"}


class Busy(ThreadingHTTPServer):
    """Answers 503 as often as it is told, then 201; keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.busy = 0
        self.asked: list[tuple[str, bytes]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Busy

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, body))
        is_busy = len(self.server.asked) <= self.server.busy
        self.send_response(503 if is_busy else 201)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815

    def log_message(self, *said: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Busy]:
    with Busy() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_what_a_busy_api_did_not_do_is_asked_again(method: str, server: Busy) -> None:
    server.busy = 2
    api = Api(f"http://127.0.0.1:{server.server_port}/v1")
    assert api(method, "/things", None if method == "GET" else BODY).status == 201
    assert len(server.asked) == 3
    assert len(set(server.asked)) == 1


def test_an_api_that_stays_busy_is_given_up(server: Busy) -> None:
    server.busy = 100
    assert Api(f"http://127.0.0.1:{server.server_port}")("POST", "/things", BODY).status == 503
    assert len(server.asked) == 5
