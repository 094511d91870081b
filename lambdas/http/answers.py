"""Writing answers: records as JSON under the names that they are stored by."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from aws_lambda_powertools.event_handler import Response

from tablewright.designs import Entity
from tablewright.runtime.reader import Page


def answer(body: Any, status: int = 200, headers: dict[str, Any] | None = None) -> Response[str]:
    text = json.dumps(body, default=_number)
    return Response(status, content_type="application/json", body=text, headers=headers)


def record_json(entity: Entity, record: Mapping[str, Any]) -> dict[str, Any]:
    return {entity.by_name[name].stored: value for name, value in record.items()}


def page_json(entity: Entity, page: Page) -> dict[str, Any]:
    items = [record_json(entity, record) for record in page.items]
    return {"items": items, "nextCursor": page.cursor}


def _number(value: Any) -> int | float:
    # Only for output, and only for amounts that a double writes out exactly as they are.
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
