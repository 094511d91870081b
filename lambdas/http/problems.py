"""Errors as RFC 9457 problem documents."""

import json
from collections.abc import Sequence
from typing import Any

from aws_lambda_powertools.event_handler import Response

from tablewright.runtime import errors as store_errors

# An answer does not grow with what was wrong: 1.6 MB of faults would make 8 MB of complaints.
MOST_ERRORS = 50
_MOST_TEXT = 300

_TITLES = {
    400: "The request is not valid",
    401: "Sign in first",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "In conflict with what is stored",
    412: "Changed since it was read",
    413: "Too much at once",
    415: "Not a type that is taken",
    422: "The request contradicts an earlier one",
    428: "Say what was read",
    429: "Too many requests",
    500: "Something went wrong here",
    503: "Try again shortly",
}


class Problem(Exception):
    """A request that cannot be fulfilled; `errors` points at the parts that are to blame.

    `retry_after` says after how many seconds it may be repeated.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        errors: Sequence[tuple[str, str]] = (),
        *,
        retry_after: int | None = None,
    ) -> None:
        self.status = status
        self.detail = detail
        self.errors = tuple(errors)
        self.retry_after = 1 if retry_after is None and status == 503 else retry_after
        super().__init__(detail)

    def response(self) -> Response[str]:
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": _TITLES.get(self.status, "The request failed"),
            "status": self.status,
            "detail": self.detail,
        }
        if self.errors:
            body["errors"] = listed(self.errors)
        headers = {"Retry-After": str(self.retry_after)} if self.retry_after else {}
        return Response(
            self.status,
            content_type="application/problem+json",
            body=json.dumps(body),
            headers=headers,
        )


def listed(errors: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Errors by pointer: the first of many and how many more, none longer than people read."""
    told = [{"pointer": _short(at), "detail": _short(what)} for at, what in errors[:MOST_ERRORS]]
    more = len(errors) - MOST_ERRORS
    if more > 0:
        told.append({"pointer": "", "detail": f"{more} more errors are not listed"})
    return told


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"


def from_store(error: Exception) -> Problem:
    """What the caller is told about an error of the store."""
    if isinstance(error, store_errors.CursorError):
        return Problem(400, str(error), [("cursor", str(error))])
    if isinstance(error, store_errors.NotFound):
        return Problem(404, str(error))
    if isinstance(error, (store_errors.AlreadyExists, store_errors.Conflict)):
        return Problem(409, str(error))
    if isinstance(error, store_errors.ItemTooLarge):
        return Problem(413, "With this change, what is stored would be larger than 400 KB.")
    if isinstance(error, (store_errors.Throttled, store_errors.Unavailable)):
        return Problem(503, "The table is busy; repeating the same request is safe.")
    return Problem(500, "The error was logged; repeating the request will not help.")
