"""A plain client of the deployed HTTP APIs."""

import contextlib
import http.client
import json
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

BUSY = 503
_TRIES = 5


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text) if self.text else None


class Api:
    """One system's API, called with one user's token.

    Example::

        Api(deployment.api_url("sales"), token)("GET", "/trend", category="dress")
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 60) -> None:
        self._url = urlsplit(url)
        self._token = token
        self._timeout = timeout

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        **query: Any,
    ) -> Answer:
        """The path is sent as it is: encode what is to be encoded."""
        address = self._url.path + path + (f"?{urlencode(query)}" if query else "")
        sent = dict(headers or {})
        if body is not None:
            sent["Content-Type"] = "application/json"
        if self._token:
            sent["Authorization"] = f"Bearer {self._token}"
        text = None if body is None else json.dumps(body).encode()
        return ask(self._url, method, address, text, sent, timeout=self._timeout)


def ask(
    url: SplitResult,
    method: str,
    address: str,
    body: bytes | None,
    headers: Mapping[str, str],
    *,
    timeout: float = 60,
) -> Answer:
    """Make a request of an address on a server, again and again while it answers that it is busy:
    it does so only where a request can be repeated."""
    for _ in range(_TRIES):
        connection = http.client.HTTPConnection(url.netloc, timeout=timeout)
        with contextlib.closing(connection):
            connection.request(method, address, body=body, headers=dict(headers))
            found = connection.getresponse()
            names = {name.lower(): value for name, value in found.getheaders()}
            answer = Answer(found.status, names, found.read().decode())
        if answer.status != BUSY:
            break
        time.sleep(float(answer.headers.get("retry-after", 1)))
    return answer


def put(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Upload to a signed address."""
    request = urllib.request.Request(url, data=body, method="PUT", headers=dict(headers))
    with urllib.request.urlopen(request, timeout=60):
        pass
