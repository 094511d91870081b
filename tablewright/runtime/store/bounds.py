"""Bounds of fields that an update adds to: as conditions of DynamoDB, and as errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Context
from typing import Any, NamedTuple

from tablewright.model.changes import Add, Append, Change
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import ListOfField, SetOfField
from tablewright.model.fields.numbers import NumberField
from tablewright.model.operands import Operand
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.store.conditions import Rendering, leaf_of
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Records

_EXACT = Context(prec=38)


class Excess(NamedTuple):
    """A bound that a change would pass: see `OutOfBounds`."""

    field: str
    bound: Any
    value: Any
    amount: Any


def conditions(
    records: Records,
    changes: Sequence[Change],
    expressions: Expressions,
    current: Mapping[str, Any] | None,
) -> list[str]:
    """Write the conditions that changes leave fields within their bounds.

    Without the `current` record, all elements that are added to a set count as new.
    """
    rendering = Rendering(records, expressions)
    found: list[str] = []
    for change, leaf in _growing(records, changes):
        path = rendering.path(change.operand)
        if isinstance(leaf, NumberField):
            found += _number(leaf, change.amount, path, expressions)
            continue
        old, new = _elements(change, current)
        kept = (expressions.value(encode(leaf.of.to_plain(one))) for one in old)
        found += [f"contains({path}, {one})" for one in kept]
        fits = f"size({path}) <= {expressions.value(encode(leaf.max_items - len(new)))}"
        may_be_missing = not old and len(leaf.default or ()) + len(new) <= leaf.max_items
        found.append(f"({_missing(path)} OR {fits})" if may_be_missing else fits)
    return found


def excess(records: Records, changes: Sequence[Change], record: Mapping[str, Any]) -> Excess | None:
    """Find the first bound that changes of this record would pass; a new one has no values."""
    for change, leaf in _growing(records, changes):
        value = value_at(record, change.operand)
        value = leaf.default if value is None else value
        name = getattr(leaf, "name", "") or change.operand.field.name
        if isinstance(leaf, NumberField):
            amount, total = change.amount, _EXACT.add(value or 0, change.amount)
            if total > leaf.highest and (value is None or amount >= 0):
                return Excess(name, leaf.highest, value or 0, amount)
            if total < leaf.lowest and (value is None or amount < 0):
                return Excess(name, leaf.lowest, value or 0, amount)
            continue
        _, new = _elements(change, record)
        size = len(value or ())
        if size + len(new) > leaf.max_items:
            return Excess(name, leaf.max_items, size, len(new))
    return None


def sets(records: Records, changes: Sequence[Change]) -> list[Operand[Any]]:
    """List the sets that are added to: which elements are new follows from the current record."""
    growing = _growing(records, changes)
    return [change.operand for change, leaf in growing if isinstance(leaf, SetOfField)]


def value_at(record: Mapping[str, Any], operand: Operand[Any]) -> Any:
    """The value of a field, or of a part of one; None if it is missing."""
    value = record.get(operand.field.name)
    for step in operand.path:
        try:
            value = value[step.name if isinstance(step, Field) else step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _growing(records: Records, changes: Sequence[Change]) -> Iterator[tuple[Any, Any]]:
    """The changes that can pass a bound, each with the field that has it."""
    for change in changes:
        leaf = leaf_of(records, change.operand)
        bounded = isinstance(leaf, NumberField) and leaf.highest is not None
        if isinstance(change, Add | Append) and (
            bounded or isinstance(leaf, SetOfField | ListOfField)
        ):
            yield change, leaf


def _number(leaf: NumberField, amount: Any, path: str, expressions: Expressions) -> list[str]:
    grows = amount >= 0
    bound = leaf.highest if grows else leaf.lowest
    limit = expressions.value(encode(_EXACT.subtract(bound, amount)))
    fits = f"{path} {'<=' if grows else '>='} {limit}"
    # A missing number begins at its default, or at zero.
    may_be_missing = leaf.lowest <= (leaf.default or 0) + amount <= leaf.highest
    return [f"({_missing(path)} OR {fits})" if may_be_missing else fits]


def _elements(
    change: Any, current: Mapping[str, Any] | None
) -> tuple[Sequence[Any], Sequence[Any]]:
    """The added elements that a set has already, and the others."""
    if isinstance(change, Append):
        return (), change.elements
    present = set(value_at(current, change.operand) or ()) if current is not None else set()
    added = change.amount
    return sorted(added & present, key=repr), sorted(added - present, key=repr)


def _missing(path: str) -> str:
    return f"attribute_not_exists({path})"
