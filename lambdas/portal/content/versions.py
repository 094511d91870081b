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
    named = {}
    if isinstance(body, dict) and VERSION.name in body:
        named[f"/{VERSION.name}"] = body.pop(VERSION.name)
    if "if-match" in event.headers:
        named["If-Match"] = event.headers["if-match"].strip().strip('"')
    versions = [_checked(where, value) for where, value in named.items()]
    if not versions:
        raise Problem(428, "Send the ETag of what was read as If-Match, or its version in a body.")
    return versions[-1]


def _checked(where: str, value: Any) -> str:
    try:
        return str(VERSION.check(value))
    except InvalidValue as problem:
        raise Problem(400, "The version is not valid.", [(where, problem.reason)]) from None
