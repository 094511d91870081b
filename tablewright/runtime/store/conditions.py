"""Conditions of a model as expressions of DynamoDB."""

from __future__ import annotations

from collections.abc import Mapping
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
    if isinstance(asked, Function) and asked.argument is not None:
        argument_of(records, asked)


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
        stored, *steps = path_of(field, operand)
        if not stored:
            raise TypeError(f"{field.name} is no attribute of its own, and cannot be asked for")
        text = self._expressions.name(str(stored))
        for step in steps:
            text += f"[{step}]" if isinstance(step, int) else f".{self._expressions.name(step)}"
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
        argument = self._expressions.value(argument_of(self._records, asked))
        return f"{asked.name}({path}, {argument})"

    def _refuse_secret(self, operand: Operand[Any]) -> None:
        if own_field(self._records, operand).secret:
            raise TypeError(
                f"{operand.field.name} is secret, and DynamoDB cannot look into it: ask whether it "
                "exists() or is_missing(), read the record and look there, or find it by a Digest"
            )


def path_of(field: Field[Any], operand: Operand[Any]) -> list[str | int]:
    """The attribute of an operand, and the names and positions that lead from it to its part. The
    attribute is empty for a field that has none."""
    stored, steps = field.stored, operand.path
    if isinstance(field, TallyField) and steps:
        # Each name has an attribute of its own.
        stored, steps = f"{field.prefix}{steps[0]}", steps[1:]
    return [stored, *(step.stored if isinstance(step, Field) else step for step in steps)]


def argument_of(records: Records, function: Function) -> Wire:
    """The argument of a function, as it is sent."""
    # A part of a text need not be of the field's own form.
    argument = function.argument
    held = leaf_of(records, function.operand)
    if function.name == "contains" and isinstance(held, SetOfField | ListOfField):
        try:
            argument = held.of.to_plain(held.of.check(argument))
        except InvalidValue as problem:
            raise refused(records, function.operand, problem) from None
    return encode(argument)


def split(
    condition: Condition | None, records: Records, listing: Listing[Any]
) -> tuple[Condition | None, Condition | None]:
    """The part of a condition that DynamoDB evaluates, and the one that is evaluated here."""
    served: Condition | None = None
    remaining: Condition | None = None
    for part in _conjuncts(condition):
        if is_served(part, records, listing):
            served = part if served is None else served & part
        else:
            remaining = part if remaining is None else remaining & part
    return served, remaining


def _conjuncts(condition: Condition | None) -> list[Condition]:
    """Conditions all of which must hold, so that each can be evaluated by itself."""
    if isinstance(condition, Junction) and condition.word == "AND":
        return list(condition.parts)
    return [] if condition is None else [condition]


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
    leaf = leaf_of(records, operand)
    if isinstance(operand, Size) and type(value) is not int:
        raise TypeError(f"a size must be compared with an int, not {described(value)}")
    if isinstance(operand, Size):
        return encode(value)
    try:
        check = leaf.compared if compared else leaf.check
        checked = check(value) if value is not None or not leaf.kind else None
    except InvalidValue as problem:
        raise refused(records, operand, problem) from None
    if checked is None and leaf.kind:  # a document can hold None
        empty = leaf.refuse(f"cannot be compared with {described(value)}. Use is_missing()")
        raise InvalidRecord(records.entity.name, [empty])
    return encode(leaf.to_plain(checked))


def leaf_of(records: Records, operand: Operand[Any]) -> Field[Any]:
    """The field that an operand's values are of: the entity's own, or that of a part."""
    leaf: Field[Any] = operand.leaf
    own = None if operand.path else records.entity.by_name.get(leaf.name)
    # In a collection, the item can be of another entity.
    return own if own is not None and type(own) is type(leaf) else leaf


def refused(records: Records, operand: Operand[Any], problem: InvalidValue) -> InvalidRecord:
    """The error for a value of an operand; elements of a list have no name."""
    if not problem.field:
        problem = operand.field.refuse(f"has an entry that {problem.reason}")
    return InvalidRecord(records.entity.name, [problem])


def as_in(record: Mapping[str, Any], operand: Operand[Any]) -> Condition:
    """The condition that an operand has the value that it has in a record."""
    value = _value_in(record, operand)
    return operand.is_missing() if value is _ABSENT else operand == value


def _value_in(record: Mapping[str, Any], operand: Operand[Any]) -> Any:
    value = record.get(operand.field.name, _ABSENT)
    for step in operand.path:
        try:
            value = value[step.name if isinstance(step, Field) else step]
        except (KeyError, IndexError, TypeError):
            return _ABSENT
    if value is None or value is _ABSENT:
        return _ABSENT
    return value
