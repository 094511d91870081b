"""CloudFormation, as a custom resource of the library meets it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

Answer = dict[str, Any]
Handler = Callable[[dict[str, Any], Any], None]


class CloudFormation:
    """Asks, and keeps what it is answered."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.types: list[str | None] = []
        formation = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                formation.answers.append(json.loads(body))
                formation.types.append(self.headers["Content-Type"])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Quietly."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)

    def ask(self, handler: Handler, request: str, id: str, **asked: str) -> Answer:
        event = {
            "RequestType": request,
            "ResponseURL": f"http://127.0.0.1:{self.server.server_port}/answer",
            "StackId": "stack",
            "RequestId": "request",
            "LogicalResourceId": "Asked",
            "ResourceProperties": asked,
        }
        handler(event, None)
        answer = self.answers.pop()
        assert (answer.pop("StackId"), answer.pop("RequestId")) == ("stack", "request")
        assert answer.pop("LogicalResourceId") == "Asked"
        assert answer.pop("PhysicalResourceId") == id
        return answer


@contextmanager
def formation() -> Iterator[CloudFormation]:
    asking = CloudFormation()
    thread = threading.Thread(target=asking.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield asking
    finally:
        asking.server.shutdown()
        thread.join()
        asking.server.server_close()
