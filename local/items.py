"""Items of the tables, for people to read."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from local.emulator.connection import Connection
from local.names import table_names, the_one


def summary(connection: Connection) -> Iterator[str]:
    """One line for each table: its name, its indexes and how many items it has."""
    dynamodb = connection.client("dynamodb")
    for name in table_names(connection):
        described = dynamodb.describe_table(TableName=name)["Table"]
        indexes = [index["IndexName"] for index in described.get("GlobalSecondaryIndexes", [])]
        pages = dynamodb.get_paginator("scan").paginate(TableName=name, Select="COUNT")
        count = sum(page["Count"] for page in pages)
        yield f"{name}  {count} items" + (f", indexes {', '.join(indexes)}" if indexes else "")


def listing(connection: Connection, table: str, *, limit: int, key: str = "") -> Iterator[str]:
    """A table's items, those whose partition key has `key` in it, keys first."""
    dynamodb = connection.client("dynamodb")
    name = the_one(table, table_names(connection), "table")
    schema = dynamodb.describe_table(TableName=name)["Table"]["KeySchema"]
    keys = [one["AttributeName"] for one in schema]
    pages = dynamodb.get_paginator("scan").paginate(TableName=name)
    items = (_plain(item) for page in pages for item in page["Items"])
    wanted = (item for item in items if key in str(item[keys[0]]))
    for item in islice(wanted, limit):
        yield " | ".join(str(item[name]) for name in keys)
        rest = {name: item[name] for name in sorted(item) if name not in keys}
        yield f"    {json.dumps(rest, default=str, ensure_ascii=False)}"


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    read = TypeDeserializer()
    return {name: read.deserialize(value) for name, value in item.items()}
