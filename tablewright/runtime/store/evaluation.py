"""Evaluation of conditions in Python, where DynamoDB cannot see the attribute: in keys, in secret
fields, in items that are read whole after the query. The result is DynamoDB's.

A condition is compiled once for an entity, and then called with stored items.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from tablewright.model.conditions import (
    Between,
    Comparison,
    Condition,
    Function,
    Junction,
    Membership,
    Negation,
)
from tablewright.model.fields.base import Field
from tablewright.model.operands import Operand, Size
from tablewright.runtime.errors import StoreError
from tablewright.runtime.store.attribute_values import Wire, comparable, decode, encode
from tablewright.runtime.store.conditions import (
    argument_of,
    path_of,
    wire_of,
)
from tablewright.runtime.store.records import Item, Records

Test = Callable[[Item], bool]
Value = tuple[str, Any]
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ORDERED = ("S", "N", "B")
_TYPES = {*_ORDERED, "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}
# The set that elements of each type can be in.
_SET_OF = {"S": "SS", "N": "NS", "B": "BS"}


def compiled(condition: Condition, records: Records, index: str | None = None) -> Test:
    """The test of items that a condition makes; items of an index may have fields in keys alone.

    Raises StoreError for a condition that DynamoDB refuses.
    """
    if isinstance(condition, Junction):
        tests = [compiled(part, records, index) for part in condition.parts]
        combine = all if condition.word == "AND" else any
        return lambda item: combine(test(item) for test in tests)
    if isinstance(condition, Negation):
        negated = compiled(condition.of, records, index)
        return lambda item: not negated(item)
    if isinstance(condition, Function):
        return _function(condition, records, index)
    if isinstance(condition, Comparison | Between | Membership):
        find = _finder(condition.operand, records, index)
        return _comparison(condition, records, find)
    raise TypeError(f"{condition!r} is no condition")


def _comparison(
    condition: Comparison | Between | Membership,
    records: Records,
    find: Callable[[Item], Value | None],
) -> Test:
    def value(plain: Any) -> Value:
        return comparable(wire_of(records, condition.operand, plain, compared=True))

    if isinstance(condition, Membership):
        values = [value(plain) for plain in condition.values]
        return lambda item: find(item) in values
    if isinstance(condition, Between):
        low, high = value(condition.low), value(condition.high)
        if low[0] not in _ORDERED or high[0] != low[0] or high[1] < low[1]:
            raise StoreError("BETWEEN takes two texts, numbers or binaries, the lower one first")
        return lambda item: (
            (mine := find(item)) is not None and mine[0] == low[0] and low[1] <= mine[1] <= high[1]
        )
    sign, other = condition.operator, value(condition.value)
    if sign == "=":
        return lambda item: find(item) == other
    if sign == "<>":
        return lambda item: find(item) != other
    if other[0] not in _ORDERED:
        raise StoreError(f"{sign} takes a text, a number or a binary, not a value of {other[0]}")
    compare = _ORDER[sign]
    return lambda item: (
        (mine := find(item)) is not None and mine[0] == other[0] and compare(mine[1], other[1])
    )


def _function(condition: Function, records: Records, index: str | None) -> Test:
    find = _finder(condition.operand, records, index, sized=False)
    if condition.name == "attribute_exists":
        return lambda item: find(item) is not None
    if condition.name == "attribute_not_exists":
        return lambda item: find(item) is None
    kind, argument = comparable(argument_of(records, condition))
    if condition.name == "attribute_type":
        if argument not in _TYPES:
            raise StoreError(f"is_of_type takes one of {', '.join(sorted(_TYPES))}")
        return lambda item: (mine := find(item)) is not None and mine[0] == argument
    if condition.name == "begins_with":
        if kind not in ("S", "B"):
            raise StoreError(f"begins_with takes a text or a binary, not a value of {kind}")
        return lambda item: (
            (mine := find(item)) is not None and mine[0] == kind and mine[1].startswith(argument)
        )
    return lambda item: (mine := find(item)) is not None and _contains(mine, kind, argument)


def _contains(mine: Value, kind: str, argument: Any) -> bool:
    tag, value = mine
    if tag == "L":
        return (kind, argument) in value
    if tag == kind:
        return tag in ("S", "B") and argument in value
    return tag == _SET_OF.get(kind) and argument in value


def _finder(
    operand: Operand[Any], records: Records, index: str | None, *, sized: bool = True
) -> Callable[[Item], Value | None]:
    """Build the function that finds an operand's value in an item, None if the item has none."""
    # An item of a collection may be of another entity than the operand's field.
    field = records.entity.by_name.get(operand.field.name, operand.field)
    first, *steps = path_of(field, operand)
    attribute, is_size = str(first), sized and isinstance(operand, Size)

    def find(item: Item) -> Value | None:
        wire = item.get(attribute) if attribute else None
        if wire is None and (index or not attribute):
            wire = _in_key(item, field, records, index)
        for step in steps:
            wire = _part(wire, step)
        if wire is None:
            return None
        return _size(wire) if is_size else comparable(wire)

    return find


def _in_key(item: Item, field: Field[Any], records: Records, index: str | None) -> Wire | None:
    value = records.key_values(item, index).get(field.name)
    return None if value is None else encode(field.to_plain(value))


def _part(wire: Wire | None, step: str | int) -> Wire | None:
    if wire is None:
        return None
    if isinstance(step, str):
        member: Wire | None = wire.get("M", {}).get(step)
        return member
    elements = wire.get("L", ())
    return elements[step] if step < len(elements) else None


def _size(wire: Wire) -> Value | None:
    ((tag, raw),) = wire.items()
    if tag == "S":
        return "N", len(raw.encode("utf-16-le")) // 2  # as DynamoDB counts
    if tag == "B":
        return "N", len(decode(wire))
    return None if tag in ("N", "BOOL", "NULL") else ("N", len(raw))
