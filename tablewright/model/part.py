"""Fields that belong together: those of an entity, or of a part of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tablewright.model.errors import InvalidRecord, InvalidValue
from tablewright.model.fields.base import DECODED, Field

Record = dict[str, Any]
"""Values of an entity's fields by their names, as they are checked and stored."""


class PartModel:
    """Fields by their names, and the check of values for them."""

    __slots__ = ("_readers", "by_name", "by_stored", "fields", "name", "required")

    def __init__(self, name: str, fields: Iterable[Field[Any]]) -> None:
        self.name = name
        self.fields = tuple(fields)
        self.by_name = {field.name: field for field in self.fields}
        self.by_stored = {field.stored: field for field in self.fields if field.stored}
        # By stored name: the field's name, and a type whose values are read as they are.
        self._readers = {
            stored: (
                field.name,
                DECODED[field.kind] if field.is_stored_plainly else None,
                field.read,
            )
            for stored, field in self.by_stored.items()
        }
        self.required = frozenset(field.name for field in self.fields if not field.optional)

    def check(self, values: Mapping[str, Any], *, partial: bool = False) -> Record:
        """The values in canonical form, absent ones left out: a record that can be stored.

        Raises InvalidRecord with every problem found. With `partial`, fields may be missing, and
        None says that an optional field is to be removed.
        """
        problems: list[InvalidValue] = []
        record: Record = {}
        for name in values:
            if name not in self.by_name:
                problems.append(InvalidValue(name, f"is not a field of {self.name}"))
        for field in self.fields:
            value = values.get(field.name)
            if value is not None:
                try:
                    value = field.check(value)
                except InvalidValue as problem:
                    problems.append(problem)
                    continue
            if value is not None:
                record[field.name] = value
            elif field.optional and partial and field.name in values:
                record[field.name] = None
            elif field.default is not None and not partial:
                record[field.name] = field.new_default()
            elif not field.optional and (field.name in values or not partial):
                problems.append(field.refuse("is required"))
        problems += self.more_problems(record)
        if problems:
            raise InvalidRecord(self.name, problems)
        return record

    def more_problems(self, record: Mapping[str, Any]) -> Iterable[InvalidValue]:
        """What is wrong with values that are each sound."""
        return ()

    def to_plain(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """What is stored for a part, by stored names."""
        return {
            self.by_name[name].stored: self.by_name[name].to_plain(value)
            for name, value in record.items()
            if value is not None
        }

    def from_plain(self, plain: Mapping[str, Any]) -> Record:
        """The record that `to_plain` made this from; what it does not know is left out.

        Raises InvalidValue for a member that is required and missing, and as `Field.read` does.
        """
        readers, record = self._readers, {}
        for name, value in plain.items():
            reader = readers.get(name)
            if reader is not None and value is not None:
                field, kind, read = reader
                record[field] = value if type(value) is kind else read(value)
        if not record.keys() >= self.required:
            for name in self.required - record.keys():
                record[name] = self.by_name[name].read_missing()
        return record
