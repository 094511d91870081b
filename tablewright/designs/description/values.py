"""Values of fields as JSON, and back: defaults and examples."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from tablewright.designs.description.errors import Indescribable
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import (
    BinaryField,
    DocumentField,
    ListOfField,
    PartOfField,
    SetOfField,
    TallyField,
)
from tablewright.model.fields.numbers import NumberField
from tablewright.model.fields.text import EnumField
from tablewright.model.fields.time import DateField, TimestampField, iso_utc
from tablewright.model.sharding.epochs import EpochListField
from tablewright.runtime.store.attribute_values import decode, encode


def value_json(field: Field[Any], value: Any) -> Any:
    """A value of a field as JSON: numbers other than whole ones, and times, as texts.

    What has no form of its own, such as a document, is as DynamoDB has it.
    """
    if isinstance(field, PartOfField):
        members = field.of.__part__.by_name
        return {name: value_json(members[name], one) for name, one in value.items()}
    if isinstance(field, ListOfField):
        return [value_json(field.of, one) for one in value]
    if isinstance(field, SetOfField):
        return sorted((value_json(field.of, one) for one in value), key=str)
    if isinstance(field, TallyField):
        return {name: str(count) for name, count in sorted(value.items())}
    if isinstance(field, DocumentField | EpochListField):
        return wire_json(encode(value))
    for kind, form in _FORMS:
        if isinstance(value, kind):
            return form(value)
    raise Indescribable(f"{field.name} has a value of type {type(value).__name__}, not of its kind")


def json_value(field: Field[Any], value: Any) -> Any:
    """Value of a field from its JSON, as `value_json` wrote it.

    Raises various errors for other JSON; the field itself must check the value.
    """
    if value is None:
        return None
    if isinstance(field, PartOfField):
        members = field.of.__part__.by_name
        return field.of(**{name: json_value(members[name], one) for name, one in value.items()})
    if isinstance(field, ListOfField | SetOfField):
        if not isinstance(value, list):
            raise field.refuse("must be a list")
        values = (json_value(field.of, one) for one in value)
        return tuple(values) if isinstance(field, ListOfField) else set(values)
    if isinstance(field, TallyField):
        return {name: Decimal(count) for name, count in value.items()}
    if isinstance(field, DocumentField | EpochListField):
        return decode(value)
    if isinstance(field, EnumField):
        return field.members[value]
    if type(value) not in (str, int, bool):
        raise field.refuse("must be a text, a number or a flag")
    for kind, parse in _PARSERS:
        if isinstance(field, kind) and type(value) is str:
            return parse(value)
    return value


def wire_json(wire: Mapping[str, Any]) -> dict[str, Any]:
    """A value as DynamoDB has it, with its bytes in Base64 as JSON has them."""
    ((tag, raw),) = wire.items()
    if tag == "M":
        return {tag: {name: wire_json(one) for name, one in raw.items()}}
    if tag == "L":
        return {tag: [wire_json(one) for one in raw]}
    if tag == "BS":
        return {tag: [b64encode(one).decode() for one in raw]}
    return {tag: b64encode(raw).decode() if tag == "B" else raw}


_PARSERS: tuple[tuple[type, Callable[[str], Any]], ...] = (
    (NumberField, Decimal),
    (TimestampField, datetime.fromisoformat),
    (DateField, date.fromisoformat),
    (BinaryField, b64decode),
)
# Of several that a value is of, the first.
_FORMS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (Enum, lambda member: str(member.value)),
    (bool, bool),
    (str, str),
    (int, int),
    (Decimal, str),
    (datetime, iso_utc),
    (date, date.isoformat),
    (bytes, lambda raw: b64encode(raw).decode()),
)
