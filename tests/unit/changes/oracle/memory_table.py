"""A DynamoDB table in plain Python, behind the calls that a store makes."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tablewright.model import ALL
from tablewright.runtime.errors import Conflict, StoreError
from tests.unit.changes.oracle.designs import DesignSpec

Item = dict[str, dict[str, Any]]
_LEAF = re.compile(
    r"attribute_(not_)?exists\((#\w+)\)|(#\w+) (=|<>|<=|>=|<|>|BETWEEN) (:\w+)(?: AND (:\w+))?"
)
_SIGNS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le,
          ">": operator.gt, ">=": operator.ge}  # fmt: skip
# How conditions are reduced once their leaves are 0 or 1, the closest binding first.
_REDUCTIONS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"\(([01])\)", lambda match: match[1]),
    (r"NOT ([01])", lambda match: "10"[int(match[1])]),
    (r"([01]) AND ([01])", lambda match: min(match[1], match[2])),
    (r"(?<!AND )([01]) OR ([01])(?! AND)", lambda match: max(match[1], match[2])),
)


def comparable(wire: dict[str, Any]) -> tuple[str, Any]:
    """A value in the order of DynamoDB: texts by their bytes."""
    ((kind, value),) = wire.items()
    if kind == "S":
        return kind, value.encode()
    return kind, Decimal(value) if kind == "N" else value


def holds(condition: str, params: dict[str, Any], item: Item) -> bool:
    """True if an item satisfies a condition."""
    names, values = params["ExpressionAttributeNames"], params.get("ExpressionAttributeValues", {})

    def compare(sign: str, left: Any, right: Any) -> bool:
        same_type = left is not None and left.keys() == right.keys()
        return same_type and _SIGNS[sign](comparable(left), comparable(right))

    def leaf(match: re.Match[str]) -> str:
        negated, name, other, sign, low, high = match.groups()
        if name:
            return str(int((names[name] in item) != bool(negated)))
        value = item.get(names[other])
        if sign == "BETWEEN":
            return str(
                int(compare(">=", value, values[low]) and compare("<=", value, values[high]))
            )
        return str(int(compare(sign, value, values[low])))

    text = _LEAF.sub(leaf, condition)
    while len(text) > 1:
        for pattern, reduced in _REDUCTIONS:
            text, changes = re.subn(pattern, reduced, text, count=1)
            if changes:
                break
        else:
            raise NotImplementedError(f"{condition}: {text}")
    return text == "1"


def updated(params: dict[str, Any], item: Item) -> Item:
    """The item after the SET and REMOVE of an update."""
    changed = dict(item)
    for name, value in re.findall(r"(#\w+)(?: = (:\w+))?", params.get("UpdateExpression", "")):
        changed.pop(params["ExpressionAttributeNames"][name], None)
        if value:
            wire = params["ExpressionAttributeValues"][value]
            changed[params["ExpressionAttributeNames"][name]] = wire
    return changed


class MemoryTable:
    """Items by key, with the indexes of several designs."""

    def __init__(self, *designs: DesignSpec) -> None:
        self.key = (designs[0].pk, designs[0].sk)
        self.items: dict[tuple[Any, ...], Item] = {}
        self.define(*designs)

    def define(self, *designs: DesignSpec) -> None:
        """Have the indexes of these designs; of two of one name, that of the last design."""
        self._indexes: dict[str, tuple[tuple[str, str], set[str] | None]] = {}
        for design in designs:
            for name, (pk, sk, held) in design.index_forms.items():
                carried = None if held == ALL else {*self.key, pk, sk, *held}
                self._indexes[name] = (pk, sk), carried

    def expire(self, attribute: str, now: float) -> None:
        """Remove the items that DynamoDB would, by their ttl attribute."""
        for key, item in [*self.items.items()]:
            if float(item.get(attribute, {}).get("N", "inf")) <= now:
                del self.items[key]

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        name = re.sub(r"([A-Z])", r"_\1", operation).lower()
        answer: dict[str, Any] = getattr(self, name)(params)
        return answer

    def _place(self, item: Item) -> tuple[Any, ...]:
        return tuple(comparable(item[name]) for name in self.key)

    def _write(
        self, params: dict[str, Any], key: Item, change: Callable[[Item], Item | None]
    ) -> dict[str, Any]:
        place = self._place(key)
        old = self.items.get(place)
        condition = params.get("ConditionExpression")
        if condition and not holds(condition, params, old or {}):
            refused = Conflict("the condition is not satisfied")
            refused.item = old
            raise refused
        new = change(old or {})
        for name in {name for names, _ in self._indexes.values() for name in names}:
            if new and name in new and (new[name].keys() != {"S"} or not new[name]["S"]):
                raise StoreError(f"{name} of an index is {new[name]}, and must be a text")
        self.items.pop(place, None)
        if new is not None:
            self.items[place] = new
        answer = {"ALL_OLD": old, "ALL_NEW": new}.get(params.get("ReturnValues", ""))
        return {"Attributes": answer} if answer else {}

    def _put_item(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._write(params, params["Item"], lambda _: dict(params["Item"]))

    def _delete_item(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._write(params, params["Key"], lambda _: None)

    def _update_item(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._write(
            params, params["Key"], lambda old: updated(params, {**params["Key"], **old})
        )

    def _batch_write_item(self, params: dict[str, Any]) -> dict[str, Any]:
        for requests in params["RequestItems"].values():
            for one in requests:
                ((verb, request),) = one.items()
                self.call(verb.replace("Request", "Item"), request)
        return {}

    def _get_item(self, params: dict[str, Any]) -> dict[str, Any]:
        item = self.items.get(self._place(params["Key"]))
        return {"Item": item} if item else {}

    def _batch_get_item(self, params: dict[str, Any]) -> dict[str, Any]:
        ((name, wanted),) = params["RequestItems"].items()
        items = (self.items.get(self._place(key)) for key in wanted["Keys"])
        return {"Responses": {name: [item for item in items if item]}}

    def _query(self, params: dict[str, Any]) -> dict[str, Any]:
        condition = params["KeyConditionExpression"]
        return self._list(params, [i for i in self.items.values() if holds(condition, params, i)])

    def _scan(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._list(params, [] if params.get("Segment") else [*self.items.values()])

    def _list(self, params: dict[str, Any], items: list[Item]) -> dict[str, Any]:
        names, carried = self.key, None
        if index := params.get("IndexName"):
            if index not in self._indexes:
                raise StoreError(f"the table has no index {index}")
            names, carried = self._indexes[index]
        items = [item for item in items if all(name in item for name in names)]
        items.sort(key=lambda item: comparable(item[names[1]]),
                   reverse=not params.get("ScanIndexForward", True))  # fmt: skip
        if "FilterExpression" in params:
            items = [i for i in items if holds(params["FilterExpression"], params, i)]
        if carried is not None:
            items = [{n: wire for n, wire in item.items() if n in carried} for item in items]
        return {"Items": items, "Count": len(items), "ScannedCount": len(items)}
