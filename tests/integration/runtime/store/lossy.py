"""A proxy before DynamoDB that carries calls out and loses some answers."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@contextmanager
def lossy(endpoint: str, *, rate: float, seed: int) -> Iterator[str]:
    """Yield the address of a proxy that hangs up on this share of calls, once they are made."""
    chance, lock, target = random.Random(seed), threading.Lock(), urlsplit(endpoint)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            backend = HTTPConnection(target.hostname or "", target.port, timeout=30)
            try:
                backend.request("POST", "/", body, dict(self.headers))
                answer = backend.getresponse()
                status, content = answer.status, answer.read()
            finally:
                backend.close()
            with lock:
                lost = chance.random() < rate
            if lost:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
