"""Gap: `dynamodb:LeadingKeys` has no value, so policies on partition keys deny everything.

It gets the partition keys that a request names on the table or index that is being authorized:
in a batch or a transaction those of that table, in a transaction those of that action. A request
that names none, such as a Scan, has no such condition key.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ministack.core import iam_actions, iam_evaluator
from ministack.services import dynamodb

from local.gaps import expected

_KEY = "dynamodb:LeadingKeys"
_EQUALITY = re.compile(r"([#:]?[\w.-]+)\s*=\s*([#:]?[\w.-]+)")
_INSERTION = re.compile(r'\s*INSERT\s+INTO\s+"([^"]+)"\s+VALUE\s*\{(.*)\}', re.I | re.S)
_PLACED = re.compile(r"'((?:[^']|'')*)'\s*:\s*\?")

# table name, the single-item action within a transaction, partition key value
Named = tuple[str, str | None, str]


def close() -> None:
    context = expected.function(iam_actions, "dynamodb_service_context", "body")
    resolve = expected.function(iam_evaluator, "_resolve_condition_key", "key", "ctx")
    expected.attribute(iam_actions, "_DYNAMODB_TRANSACT_ITEM_ACTIONS")
    expected.attribute(dynamodb, "_tables")

    def service_context(body: bytes) -> dict[str, Any]:
        found = dict(context(body))
        try:
            named = list(named_keys(body))
        except (AttributeError, TypeError):
            # Not a request that DynamoDB accepts, which it will say.
            return found
        return {**found, _KEY: named} if named else found

    def resolve_condition_key(key: str, ctx: Any) -> Any:
        found = resolve(key, ctx)
        if key.lower() != _KEY.lower() or found is None:
            return found
        return authorized_keys(found, ctx.action, ctx.resource_arn) or None

    iam_actions.dynamodb_service_context = service_context
    iam_evaluator._resolve_condition_key = resolve_condition_key


def authorized_keys(named: list[Named], action: str, resource_arn: str) -> list[str]:
    """Of all keys that the request names, those that this check is about."""
    table = _table_name(resource_arn)
    return [key for name, single, key in named if name == table and single in (None, action)]


def named_keys(body: bytes) -> Iterator[Named]:
    try:
        request = json.loads(body or b"{}")
    except ValueError:
        return
    if not isinstance(request, dict):
        return
    if isinstance(request.get("TableName"), str):
        yield from _of_one_table(request)
    for table, asked in (request.get("RequestItems") or {}).items():
        yield from _of_batch(table, asked)
    for item in request.get("TransactItems") or []:
        for member, detail in item.items():
            action = iam_actions._DYNAMODB_TRANSACT_ITEM_ACTIONS.get(member)
            key = detail.get("Key") or detail.get("Item")
            yield from _of_item(detail.get("TableName", ""), action, key)
    for one in request.get("Statements") or request.get("TransactStatements") or [request]:
        yield from _of_insertion(one)


def _of_insertion(statement: dict[str, Any]) -> Iterator[Named]:
    """The key of an insertion that gives its values as parameters; other statements name none."""
    found = _INSERTION.match(statement.get("Statement") or "")
    if found:
        names = [name.replace("''", "'") for name in _PLACED.findall(found[2])]
        item = dict(zip(names, statement.get("Parameters") or [], strict=False))
        yield from _of_item(found[1], None, item)


def _of_one_table(request: dict[str, Any]) -> Iterator[Named]:
    table, index = request["TableName"], request.get("IndexName")
    yield from _of_item(table, None, request.get("Key") or request.get("Item"))
    attribute = _partition_key(table, index)
    names = request.get("ExpressionAttributeNames") or {}
    values = request.get("ExpressionAttributeValues") or {}
    for left, right in _EQUALITY.findall(request.get("KeyConditionExpression") or ""):
        name, value = (right, left) if left.startswith(":") else (left, right)
        if names.get(name, name) == attribute and value in values:
            yield _table_name(table), None, _text(values[value])
    condition = (request.get("KeyConditions") or {}).get(attribute) or {}
    for value in condition.get("AttributeValueList") or []:
        yield _table_name(table), None, _text(value)


def _of_batch(table: str, asked: Any) -> Iterator[Named]:
    if isinstance(asked, dict):
        for key in asked.get("Keys") or []:
            yield from _of_item(table, None, key)
        return
    for write in asked:
        put, delete = write.get("PutRequest") or {}, write.get("DeleteRequest") or {}
        yield from _of_item(table, None, put.get("Item") or delete.get("Key"))


def _of_item(table: str, action: str | None, item: Any) -> Iterator[Named]:
    attribute = _partition_key(table, None)
    if isinstance(item, dict) and attribute in item:
        yield _table_name(table), action, _text(item[attribute])


def _partition_key(table: str, index: str | None) -> str | None:
    record = dynamodb._tables.get(_table_name(table)) or {}
    schemas: dict[str | None, list[dict[str, str]]] = {None: record.get("KeySchema") or []}
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for one in record.get(kind) or []:
            schemas[one["IndexName"]] = one["KeySchema"]
    hashes = (k["AttributeName"] for k in schemas.get(index, []) if k["KeyType"] == "HASH")
    return next(hashes, None)


def _table_name(name_or_arn: str) -> str:
    """From a name, a table's ARN or an index's ARN."""
    return name_or_arn.partition(":table/")[2].partition("/")[0] or name_or_arn


def _text(value: dict[str, Any]) -> str:
    return str(next(iter(value.values()), ""))
