"""Replication that can be held up: to and from a region that is down, or that is cut off.

Not a gap of ministack but a wish of ours, as the other faults: there every write is in all regions
at once. What is held up is carried when the regions reach each other again, in the order in which
it was written; of two writes to one item the later stays, as in a global table of AWS.
"""

import logging
import os
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import dynamodb

from local.gaps import expected
from local.gaps.faults import Faults

log = logging.getLogger("local.gaps")

_EVERY_SECONDS = 0.2
_WRITE = ("table", "event_name", "old_item", "new_item")


class Write(NamedTuple):
    """A write that one region made and another has not got."""

    at: float
    account: str
    source: str
    to: str
    table: str
    event: str
    old: Any
    new: Any


def close() -> None:
    file = os.environ.get("LOCAL_FAULTS")
    if not file:
        return
    replicate = expected.function(dynamodb, "_replicate_write", *_WRITE)
    expected.function(dynamodb, "_replica_group", "table")
    expected.function(dynamodb, "_extract_key_val", "attr")
    for name in ("_tables", "_lock"):
        expected.attribute(dynamodb, name)
    replication = Replication(Faults(Path(file)), replicate)
    dynamodb._replicate_write = replication.write
    threading.Thread(target=replication.run, daemon=True, name="local-replication").start()


class Replication:
    """Passes writes on to the other regions, at once or when they can be reached."""

    def __init__(self, faults: Faults, replicate: Any) -> None:
        self._faults = faults
        self._replicate = replicate
        self._held: deque[Write] = deque()
        # When each item of a table with replicas was last written, as each region knows it.
        self._written: dict[tuple[str, ...], float] = {}

    def write(self, table: Any, event_name: str, old_item: Any, new_item: Any) -> None:
        here, now = get_region(), time.time()
        for region in dynamodb._replica_group(table):
            if region != here:
                one = Write(
                    now, get_account_id(), here, region, table["TableName"], event_name,
                    old_item, new_item,
                )  # fmt: skip
                self._written[self._key(one, here)] = now
                if self._is_cut(one):
                    self._held.append(one)
                else:
                    self._carry(one)

    def run(self) -> None:
        while True:
            time.sleep(_EVERY_SECONDS)
            try:
                self._catch_up()
            except Exception:
                log.exception("replication failed")

    def _catch_up(self) -> None:
        for _ in range(len(self._held)):
            one = self._held.popleft()
            if self._is_cut(one):
                self._held.append(one)
                continue
            # The later write stays, wherever it was made.
            if one.at >= self._written.get(self._key(one, one.to), 0.0):
                with dynamodb._lock, request_scope(one.account, one.source):
                    self._carry(one)

    def _carry(self, one: Write) -> None:
        table = dynamodb._tables.get(one.table)
        if table is not None:
            only = {**table, "_global_regions": [one.source, one.to]}
            self._replicate(only, one.event, one.old, one.new)
            self._written[self._key(one, one.to)] = one.at

    def _is_cut(self, one: Write) -> bool:
        lost = (self._faults.active("region", region) for region in (one.source, one.to))
        return any(lost) or self._faults.active("replication", one.source)

    def _key(self, one: Write, region: str) -> tuple[str, ...]:
        item = one.new if one.new is not None else one.old
        table = dynamodb._tables.get_scoped(one.account, one.source, one.table)
        names = (table["pk_name"], table["sk_name"]) if table else ()
        values = (str(dynamodb._extract_key_val(item.get(name))) for name in names if name)
        return (region, one.table, *values)
