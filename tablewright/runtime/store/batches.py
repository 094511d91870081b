"""Many items at once: chunks, in parallel, with what DynamoDB leaves unprocessed tried again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from tablewright.runtime.errors import (
    AlreadyExists,
    StoreError,
    Throttled,
    Unavailable,
    from_response,
)
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item
from tablewright.runtime.transport import Transport

READ_CHUNK = 100
WRITE_CHUNK = 25

Request = dict[str, Any]
Element = TypeVar("Element")


def chunks(elements: Sequence[Element], size: int) -> Iterator[Sequence[Element]]:
    return (elements[at : at + size] for at in range(0, len(elements), size))


def put_request(item: Item) -> Request:
    return {"PutRequest": {"Item": item}}


def delete_request(key: Item) -> Request:
    return {"DeleteRequest": {"Key": key}}


def write_all(transport: Transport, table: str, requests: Sequence[Request]) -> None:
    """Carry out all requests, each for another item; when this returns, every one is done."""

    def write(chunk: Sequence[Request]) -> None:
        requests: list[Request] = list(chunk)
        for _ in transport.attempts():
            answer = transport.call("BatchWriteItem", {"RequestItems": {table: requests}})
            requests = answer.get("UnprocessedItems", {}).get(table, [])
            if not requests:
                return
        raise Throttled(f"{len(requests)} of {len(chunk)} items were still unprocessed")

    transport.in_parallel(write, chunks(requests, WRITE_CHUNK))


def insert_all(transport: Transport, table: str, items: Sequence[Item]) -> list[bool]:
    """Store each item, of another key each, where nothing is; tells of each whether it was stored.

    What throttling or a conflict left out is tried again. An item whose answer was lost on the way
    is then there already, and told so.
    """

    def insert(chunk: Sequence[Item]) -> list[bool]:
        stored: dict[int, bool] = {}
        for _ in transport.attempts():
            left = [at for at in range(len(chunk)) if at not in stored]
            statements = [_insertion(table, chunk[at]) for at in left]
            answer = transport.call("BatchExecuteStatement", {"Statements": statements})
            for at, one in zip(left, answer["Responses"], strict=True):
                error = _error(one)
                if not isinstance(error, Throttled | Unavailable):
                    stored[at] = error is None
            if len(stored) == len(chunk):
                return [stored[at] for at in range(len(chunk))]
        raise Throttled(f"{len(chunk) - len(stored)} of {len(chunk)} items were still not stored")

    found = transport.in_parallel(insert, chunks(items, WRITE_CHUNK))
    return [stored for chunk in found for stored in chunk]


def _insertion(table: str, item: Item) -> Request:
    names = ", ".join("'" + name.replace("'", "''") + "': ?" for name in item)
    return {
        "Statement": f'INSERT INTO "{table}" VALUE {{{names}}}',
        "Parameters": list(item.values()),
    }


def _error(answer: dict[str, Any]) -> StoreError | None:
    """What an insertion ended with; raised when trying again is of no use."""
    if "Error" not in answer:
        return None
    if answer["Error"]["Code"] == "DuplicateItem":
        return AlreadyExists("an item with this key is there already")
    error = from_response("BatchExecuteStatement", answer)
    if isinstance(error, Throttled | Unavailable):
        return error
    raise error


def read_all(
    transport: Transport,
    table: str,
    keys: Sequence[Item],
    attributes: Sequence[str] | None = None,
    *,
    consistent: bool = False,
) -> list[Item]:
    """The items with these keys, in no order; keys that no item has are passed over."""

    def read(chunk: Sequence[Item]) -> list[Item]:
        found: list[Item] = []
        request: dict[str, Any] = {"Keys": list(chunk)}
        if consistent:
            request["ConsistentRead"] = True
        if attributes:
            expressions = Expressions()
            request["ProjectionExpression"] = expressions.projection(attributes)
            expressions.into(request)
        for _ in transport.attempts():
            answer = transport.call("BatchGetItem", {"RequestItems": {table: request}})
            found += answer.get("Responses", {}).get(table, [])
            unprocessed = answer.get("UnprocessedKeys", {}).get(table)
            if not unprocessed:
                return found
            request = unprocessed
        raise Throttled(f"{len(request['Keys'])} of {len(chunk)} keys were still unprocessed")

    return [i for found in transport.in_parallel(read, chunks(keys, READ_CHUNK)) for i in found]
