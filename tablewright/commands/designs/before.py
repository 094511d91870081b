"""Designs as they were: in a lock file, in a folder of these, at a git revision, or as deployed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tablewright.changes.comparison.compare import compare, compare_table
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.lock_file import (
    InvalidLock,
    lock_file,
    plan_file,
    read_json,
    read_lock,
)
from tablewright.commands.designs.revision import NotYetDeclared, UnknownRevision, json_at
from tablewright.designs.description.design import Description, describe
from tablewright.model.declaration import Table

if TYPE_CHECKING:
    from tablewright.runtime.deployed_table import DeployedTable

_TABLE, _STAGE = "table:", "stage:"


class NothingBefore(ValueError):
    """What a design is to be compared with cannot be had; says why."""


class Compared(NamedTuple):
    """What differs from what was before, a design or a table that is there; `planned`, that a plan
    leads from there to here."""

    differences: list[Difference]
    planned: bool
    old: Description | None = None
    there: DeployedTable | None = None

    @property
    def is_new(self) -> bool:
        return self.old is None and self.there is None


def compared(table: type[Table], options: argparse.Namespace, *, alone: bool) -> Compared:
    """A design beside what `--against` names; raises NothingBefore.

    `alone` is whether it is the only design, so that a lock of another id is its own, too.
    """
    against: str = options.against
    new = describe(table)
    try:
        if against.startswith((_TABLE, _STAGE)):
            return _with_table(table, new, options)
        if Path(against).exists():
            file = Path(against)
            lock = lock_file(table, file) if file.is_dir() else file
            old = _locked(lock, new["id"], alone=alone)
        else:
            lock = lock_file(table)
            old = _at_revision(table, against)
        differences = compare(old, new)
        plan = _plan(plan_file(table, lock), options)
        return Compared(differences, bool(plan) and plan == {"from": old, "to": new}, old)
    except NotYetDeclared:
        return Compared([], planned=False)
    except (InvalidLock, UnknownRevision) as error:
        raise NothingBefore(str(error)) from None


def _locked(file: Path, id: str, *, alone: bool) -> Description:
    if not file.exists():
        raise NothingBefore(f"there is no {file}: `tablewright lock` writes it")
    found = read_lock(file)
    if alone and len(found) == 1:
        return found[0]
    named = [one for one in found if one["id"] == id]
    if not named:
        raise NothingBefore(
            f"{file} has no design '{id}': name the one that it is of, or a folder of lock files"
        )
    return named[0]


def _at_revision(table: type[Table], revision: str) -> Description:
    place = f"{table.__module__}:{table.__name__}"
    try:
        found: Description = json_at(revision, place, ["export", place, "--to", "json"])
    except NotYetDeclared:
        raise
    except UnknownRevision as error:
        raise NothingBefore(
            f"'{revision}' is no file or folder, and no revision that can be compared with "
            f"(a table is table:NAME, or stage:NAME): {error}"
        ) from None
    return found


def _with_table(table: type[Table], new: Description, options: argparse.Namespace) -> Compared:
    # boto3 is slow to import, and not needed otherwise.
    from tablewright.commands.changes.stages import UnknownStage, named_stage
    from tablewright.commands.designs.deployed import deployed

    kind, _, name = options.against.partition(":")
    if f"{kind}:" == _STAGE:
        try:
            stage = named_stage(name, options, table.__design__.id)
        except UnknownStage as error:
            raise NothingBefore(str(error)) from None
        told = stage._asdict()
        options, name = argparse.Namespace(**vars(options) | told), stage.table
    there = deployed(name, options)
    differences = compare_table(there.described, there.ttl, new)
    plan = _plan(plan_file(table, lock_file(table)), options)
    leads = plan.get("to") == new and _is_of(there, plan["from"])
    return Compared(differences, leads, there=there)


def _is_of(there: DeployedTable, description: Description) -> bool:
    """Whether a table is as a description says, as far as it shows."""
    try:
        return not compare_table(there.described, there.ttl, description)
    except (AttributeError, KeyError, TypeError):
        return False  # of a plan that was made by hand


def _plan(beside: Path, options: argparse.Namespace) -> dict[str, Description]:
    """What a plan leads from and to; nothing where there is no plan."""
    file: Path = options.plan or beside
    if not file.exists():
        if options.plan:
            raise NothingBefore(f"there is no {file}: `tablewright plan` writes plans")
        return {}
    found = read_json(file)
    if not isinstance(found, dict) or not {"from", "to"} <= found.keys():
        raise NothingBefore(f"{file} is no plan: `tablewright plan` writes them")
    return {"from": found["from"], "to": found["to"]}
