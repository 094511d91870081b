"""Earlier designs to compare with: in a lock file, at a git revision, or a deployed table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tablewright.changes.compatibility.findings import finding
from tablewright.changes.compatibility.mapping import UnknownName
from tablewright.changes.compatibility.verdict import Outcome, Verdict, compare
from tablewright.changes.lock_file import InvalidLock, lock_file, plan_file, read_lock
from tablewright.changes.plan.plan import InvalidPlan, Plan
from tablewright.commands.designs.revision import NotYetDeclared, UnknownRevision, json_at
from tablewright.designs.description.build import build_table
from tablewright.designs.description.design import Description, describe
from tablewright.designs.description.errors import InvalidDescription
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm

if TYPE_CHECKING:
    from tablewright.runtime.deployed_table import DeployedTable

_TABLE, _STAGE = "table:", "stage:"
_COMPATIBLE = Verdict(Outcome.COMPATIBLE)


class NothingBefore(ValueError):
    """The design or table to compare with cannot be read; says why."""


class Compared(NamedTuple):
    """The verdict on a change, and the design or table before it; both None for a new design.

    `is_changed` is False for a design that is what it was. `planned` is True if a plan with steps
    leads from there to the design.
    """

    verdict: Verdict = _COMPATIBLE
    is_changed: bool = False
    planned: bool = False
    old: type[Table] | None = None
    there: DeployedTable | None = None

    @property
    def is_new(self) -> bool:
        return self.old is None and self.there is None


def compared(table: type[Table], options: argparse.Namespace, *, alone: bool) -> Compared:
    """Compare a design with the one that `--against` names; raises NothingBefore.

    `alone` is True if it is the only design, so that a lock of another id is its own, too.
    """
    against: str = options.against
    try:
        if against.startswith((_TABLE, _STAGE)):
            return _with_table(table, options)
        new = describe(table)
        if Path(against).exists():
            file = Path(against)
            lock = lock_file(table, file) if file.is_dir() else file
            old = _locked(lock, new["id"], alone=alone)
        else:
            lock = lock_file(table)
            old = _at_revision(table, against)
        before = build_table(old, table)
        plan = _plan(plan_file(table, lock), options)
        if old == new:
            return Compared(old=before)
        ends = (plan.before, plan.after) if plan and plan.steps else None
        verdict = compare(before, table, was=options.was)
        return Compared(verdict, True, ends == (old, new), before)
    except NotYetDeclared:
        return Compared()
    except InvalidDescription as error:
        raise NothingBefore(f"the design of {against} cannot be built: {error}") from None
    except (InvalidLock, InvalidPlan, UnknownName, UnknownRevision) as error:
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


def _with_table(table: type[Table], options: argparse.Namespace) -> Compared:
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
    plan = _plan(plan_file(table, lock_file(table)), options)
    planned = (
        plan is not None
        and bool(plan.steps)
        and plan.after == describe(table)
        and plan.before is not None
        and not there.differences(build_table(plan.before, table).__design__)
    )
    verdict = _table_verdict(there, table)
    return Compared(verdict, bool(verdict.indexes), planned, there=there)


def _table_verdict(there: DeployedTable, table: type[Table]) -> Verdict:
    """The verdict on a deployed table, as far as DescribeTable shows it.

    DynamoDB can change everything but the key, local indexes, and an index under its name.
    """
    wanted = there.wanted(table.__design__)
    findings = tuple(
        finding("table-differs", part, f"the table has {now}, and the design {goal}")
        for part, (now, goal) in there.form.differences(wanted).items()
    )
    return Verdict(_table_outcome(there.form, wanted), indexes=findings)


def _table_outcome(form: TableForm, wanted: TableForm) -> Outcome:
    fixed = [(one.partition, one.sort, one.local) for one in (form, wanted)]
    if fixed[0] != fixed[1]:
        return Outcome.NEW_TABLE
    if any(wanted.indexes.get(name, index) != index for name, index in form.indexes.items()):
        return Outcome.MIGRATE
    return Outcome.WRITERS_FIRST if form != wanted else Outcome.COMPATIBLE


def _plan(beside: Path, options: argparse.Namespace) -> Plan | None:
    """Read the plan of `--plan`, or the one beside the lock if it exists."""
    file: Path = options.plan or beside
    if not file.exists() and not options.plan:
        return None
    return Plan.from_file(file)
