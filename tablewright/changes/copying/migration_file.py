"""Migration file: the functions that map records, and the two designs that lie beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from tablewright.designs.description.build import build_table
from tablewright.designs.description.errors import InvalidDescription
from tablewright.model.declaration import Entity, Table
from tablewright.model.errors import TablewrightError

MapRecord = Callable[[Any], Any]


class InvalidMigration(TablewrightError):
    """A migration file, or a lock beside it, cannot be used."""


class IncompleteMigration(TablewrightError):
    """A function of a migration file still calls `incomplete`."""


class MigrationDesigns:
    """The two designs of a migration, built from the locks beside its file.

    `old` and `new` are the entity classes of each design, by name. Designs that are `declared` lend
    the locks their own functions and classes of fields.

    Example::

        designs = MigrationDesigns(__file__, Orders)
        OldOrder, Order = designs.old["Order"], designs.new["Order"]
    """

    def __init__(self, file: str, *declared: type[Table]) -> None:
        self.old_table, self.new_table = (_built(lock, declared) for lock in lock_files(Path(file)))
        self.old, self.new = _classes(self.old_table), _classes(self.new_table)

    @staticmethod
    def incomplete(value: str, reason: str) -> NoReturn:
        """Stand for a value that the author of the migration has to write."""
        raise IncompleteMigration(f"{value} is incomplete: {reason}")

    @staticmethod
    def plain(value: Any) -> Any:
        """The value without classes of a design: fields of either design accept it."""
        if isinstance(value, Enum):
            return value.value
        if isinstance(value, Mapping):
            return {name: MigrationDesigns.plain(one) for name, one in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [MigrationDesigns.plain(one) for one in value]
        return value


class MigrationFile(NamedTuple):
    """A migration: its name, designs, functions by entity, and what it loses on purpose."""

    name: str
    designs: MigrationDesigns
    upgrade: Mapping[str, MapRecord]
    downgrade: Mapping[str, MapRecord]
    loses: frozenset[str]

    def require_complete(self) -> None:
        """Raise IncompleteMigration with the name of a function that is incomplete."""
        for function in (*self.upgrade.values(), *self.downgrade.values()):
            if "incomplete" in getattr(getattr(function, "__code__", None), "co_names", ()):
                raise IncompleteMigration(
                    f"{self.name}: {function.__name__} still calls incomplete. Complete it first"
                )
        for table, functions, word in (
            (self.designs.old_table, self.upgrade, "UPGRADE"),
            (self.designs.new_table, self.downgrade, "DOWNGRADE"),
        ):
            for name in table.__design__.entities:
                if name not in functions and name not in self.loses:
                    raise IncompleteMigration(
                        f"{self.name}: {name} has no function in {word}. Add one, or name {name} "
                        "in LOSES if the migration leaves its items out"
                    )


def lock_files(file: Path) -> tuple[Path, Path]:
    """The locks of the old and of the new design beside a migration file."""
    return file.with_suffix(".old.json"), file.with_suffix(".new.json")


def load_migration(file: Path) -> MigrationFile:
    """Import a migration file, which runs its code, and check what it declares."""
    spec = spec_from_file_location(f"tablewright_migration_{file.stem}", file)
    if spec is None or spec.loader is None or not file.exists():
        raise InvalidMigration(f"{file} is no migration file. `migration new` writes one")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except TablewrightError:
        raise
    except Exception as error:  # whatever the module may raise
        raise InvalidMigration(f"{file} cannot be imported: {error!r}") from error
    try:
        designs, loses = module.designs, frozenset(module.LOSES)
        migration = MigrationFile(file.stem, designs, module.UPGRADE, module.DOWNGRADE, loses)
    except AttributeError as error:
        raise InvalidMigration(f"{file} is no migration file: {error}") from None
    for functions, known in ((migration.upgrade, designs.old), (migration.downgrade, designs.new)):
        for name in functions.keys() - known.keys():
            raise InvalidMigration(f"{file}: '{name}' is no entity of the design that it maps")
    return migration


def _built(lock: Path, declared: tuple[type[Table], ...]) -> type[Table]:
    try:
        return build_table(json.loads(lock.read_text(encoding="utf-8")), *declared)
    except (InvalidDescription, OSError, ValueError) as error:
        raise InvalidMigration(f"{lock} is no lock of a design: {error}") from None


def _classes(table: type[Table]) -> dict[str, type[Entity]]:
    return {name: entity.made for name, entity in table.__design__.entities.items()}
