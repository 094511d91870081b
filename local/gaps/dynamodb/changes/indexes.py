"""Gap: UpdateTable makes and deletes any number of indexes at once, and a table has any number.

Indexes are made at once here, so that none is ever being made when the next call comes.
"""

from collections.abc import Iterable
from typing import Any

from ministack.core.responses import error_response_json
from ministack.services import dynamodb

from local.gaps import expected
from local.gaps.dynamodb.changes.refusals import (
    Refusal,
    Request,
    Table,
    invalid,
    invalid_parameter,
    refuse,
)

MOST = 20
ONE_TOO_MANY = Refusal(
    "LimitExceededException",
    "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of "
    f"{MOST}",
)
_ONE_AT_A_TIME = Refusal(
    "LimitExceededException",
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per "
    "table",
)
_ONE_PER_INDEX = "Only one global secondary index update per index is allowed simultaneously."
_REDEFINED = (
    "Attributes cannot be redefined. Please check that your attribute has the same type as "
    "previously defined."
)


def close() -> None:
    create = expected.function(dynamodb, "_create_table", "data")

    def create_table(data: Request) -> Any:
        refusal = too_many(data.get("GlobalSecondaryIndexes") or [])
        return error_response_json(*refusal) if refusal else create(data)

    dynamodb._create_table = create_table
    refuse("_update_table", reason)


def too_many(indexes: list[Any]) -> Refusal | None:
    """Why a table cannot be made with these indexes."""
    if len(indexes) <= MOST:
        return None
    return invalid_parameter(f"GlobalSecondaryIndex count exceeds the per-table limit of {MOST}")


def reason(table: Table, request: Request) -> Refusal | None:
    """Why the table's indexes cannot be changed so."""
    updates = request.get("GlobalSecondaryIndexUpdates") or []
    changes = [(action, index) for update in updates for action, index in update.items()]
    names = [index["IndexName"] for _, index in changes]
    for name in names:
        if names.count(name) > 1:
            return invalid_parameter(f"{_ONE_PER_INDEX} Index: {name}")
    if sum(action != "Update" for action, _ in changes) > 1:
        return _ONE_AT_A_TIME
    found = (
        _creation(table, request, index) if action == "Create" else _existing(table, action, index)
        for action, index in changes
    )
    return next(filter(None, found), None)


def _creation(table: Table, request: Request, index: dict[str, Any]) -> Refusal | None:
    globals_, locals_ = _names(table, "Global"), _names(table, "Local")
    if index["IndexName"] in globals_ | locals_:
        return invalid("Attempting to create an index which already exists")
    if len(globals_) >= MOST:
        return ONE_TOO_MANY
    return _definitions(table, request, index)


def _definitions(table: Table, request: Request, index: dict[str, Any]) -> Refusal | None:
    """Of the keys of a new index; what the table already defines does not count, but holds."""
    given, stored = _types(request), _types(table)
    if not given:
        return invalid_parameter(
            f"AttributeDefinitions is not specified for index: {index['IndexName']}"
        )
    keys = {key["AttributeName"]: key["KeyType"] for key in index["KeySchema"]}
    if missing := [name for name in keys if name not in given]:
        return invalid_parameter(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: {_listed(missing)}, AttributeDefinitions: {_listed(given)}"
        )
    for name, kind in keys.items():
        if (was := stored.get(name, given[name])) != given[name]:
            before, now = (
                f"Schema:[SchemaElement: key{{{name}:{type_}:{kind}}}]"
                for type_ in (was, given[name])
            )
            return invalid_parameter(f"{_REDEFINED} Existing schema: {before} New schema: {now}")
    return None


def _existing(table: Table, action: str, index: dict[str, Any]) -> Refusal | None:
    name = index["IndexName"]
    if name in _names(table, "Global"):
        return None
    if name in _names(table, "Local"):
        return invalid(
            f"Cannot {action.lower()} an index that is not a GlobalSecondaryIndex: {name}"
        )
    message = f"Requested resource not found: Index {name} for table {table['TableName']}"
    return Refusal("ResourceNotFoundException", message)


def _names(table: Table, kind: str) -> set[str]:
    return {index["IndexName"] for index in table.get(f"{kind}SecondaryIndexes") or []}


def _types(of: dict[str, Any]) -> dict[str, str]:
    definitions = of.get("AttributeDefinitions") or []
    return {each["AttributeName"]: each["AttributeType"] for each in definitions}


def _listed(names: Iterable[str]) -> str:
    return f"[{', '.join(names)}]"
