"""Changes of a model as update expressions of DynamoDB, and as what becomes of a record here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from tablewright.model.changes import Add, Append, Change, Remove, Set, Subtract
from tablewright.model.errors import InvalidRecord, InvalidValue
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import ListOfField, SetOfField, TallyField
from tablewright.model.fields.numbers import NumberField
from tablewright.model.operands import Operand
from tablewright.runtime.store.attribute_values import Wire, encode
from tablewright.runtime.store.conditions import (
    Rendering,
    leaf_of,
    own_field,
    refused,
    wire_of,
)
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item, Records


def listed(records: Records, given: Iterable[Change | Mapping[str, Any]]) -> list[Change]:
    """Checked changes, from changes and from mappings of fields to values, None to remove one.

    Raises InvalidRecord with everything that is wrong, or TypeError for fields of the key.
    """
    changes: list[Change] = []
    for one in given:
        changes += [one] if isinstance(one, Change) else _of_values(records, one)
    for change in changes:
        field = own_field(records, change.operand)
        if field.name in records.key_inputs:
            raise TypeError(f"{field.name} cannot be changed: part of the key")
    for one, other in combinations(changes, 2):
        if _overlap(one, other):
            name = one.operand.field.name
            raise TypeError(f"{name} is changed twice, which one update cannot do")
    return [_checked(records, change) for change in changes]


def _overlap(one: Change, other: Change) -> bool:
    """Whether both are about the same place, or one about a part of the other's."""
    if one.operand.field is not other.operand.field:
        return False
    steps = zip(one.operand.path, other.operand.path, strict=False)
    return all(mine is theirs or repr(mine) == repr(theirs) for mine, theirs in steps)


def _of_values(records: Records, values: Mapping[str, Any]) -> list[Change]:
    fixed = [name for name in values if name in records.key_inputs]
    if fixed:
        raise TypeError(f"{', '.join(fixed)} cannot be changed: part of the key")
    checked = records.check_some(values)
    fields = records.entity.by_name
    return [
        _removed(fields[name]) if checked.get(name) is None else Set(fields[name], checked[name])
        for name in values
    ]


def _checked(records: Records, change: Change) -> Change:
    field = own_field(records, change.operand)
    if field.secret and (change.operand.path or not isinstance(change, Set | Remove)):
        raise TypeError(f"{field.name} is secret: it can be set or removed, but not in part")
    if isinstance(change, Add | Subtract | Append):
        return _growth(records, change, leaf_of(records, change.operand))
    if change.operand.path:
        return _of_part(records, change)
    if isinstance(change, Remove):
        if not field.optional:
            raise InvalidRecord(records.entity.name, [field.refuse("is required")])
        return _removed(field)
    if isinstance(change, Set):
        checked = records.check_some({field.name: change.value})
        if checked.get(field.name) is None:  # as good as absent: an empty set
            return _removed(field)
        return Set(field, checked[field.name], if_missing=change.if_missing)
    return change


def _of_part(records: Records, change: Change) -> Change:
    """A checked change that sets a part of a field, or takes it away."""
    operand, checked = change.operand, None
    leaf = leaf_of(records, operand)
    try:
        if isinstance(change, Set):
            is_removal = change.value is None and leaf.optional
            checked = None if is_removal else leaf.check(change.value)
            if checked is not None or not leaf.kind:
                return Set(operand, checked, if_missing=change.if_missing)
        if isinstance(operand.path[-1], Field):  # a member of a part
            if not leaf.optional:
                leaf.read_missing()  # raises InvalidValue unless a part can do without
            elif leaf.default is not None:
                return Set(operand, leaf.new_default())
    except InvalidValue as problem:
        raise refused(records, operand, problem) from None
    return Remove(operand)


def _growth(records: Records, change: Add | Subtract | Append, leaf: Field[Any]) -> Change:
    """A checked change that adds to a number, a set or a list, or takes elements out of a set."""
    operand = change.operand
    try:
        if isinstance(change, Append):
            checked = leaf.check(change.elements)
            return Append(operand, checked)
        values = change.amount if isinstance(change, Add) else change.elements
        if isinstance(leaf, SetOfField):
            return type(change)(operand, _elements(operand.field, leaf, values))
        if isinstance(leaf, TallyField):
            return change
        if isinstance(change, Subtract) or (leaf.kind and not isinstance(leaf, NumberField)):
            raise operand.field.refuse("can be added to only as a number or a set")
        number = leaf if isinstance(leaf, NumberField) else NumberField().named(leaf.name)
        return Add(operand, number.check_amount(values))
    except InvalidValue as problem:
        raise refused(records, operand, problem) from None


