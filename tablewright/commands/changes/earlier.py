"""The design of before, as an option of commands: a lock file, or a design that is declared."""

import argparse
from pathlib import Path

from tablewright.changes.comparison.lock_file import InvalidLock, lock_file, read_lock
from tablewright.commands.named import table_design
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.source.declared import declared
from tablewright.model.declaration import Table


def earlier_design(place: str) -> type[Table]:
    """A design at a place, package.module:Name, or in its lock file."""
    if ":" in place and not Path(place).exists():
        return table_design(place)
    try:
        (locked,) = read_lock(Path(place))
        return declared(locked)
    except InvalidLock as error:
        raise argparse.ArgumentTypeError(
            f"{error}; give a lock file, or a design as package.module:Name"
        ) from None
    except (Indescribable, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{place} is no lock of one design: {error}") from None


def locked_design(table: type[Table]) -> type[Table] | None:
    """The design as it was last locked, None where it was not."""
    file = lock_file(table)
    return earlier_design(str(file)) if file.exists() else None
