"""Mapping of two designs: entities and fields that continue, and exact conversion of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from tablewright.model.declaration import Part
from tablewright.model.entity import EntityModel
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import ListOfField, PartOfField, SetOfField
from tablewright.model.part import PartModel
from tablewright.model.table import Design

# Errors of conversions between values that have nothing in common.
UNFIT = (ArithmeticError, AttributeError, LookupError, TablewrightError, TypeError, ValueError)
# Entities with other names and keys are paired if they share this part of their fields.
_LIKENESS = 0.6


class UnknownName(TablewrightError, ValueError):
    """A name in `was` that no design has."""


class DesignMapping:
    """Entities and fields of a new design, and those of the old design that they continue.

    `was` names the old entity or field of a new one: {"Purchase": "Order", "Order.state":
    "Order.status"}. An empty text says that there is none.
    """

    def __init__(self, old: Design, new: Design, was: Mapping[str, str]) -> None:
        self.old, self.new, self._was = old, new, dict(was)
        self._fields: dict[tuple[int, int], dict[str, str]] = {}
        self.uncertain: list[str] = []
        self.entities = self._pair_entities()
        self._require_known()

    def _require_known(self) -> None:
        """Raise UnknownName for names in `was` that no design has."""
        for after, before in self._was.items():
            for design, name in ((self.new, after), (self.old, before)):
                owner, _, field = name.partition(".")
                entity = design.entities.get(owner)
                model = entity or parts_of(design).get(owner)
                if name and (model is None or (field and field not in model.by_name)):
                    raise UnknownName(
                        f"was={{{after!r}: {before!r}}}: {name!r} is no entity, part or field of "
                        f"design {design.id}. Write new names first: {{'Order.new': 'Order.old'}}"
                    )

    def _pair_entities(self) -> dict[str, str]:
        """The old name of each new entity that continues one."""
        pairs: dict[str, str] = {}
        for rule in (self._was_named, _has_same_name, self._has_same_key, self._has_same_fields):
            for new in self.new.entity_list:
                if new.name in pairs or self._was.get(new.name) == "":
                    continue
                free = [one for one in self.old.entity_list if one.name not in pairs.values()]
                old = next((one for one in free if rule(one, new)), None)
                if old is not None:
                    pairs[new.name] = old.name
                    if rule == self._has_same_fields:
                        self.uncertain.append(new.name)
        return pairs

    def _was_named(self, old: EntityModel, new: EntityModel) -> bool:
        return self._was.get(new.name) == old.name

    def _has_same_key(self, old: EntityModel, new: EntityModel) -> bool:
        forms = [[one.literals for one in entity.key.templates] for entity in (old, new)]
        return forms[0] == forms[1] and bool(self.field_names(old, new))

    def _has_same_fields(self, old: EntityModel, new: EntityModel) -> bool:
        shared = len(self.field_names(old, new))
        return shared >= _LIKENESS * max(len(old.fields), len(new.fields))

    def field_names(self, old: PartModel, new: PartModel) -> dict[str, str]:
        """The old name of each new field that continues one.

        Fields are paired by `was`, by name, by attribute, and by their place in the key.
        """
        key = (id(old), id(new))
        if key not in self._fields:
            self._fields[key] = self._pair_fields(old, new)
        return self._fields[key]

    def _pair_fields(self, old: PartModel, new: PartModel) -> dict[str, str]:
        named = {name: self._was.get(f"{new.name}.{name}") for name in new.by_name}
        pairs = {name: was.rpartition(".")[2] for name, was in named.items() if was}
        by_attribute = {field.stored: field.name for field in old.fields if field.stored}
        rules: list[Iterator[tuple[str, str | None]]] = [
            ((name, name) for name in new.by_name),
            ((field.name, by_attribute.get(field.stored)) for field in new.fields),
            _places_in_keys(old, new),
        ]
        for rule in rules:
            for name, source in rule:
                is_free = source in old.by_name and source not in pairs.values()
                if source and is_free and name not in pairs and named.get(name) is None:
                    pairs[name] = source
        return pairs


def _has_same_name(old: EntityModel, new: EntityModel) -> bool:
    return old.name == new.name


def _places_in_keys(old: PartModel, new: PartModel) -> Iterator[tuple[str, str]]:
    """Fields of the new key, each with the old field in its place."""
    if isinstance(old, EntityModel) and isinstance(new, EntityModel):
        for before, after in zip(old.key.templates, new.key.templates, strict=False):
            if before.literals == after.literals:
                pairs = zip(after.fields, before.fields, strict=True)
                yield from ((name, source) for name, source in pairs if name in new.by_name)


def parts_of(design: Design) -> dict[str, PartModel]:
    """Find the parts in the fields of a design, by name."""
    parts: dict[str, PartModel] = {}
    waiting = [field for entity in design.entity_list for field in entity.fields]
    for field in waiting:
        inner = getattr(field, "of", None)
        if isinstance(field, PartOfField) and field.of.__part__.name not in parts:
            parts[field.of.__part__.name] = field.of.__part__
            waiting.extend(field.of.__part__.fields)
        elif isinstance(inner, Field):
            waiting.append(inner)
    return parts


class Direction:
    """A mapping in one direction: from the design that writes to the design that reads."""

    def __init__(self, mapping: DesignMapping, *, forward: bool) -> None:
        self._mapping, self.is_forward = mapping, forward
        self._reader = mapping.new if forward else mapping.old
        pairs = mapping.entities.items()
        self._readers = {old: new for new, old in pairs} if forward else dict(pairs)
        self._converted: dict[tuple[int, int, str], Any] = {}

    def reader_of(self, entity: EntityModel) -> EntityModel | None:
        """The entity by which the reading design reads records of another."""
        name = self._readers.get(entity.name)
        return self._reader.entities[name] if name else None

    def sources(self, writer: PartModel, reader: PartModel) -> dict[str, Field[Any]]:
        """The written field of each field that is read."""
        if self.is_forward:
            names = self._mapping.field_names(writer, reader)
        else:
            names = {old: new for new, old in self._mapping.field_names(reader, writer).items()}
        return {name: writer.by_name[source] for name, source in names.items()}

    def convert(self, source: Field[Any], value: Any, target: Field[Any]) -> Any:
        """Return the value of the target field that means exactly the same; None without one."""
        key = (id(source), id(target), repr(value))
        if key not in self._converted:
            self._converted[key] = self._convert(source, value, target)
        return self._converted[key]

    def _convert(self, source: Field[Any], value: Any, target: Field[Any]) -> Any:
        if isinstance(source, PartOfField) and isinstance(target, PartOfField):
            return self._convert_part(source, value, target)
        for kind in (ListOfField, SetOfField):
            if isinstance(source, kind) and isinstance(target, kind):
                members = [self.convert(source.of, one, target.of) for one in value]
                return None if None in members else _checked(target, members)
        for candidate in _candidates(source, value, target):
            if any(is_same(back, value) for back in _candidates(target, candidate, source)):
                return candidate
        return None

    def _convert_part(self, source: PartOfField, value: Any, target: PartOfField) -> Any:
        written, read = source.of.__part__, target.of.__part__
        values = {}
        for name, field in self.sources(written, read).items():
            if (member := value.get(field.name)) is not None:
                values[name] = self.convert(field, member, read.by_name[name])
                if values[name] is None:
                    return None
        return _checked(target, values)


def _candidates(source: Field[Any], value: Any, target: Field[Any]) -> Iterator[Any]:
    """Values of the target field that a value may mean."""
    conversions: tuple[Callable[[], Any], ...] = (
        lambda: value,
        lambda: target.from_plain(source.to_plain(value)),
        lambda: Decimal(value),
        lambda: str(value),
        lambda: datetime.fromisoformat(str(value)).astimezone(UTC),
        lambda: date.fromisoformat(str(value)),
    )
    for conversion in conversions:
        try:
            candidate = conversion()
        except UNFIT:
            continue
        checked = _checked(target, candidate)
        is_other_number = _is_number(value) and _is_number(checked) and checked != value
        if checked is not None and is_same(checked, candidate) and not is_other_number:
            yield checked


def _checked(field: Field[Any], value: Any) -> Any:
    try:
        return field.check(value)
    except UNFIT:
        return None


def is_same(one: Any, other: Any) -> bool:
    """True if two values are equal and of one type. All numbers are of one type."""
    if isinstance(one, Part) and isinstance(other, Part):
        names = (one.__part__.by_name, other.__part__.by_name)
        return names[0].keys() == names[1].keys() and all(
            is_same(value_in(one, field), value_in(other, field)) for field in names[0].values()
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if _is_number(one) and _is_number(other):
        return bool(one == other)
    return type(one) is type(other) and bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def value_in(record: Mapping[str, Any], field: Field[Any]) -> Any:
    """The value that code reads from a record: without a value, the default."""
    value = record.get(field.name)
    return field.default if value is None else value
