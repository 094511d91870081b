"""Floors: the least that calls could cost, by the items that they wrote and found."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from math import ceil
from typing import Any

from tablewright.model import Design
from tablewright.model.capacity import WRITE_UNIT_BYTES, change_floor, read_floor
from tablewright.model.sizes import item_bytes
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.attribute_values import decode
from tablewright.testing.metering import entities_of, inserted

Item = Mapping[str, Any]
Call = Callable[[str, dict[str, Any]], dict[str, Any]]
# The index and the partition of it that is read, and whether consistently.
_Read = tuple[str | None, tuple[str, ...], bool]


class Floors:
    """Looks at calls of a table, and at the items before and after them.

    Pages of one partition are taken for one read, and what is looked for is looked for once.
    """

    def __init__(self, caller: Caller, design: Design, table_name: str) -> None:
        self._caller = caller
        self._design = design
        self._table_name = table_name
        self._single = self.write = Decimal()
        self._listed: dict[_Read, int] = defaultdict(int)

    @property
    def read(self) -> Decimal:
        """Read units at the least."""
        lists = (read_floor([size], consistent=read[2]) for read, size in self._listed.items())
        return self._single + sum(lists, Decimal())

    def watched(self, operation: str, params: dict[str, Any], call: Call) -> dict[str, Any]:
        """Make the call, and add what it costs at the least."""
        keys = [(self._key(item), twice) for item, twice in _written(operation, params)]
        before = [self._stored(key) for key, _ in keys]
        answer = call(operation, params)
        for (key, twice), old in zip(keys, before, strict=True):
            self.write += self._change(old, self._stored(key), twice=twice)
        self._note_reads(operation, params, answer)
        return answer

    def _change(self, old: Item, new: Item, *, twice: bool) -> Decimal:
        """A transaction writes an item twice, and what indexes hold of it once."""
        look = Decimal(1)
        entity = next(entities_of(self._design, new or old), None) if new or old else None
        if entity is None:
            return 2 * look if twice else look
        units = change_floor(self._design, entity, _plain(old), _plain(new))
        if not twice:
            return units
        size = max(item_bytes(_plain(old)), item_bytes(_plain(new)))
        return units + ceil(size / WRITE_UNIT_BYTES)

    def _note_reads(self, operation: str, params: Item, answer: Item) -> None:
        if operation == "GetItem":
            found = [answer["Item"]] if answer.get("Item") else []
            self._single += _one(found, consistent=params.get("ConsistentRead", False))
        elif operation == "BatchGetItem":
            for name, asked in params["RequestItems"].items():
                consistent = asked.get("ConsistentRead", False)
                found = answer["Responses"].get(name, [])
                absent = len(asked["Keys"]) - len(found)
                self._single += absent * _one([], consistent=consistent)
                self._single += sum((_one([i], consistent=consistent) for i in found), Decimal())
        elif operation == "TransactGetItems":
            for one in answer["Responses"]:
                found = [one["Item"]] if one.get("Item") else []
                self._single += 2 * _one(found, consistent=True)
        elif operation in ("Query", "Scan"):
            self._note_list(params, answer["Items"])

    def _note_list(self, params: Item, items: list[Item]) -> None:
        index, consistent = params.get("IndexName"), params.get("ConsistentRead", False)
        names = self._design.key_attributes(index).partition
        for item in items:
            partition = tuple(str(item.get(name)) for name in names)
            self._listed[index, partition, consistent] += item_bytes(_plain(item))
        if not items and "ExclusiveStartKey" not in params:
            self._single += _one([], consistent=consistent)

    def _key(self, item: Item) -> dict[str, Any]:
        return {name: item[name] for name in self._design.key.names}

    def _stored(self, key: dict[str, Any]) -> Item:
        read = {"TableName": self._table_name, "Key": key, "ConsistentRead": True}
        return dict(self._caller.call("GetItem", read).get("Item", {}))


def _written(operation: str, params: Item) -> Iterator[tuple[Item, bool]]:
    """The items or keys that a call writes, and whether in a transaction."""
    if operation in ("PutItem", "UpdateItem", "DeleteItem"):
        yield params.get("Item") or params["Key"], False
    elif operation == "BatchWriteItem":
        for requests in params["RequestItems"].values():
            for request in requests:
                (one,) = request.values()
                yield one.get("Item") or one["Key"], False
    elif operation == "BatchExecuteStatement":
        yield from ((inserted(dict(one)), False) for one in params["Statements"])
    elif operation == "TransactWriteItems":
        for action in params["TransactItems"]:
            (one,) = action.values()
            yield one.get("Item") or one["Key"], True


def _one(found: list[Item], *, consistent: bool) -> Decimal:
    return read_floor([item_bytes(_plain(item)) for item in found], consistent=consistent)


def _plain(item: Item) -> dict[str, Any]:
    return {name: decode(wire) for name, wire in item.items()}
