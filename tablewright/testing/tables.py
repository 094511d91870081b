"""Tables on a local engine, made from their designs."""

from typing import Any

from tablewright.model import KEYS_ONLY, Design, Table


def create(client: Any, table: type[Table], name: str, *, stream: bool = True) -> str:
    """Create a table, as its construct would, and wait until it can be used.

    Nothing in it expires: the engine would go by the machine's clock, whoever uses it has another.
    `stream` is False for one whose stream nobody reads: the engine, which never forgets a change,
    takes the longer to write the more of them there are.
    """
    made = definition(table.__design__, name)
    if not stream:
        made.pop("StreamSpecification", None)
    client.create_table(**made)
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return name


def definition(design: Design, name: str) -> dict[str, Any]:
    """The arguments of CreateTable for a design."""
    table_keys = (design.pk, design.sk)
    keys = dict.fromkeys(key for index in design.index_list for key in (index.pk, index.sk))
    attributes = [name for name in dict.fromkeys((*table_keys, *keys)) if name]
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(*table_keys),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": _kind(design, name)} for name in attributes
        ],
    }
    if design.index_list:
        request["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index.name,
                "KeySchema": _schema(index.pk, index.sk),
                "Projection": _projection(design, index.projects),
            }
            for index in design.index_list
        ]
    if design.stream:
        stream = {"StreamEnabled": True, "StreamViewType": design.stream}
        request["StreamSpecification"] = stream
    return request


def _schema(pk: str, sk: str | None) -> list[dict[str, str]]:
    schema = [{"AttributeName": pk, "KeyType": "HASH"}]
    return [*schema, {"AttributeName": sk, "KeyType": "RANGE"}] if sk else schema


def _kind(design: Design, attribute: str) -> str:
    for entity in design.entity_list:
        if attribute in entity.by_stored:
            return entity.by_stored[attribute].kind
    return "S"


def _projection(design: Design, projects: str | tuple[str, ...]) -> dict[str, Any]:
    if isinstance(projects, str):
        return {"ProjectionType": KEYS_ONLY if projects == KEYS_ONLY else "ALL"}
    stored = {f.name: f.stored for entity in design.entity_list for f in entity.fields}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": [stored[name] for name in projects]}
