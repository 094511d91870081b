"""Copy a live table to a new one by a reviewed migration, and move its users there and back.

    tablewright migration new shop.orders:Orders "orders by state" --against orders.lock.json
    tablewright migration run FILE --table dev-orders --to dev-orders-2
    tablewright migration cut-over FILE --table dev-orders --to dev-orders-2 --writers-guarded
    tablewright migration contract FILE --table dev-orders --to dev-orders-2 --readers-moved

Every command that was stopped goes on when it is repeated. `back` makes the old table active again,
until `contract`. Ends with 1 if the tables differ, and with 2 if the command cannot be carried out.
"""

from __future__ import annotations

import argparse
import getpass
import socket
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError
from tqdm import tqdm

from tablewright.changes.copying.copier import CopyRefused, TableCopier
from tablewright.changes.copying.cut_over import CutOver, TablesDiffer
from tablewright.changes.copying.migration_file import MigrationFile, load_migration
from tablewright.changes.copying.pointer import NEW, OLD, PointerState, TablePointer
from tablewright.changes.copying.verification import CopyVerification
from tablewright.changes.copying.writing import find_problems, write_migration
from tablewright.changes.state import CONTROL_TABLE, MigrationState
from tablewright.commands.changes.earlier import earlier_design
from tablewright.commands.named import sound_design
from tablewright.commands.numbers import per_second, whole
from tablewright.designs.description.design import describe
from tablewright.model.errors import TablewrightError
from tablewright.model.table_form import NEW_AND_OLD_IMAGES
from tablewright.runtime.aws import connect
from tablewright.runtime.deployed_table import create_table, find_table
from tablewright.runtime.errors import StoreError
from tablewright.runtime.segments.walk import Patient

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

