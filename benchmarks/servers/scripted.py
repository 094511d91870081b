"""Servers that do to their clients what a script says: for tests of the wire, and the soak."""

import json
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# What is done with a connection once a request has come: sends, and gives whether it stays open.
Step = Callable[[socket.socket], bool]


def answer(body: bytes = b"{}", status: int = 200, close: bool = False, **headers: str) -> Step:
    """An answer as AWS gives it; headers with underscores for hyphens."""
    given = {"Content-Length": str(len(body)), "x-amz-crc32": str(zlib.crc32(body))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    if close:
        given["Connection"] = "close"
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return sends(f"HTTP/1.1 {status} Text\r\n{lines}\r\n".encode() + body, close=close)


def refusal(code: str, status: int = 400, **headers: str) -> Step:
    body = json.dumps({"__type": f"com.amazonaws.x#{code}", "message": "refused"}).encode()
    return answer(body, status, False, **headers)


def sends(data: bytes, *, close: bool = False) -> Step:
    """These bytes, in one piece."""

    def step(connection: socket.socket) -> bool:
        connection.sendall(data)
        return not close

    return step


def hangs_up(connection: socket.socket) -> bool:
    """The end of the connection instead of an answer."""
    return False


class Server:
    """A server on the loopback that does to each request what `step` says."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = int(self._listening.getsockname()[1])
        self.connections = 0
        self.closing = threading.Event()
        self.idle = threading.Semaphore(0)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def close(self) -> None:
        self.closing.set()
        self._listening.close()

    def stalls(self, connection: socket.socket) -> bool:
        """No answer, for as long as the test takes."""
        self.closing.wait()
        return False

    def step(self, request: bytes) -> Step:
        """What is done now that this request has come."""
        raise NotImplementedError

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        with plain:
            try:
                connection = self._tls.wrap_socket(plain, server_side=True) if self._tls else plain
                with connection:
                    while request := _request(connection):
                        if not self.step(request)(connection):
                            break
            except OSError:
                pass
        self.idle.release()


class Scripted(Server):
    """A server with one step for each request; `requests` came over so many `connections`."""

    def __init__(self, *script: Step, tls: ssl.SSLContext | None = None) -> None:
        self._script = list(script)
        self._lock = threading.Lock()
        self.requests: list[bytes] = []
        super().__init__(tls)

    def then(self, *script: Step) -> None:
        """What is done with further requests."""
        self._script += script

    def step(self, request: bytes) -> Step:
        with self._lock:
            self.requests.append(request)
            return self._script.pop(0)


def _request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return b""
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    (length,) = (
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def scripted(*script: Step, tls: ssl.SSLContext | None = None) -> Iterator[Scripted]:
    server = Scripted(*script, tls=tls)
    try:
        yield server
    finally:
        server.close()
