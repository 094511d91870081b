"""Changes of a model as update expressions of DynamoDB, and as what becomes of a record here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tablewright.model.changes import Add, Append, Change, Remove, Set, Subtract
from tablewright.model.errors import InvalidRecord, InvalidValue
from tablewright.model.fields.base import Field
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.store.conditions import Rendering, own_field, wire_of
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Records


def listed(records: Records, given: Iterable["Change | Mapping[str, Any]"]) -> list[Change]:
    """Checked changes, from changes and from mappings of fields to values, None to remove one.

    Raises InvalidRecord with everything that is wrong, or TypeError for fields of the key.
    """
    changes: list[Change] = []
    for one in given:
        changes += [one] if isinstance(one, Change) else _of_values(records, one)
    for change in changes:
        field = own_field(records, change.operand)
        if field.name in records.entity.key.fields:
            raise TypeError(f"{field.name} cannot be changed: part of the key")
    return [_checked(records, change) for change in changes]


def _of_values(records: Records, values: Mapping[str, Any]) -> list[Change]:
    fixed = [name for name in values if name in records.entity.key.fields]
    if fixed:
        raise TypeError(f"{', '.join(fixed)} cannot be changed: part of the key")
    checked = records.check_some(values)
    fields = records.entity.by_name
    return [
        Remove(fields[name]) if checked.get(name) is None else Set(fields[name], checked[name])
        for name in values
    ]


def _checked(records: Records, change: Change) -> Change:
    field = own_field(records, change.operand)
    if change.operand.path:
        return change
    if isinstance(change, Remove) and not field.optional:
        raise InvalidRecord(records.entity.name, [field.refuse("is required")])
    if isinstance(change, Set):
        checked = records.check_some({field.name: change.value})
        if checked.get(field.name) is None:  # as good as absent: an empty set
            return Remove(field)
        return Set(field, checked[field.name], if_missing=change.if_missing)
    if isinstance(change, Add) and field.kind not in ("N", "NS", "SS", "BS"):
        problem = InvalidValue(field.name, "can be added to only as a number or a set")
        raise InvalidRecord(records.entity.name, [problem])
    return change


def is_plain(changes: Sequence[Change]) -> bool:
    """Whether carrying them out a second time changes nothing more, and only fields are named."""
    return all(
        not change.operand.path
        and (isinstance(change, Remove) or (isinstance(change, Set) and not change.if_missing))
        for change in changes
    )


def names_of(changes: Sequence[Change]) -> set[str]:
    return {change.operand.field.name for change in changes}


def in_place(changes: Sequence[Change], record: Mapping[str, Any]) -> bool:
    """Whether plain changes have been made already."""
    return all(
        record.get(change.operand.field.name) == (change.value if isinstance(change, Set) else None)
        for change in changes
    )


def expression(records: Records, changes: Sequence[Change], expressions: Expressions) -> str:
    """The update expression."""
    rendering = Rendering(records, expressions)
    parts: dict[str, list[str]] = {"SET": [], "REMOVE": [], "ADD": [], "DELETE": []}
    for change in changes:
        field = own_field(records, change.operand)
        if not field.stored:
            _tally(change, field, expressions, parts)
            continue
        path = rendering.path(change.operand)
        if isinstance(change, Set):
            value = expressions.value(wire_of(records, change.operand, change.value))
            value = f"if_not_exists({path}, {value})" if change.if_missing else value
            parts["SET"].append(f"{path} = {value}")
        elif isinstance(change, Remove):
            parts["REMOVE"].append(path)
        elif isinstance(change, Add):
            parts["ADD"].append(f"{path} {expressions.value(encode(_amount(change.amount)))}")
        elif isinstance(change, Subtract):
            parts["DELETE"].append(f"{path} {expressions.value(encode(set(change.elements)))}")
        elif isinstance(change, Append):
            empty, more = (expressions.value(encode(list(x))) for x in ((), change.elements))
            parts["SET"].append(f"{path} = list_append(if_not_exists({path}, {empty}), {more})")
    return " ".join(f"{word} {', '.join(some)}" for word, some in parts.items() if some)


def _tally(
    change: Change, field: Field[Any], expressions: Expressions, parts: dict[str, list[str]]
) -> None:
    if not isinstance(change, Set):
        raise TypeError(f"{field.name} is not stored as one attribute: it can only be set")
    for attribute, value in field.attributes(change.value).items():
        parts["SET"].append(expressions.equal(attribute, encode(value)))


def _amount(amount: Any) -> Any:
    return amount if not isinstance(amount, list | tuple | set | frozenset) else set(amount)


def applied(changes: Sequence[Change], record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record after changes, None for those that are removed."""
    after = dict(record)
    for change in changes:
        name = change.operand.field.name
        if change.operand.path:
            raise TypeError(f"a part of {name} cannot be changed: something is derived from it")
        before = after.get(name)
        if isinstance(change, Set):
            after[name] = before if change.if_missing and before is not None else change.value
        elif isinstance(change, Remove):
            after[name] = None
        elif isinstance(change, Add):
            after[name] = _added(before, _amount(change.amount))
        elif isinstance(change, Subtract):
            after[name] = set(before or ()) - set(change.elements)
        elif isinstance(change, Append):
            after[name] = (*(before or ()), *change.elements)
    return after


def _added(before: Any, amount: Any) -> Any:
    if isinstance(amount, set):
        return set(before or ()) | amount
    return (0 if before is None else before) + amount
