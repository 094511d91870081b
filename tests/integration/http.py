"""HTTP functions as API Gateway calls them, and their answers held against their documents."""

import json
import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from jsonschema import Draft202012Validator

Json = dict[str, Any]


class Context:
    """What Lambda passes beside the event."""

    function_name = "api"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:eu-west-1:123456789012:function:api"
    aws_request_id = "request"

    def get_remaining_time_in_millis(self) -> int:
        return 300_000


class Limited(Context):
    """A context that leaves so many seconds from now on."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def get_remaining_time_in_millis(self) -> int:
        return int((self._ends - time.monotonic()) * 1000)


class Hurried(Context):
    """Tells one invocation that its time is up as soon as it has begun something.

    Its calls are not bound by that: a machine that is slow must not end them.
    """

    def __init__(self) -> None:
        self._asked = 0

    def get_remaining_time_in_millis(self) -> int:
        self._asked += 1
        return 1 if self._asked > 1 else super().get_remaining_time_in_millis()


class Answer:
    def __init__(self, raw: Json) -> None:
        self.status: int = raw["statusCode"]
        self.text: str = raw.get("body") or ""
        headers = {**raw.get("headers", {}), **raw.get("multiValueHeaders", {})}
        self.headers = {name.lower(): value for name, value in headers.items()}
        kind = self.headers.get("content-type", "")
        self.content_type = kind if isinstance(kind, str) else kind[0]

    @property
    def json(self) -> Any:
        return json.loads(self.text) if self.text else None


class Contract:
    """An API's document: finds the route of a request, and checks what is answered."""

    def __init__(self, document: Json) -> None:
        self.document = document

    def event(
        self,
        method: str,
        path: str,
        body: Any,
        *,
        claims: dict[str, str],
        query: Json,
        headers: dict[str, str] | None = None,
    ) -> Json:
        """A request as API Gateway hands it to a function; `body` is JSON, or text as it is."""
        text = body if isinstance(body, str) else json.dumps(body)
        route, parameters = self.routed(method, path)
        return {
            "version": "2.0",
            "routeKey": route,
            "pathParameters": parameters,
            "rawPath": path,
            "rawQueryString": urlencode(query),
            "headers": {"content-type": "application/json", **(headers or {})},
            "queryStringParameters": {name: str(value) for name, value in query.items()} or None,
            "requestContext": {
                "stage": "$default",
                "http": {"method": method, "path": path},
                "authorizer": {"jwt": {"claims": claims, "scopes": None}},
            },
            "body": None if body is None else text,
            "isBase64Encoded": False,
        }

    def routed(self, method: str, path: str) -> tuple[str, dict[str, str]]:
        """The route that API Gateway finds for a path, and the parameters in it."""
        for template, item in self.document["paths"].items():
            pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template)
            match = re.fullmatch(pattern, path)
            if match and method.lower() in item:
                return f"{method} {template}", match.groupdict()
        return "$default", {}

    def conforms(self, answer: Answer, schema: str) -> bool:
        components = self.document["components"]
        resolved = {**components["schemas"][schema], "components": components}
        found = Draft202012Validator(resolved).iter_errors(answer.json)
        errors = [error.message for error in found]
        assert not errors, errors
        return True

    def problem(self, answer: Answer, status: int) -> dict[str, str]:
        """The answer is a problem document; gives its errors by pointer."""
        assert answer.status == status, answer.text
        assert answer.content_type == "application/problem+json"
        assert self.conforms(answer, "Problem")
        assert answer.json["status"] == status
        return {error["pointer"]: error["detail"] for error in answer.json.get("errors", [])}


class Requests:
    """Requests to a handler, by default of one user; their routes are remembered."""

    def __init__(
        self, handler: Callable[[Json, Any], Json], contract: Contract, claims: dict[str, str]
    ) -> None:
        self._handler = handler
        self._contract = contract
        self._claims = claims
        self.routes: set[tuple[str, str]] = set()

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        claims: dict[str, str] | None = None,
        expect: int = 200,
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> Any:
        """What is answered, if it is with this status."""
        event = self._contract.event(
            method, path, body, claims=claims or self._claims, query=query, headers=headers
        )
        answer = Answer(self._handler(event, Context()))
        assert answer.status == expect, answer.text
        route_method, _, route = event["routeKey"].partition(" ")
        self.routes.add((route_method, route))
        return answer.json
