"""New migration file: the mapping that follows from two designs, as code that people review.

A value is mapped by the code only if it is carried over exactly: every boundary value of the field
is accepted by the other design, and is the same when it is mapped back. For all else the code calls
`incomplete`, and the author writes the value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tablewright.changes.compatibility.boundary_records import (
    accepted,
    boundary_records,
    boundary_values,
)
from tablewright.changes.compatibility.mapping import DesignMapping, is_same
from tablewright.changes.copying.items import ItemMapping, NotMapped, TableSide, key_text
from tablewright.changes.copying.migration_file import (
    InvalidMigration,
    MigrationDesigns,
    MigrationFile,
    lock_files,
)
from tablewright.designs.description.build import build_table
from tablewright.designs.description.design import Description
from tablewright.model.declaration import Table
from tablewright.model.entity import EntityModel
from tablewright.model.fields.base import Field
from tablewright.runtime.store.records import Item

_HEAD = '''"""Migration {number}: {title}.

Copies the items of {place} to a new table. The designs are in
{old} and {new}.
Review every function, and complete those that call `incomplete`.
"""

from {module} import {name}
from tablewright.changes import MigrationDesigns

designs = MigrationDesigns(__file__, {name})

# All that the migration loses on purpose: "Order.note" is a field, "Line" stands for all items of
# an entity, and "Order:expired" for items that have expired by their new design alone.
LOSES: set[str] = set()
'''


class _Line(NamedTuple):
    """An argument of a generated function: its code, and a comment."""

    code: str
    comment: str = ""


def write_migration(
    folder: Path,
    title: str,
    place: str,
    declared: type[Table],
    locks: tuple[Description, Description],
    was: Mapping[str, str],
) -> Path:
    """Write the next migration file of a folder, and its two locks; gives the file."""
    words = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
    if not words:
        raise InvalidMigration(f"'{title}' has no letter or digit: name the migration with words")
    folder.mkdir(parents=True, exist_ok=True)
    numbers = [int(one.name[:4]) for one in folder.glob("[0-9][0-9][0-9][0-9]_*.py")]
    number = f"{max(numbers, default=0) + 1:04}"
    file = folder / f"{number}_{words}.py"
    before, after = (build_table(lock, declared).__design__ for lock in locks)
    mapping = DesignMapping(before, after, was)
    for lock, description in zip(lock_files(file), locks, strict=True):
        lock.write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    module, _, name = place.partition(":")
    old, new = (lock.name for lock in lock_files(file))
    head = _HEAD.format(
        number=number, title=title, place=place, old=old, new=new, module=module, name=name
    )
    file.write_text(head + "\n".join(_functions(mapping)) + "\n", encoding="utf-8")
    return file


def find_problems(migration: MigrationFile) -> tuple[list[str], list[str]]:
    """Map boundary records of every old entity: gives the problems, and warnings.

    Problems are keys that two records share. Warnings are records that are refused, or that cannot
    be restored: stored items may have no such values, and each of them is tried when it is copied.
    """
    designs = migration.designs
    sides = [_clear_side(table) for table in (designs.old_table, designs.new_table)]
    mapping = ItemMapping(migration, *sides, forward=True)
    problems, warnings = [], []
    taken: dict[str, tuple[str, Item]] = {}
    for entity in sides[0].design.entity_list:
        if entity.name not in migration.upgrade:
            continue
        refused: dict[str, None] = {}
        for record in boundary_records(entity, {}, ()):
            item = sides[0].codecs[entity.name].to_item(record)
            try:
                mapped = mapping.map(item)
            except NotMapped as problem:
                refused[str(problem)] = None
                continue
            if mapped.inexact:
                refused[mapped.inexact] = None
            target, key = key_text(sides[1].key(mapped.item)), sides[0].key(item)
            owner = taken.setdefault(target, (entity.name, key))
            if owner != (entity.name, key):
                problems.append(
                    f"{entity.name} {key_text(key)} and {owner[0]} {key_text(owner[1])} map to one "
                    f"key: {target}"
                )
        warnings += [f"{entity.name}: {text}" for text in list(refused)[:3]]
    return problems, warnings


def _clear_side(table: type[Table]) -> TableSide:
    if not table.__design__.has_secrets:
        return TableSide(table, "")
    from tablewright.runtime.secrets.secrets import Secrets

    return TableSide(table, "", Secrets.in_clear())


def _functions(mapping: DesignMapping) -> Iterator[str]:
    """The code of the functions, an upgrade and a downgrade for each entity."""
    upgrades, downgrades = [], []
    for new_name, old_name in mapping.entities.items():
        old, new = mapping.old.entities[old_name], mapping.new.entities[new_name]
        names = mapping.field_names(old, new)
        classes = f'designs.old["{old_name}"], designs.new["{new_name}"]'
        yield f"\nOld{old_name}, {new_name} = {classes}\n"
        yield from _function("upgrade", "old", old, new, f"Old{old_name}", new_name, names)
        back = {source: name for name, source in names.items()}
        yield from _function("downgrade", "new", new, old, new_name, f"Old{old_name}", back)
        upgrades.append(f'"{old_name}": upgrade_{_snake(old_name)}')
        downgrades.append(f'"{new_name}": downgrade_{_snake(new_name)}')
    for word, design, known in (
        ("UPGRADE", mapping.old, mapping.entities.values()),
        ("DOWNGRADE", mapping.new, mapping.entities.keys()),
    ):
        for name in design.entities.keys() - set(known):
            yield f"# {name} has no counterpart. Add a function to {word}, or its name to LOSES."
    yield f"\nUPGRADE = {{{', '.join(upgrades)}}}"
    yield f"DOWNGRADE = {{{', '.join(downgrades)}}}"


def _function(
    verb: str,
    given: str,
    source: EntityModel,
    target: EntityModel,
    source_class: str,
    target_class: str,
    names: Mapping[str, str],
) -> Iterator[str]:
    yield f"\ndef {verb}_{_snake(source.name)}({given}: {source_class}) -> {target_class}:"
    for field in source.fields:
        if field.name not in names.values():
            yield f"    # {field.name} has no counterpart, and is lost."
    yield f"    return {target_class}("
    for field in target.fields:
        line = _argument(given, source, names.get(field.name), field, target)
        if line.comment:
            yield f"        # {line.comment}"
        if line.code:
            yield f"        {field.name}={line.code},"
    yield "    )\n"


def _argument(
    given: str, source: EntityModel, name: str | None, field: Field[Any], target: EntityModel
) -> _Line:
    """The value of a field of the target, from the field of the source that it continues."""
    full = f"{target.name}.{field.name}"
    if name is None and field.optional:
        return _Line("", f"{field.name} is new, and has its default.")
    if name is None:
        return _Line(_incomplete(full, "it is required, and has no counterpart"))
    before = source.by_name[name]
    comment = "" if name == field.name else f"{field.name} continues {name}."
    for code, convert in (
        (f"{given}.{name}", lambda value: value),
        (f"designs.plain({given}.{name})", MigrationDesigns.plain),
    ):
        if _is_exact(before, field, convert):
            return _Line(code, comment)
    reason = f"{_kind(before)} {name} is not carried over exactly to {_kind(field)}"
    return _Line(_incomplete(full, reason), comment)


def _is_exact(source: Field[Any], target: Field[Any], convert: Any) -> bool:
    """True if the target accepts every boundary value, unchanged, and the source takes it back."""
    if source.optional and (not target.optional or target.default != source.default):
        return False
    for value in boundary_values(source, target):
        mapped = accepted(target, convert(value))
        if mapped is None or type(mapped).__name__ != type(value).__name__:
            return False
        plain = MigrationDesigns.plain
        if not is_same(plain(mapped), plain(value)):
            return False
        if not is_same(accepted(source, convert(mapped)), value):
            return False
    return True


def _incomplete(full: str, reason: str) -> str:
    return f'designs.incomplete("{full}", "{reason}")'


def _kind(field: Field[Any]) -> str:
    return field.type_name


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
