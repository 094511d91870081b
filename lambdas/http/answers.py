"""Answers: records as JSON under the names that they are stored by."""

import json
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from aws_lambda_powertools.event_handler import Response

from tablewright.model import Entity
from tablewright.runtime.store.reader import Page


def answer(body: Any, status: int = 200, headers: dict[str, Any] | None = None) -> Response[str]:
    return Response(status, content_type="application/json", body=to_json(body), headers=headers)


def to_json(body: Any) -> str:
    return json.dumps(body, default=_json)


def record_json(record: Entity) -> dict[str, Any]:
    # In the design's order: DynamoDB keeps none, and the same record is to look the same.
    return {
        field.label: field.to_plain(record[field.name])
        for field in record.__entity__.fields
        if field.name in record
    }


def page_json(page: Page[Any], *, cursor: str = "nextCursor") -> dict[str, Any]:
    return {"items": [record_json(record) for record in page.items], cursor: page.cursor}


def tagged(response: Response[str], if_none_match: str | None, *, seconds: int) -> Response[str]:
    """The answer with ETag and Cache-Control; without a body when the receiver has it already."""
    digest = blake2b((response.body or "").encode(), digest_size=12).hexdigest()
    etag = f'"{digest}"'
    response.headers = {
        **response.headers,
        "ETag": etag,
        # Answers differ by who asks, so nothing shared may keep them.
        "Cache-Control": f"private, max-age={seconds}",
        "Vary": "Authorization",
    }
    return unless_known(response, etag, if_none_match)


def unless_known(response: Response[str], etag: str, if_none_match: str | None) -> Response[str]:
    """The answer, without its body when the receiver names its tag among those that he has."""
    named = (one.strip().removeprefix("W/") for one in (if_none_match or "").split(","))
    if etag in named:
        response.status_code, response.body = 304, ""
    return response


def _json(value: Any) -> int | float | list[str]:
    # Only for output, and only for amounts that a double writes out exactly as they are.
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, set):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
