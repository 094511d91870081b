"""Copies of tables in use, the cut-over, and the way back."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from tablewright.changes.copying.copier import TableCopier
from tablewright.changes.copying.cut_over import CutOver, TablesDiffer
from tablewright.changes.copying.migration_file import IncompleteMigration, load_migration
from tablewright.changes.copying.pointer import NEW, OLD, PointerState, TablePointer
from tablewright.changes.copying.verification import CopyVerification
from tablewright.changes.copying.writing import find_problems, write_migration
from tablewright.designs import describe
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tests.integration.changes.oracle.live import CONTROL, Trouble
from tests.unit.changes.oracle.cases import SHOP
from tests.unit.changes.oracle.designs import DesignSpec

Declared = SHOP.table
"""What migration files import: these designs have no functions of their own."""


class Clock:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def lost_values(one: DesignSpec, other: DesignSpec) -> set[str]:
    """The fields and entities of a version that the other one does not have."""
    names = set()
    for entity in one.entities:
        twin = other.by_meaning.get(entity.meaning)
        known = twin.by_meaning if twin else {}
        names |= {f"{entity.name}.{f.name}" for f in entity.fields if f.meaning not in known}
        names |= set() if twin else {entity.name}
    return names


def change_by_copy(trouble: Trouble, name: str, folder: Path) -> str:
    """Copy a table while it is used, cut over, and go back; gives how it ended."""
    pair, names, clock = trouble.pair, (name, f"{name}-new"), Clock()
    trouble.truth.is_copied = True
    arn = trouble.create(pair.old, names[0], stream=True)
    trouble.create(pair.new, names[1], stream=True)
    old = trouble.version("old", pair.old, names[0])
    trouble.write(old, times=6)
    before = trouble.items(name)
    locks = describe(pair.old.table), describe(pair.new.table)
    file = write_migration(folder, name, f"{__name__}:Declared", Declared, locks, pair.was)
    losses = lost_values(pair.old, pair.new) | lost_values(pair.new, pair.old)
    lost = f"LOSES: set[str] = set({sorted(losses)!r})"
    file.write_text(file.read_text().replace("LOSES: set[str] = set()", lost))
    migration = load_migration(file)
    try:
        migration.require_complete()
        problems, _ = find_problems(migration)
    except IncompleteMigration as problem:
        problems = [str(problem)]
    if problems:
        assert trouble.items(name) == before
        assert not trouble.items(names[1])
        return "refused"
    pointer = TablePointer(
        trouble.caller, arn, migration.name, control_table=CONTROL, clock=lambda: clock.now
    )
    streams = Boto3Client(trouble.database._client("dynamodbstreams"))

    def work(caller: Caller, to: str | None = None) -> TableCopier:
        state = trouble.state(caller, arn, migration.name)
        state.acquire()
        copier = TableCopier(
            migration, names, caller, streams, state,
            rate=None, segments=1, pause=0,
        )  # fmt: skip

        def verification() -> CopyVerification:
            forward = copier.values.get("active", OLD) == OLD
            return CopyVerification(migration, names, caller, forward=forward, pause=0)

        own = TablePointer(caller, arn, migration.name, control_table=CONTROL)
        cut_over = CutOver(copier, own, verification, say=lambda _: None, sleep=clock.sleep)
        cut_over.prepare(PointerState(OLD, 1, 1))
        copier.run()
        if to:
            cut_over.run(to)
        return copier

    def guarded(label: str) -> Any:
        spec, table = (pair.old, names[0]) if label == OLD else (pair.new, names[1])
        return trouble.version(label, spec, table, pointer.guard(trouble.caller, label))

    trouble.run(work, old)
    trouble.check("copied", old)
    copier = trouble.run(work)
    active, other = guarded(OLD), guarded(NEW)
    if not copier.refused:
        trouble.check("copied, and quiet", old, other)
    for to in (NEW, OLD):
        try:
            trouble.run(partial(work, to=to), active)
        except TablesDiffer as problem:
            trouble.check(f"not cut over to {to}", active)
            return f"refused at the cut-over to {to}: {problem}"
        active, other = other, active
        trouble.check(f"cut over to {to}", active)
        clock.sleep(5)
        trouble.write(active, times=4)
        trouble.check(f"written in {to}", active)
        if lost_values(other.spec, active.spec):
            return "copied, with losses"
        if not trouble.run(work).refused:
            trouble.check(f"behind {to}", other)
    return "copied"
