"""Conditions of a model as expressions of DynamoDB, and as what holds of a record here."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from tablewright.model.arguments import described
from tablewright.model.conditions import (
    Between,
    Comparison,
    Condition,
    Function,
    Junction,
    Membership,
    Negation,
)
from tablewright.model.errors import InvalidRecord, InvalidValue
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import ListOfField, SetOfField, TallyField
from tablewright.model.operands import Operand, Size
from tablewright.model.patterns import Collection, Listing, Query
from tablewright.runtime.store.attribute_values import Wire, encode
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Records

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ABSENT = object()


def equal_to(records: Records, values: Mapping[str, Any]) -> Condition | None:
    """The condition that fields have these values, None for one that has none."""
    found: Condition | None = None
    fields = records.entity.by_name
    for name, value in records.check_some(values).items():
        one = fields[name].is_missing() if value is None else fields[name] == value
        found = one if found is None else found & one
    return found


def given(records: Records, asked: Condition | Mapping[str, Any] | None) -> Condition | None:
    """What a caller asks for: a condition, or the values that fields must have."""
    if isinstance(asked, Condition):
        check_values(records, asked)
    return asked if asked is None or isinstance(asked, Condition) else equal_to(records, asked)


def check_values(records: Records, asked: Condition) -> None:
    """Raise an error for a value that its operand cannot be compared with."""
    for part in asked.parts:
        check_values(records, part)
    values: tuple[Any, ...] = ()
    if isinstance(asked, Comparison):
        values = (asked.value,)
    elif isinstance(asked, Between):
        values = (asked.low, asked.high)
    elif isinstance(asked, Membership):
        values = asked.values
    for value in values:
        (operand,) = asked.operands()
        wire_of(records, operand, value, compared=True)


class Rendering:
    """Writes the conditions of one request, about one entity."""

    def __init__(self, records: Records, expressions: Expressions) -> None:
        self._records = records
        self._expressions = expressions

    def condition(self, asked: Condition) -> str:
        if isinstance(asked, Comparison):
            value = self._value(asked.operand, asked.value)
            return f"{self._place(asked.operand)} {asked.operator} {value}"
        if isinstance(asked, Between):
            low, high = (self._value(asked.operand, one) for one in (asked.low, asked.high))
            return f"{self._place(asked.operand)} BETWEEN {low} AND {high}"
        if isinstance(asked, Membership):
            values = ", ".join(self._value(asked.operand, one) for one in asked.values)
            return f"{self._place(asked.operand)} IN ({values})"
        if isinstance(asked, Function):
            return self._function(asked)
        if isinstance(asked, Junction):
            return f" {asked.word} ".join(f"({self.condition(one)})" for one in asked.parts)
        if isinstance(asked, Negation):
            return f"NOT ({self.condition(asked.of)})"
        raise TypeError(f"{asked!r} is no condition")

    def path(self, operand: Operand[Any]) -> str:
        """Where the operand is stored."""
        field = own_field(self._records, operand)
        stored, steps = field.stored, operand.path
        if isinstance(field, TallyField) and steps:
            # Each name has an attribute of its own.
            stored, steps = f"{field.prefix}{steps[0]}", steps[1:]
        if not stored:
            raise TypeError(f"{field.name} is no attribute of its own, and cannot be asked for")
        text = self._expressions.name(stored)
        for step in steps:
            if isinstance(step, int):
                text += f"[{step}]"
            else:
                name = step if isinstance(step, str) else step.stored
                text += f".{self._expressions.name(name)}"
        return text

    def _place(self, operand: Operand[Any]) -> str:
        self._refuse_secret(operand)
        path = self.path(operand)
        return f"size({path})" if isinstance(operand, Size) else path

    def _value(self, operand: Operand[Any], value: Any) -> str:
        return self._expressions.value(wire_of(self._records, operand, value, compared=True))

    def _function(self, asked: Function) -> str:
        path = self.path(asked.operand)
        if asked.argument is None:
            if asked.operand.path:
                self._refuse_secret(asked.operand)
            return f"{asked.name}({path})"
        self._refuse_secret(asked.operand)
        # A part of a text need not be of the field's own form.
        argument = asked.argument
        held = leaf_of(own_field(self._records, asked.operand), asked.operand)
        if asked.name == "contains" and isinstance(held, SetOfField | ListOfField):
            argument = held.of.to_plain(held.of.check(argument))
        return f"{asked.name}({path}, {self._expressions.value(encode(argument))})"

    def _refuse_secret(self, operand: Operand[Any]) -> None:
        if own_field(self._records, operand).secret:
            raise TypeError(
                f"{operand.field.name} is secret, and DynamoDB cannot look into it: ask whether it "
                "exists() or is_missing(), read the record and look there, or find it by a Digest"
            )


def is_served(asked: Condition, records: Records, listing: Listing[Any]) -> bool:
    """Whether DynamoDB can look at a condition itself: a query not at keys, none at what is secret
    or read later."""
    design, index = records.design, listing.index
    if design.completes(listing) or isinstance(listing, Collection):
        return False
    keys = design.key_attributes(index).names
    fields = [own_field(records, operand) for operand in asked.operands()]
    if any(field.secret for field in fields):
        return False
    if index and not design.carries_expiry(index):
        carried = {*design.carried(design.indexes[index]), *design.key.names, *keys}
        if any(field.stored not in carried for field in fields):
            return False
    hidden = keys if isinstance(listing, Query) else ()
    return all(field.stored and field.stored not in hidden for field in fields)


def own_field(records: Records, operand: Operand[Any]) -> Field[Any]:
    """The entity's field that an operand is about."""
    field: Field[Any] = operand.field
    own = records.entity.by_name.get(field.name)
    # Another table may have a copy of it, with another stored name.
    if own is None or (own is not field and type(own) is not type(field)):
        raise TypeError(f"{field!r} is not a field of {records.entity.name}")
    return own


