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
    read_lock,
)
from tablewright.changes.plan.plan import InvalidPlan, Plan
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
        planned = plan is not None and (plan.before, plan.after) == (old, new)
        return Compared(differences, planned, old)
    except NotYetDeclared:
        return Compared([], planned=False)
    except (InvalidLock, InvalidPlan, UnknownRevision) as error:
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
    planned = (
        plan is not None
        and plan.after == new
        and plan.before is not None
        and not compare_table(there.described, there.ttl, plan.before)
    )
    return Compared(differences, planned, there=there)


def _plan(beside: Path, options: argparse.Namespace) -> Plan | None:
    """Read the plan of `--plan`, or the one beside the lock if it exists."""
    file: Path = options.plan or beside
    if not file.exists() and not options.plan:
        return None
    return Plan.from_file(file)
