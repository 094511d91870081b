"""The dashboard's API on this machine: its contract over a list of items, and what can go wrong."""

import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from lambdas.sentiment import page_files
from tests.integration.page.feed import Feed
from tests.integration.page.samples import NOW, stamp

CLIENT_ID = "page-tests"
TOKEN = "token-of-the-page-tests"
NOBODY = "http://127.0.0.1:9/"
NEWS = "/news/events"
SENTIMENTS = ("positive", "neutral", "negative")
FILTERS = ("source_type", "sentiment")
PARAMETERS = {
    "/items": {"limit", "cursor", "source_type", "sentiment", "tag", "since"},
    "/summary": {"hours", "source_type"},
    NEWS: {"sentiment"},
}


class Asked(NamedTuple):
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    status: int


class Answer(NamedTuple):
    status: int
    content_type: str
    body: str | Iterator[bytes]
    headers: dict[str, str]


class Api:
    """What the page talks to. Tests change its items and make it fail."""

    def __init__(self, items: list[dict[str, Any]]) -> None:
        self.items = items
        self.feed = Feed()
        self.accepts: Callable[[str], bool] = lambda token: token == TOKEN
        self.sign_in: dict[str, Any] = {
            "url": NOBODY,
            "clientId": CLIENT_ID,
            "userPoolId": "eu-west-1_AbC123",
            "password": True,
        }
        self.problem: Answer | None = None
        self._failing = ""
        self.silent = False
        self._closed = threading.Event()
        self.stale_seconds = 0
        # Said in place of what the items come to.
        self.counts: dict[str, Any] = {}
        self.asked: list[Asked] = []
        self.expired_cursors = False
        # Of more items than a page asks for, for a long list in one answer.
        self.page_size = 0
        self._server = _Server(("127.0.0.1", 0), partial(_Handler, self))
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> "Api":
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self.feed.close()
        self._server.shutdown()
        self._server.server_close()

    def requests(self, path: str) -> list[Asked]:
        return [each for each in self.asked if each.path == path]

    def fail(self, status: int, detail: str, path: str = "", **headers: str) -> None:
        """Answer so from now on, at one path or at all of them."""
        self._failing = path
        self.problem = _problem(status, detail)._replace(headers=headers)

    def answer(self, path: str, query: dict[str, str], headers: dict[str, str]) -> Answer:
        if path in PARAMETERS:
            return self._data(path, query, headers)
        if path == "/config.json":
            config = {"stage": "dev", "signIn": self.sign_in, "refreshSeconds": 5}
            return Answer(200, "application/json", json.dumps(config), {})
        found = page_files.asset(path, self.sign_in["url"])
        if found is None:
            return _problem(404, "There is nothing at this address.")
        return Answer(200, *found)

    def _data(self, path: str, query: dict[str, str], headers: dict[str, str]) -> Answer:
        if not self.accepts(headers.get("authorization", "").removeprefix("Bearer ")):
            return _problem(401, "The token is missing or no longer good.")
        if self.silent:
            self._closed.wait()
        if self.problem and path.startswith(self._failing):
            return self.problem
        if unknown := set(query) - PARAMETERS[path]:
            return _problem(400, f"Unknown parameters: {sorted(unknown)}")
        if self.expired_cursors and "cursor" in query:
            return _problem(400, "The cursor has expired.", errors=["cursor"])
        if "since" in query and "sentiment" in query and "tag" not in query:
            return _problem(400, "since is not valid here.", errors=["since"])
        if path == NEWS:
            return self._news(query, headers)
        body = json.dumps(self._items(query) if path == "/items" else self._summary(query))
        etag = f'"{sha256(body.encode()).hexdigest()[:16]}"'
        sent = {"ETag": etag, "Cache-Control": "private, no-cache", "x-consumed-read-units": "1.5"}
        if headers.get("if-none-match") == etag:
            return Answer(304, "application/json", "", sent)
        return Answer(200, "application/json", body, sent)

    def _news(self, query: dict[str, str], headers: dict[str, str]) -> Answer:
        last_id = headers.get("last-event-id")
        if last_id in self.feed.expired:
            return _problem(400, "The id has expired.", errors=["#/headers/Last-Event-ID"])
        pieces = self.feed.answer(query.get("sentiment"), last_id)
        return Answer(200, "text/event-stream", pieces, {"Cache-Control": "no-store"})

    def _items(self, query: dict[str, str]) -> dict[str, Any]:
        found = [each for each in self.items if _matches(each, query)]
        found.sort(key=lambda each: each["ingested_at"], reverse=True)
        if "sentiment" in query and "tag" not in query:
            found.sort(key=lambda each: (each["ingested_at"][:10], each["score"]), reverse=True)
        ids = [each["source_id"] for each in found]
        start = ids.index(query["cursor"]) + 1 if query.get("cursor") else 0
        limit = self.page_size or int(query.get("limit", "20"))
        page = found[start : start + limit]
        more = start + len(page) < len(found)
        return {"items": page, "next_cursor": page[-1]["source_id"] if more else None}

    def _summary(self, query: dict[str, str]) -> dict[str, Any]:
        last = NOW.replace(minute=0)
        count = int(query.get("hours", "24"))
        starts = [stamp(last - timedelta(hours=back)) for back in reversed(range(count))]
        found = [each for each in self.items if _matches(each, query | {"since": starts[0]})]
        moods = Counter((_hour(each["ingested_at"]), each["sentiment"]) for each in found)
        tags = Counter(tag for each in found for tag in each.get("matched_tags", ()))
        return {
            "since": starts[0],
            "until": stamp(NOW),
            "distribution": {
                mood: sum(each["sentiment"] == mood for each in found) for mood in SENTIMENTS
            },
            "tags": [{"tag": tag, "count": number} for tag, number in tags.most_common()],
            "hours": [
                {"hour": hour, **{mood: moods[hour, mood] for mood in SENTIMENTS}}
                for hour in starts
            ],
            "stale_seconds": self.stale_seconds,
            **self.counts,
        }


