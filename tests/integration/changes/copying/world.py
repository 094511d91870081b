"""Two tables with streams, a migration between them, and runners of it."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from tablewright.changes.copying.copier import TableCopier
from tablewright.changes.copying.cut_over import CutOver
from tablewright.changes.copying.migration_file import (
    MigrationFile,
    load_migration,
    lock_files,
)
from tablewright.changes.copying.pointer import OLD, PointerState, TablePointer
from tablewright.changes.copying.verification import CopyComparison, CopyVerification
from tablewright.changes.copying.writing import write_migration
from tablewright.changes.state import MigrationState
from tablewright.designs import describe
from tablewright.model import Table
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.testing import Crash, Database
from tablewright.testing.tables import creation

OLD_NAME, NEW_NAME, CONTROL = "old-shop", "new-shop", "control"
TIMES = PointerState(OLD, 0.05, 0.05)
_STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
Item = dict[str, Any]


class World:
    """The old and the new table of a migration that was written to a folder."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        old: type[Table],
        new: type[Table],
        *,
        was: Mapping[str, str] = {},
        edit: Callable[[str], str] = lambda text: text,
        module: str = "tests.integration.changes.copying.shop",
    ) -> None:
        self.database = database
        self.old, self.new = old, new
        database.reusable = False
        self.client = database.client()
        self.streams = Boto3Client(database._client("dynamodbstreams"))
        for design, name in ((old, OLD_NAME), (new, NEW_NAME)):
            request = creation(design, name, stream=False)
            self.client.create_table(**request, StreamSpecification=_STREAM)
        self.arn = self.client.describe_table(TableName=OLD_NAME)["Table"]["TableArn"]
        locks = describe(old), describe(new)
        place = f"{module}:{new.__name__}"
        self.file = write_migration(folder, "the change", place, new, locks, was)
        self.file.write_text(edit(self.file.read_text()))

        self._later = 0

    def anew(self, name: str) -> None:
        """Empty both tables, and begin the same migration again under another name."""
        for table, keys in ((OLD_NAME, ("PK", "SK")), (NEW_NAME, ("pk", "sk"))):
            for item in self.items(table):
                self.delete(table, item, *keys)
        for one in (self.file, *lock_files(self.file)):
            copied = one.with_name(one.name.replace(self.file.stem, name))
            copied.write_text(one.read_text())
        self.file = self.file.with_name(f"{name}.py")

    def after_the_lease(self) -> None:
        """Let so much time pass that a lease ends, for those who come next."""
        self._later += 100

    @property
    def migration(self) -> MigrationFile:
        return load_migration(self.file)

    def state(self, caller: Caller | None = None) -> MigrationState:
        later = timedelta(seconds=self._later)
        return MigrationState(
            caller or self.database.caller,
            self.arn,
            self.file.stem,
            control_table=CONTROL,
            owner="test",
            now=lambda: datetime.now(UTC) + later,
        )

    def pointer(self, caller: Caller | None = None) -> TablePointer:
        return TablePointer(
            caller or self.database.caller, self.arn, self.file.stem, control_table=CONTROL
        )

    def copier(
        self, state: MigrationState, caller: Caller | None = None, **options: Any
    ) -> TableCopier:
        settings: dict[str, Any] = {"rate": None, "segments": 2, "pause": 0, **options}
        caller = caller or self.database.caller
        streams = caller.beside(self.streams) if isinstance(caller, Beside) else self.streams
        return TableCopier(self.migration, (OLD_NAME, NEW_NAME), caller, streams, state, **settings)

    def verification(self, copier: TableCopier, **options: Any) -> CopyVerification:
        return CopyVerification(
            self.migration,
            (OLD_NAME, NEW_NAME),
            self.database.caller,
            forward=copier.values.get("active", OLD) == OLD,
            pause=0.02,
            **options,
        )

    def cut_over(
        self, copier: TableCopier, caller: Caller | None = None, **options: Any
    ) -> CutOver:
        check = options.get("secrets", (None, None))
        return CutOver(
            copier,
            self.pointer(caller),
            lambda: self.verification(copier, secrets=check),
            say=lambda text: None,
        )

    def run(self, caller: Caller | None = None, **options: Any) -> TableCopier:
        """Copy, and follow to the end of the stream."""
        state = self.state(caller)
        with state.hold():
            copier = self.copier(state, caller, **options)
            self.cut_over(copier, caller).prepare(TIMES)
            copier.run()
            return copier

    def move(self, to: str, caller: Caller | None = None, **options: Any) -> None:
        """Cut over, or back."""
        state = self.state(caller)
        with state.hold():
            copier = self.copier(state, caller, **options)
            copier.begin()
            self.cut_over(copier, caller, **options).run(to)

    def compare(self, **options: Any) -> CopyComparison:
        copier = self.copier(self.state())
        return self.verification(copier, **options).run()

    def write(self, name: str, *items: Item) -> None:
        for item in items:
            self.client.put_item(TableName=name, Item=item)

    def delete(self, name: str, item: Item, *keys: str) -> None:
        self.client.delete_item(TableName=name, Key={key: item[key] for key in keys})

    def items(self, name: str) -> list[Item]:
        """All items of a table, in one order."""
        pages = self.client.get_paginator("scan").paginate(TableName=name, ConsistentRead=True)
        return ordered(item for page in pages for item in page["Items"])


class Beside:
    """A caller that can watch another service too."""

    def beside(self, caller: Caller) -> Caller:
        raise NotImplementedError


class Dying(Beside):
    """A process that dies at one of its calls, right before it or right after it."""

    def __init__(self, caller: Caller, at: int, effect: str) -> None:
        self._caller, self._at, self._effect = caller, at, effect
        self._lock = Lock()
        self.calls = 0
        self.dead = False

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        return self.through(self._caller, operation, params)

    def through(self, caller: Caller, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            if self.dead:
                raise Crash
            self.calls += 1
            self.dead = dies = self.calls == self._at
        if dies and self._effect == "after":
            caller.call(operation, params)
        if dies:
            raise Crash
        return caller.call(operation, params)

    def beside(self, caller: Caller) -> Caller:
        return _Other(self, caller)


class _Other:
    def __init__(self, dying: Dying, caller: Caller) -> None:
        self._dying, self._caller = dying, caller

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        return self._dying.through(self._caller, operation, params)


def ordered(items: Any) -> list[Item]:
    return sorted(items, key=lambda item: repr(sorted(item.items())))
