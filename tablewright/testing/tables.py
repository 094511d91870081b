"""Tables on a local engine, made from their designs."""

from typing import Any

from tablewright.model import Design, Index, Table
from tablewright.model.entity import KeyAttributes


def create(client: Any, table: type[Table], name: str, *, stream: bool = True) -> str:
    """Create a table, as its construct would, and wait until it can be used.

    Nothing in it expires: the engine would go by the machine's clock, whoever uses it has another.
    `stream` is False for one whose stream nobody reads: the engine, which never forgets a change,
    takes the longer to write the more of them there are.

    Example::

        with DynamoDbLocal() as engine:
            client = boto3.client("dynamodb", "eu-west-1", endpoint_url=engine.endpoint,
                                  **engine.credentials())
            store = Store(Orders, create(client, Orders, "orders"), client)
    """
    made = definition(table.__design__, name)
    if not stream:
        made.pop("StreamSpecification", None)
    client.create_table(**made)
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return name


def definition(design: Design, name: str) -> dict[str, Any]:
    """The arguments of CreateTable for a design."""
    keys = [design.key_attributes(index) for index in (None, *design.indexes)]
    attributes = dict.fromkeys(name for key in keys for name in key.names)
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(design.key),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": design.kind(name)} for name in attributes
        ],
    }
    for index in design.index_list:
        made = {
            "IndexName": index.name,
            "KeySchema": _schema(index.key),
            "Projection": _projection(design, index),
        }
        kind = "LocalSecondaryIndexes" if index.local else "GlobalSecondaryIndexes"
        request.setdefault(kind, []).append(made)
    if design.stream:
        stream = {"StreamEnabled": True, "StreamViewType": design.stream}
        request["StreamSpecification"] = stream
    return request


def _schema(key: KeyAttributes) -> list[dict[str, str]]:
    parts = [(name, "HASH") for name in key.partition] + [(name, "RANGE") for name in key.sort]
    return [{"AttributeName": name, "KeyType": kind} for name, kind in parts]


def _projection(design: Design, index: Index) -> dict[str, Any]:
    if isinstance(index.projects, str):
        return {"ProjectionType": index.projects}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": design.carried(index)}
