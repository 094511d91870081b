"""Migration state for commands: the lease on a table's migration, and options for it."""

from __future__ import annotations

import argparse
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from tablewright.changes.state import CONTROL_TABLE, LeaseHeld, MigrationState
from tablewright.commands.items.segments import say
from tablewright.runtime.aws import Caller

# A killed command keeps the lease for so long.
_LEASE_SECONDS = 20


def add_state_options(parser: argparse.ArgumentParser) -> None:
    """The table that progress is kept in, and the names that changed."""
    parser.add_argument(
        "--control-table",
        metavar="NAME",
        default=CONTROL_TABLE,
        help="the table that progress is kept in; it is made if it does not exist (%(default)s)",
    )


def state_of(caller: Caller, table: str, migration: str, control_table: str) -> MigrationState:
    """The state of a migration of a table, without its lease."""
    described = caller.call("DescribeTable", {"TableName": table})["Table"]
    # A table that is made anew under the same name is another table. DynamoDB Local has no ids.
    table_id = described.get("TableId") or described["CreationDateTime"]
    return MigrationState(
        caller,
        described["TableArn"],
        f"{migration} of {table_id}",
        control_table=control_table,
        owner=f"{socket.gethostname()}:{os.getpid()}",
    )


@contextmanager
def held(state: MigrationState) -> Iterator[None]:
    """Hold the lease of a migration; raises LeaseHeld.

    A lease that nobody renews is waited for once: its command was killed.
    """
    try:
        state.acquire(_LEASE_SECONDS)
    except LeaseHeld as lease:
        left = (lease.until - datetime.now(UTC)).total_seconds() if lease.until else 0
        say(f"{lease.owner} holds the lease of this migration: waiting {max(0, left):.0f} seconds.")
        time.sleep(max(0.0, left) + 0.1)
    with state.hold(_LEASE_SECONDS):
        yield
