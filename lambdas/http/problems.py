"""Problem documents (RFC 9457): the answers to requests that fail."""

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas import errors
from tablewright.runtime import errors as store_errors

_STATUS: dict[type[errors.RequestError], int] = {
    errors.InvalidRequest: 400,
    errors.Unauthenticated: 401,
    errors.NotAllowed: 403,
    errors.NotThere: 404,
    errors.RequestConflict: 409,
    errors.TooMuch: 413,
    errors.UnsupportedType: 415,
    errors.RequestMismatch: 422,
    errors.VersionRequired: 428,
    errors.TooOften: 429,
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
            # Of this type, the title is the status phrase, as RFC 9457 wants it.
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        if self.errors:
            body["errors"] = errors.listed(self.errors)
        headers = {"Retry-After": str(self.retry_after)} if self.retry_after else {}
        return Response(
            self.status,
            content_type="application/problem+json",
            body=json.dumps(body),
            headers=headers,
        )


def from_domain(error: errors.RequestError) -> Problem:
    """The answer to a request that the rules refuse."""
    retry_after = error.retry_after if isinstance(error, errors.TooOften) else None
    return Problem(_STATUS[type(error)], error.detail, error.errors, retry_after=retry_after)


def from_store(error: Exception) -> Problem:
    """The answer to a request that fails with an error of the store."""
    if isinstance(error, store_errors.CursorError):
        return Problem(400, str(error), [("cursor", str(error))])
    # The texts of the errors are not for callers: they quote keys and current values of items.
    if isinstance(error, store_errors.NotFound):
        return Problem(404, "What the request is about does not exist.")
    if isinstance(error, store_errors.AlreadyExists):
        return Problem(409, "What the request creates exists already.")
    if isinstance(error, store_errors.Conflict):
        return Problem(409, "What the request changes was changed meanwhile: read it again.")
    if isinstance(error, store_errors.MalformedItem):
        detail = "A stored item does not fit its declaration and must be corrected first."
        return Problem(409, detail)
    if isinstance(error, store_errors.ItemTooLarge):
        return Problem(413, "With this change, what is stored would be larger than 400 KB.")
    if isinstance(error, (store_errors.Throttled, store_errors.Unavailable)):
        return Problem(503, "The table is busy; repeating the same request is safe.")
    return Problem(500, "The error was logged; repeating the request will not help.")