_VERBS = {
    "new": "write the next migration file, to review and to complete",
    "run": "copy the items, and follow the changes of the active table",
    "verify": "compare both tables, item by item",
    "status": "show how far the migration is",
    "cut-over": "make the new table the active one",
    "back": "make the old table the active one again, or undo a cut-over that did not end",
    "contract": "end the migration: the old table is followed no more",
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if options.verb == "new":
            return _write(parser, options)
        return _Run(parser, options).carry_out()
    except TablesDiffer as error:
        print(f"the tables differ:\n{error}", file=sys.stderr)
        return 1
    except (BotoCoreError, OSError, TablewrightError, ValueError) as error:
        print(f"tablewright migration {options.verb}: {error}", file=sys.stderr)
        if isinstance(error, StoreError):
            print("The same command goes on from here.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        return 130


def _write(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    table = sound_design(options.design)
    before = earlier_design(parser, options.against, table)
    locks = describe(before or table), describe(table)
    was = dict(one.split("=", 1) for one in options.was)
    file = write_migration(options.folder, options.title, options.design, table, locks, was)
    print(f"wrote {file} and its two locks. Review its functions before you run it")
    return 0


class _Run:
    """A command on the two tables of a migration."""

    def __init__(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        self._options = options
        self._migration: MigrationFile = load_migration(options.file)
        self._names = options.table, options.to
        session = boto3.session.Session(region_name=options.region, profile_name=options.profile)
        client = partial(connect, session, endpoint_url=options.endpoint_url)
        self._caller, self._streams = Patient(client("dynamodb")), client("dynamodbstreams")
        table = find_table(self._caller, options.table)
        if table is None:
            raise CopyRefused(f"there is no table {options.table}")
        arn, name = table.described["TableArn"], self._migration.name
        owner = f"{getpass.getuser()}@{socket.gethostname()}"
        control = options.control_table
        self._state = MigrationState(self._caller, arn, name, control_table=control, owner=owner)
        self._pointer = TablePointer(self._caller, arn, name, control_table=control)
        self._secrets = _secrets(parser, options, self._migration)

    def carry_out(self) -> int:
        if self._options.verb == "status":
            return self._status()
        verbs = {
            "run": self._run,
            "verify": self._verify,
            "cut-over": self._cut_over,
            "back": self._back,
            "contract": self._contract,
        }
        with self._state.hold():
            return verbs[self._options.verb]()

    def _run(self) -> int:
        self._check()
        if self._options.create and find_table(self._caller, self._options.to) is None:
            design = self._migration.designs.new_table.__design__
            safe = not self._options.endpoint_url  # engines have no recovery
            create_table(
                self._caller,
                design,
                self._options.to,
                protected=safe,
                recovery=safe,
                stream=NEW_AND_OLD_IMAGES,
            )
        with tqdm(unit="item") as bar:
            copier, cut_over = self._work(bar)
            cut_over.prepare(PointerState(OLD, self._options.max_age, self._options.longest_call))
            copier.run()
            while self._options.follow:
                time.sleep(1)
                copier.run()
        _show(copier)
        return 1 if copier.refused else 0

    def _verify(self) -> int:
        copier, _ = self._work()
        comparison = self._verification(copier).run()
        print("\n".join(comparison.lines()))
        return 1 if comparison.differences else 0

    def _cut_over(self) -> int:
        if not self._options.writers_guarded:
            raise CopyRefused(
                "say --writers-guarded once every program that writes the table uses the guard of "
                "a TablePointer: a write without it would be lost"
            )
        self._check()
        return self._move(NEW)

    def _back(self) -> int:
        copier, cut_over = self._work()
        if cut_over.reopen() and copier.values["active"] == OLD:
            return 0
        return self._move(OLD)

    def _contract(self) -> int:
        copier, _ = self._work()
        if not self._options.readers_moved:
            raise CopyRefused(
                "say --readers-moved once no program reads the old table: nothing follows the new "
                "one afterwards, and there is no way back"
            )
        pointer = self._pointer.read()
        if copier.values.get("active") != NEW or pointer is None or pointer.active != NEW:
            raise CopyRefused("the new table is not active: cut over first")
        self._state.save({"active": NEW, "contracted": True})
        print(
            f"the migration ended. {self._options.table} was not touched: remove it from its stack"
        )
        return 0

    def _move(self, to: str) -> int:
        copier, cut_over = self._work()
        copier.begin()
        cut_over.run(to)
        return 0

    def _status(self) -> int:
        copier, _ = self._work()
        pointer = self._pointer.read()
        print(f"pointer: {pointer.active if pointer else 'none yet'}")
        if copier.values.get("contracted"):
            print("the migration ended")
        elif copier.values:
            _show(copier)
        return 0

    def _check(self) -> None:
        self._migration.require_complete()
        problems, warnings = find_problems(self._migration)
        for text in warnings:
            print(f"warning: {text}", file=sys.stderr)
        if problems:
            raise CopyRefused("\n".join(problems))

    def _work(self, bar: Any = None) -> tuple[TableCopier, CutOver]:
        options = self._options
        copier = TableCopier(
            self._migration,
            self._names,
            self._caller,
            self._streams,
            self._state,
            rate=options.rate,
            segments=options.segments,
            secrets=self._secrets,
            bar=bar,
        )
        return copier, CutOver(copier, self._pointer, partial(self._verification, copier))

    def _verification(self, copier: TableCopier) -> CopyVerification:
        return CopyVerification(
            self._migration,
            self._names,
            copier.units,
            forward=copier.values.get("active", OLD) == OLD,
            secrets=self._secrets,
            segments=self._options.segments,
        )


def _show(copier: TableCopier) -> None:
    values = copier.values
    active = values["active"]
    print(f"the {active} table is active, and the other one follows it")
    print(f"every item was read: {'yes' if values['scanned'] else 'no'}")
    print(f"changes were followed until {values['followed_at']}")
    for what, count in copier.counts.items():
        print(f"  {count:10,} {what}")
    for key, reason in copier.refused.items():
        print(f"  not copied: {key}: {reason}")


def _secrets(
    parser: argparse.ArgumentParser, options: argparse.Namespace, migration: MigrationFile
) -> tuple[Secrets | None, Secrets | None]:
    from tablewright.commands.changes.live_table import secrets_of

    found = []
    for table, name, ring, kms_key in (
        (migration.designs.old_table, options.table, options.ring, options.kms_key),
        (migration.designs.new_table, options.to, options.to_ring, options.to_kms_key),
    ):
        one = argparse.Namespace(
            **{**vars(options), "table": name, "ring": ring, "kms_key": kms_key}
        )
        found.append(secrets_of(parser, one, table))
    return found[0], found[1]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright migration",
        description="Copy a live table to a new one by a reviewed migration, and move its users.",
        epilog='For example: tablewright migration new shop.orders:Orders "orders by state" '
        "--against orders.lock.json",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="|".join(_VERBS))
    for verb, says in _VERBS.items():
        one = verbs.add_parser(verb, help=says, description=says.capitalize() + ".")
        (_add_new if verb == "new" else _add_tables)(one)
        if verb == "run":
            one.add_argument("--create", action="store_true", help="make the new table")
            one.add_argument("--follow", action="store_true", help="go on until it is stopped")
            one.add_argument(
                "--max-age",
                type=per_second,
                default=5.0,
                metavar="SECONDS",
                help="how long clients rely on the pointer (%(default)s)",
            )
            one.add_argument(
                "--longest-call",
                type=per_second,
                default=30.0,
                metavar="SECONDS",
                help="how long a write of a client may take (%(default)s)",
            )
        if verb == "cut-over":
            one.add_argument(
                "--writers-guarded", action="store_true", help="all writers use a guard"
            )
        if verb == "contract":
            one.add_argument(
                "--readers-moved", action="store_true", help="nobody reads the old table"
            )
    return parser


def _add_new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", metavar="DESIGN", help="as package.module:Name")
    parser.add_argument("title", help="what the migration does, in a few words")
    parser.add_argument("--against", required=True, metavar="LOCK", help="the design before it")
    parser.add_argument(
        "--was",
        action="append",
        default=[],
        metavar="NEW=OLD",
        help="a new name and the old one, such as Order.state=Order.status",
    )
    parser.add_argument("--folder", type=Path, default=Path("migrations"), help="(%(default)s)")


def _add_tables(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="the migration, which is imported")
    parser.add_argument("--table", required=True, help="the old table's name")
    parser.add_argument("--to", required=True, metavar="TABLE", help="the new table's name")
    parser.add_argument("--region", help="by default that of the profile")
    parser.add_argument("--profile", help="of the AWS configuration")
    parser.add_argument("--endpoint-url", help="of an engine, such as http://localhost:8000")
    parser.add_argument("--control-table", default=CONTROL_TABLE, help="(%(default)s)")
    parser.add_argument(
        "--rate", type=per_second, default=100.0, help="units a second, of reads and writes each"
    )
    parser.add_argument("--segments", type=whole(1, 100), default=4, help="parallel (%(default)s)")
    for side in ("", "to-"):
        parser.add_argument(f"--{side}ring", metavar="SECRET", help="the keys of secret fields")
        parser.add_argument(f"--{side}kms-key", metavar="KEY", help="the key that wraps them")
    parser.add_argument("--bound-to", help=argparse.SUPPRESS)
    parser.add_argument("--in-clear", action="store_true", help="secret fields are not encrypted")
