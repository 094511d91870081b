"""Meter of a local engine: what DynamoDB would bill, where the engine reports other units."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from math import ceil
from typing import Any

from tablewright.model import Design, EntityModel, Index
from tablewright.model.capacity import TRANSACTION_WRITES, WRITE_UNIT_BYTES, read_floor
from tablewright.model.errors import KeyMismatch
from tablewright.model.sizes import item_bytes
from tablewright.runtime.aws import Caller
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.records import Records
from tablewright.testing.edges.requests import Item, requests, wire_item

# The design of a table, if it is known.
Designs = Callable[[str], Design | None]

_NONE = Decimal(0)
_BEFORE = ("Delete", "ConditionCheck")


class FaithfulMeter(Meter):
    """A meter that computes what DynamoDB bills and DynamoDB Local does not report.

    That is transactions, insertions, and looking for what is not there. A transaction writes an
    item twice and what the `design`'s indexes hold of it once, when it is committed. Of several
    tables, `design` gives that of each.
    """

    def __init__(self, caller: Caller, design: Design | Designs | None = None) -> None:
        super().__init__(caller)
        self._design: Designs = design if callable(design) else lambda _: design

    def reset(self) -> None:
        super().reset()
        self.computed = False

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems":
            return self._transact(params)
        if operation == "BatchExecuteStatement" and all(map(_inserts, params["Statements"])):
            return self._insert(params)
        answer = super().call(operation, params)
        missed = _missed(operation, params, answer)
        if missed:
            with self._lock:
                self.read["table"] += missed
                self.computed = True
        return answer

    def _transact(self, params: dict[str, Any]) -> dict[str, Any]:
        actions = [action for one in params["TransactItems"] for action in one.items()]
        # What is removed is there before; what is written, after.
        before = {at: self._item(one) for at, (kind, one) in enumerate(actions) if kind in _BEFORE}
        answer = self._caller.call("TransactWriteItems", params)
        items = [before.get(at) or self._item(one) for at, (_, one) in enumerate(actions)]
        checks = [kind == "ConditionCheck" for kind, _ in actions]
        tables = [one["TableName"] for _, one in actions]
        found = zip(tables, items, checks, strict=True)
        # What is removed and was not there is in no index.
        written = [(table, item) for table, item, check in found if item and not check]
        self._add(TRANSACTION_WRITES * sum(map(_units, items), _NONE), written)
        return answer

    def _insert(self, params: dict[str, Any]) -> dict[str, Any]:
        answer = self._caller.call("BatchExecuteStatement", params)
        items = [inserted(statement) for statement in params["Statements"]]
        pairs = zip(items, answer["Responses"], strict=True)
        # Looking is billed as a write to the table, even where nothing is written.
        (table, *_) = (one.table for one in requests("BatchExecuteStatement", params))
        written = [(table, item) for item, one in pairs if "Error" not in one]
        self._add(sum(map(_units, items), _NONE), written)
        return answer

    def _add(self, units: Decimal, items: Sequence[tuple[str, Item]]) -> None:
        """Note a call that wrote so many units to tables, and items that indexes may hold."""
        with self._lock:
            self.calls += 1
            self.written["table"] += units
            for table, item in items:
                design = self._design(table)
                for index in design.index_list if design else ():
                    entry = _entry(design, index, item) if design else None
                    self.written[index.name] += _units(entry) if entry else _NONE
            self.computed = True

    def _item(self, action: dict[str, Any]) -> Item:
        """The item that an action of a transaction is about, empty where there is none."""
        if "Item" in action:
            return wire_item(action["Item"])
        read = {name: action[name] for name in ("TableName", "Key")}
        answer = self._caller.call("GetItem", {**read, "ConsistentRead": True})
        return wire_item(answer.get("Item", {}))


def _entry(design: Design, index: Index, item: Item) -> Item | None:
    """What an index holds of an item in wire form."""
    for entity in entities_of(design, item):
        if index.name in entity.indexed:
            return design.projected(entity, dict(item), index)
    return None


def entities_of(design: Design, item: Item) -> Iterator[EntityModel]:
    """The entities that an item in wire form can be of, by its key."""
    for entity in design.entity_list:
        with suppress(KeyMismatch):
            Records(design, entity).key_texts(dict(item), None)
            yield entity


def _inserts(statement: dict[str, Any]) -> bool:
    return bool(re.match(r"\s*INSERT\b", statement["Statement"]) and "Parameters" in statement)


def inserted(statement: dict[str, Any]) -> dict[str, Any]:
    """The item of an insertion, whose attributes are all parameters: `{'name': ?, ...}`."""
    names = re.findall(r"'((?:[^']|'')*)': \?", statement["Statement"])
    texts = (name.replace("''", "'") for name in names)
    return dict(zip(texts, statement["Parameters"], strict=True))


def _missed(operation: str, params: dict[str, Any], answer: dict[str, Any]) -> Decimal:
    """Units of looking for what is not there."""
    if operation == "Query":
        # What a filter left out was read, and is reported.
        return _NONE if answer["ScannedCount"] else _look(params)
    if operation == "BatchGetItem":
        asked = params["RequestItems"].items()
        return sum((_absent(answer, name, part) * _look(part) for name, part in asked), _NONE)
    return _NONE


def _absent(answer: dict[str, Any], name: str, asked: dict[str, Any]) -> int:
    """How many of a table's keys have no item."""
    left = answer.get("UnprocessedKeys", {}).get(name, {}).get("Keys", [])
    return len(asked["Keys"]) - len(left) - len(answer["Responses"].get(name, []))


def _look(params: dict[str, Any]) -> Decimal:
    return read_floor([], consistent=params.get("ConsistentRead", False))


def _units(item: Item) -> Decimal:
    size = item_bytes({name: decode(wire) for name, wire in item.items()})
    # One that is not there is looked for all the same.
    return Decimal(max(1, ceil(size / WRITE_UNIT_BYTES)))
