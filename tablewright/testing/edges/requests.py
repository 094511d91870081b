"""Requests to AWS by what they name: tables and items of DynamoDB, resources of other services."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Item = Mapping[str, Any]

# What names the resource of a request, in the services that functions mostly call.
_NAMES = (
    "TableName",
    "QueueUrl",
    "TopicArn",
    "FunctionName",
    "SecretId",
    "Bucket",
    "RoleArn",
    "KeyId",
    "StreamArn",
    "StreamName",
    "stateMachineArn",
    "Name",
    "FromEmailAddress",
)
_TYPES = frozenset({"S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"})
_STATEMENT = re.compile(
    r'\s*(\w+)\s+(?:INTO\s+|.*?\bFROM\s+)?"?([\w.-]+)"?(?:\."?([\w.-]+)"?)?', re.I | re.S
)
_EQUAL = re.compile(r"(#?[\w.]+)\s*=\s*(:\w+)")


@dataclass(frozen=True)
class TableRequest:
    """What a request asks of one table or index: by the name of IAM for it.

    `item` is what it is about, or the key of that, in DynamoDB's form; None for a query, whose
    `equal` has what its condition has equal, and for a scan or a statement.
    """

    action: str
    table: str
    index: str | None = None
    item: Item | None = None
    equal: Item | None = None

    def value(self, attribute: str) -> Any:
        """What the request has as an attribute: of its item, or of its condition."""
        found = self.item if self.item is not None else self.equal
        return next(iter(found[attribute].values())) if found and attribute in found else None


def target(service: str, params: Mapping[str, Any]) -> str:
    """What a request is about: its tables, or its queue, topic, bucket and so on."""
    if service == "events" and "Entries" in params:
        named = [str(one.get("EventBusName", "default")) for one in params["Entries"]]
    elif {"TransactItems", "RequestItems", "Statement", "Statements"} & params.keys():
        named = [one.table for one in requests("", params)]
    else:
        named = [str(params[name]) for name in _NAMES if params.get(name)][:1]
    return ", ".join(dict.fromkeys(named))


def requests(operation: str, params: Mapping[str, Any]) -> Iterator[TableRequest]:
    """What a request to DynamoDB asks of its tables and indexes."""
    if "TransactItems" in params:
        for part in params["TransactItems"]:
            for kind, one in part.items():
                about = wire_item(one.get("Item") or one["Key"])
                yield TableRequest(f"{kind}Item", one["TableName"], None, about)
    elif "RequestItems" in params:
        for table, asked in params["RequestItems"].items():
            for one in _batched(asked):
                yield TableRequest(operation, table, None, wire_item(one))
    elif {"Statement", "Statements", "TransactStatements"} & params.keys():
        for one in params.get("Statements") or params.get("TransactStatements") or [params]:
            yield _statement(one["Statement"])
    elif operation == "Query":
        table, index = params["TableName"], params.get("IndexName")
        yield TableRequest(operation, table, index, equal=_equal(params))
    elif "TableName" in params:
        found = params.get("Item") or params.get("Key")
        item = wire_item(found) if found else None
        yield TableRequest(operation, params["TableName"], params.get("IndexName"), item)
    else:
        yield TableRequest(operation, "*")


def wire_item(item: Item) -> Item:
    """An item in DynamoDB's form; resources of boto3 have values of Python."""
    return {name: wire_value(value) for name, value in item.items()}


def wire_value(value: Any) -> Any:
    """A value in DynamoDB's form."""
    if isinstance(value, dict) and len(value) == 1 and value.keys() <= _TYPES:
        return value
    from boto3.dynamodb.types import TypeSerializer

    return TypeSerializer().serialize(value)


def _batched(asked: Any) -> list[Item]:
    if isinstance(asked, dict):
        return list(asked["Keys"])
    inner = [next(iter(one.values())) for one in asked]
    return [one.get("Item") or one["Key"] for one in inner]


def _statement(text: str) -> TableRequest:
    found = _STATEMENT.match(text)
    if found is None:
        return TableRequest("PartiQL", "")
    return TableRequest(f"PartiQL{found[1].capitalize()}", found[2], found[3])


def _equal(params: Mapping[str, Any]) -> Item:
    """What the condition of a query has equal, by the names of attributes."""
    condition = params.get("KeyConditionExpression", "")
    names, values = (
        params.get("ExpressionAttributeNames", {}),
        params.get("ExpressionAttributeValues", {}),
    )
    if not isinstance(condition, str):
        from boto3.dynamodb.conditions import ConditionExpressionBuilder

        built = ConditionExpressionBuilder().build_expression(condition, is_key_condition=True)
        condition = built.condition_expression
        names, values = built.attribute_name_placeholders, built.attribute_value_placeholders
    pairs = _EQUAL.findall(condition)
    return {names.get(name, name): wire_value(values[alias]) for name, alias in pairs}
