"""A webhook on this machine: checks signatures, and fails as often as it is told to."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from lambdas.forms.submission.signing import SIGNATURE, Message, read_signature

UNAVAILABLE, ACCEPTED, UNSIGNED = 503, 204, 401
_LARGEST = 11 * 1024 * 1024


class Delivery(NamedTuple):
    """One request that arrived, and what it was answered with."""

    submission_id: str
    idempotency_key: str
    body: bytes
    status: int


class Receiver:
    """Takes deliveries in on the loopback interface, while it is held.

    `secret` gives what requests must be signed with. The first `fails` that are, are answered with
    503. Each delivery is given to `told`.

    Example::

        with Receiver(forms.hook_secret, fails=2) as receiver:
            forms.deliver_to(receiver.url)
    """

    def __init__(
        self,
        secret: Callable[[], str],
        *,
        port: int = 0,
        fails: int = 0,
        told: Callable[[Delivery], Any] = lambda _: None,
    ) -> None:
        self.deliveries: list[Delivery] = []
        self._secret = secret
        self._fails = fails
        self._told = told
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/submissions"

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take(self, path: str, headers: Any, body: bytes) -> int:
        """What a request is answered with."""
        status = ACCEPTED if self._is_signed(path, headers, body) else UNSIGNED
        with self._lock:
            if status == ACCEPTED and self._fails:
                self._fails -= 1
                status = UNAVAILABLE
            named = (headers.get("X-Form-Submission-Id", ""), headers.get("Idempotency-Key", ""))
            delivery = Delivery(*named, body, status)
            self.deliveries.append(delivery)
        self._told(delivery)
        return status

    def _is_signed(self, path: str, headers: Any, body: bytes) -> bool:
        # While its secret is rotated, a request carries the signatures of both.
        each = (headers.get(SIGNATURE) or "").split(",")
        given = dict(headers.items())
        return any(self._matches(path, {**given, SIGNATURE: one.strip()}, body) for one in each)

    def _matches(self, path: str, headers: dict[str, str], body: bytes) -> bool:
        try:
            signature = read_signature(headers, datetime.now(UTC))
        except ValueError:
            return False
        signed = (headers.get(name, "") for name in ("Content-Type", "Idempotency-Key"))
        return signature.made_with(self._secret(), Message("POST", path, body, *signed))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = min(int(self.headers.get("Content-Length") or 0), _LARGEST)
                status = receiver.take(self.path, self.headers, self.rfile.read(length))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """What arrives is told, not logged."""

        return Handler
