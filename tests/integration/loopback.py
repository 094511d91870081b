"""An AWS on the loopback that answers, or does not: for what only real connections show."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import boto3

_SESSION = """<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<AssumeRoleResult><Credentials><AccessKeyId>session</AccessKeyId>
<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>
<Expiration>{}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"""


class Loopback:
    """Answers STS, and DynamoDB by `items`; `hangs` names operations that are never answered,
    `hangs_once` those whose first request is not."""

    def __init__(self) -> None:
        self.hangs: set[str] = set()
        self.hangs_once: set[str] = set()
        self.closing = threading.Event()
        self.asked: list[str] = []
        self.items: Callable[[str], dict[str, Any]] = lambda operation: {}

    def answer(self, operation: str) -> bytes:
        self.asked.append(operation)
        if operation in self.hangs | self.hangs_once:
            self.hangs_once.discard(operation)
            self.closing.wait()
        if operation == "AssumeRole":
            until = datetime.now(UTC) + timedelta(hours=1)
            return _SESSION.format(until.isoformat()).encode()
        return json.dumps(self.items(operation)).encode()


class Session:
    """A boto3 session, all of whose clients call one address; `made` are their services."""

    region_name = "eu-west-1"

    def __init__(self, url: str) -> None:
        self._url = url
        self.made: list[str] = []
        self._session = boto3.session.Session(
            aws_access_key_id="own", aws_secret_access_key="own", region_name=self.region_name
        )

    def get_credentials(self) -> Any:
        return self._session.get_credentials()

    def client(self, service: str, **settings: Any) -> Any:
        self.made.append(service)
        return self._session.client(service, endpoint_url=self._url, **settings)


@contextmanager
def loopback() -> Iterator[tuple[Loopback, Session]]:
    world = Loopback()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet an answer: two would wait for one another's acknowledgement

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            target = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
            answer = world.answer(target or ("AssumeRole" if b"AssumeRole" in body else ""))
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, *_: Any) -> None:
            pass  # those that hung were hung up on

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield world, Session(f"http://127.0.0.1:{server.server_port}")
    finally:
        world.closing.set()
        server.shutdown()
        server.server_close()
