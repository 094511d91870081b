"""Page server: the page's files, and what it must know before anybody has signed in.

Open to everybody, so the function may do nothing else; and light, because a browser that loads the
page asks for all of its files at once, each of which may start another environment. Hence the
standard library only.
"""

import json
from collections.abc import Mapping
from typing import Any

from lambdas.edge import REFUSED, came_through
from lambdas.sentiment import contract
from lambdas.sentiment.contract import PageEnvironment
from lambdas.sentiment.page_files import Asset, asset, tagged


def _problem(status: int, title: str, detail: str) -> Asset:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return Asset("application/problem+json", json.dumps(body), headers={})


_NOTHING = _problem(404, "Not Found", "There is nothing at this address.")
_FORBIDDEN = _problem(403, "Forbidden", REFUSED)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    if not came_through(event["headers"]):
        return _answer(403, _FORBIDDEN)
    found = _found(event["rawPath"], PageEnvironment.read().page_config)
    if found is None:
        return _answer(404, _NOTHING)
    if found.headers["ETag"] in _known(event["headers"]):
        return _answer(304, found._replace(body=""))
    return _answer(200, found)


def _found(path: str, config: str) -> Asset | None:
    if path == contract.PAGE_CONFIG.path:
        return tagged("application/json", config)
    return asset(path, json.loads(config)["signIn"]["url"])


def _known(headers: Mapping[str, str]) -> set[str]:
    """The tags of what the browser has; weak ones will do, where bodies are compared as a whole."""
    # API Gateway writes the names of headers small.
    named = headers.get("if-none-match", "").split(",")
    return {one.strip().removeprefix("W/") for one in named}


def _answer(status: int, given: Asset) -> dict[str, Any]:
    return {
        "statusCode": status,
        "headers": {**given.headers, "Content-Type": given.content_type},
        "body": given.body,
    }
