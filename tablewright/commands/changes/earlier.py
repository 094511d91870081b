"""The design before a change, as an option of commands: a lock file, or a declared design."""

import argparse
from pathlib import Path

from tablewright.changes.lock_file import InvalidLock, lock_file, read_lock
from tablewright.commands.named import table_design
from tablewright.designs.description.build import build_table
from tablewright.designs.description.errors import InvalidDescription
from tablewright.model.declaration import Table


def earlier_design(
    parser: argparse.ArgumentParser, place: str | None, table: type[Table]
) -> type[Table] | None:
    """Find the design before `table`: package.module:Name, a lock file, or none.

    A lock file may name functions that `table` uses, and those of the library.
    """
    if place is None:
        return None
    try:
        if ":" in place and not Path(place).exists():
            return table_design(place)
        locked = read_lock(Path(place))
        if len(locked) != 1:
            parser.error(f"{place} has {len(locked)} designs: give a lock file of one design")
        return build_table(locked[0], table)
    except InvalidLock as error:
        parser.error(f"{error}; give a lock file, or a design as package.module:Name")
    except (argparse.ArgumentTypeError, InvalidDescription) as error:
        parser.error(f"{place}: {error}")


def locked_design(parser: argparse.ArgumentParser, table: type[Table]) -> type[Table] | None:
    """Find the design in the lock file beside the module of `table`; None without such a file."""
    file = lock_file(table)
    return earlier_design(parser, str(file), table) if file.exists() else None
