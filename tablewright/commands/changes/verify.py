"""Show that a table and its indexes hold what their design writes.

    tablewright verify shop.orders:Orders --table NAME --region REGION --from orders.lock.json

Reads the table once and each index once, and writes nothing. With --from, every item must also be
the same record for the old design. A difference is read again before it is reported, since programs
may be at work. Ends with 1 if anything differs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tqdm import tqdm

from tablewright.changes.backfill.pace import DEFAULT_RATE
from tablewright.changes.backfill.verification import verify
from tablewright.commands.changes.earlier import earlier_design
from tablewright.commands.changes.live_table import add_table_options, secrets_of
from tablewright.commands.changes.renames import add_was, renames_of
from tablewright.commands.items import segments
from tablewright.model.declaration import Table

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    old = earlier_design(parser, options.earlier, options.design)
    secrets = secrets_of(parser, options, options.design, old)
    was = renames_of(parser, options)
    return segments.carry_out(lambda: _verify(options, old, was, secrets))


def _verify(
    options: argparse.Namespace,
    old: type[Table] | None,
    was: Mapping[str, str],
    secrets: Secrets | None,
) -> int:
    with tqdm(unit="item") as bar:
        found = verify(
            options.design,
            options.table,
            segments.patient_caller(options),
            old=old,
            was=was,
            rate=options.rate,
            segments=options.segments,
            secrets=secrets,
            keep_later=options.keep_later,
            bar=bar,
        )
    print("\n".join(found.lines()))
    if not found.is_sound:
        segments.say(f"{options.table} is not what {options.design.__design__.id} writes.")
    return 0 if found.is_sound else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright verify",
        description="Show that a table and its indexes hold what their design writes.",
        epilog="For example: tablewright verify shop.orders:Orders --table dev-orders "
        "--region eu-west-1",
    )
    add_table_options(parser)
    parser.add_argument(
        "--from",
        dest="earlier",
        metavar="LOCK",
        help="the design that wrote the items: a lock file, or package.module:Name",
    )
    add_was(parser)
    segments.add_scan_options(parser, rate="read units a second (%(default)g)")
    parser.set_defaults(rate=DEFAULT_RATE)
    return parser
