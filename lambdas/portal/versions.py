"""Changing the version that somebody has read, and no other."""

from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.http.answers import answer, record_json, to_json
from lambdas.http.problems import Problem
from tablewright.designs import InvalidValue, Record
from tablewright.designs.content_registry import CONTENT

VERSION = CONTENT.by_name["version"]


class Stale(Problem):
    """A change of what is no longer so; tells how it is now."""

    def __init__(self, current: Record) -> None:
        version = current[VERSION.name]
        super().__init__(409, f"It was changed after it was read: its version is now {version}.")
        self._current = current

    def response(self) -> Response[str]:
        given = super().response()
        # RFC 9457 lets a problem have members of its own.
        more = to_json(
            {
                "version": self._current[VERSION.name],
                "current": record_json(CONTENT, self._current),
            }
        )
        given.body = f"{(given.body or '{}')[:-1]}, {more[1:]}"
        given.headers["ETag"] = etag(self._current)
        return given


def etag(record: Record) -> str:
    return f'"{record[VERSION.name]}"'


def tagged(record: Record, status: int = 200) -> Response[str]:
    """The content, with the tag by which it can be changed."""
    return answer(record_json(CONTENT, record), status, {"ETag": etag(record)})


def version_in(event: Any, body: Any) -> str:
    """The version that a request names: in If-Match, or as `version`, taken out of the body."""
    stated = body.pop(VERSION.name, None) if isinstance(body, dict) else None
    header = event.headers.get("if-match")
    if header is None and stated is None:
        raise Problem(428, "Send the ETag of what was read as If-Match, or its version in a body.")
    try:
        return str(VERSION.check(stated if header is None else header.strip().strip('"')))
    except InvalidValue as problem:
        where = f"/{VERSION.name}" if header is None else "If-Match"
        raise Problem(400, "The version is not valid.", [(where, problem.reason)]) from None