def _matches(item: dict[str, Any], query: dict[str, str]) -> bool:
    return (
        all(item[name] == query[name] for name in FILTERS if name in query)
        and ("tag" not in query or query["tag"] in item.get("matched_tags", ()))
        and item["ingested_at"] >= query.get("since", "")
    )


def _hour(text: str) -> str:
    return stamp(datetime.fromisoformat(text).replace(minute=0, second=0, microsecond=0))


def _problem(status: int, detail: str, errors: list[str] | None = None) -> Answer:
    body: dict[str, Any] = {"title": "The request failed", "status": status, "detail": detail}
    body["errors"] = [{"pointer": each, "detail": detail} for each in errors or ()]
    return Answer(status, "application/problem+json", json.dumps(body), {})


class _Server(ThreadingHTTPServer):
    request_queue_size = 64  # a browser opens several connections at once
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that is closed leaves in the middle of a request."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, api: Api, *arguments: Any) -> None:
        self._api = api
        super().__init__(*arguments)

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self._api.answer(address.path, query, headers)
        # Before the answer goes out: once the page shows it, a test may look for it here.
        self._api.asked.append(Asked(address.path, query, headers, answer.status))
        if isinstance(answer.body, str):
            self._send(answer, answer.body.encode())
        else:
            self._stream(answer, answer.body)

    def _send(self, answer: Answer, content: bytes) -> None:
        if answer.status == 304:
            self._begin(answer, {})
        else:
            self._begin(answer, {"Content-Length": str(len(content))})
            self.wfile.write(content)

    def _stream(self, answer: Answer, pieces: Iterator[bytes]) -> None:
        first = next(pieces)
        self._begin(answer, {"Transfer-Encoding": "chunked"})
        for piece in chain([first], pieces):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def _begin(self, answer: Answer, more: dict[str, str]) -> None:
        self.send_response(answer.status)
        for name, value in {**answer.headers, **more}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", answer.content_type)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Tests say what matters themselves."""