def _elements(field: Field[Any], leaf: SetOfField, values: Any) -> set[Any]:
    """The elements that are added to a set, or taken out of it."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Collection):
        raise field.refuse("takes elements in a set or a list")
    if not values:
        raise field.refuse("takes at least one element")
    return set(leaf.check(values if isinstance(values, set) else list(values)) or ())


def _removed(field: Field[Any]) -> Change:
    """What becomes of a field that is taken away: the value that it has by default, if any."""
    return Remove(field) if field.default is None else Set(field, field.default)


def is_plain(changes: Sequence[Change]) -> bool:
    """Whether carrying them out a second time changes nothing more, and only fields are named."""
    return all(
        not change.operand.path
        and (isinstance(change, Remove) or (isinstance(change, Set) and not change.if_missing))
        for change in changes
    )


def names_of(changes: Sequence[Change]) -> set[str]:
    return {change.operand.field.name for change in changes}


def expression(
    records: Records,
    changes: Sequence[Change],
    expressions: Expressions,
    also: Mapping[str, Wire] | None = None,
    gone: Iterable[str] = (),
    *,
    key: Item,
) -> str:
    """The update expression for the item with this key; `also` are attributes that are set beside
    the fields, `gone` those that are removed."""
    rendering = Rendering(records, expressions)
    parts: dict[str, list[str]] = {"SET": [], "REMOVE": [], "ADD": [], "DELETE": []}
    parts["SET"] += [expressions.equal(name, wire) for name, wire in (also or {}).items()]
    parts["REMOVE"] += [expressions.name(name) for name in gone]
    for change in changes:
        field = own_field(records, change.operand)
        if not field.stored and not change.operand.path:
            _tally(change, field, expressions, parts)
            continue
        path = rendering.path(change.operand)
        if isinstance(change, Set):
            wire = wire_of(records, change.operand, change.value)
            if field.secret:
                wire = records.encrypted({field.stored: wire}, key)[field.stored]
            value = expressions.value(wire)
            value = f"if_not_exists({path}, {value})" if change.if_missing else value
            parts["SET"].append(f"{path} = {value}")
        elif isinstance(change, Remove):
            parts["REMOVE"].append(path)
        elif isinstance(change, Add):
            amount = expressions.value(encode(_plain(records, change.operand, change.amount)))
            default = leaf_of(records, change.operand).default
            if not default or isinstance(change.amount, set):
                parts["ADD"].append(f"{path} {amount}")
            else:
                start = expressions.value(encode(default))
                parts["SET"].append(f"{path} = if_not_exists({path}, {start}) + {amount}")
        elif isinstance(change, Subtract):
            elements = _plain(records, change.operand, change.elements)
            parts["DELETE"].append(f"{path} {expressions.value(encode(elements))}")
        elif isinstance(change, Append):
            lists = (leaf_of(records, change.operand).default or (), change.elements)
            start, more = (
                expressions.value(encode(_plain(records, change.operand, list(one))))
                for one in lists
            )
            parts["SET"].append(f"{path} = list_append(if_not_exists({path}, {start}), {more})")
    return " ".join(f"{word} {', '.join(some)}" for word, some in parts.items() if some)


def _plain(records: Records, operand: Operand[Any], value: Any) -> Any:
    """Elements of a set or a list as they are stored; a number as it is."""
    held = leaf_of(records, operand)
    if isinstance(held, SetOfField | ListOfField) and isinstance(value, list | set):
        return type(value)(map(held.of.to_plain, value))
    return value


def _tally(
    change: Change, field: Field[Any], expressions: Expressions, parts: dict[str, list[str]]
) -> None:
    if not isinstance(change, Set):
        raise TypeError(f"{field.name} can only be set: name what is changed, with .at(name)")
    for attribute, value in field.attributes(change.value).items():
        parts["SET"].append(expressions.equal(attribute, encode(value)))


def applied(changes: Sequence[Change], record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record after changes, None for those that are removed."""
    after = dict(record)
    for change in changes:
        field, path = change.operand.field, change.operand.path
        before = after.get(field.name)
        if not path:
            if before is None and isinstance(change, Add | Append):
                before = field.default
            after[field.name] = _changed(change, before)
        elif isinstance(field, TallyField):
            counts = {**(before or {}), path[0]: _changed(change, (before or {}).get(path[0]))}
            after[field.name] = {name: one for name, one in counts.items() if one is not None}
        else:
            raise TypeError(
                f"a part of {field.name} cannot be changed together with fields that a key or the "
                f"expiry follows from. Set all of {field.name}, or make two updates"
            )
    return after


def _changed(change: Change, before: Any) -> Any:
    """What a change makes of a value."""
    if isinstance(change, Set):
        return before if change.if_missing and before is not None else change.value
    if isinstance(change, Add):
        return _added(before, change.amount)
    if isinstance(change, Subtract):
        return set(before or ()) - set(change.elements)
    if isinstance(change, Append):
        return (*(before or ()), *change.elements)
    return None


def _added(before: Any, amount: Any) -> Any:
    if isinstance(amount, set):
        return set(before or ()) | amount
    return (0 if before is None else before) + amount
