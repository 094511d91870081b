"""Gap: a PartiQL statement is authorized as the request that carries it, which IAM does not know.

In AWS each statement of a request needs the permission for what it does, on its own table.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ministack.core import iam_actions

from local.gaps import expected

_BEGINS = {
    "PartiQLInsert": r"INSERT\s+INTO",
    "PartiQLUpdate": r"UPDATE",
    "PartiQLDelete": r"DELETE\s+FROM",
    "PartiQLSelect": r"SELECT\s.*?\sFROM",
}
_NAME = r'\s+("[^"]+"|[A-Za-z0-9_.-]+)'
_PARAMETERS = ("iam_action", "body", "region", "account_id")


class Statement(NamedTuple):
    """What a statement does, by IAM's name, and to which table."""

    action: str
    table: str


def close() -> None:
    of_transaction = expected.function(iam_actions, "dynamodb_transaction_checks", *_PARAMETERS)
    table_arn = expected.function(
        iam_actions, "_dynamodb_table_arn", "table", "region", "account_id"
    )

    def checks(iam_action: str, body: bytes, region: str, account_id: str) -> Any:
        if not iam_action.endswith(("ExecuteStatement", "ExecuteTransaction")):
            return of_transaction(iam_action, body, region, account_id)
        return [
            (f"dynamodb:{one.action}", table_arn(one.table, region, account_id))
            for one in statements(json.loads(body or b"{}"))
        ]

    iam_actions.dynamodb_transaction_checks = checks


def statements(request: dict[str, Any]) -> Iterator[Statement]:
    """The statements of a request, whether it has one or many."""
    many = request.get("Statements") or request.get("TransactStatements") or [request]
    return (found for one in many if (found := _read(one.get("Statement"))))


def _read(text: str | None) -> Statement | None:
    if text is None:
        return None  # another kind of request
    for action, begins in _BEGINS.items():
        if found := re.match(rf"\s*{begins}{_NAME}", text, re.IGNORECASE | re.DOTALL):
            return Statement(action, found[1].strip('"'))
    # Nobody has a permission of this name: what cannot be read does not ride along.
    return Statement("PartiQL", "*")
