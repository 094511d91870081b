"""Capacity units of access patterns, measured on a real engine beside the least there could be."""

import re
from collections.abc import Callable
from decimal import Decimal
from math import ceil
from typing import Any

from tablewright.model import Design, EntityModel, Index
from tablewright.model.capacity import WRITE_UNIT_BYTES, read_floor
from tablewright.model.errors import KeyMismatch
from tablewright.model.sizes import item_bytes
from tablewright.runtime.aws import Caller
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.records import Records

Measurement = dict[str, Any]

NONE = Decimal(0)
# Each item of a transaction is written twice: once to prepare it, once to commit.
TRANSACTION_WRITES = 2
_BEFORE = ("Delete", "ConditionCheck")


class FaithfulMeter(Meter):
    """A meter that computes what DynamoDB bills and DynamoDB Local does not report.

    That is transactions, insertions, and looking for what is not there. A transaction writes an
    item twice and what the `design`'s indexes hold of it once, when it is committed.
    """

    def __init__(self, caller: Caller, design: Design | None = None) -> None:
        super().__init__(caller)
        self._design = design

    def reset(self) -> None:
        super().reset()
        self.computed = False

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems":
            return self._transact(params)
        if operation == "BatchExecuteStatement":
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
        written = [item for item, check in zip(items, checks, strict=True) if not check]
        self._add(TRANSACTION_WRITES * sum(map(_units, items), NONE), written)
        return answer

    def _insert(self, params: dict[str, Any]) -> dict[str, Any]:
        answer = self._caller.call("BatchExecuteStatement", params)
        items = [_inserted(statement) for statement in params["Statements"]]
        pairs = zip(items, answer["Responses"], strict=True)
        # Looking is billed as a write to the table, even where nothing is written.
        self._add(sum(map(_units, items), NONE), [i for i, one in pairs if "Error" not in one])
        return answer

    def _add(self, units: Decimal, items: list[dict[str, Any]]) -> None:
        """Note a call that wrote so many units to the table, and items that indexes may hold."""
        with self._lock:
            self.calls += 1
            self.written["table"] += units
            for index in self._design.index_list if self._design else ():
                entries = (self._entry(index, item) for item in items)
                self.written[index.name] += sum((_units(e) for e in entries if e), NONE)
            self.computed = True

    def _entry(self, index: Index, item: dict[str, Any]) -> dict[str, Any] | None:
        """What an index holds of an item in wire form."""
        assert self._design  # noqa: S101 - for the type checker
        for entity in self._design.entity_list:
            if index.name in entity.indexed and _is(self._design, entity, item):
                return self._design.projected(entity, item, index)
        return None

    def _item(self, action: dict[str, Any]) -> dict[str, Any]:
        """The item that an action of a transaction is about, empty where there is none."""
        if "Item" in action:
            return dict(action["Item"])
        read = {name: action[name] for name in ("TableName", "Key")}
        return dict(self._caller.call("GetItem", {**read, "ConsistentRead": True}).get("Item", {}))


def _is(design: Design, entity: EntityModel, item: dict[str, Any]) -> bool:
    try:
        Records(design, entity).key_texts(item, None)
    except KeyMismatch:
        return False
    return True


def _inserted(statement: dict[str, Any]) -> dict[str, Any]:
    """The item of an insertion, whose attributes are all parameters: `{'name': ?, ...}`."""
    names = re.findall(r"'((?:[^']|'')*)': \?", statement["Statement"])
    texts = (name.replace("''", "'") for name in names)
    return dict(zip(texts, statement["Parameters"], strict=True))


def _missed(operation: str, params: dict[str, Any], answer: dict[str, Any]) -> Decimal:
    """Units of looking for what is not there."""
    if operation == "Query":
        # What a filter left out was read, and is reported.
        return NONE if answer["ScannedCount"] else _look(params)
    if operation == "BatchGetItem":
        asked = params["RequestItems"].items()
        return sum((_absent(answer, name, part) * _look(part) for name, part in asked), NONE)
    return NONE


def _absent(answer: dict[str, Any], name: str, asked: dict[str, Any]) -> int:
    """How many of a table's keys have no item."""
    left = answer.get("UnprocessedKeys", {}).get(name, {}).get("Keys", [])
    return len(asked["Keys"]) - len(left) - len(answer["Responses"].get(name, []))


def _look(params: dict[str, Any]) -> Decimal:
    return read_floor([], consistent=params.get("ConsistentRead", False))


def _units(item: dict[str, Any]) -> Decimal:
    size = item_bytes({name: decode(wire) for name, wire in item.items()})
    # One that is not there is looked for all the same.
    return Decimal(max(1, ceil(size / WRITE_UNIT_BYTES)))


class Measuring:
    """Runs access patterns of one table and keeps what each of them consumed."""

    def __init__(self, caller: Caller, design: Design | None = None) -> None:
        self.meter = FaithfulMeter(caller, design)
        self.found: list[Measurement] = []

    def run(
        self,
        pattern: str,
        what: str,
        work: Callable[[], Any],
        *,
        read: Decimal = NONE,
        write: Decimal = NONE,
        many: int = 1,
    ) -> None:
        """Carry out the work and note its units beside these floors.

        `many` is how often the pattern's single case is in it: what a cost is reckoned by.
        """
        self.meter.reset()
        work()
        self.found.append(
            {
                "pattern": pattern,
                "what": what,
                "many": many,
                "calls": self.meter.calls,
                "read": str(self.meter.read_units),
                "read_floor": str(read),
                "write": str(self.meter.write_units),
                "write_floor": str(write),
                "computed": self.meter.computed,
            }
        )