def wire_of(records: Records, operand: Operand[Any], value: Any, *, compared: bool = False) -> Wire:
    """A value that an operand is set to, or compared with, as it is stored."""
    leaf = leaf_of(own_field(records, operand), operand)
    if isinstance(operand, Size) and not isinstance(value, int):
        raise TypeError(f"a size must be compared with an int, not {described(value)}")
    if leaf is None or isinstance(operand, Size):
        return encode(value)
    try:
        checked = leaf.compared(value) if compared else leaf.check(value)
    except InvalidValue as problem:
        raise InvalidRecord(records.entity.name, [problem]) from None
    if checked is None:
        empty = leaf.refuse(f"cannot be compared with {described(value)}. Use is_missing()")
        raise InvalidRecord(records.entity.name, [empty])
    return encode(leaf.to_plain(checked))


def leaf_of(field: Field[Any], operand: Operand[Any]) -> Field[Any] | None:
    """The field that an operand's values are of: its own or that of a part, None if unknown."""
    found: Any = field
    for step in operand.path:
        if isinstance(step, Field):
            found = step
        elif isinstance(step, int) and isinstance(found, ListOfField):
            found = found.of
        else:
            return None
    return found  # type: ignore[no-any-return]


def as_in(record: Mapping[str, Any], operand: Operand[Any]) -> Condition:
    """The condition that an operand has the value that it has in a record."""
    value = _value_in(record, operand)
    return operand.is_missing() if value is _ABSENT else operand == value


def holds(asked: Condition, record: Mapping[str, Any]) -> bool:
    """Whether a condition holds of a record, as DynamoDB would find of its item."""
    if isinstance(asked, Junction):
        found = (holds(one, record) for one in asked.parts)
        return all(found) if asked.word == "AND" else any(found)
    if isinstance(asked, Negation):
        return not holds(asked.of, record)
    if isinstance(asked, Function):
        return _function_holds(asked, _plain_in(record, asked.operand))
    if isinstance(asked, Comparison):
        mine = _value_in(record, asked.operand)
        if mine is _ABSENT:
            return asked.operator == "<>"
        return _compares(asked.operator, mine, _like(asked.operand, asked.value))
    if isinstance(asked, Between):
        mine = _value_in(record, asked.operand)
        low, high = (_like(asked.operand, one) for one in (asked.low, asked.high))
        return mine is not _ABSENT and _compares("<=", low, mine) and _compares("<=", mine, high)
    if isinstance(asked, Membership):
        mine = _value_in(record, asked.operand)
        return any(mine == _like(asked.operand, one) for one in asked.values)
    raise TypeError(f"{asked!r} is no condition")


def _like(operand: Operand[Any], value: Any) -> Any:
    leaf = leaf_of(operand.field, operand)
    return value if leaf is None or isinstance(operand, Size) else leaf.compared(value)


def _compares(sign: str, one: Any, other: Any) -> bool:
    try:
        return bool(_COMPARE[sign](one, other))
    except TypeError:  # of different types: DynamoDB finds that they are not equal, and no more
        return sign == "<>"


def _function_holds(asked: Function, mine: Any) -> bool:
    if asked.name == "attribute_exists":
        return mine is not _ABSENT
    if asked.name == "attribute_not_exists":
        return mine is _ABSENT
    if mine is _ABSENT:
        return False
    if asked.name == "begins_with":
        return isinstance(mine, str | bytes) and bool(mine.startswith(asked.argument))
    if asked.name == "contains":
        held = leaf_of(asked.operand.field, asked.operand)
        part = asked.argument
        if isinstance(held, SetOfField | ListOfField):
            part = held.of.to_plain(held.of.check(part))
        whole = isinstance(mine, str | bytes) and isinstance(part, type(mine))
        return (whole or isinstance(mine, set | frozenset | list | tuple)) and part in mine
    (kind,) = encode(mine)
    return bool(kind == asked.argument)


def _value_in(record: Mapping[str, Any], operand: Operand[Any]) -> Any:
    value = record.get(operand.field.name, _ABSENT)
    for step in operand.path:
        try:
            value = value[step.name if isinstance(step, Field) else step]
        except (KeyError, IndexError, TypeError):
            return _ABSENT
    if value is None or value is _ABSENT:
        return _ABSENT
    if isinstance(operand, Size):
        return len(_plain(operand, value))
    return value


def _plain_in(record: Mapping[str, Any], operand: Operand[Any]) -> Any:
    """The value of an operand as it is stored."""
    value = _value_in(record, operand)
    return value if value is _ABSENT else _plain(operand, value)


def _plain(operand: Operand[Any], value: Any) -> Any:
    leaf = leaf_of(operand.field, operand)
    return leaf.to_plain(value) if leaf else value
