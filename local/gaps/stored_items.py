"""Stored items: the items and stream records of all tables, in one SQLite file.

`touched` has the rows of the requests since the last call, for a commit before they are answered.
`changes` finds all others, such as those of a restored table: ministack never changes an item in
place, so a row has changed if it is another object.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ministack.core.persistence import _json_default
from ministack.services import dynamodb

from local.gaps import expected

Scope = tuple[str, str, str, str]  # kind, account, region, table
Key = tuple[str, str]
Rows = dict[Key, Any]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rows (
    kind TEXT, account TEXT, region TEXT, table_name TEXT, first TEXT, second TEXT, value TEXT,
    PRIMARY KEY (kind, account, region, table_name, first, second)
) WITHOUT ROWID
"""
_ITEM, _RECORD = "item", "stream record"
_WRITERS = {
    "_set_item": ("table", "pk_val", "sk_val", "item"),
    "_remove_item": ("table", "pk_val", "sk_val"),
}
_SCOPE = "kind = ? AND account = ? AND region = ? AND table_name = ?"


class Changes(NamedTuple):
    """Rows to write and to delete, and the rows as they are then."""

    written: dict[Scope, Rows]
    deleted: dict[Scope, list[Key]]
    dropped: list[Scope]

    def add(self, scope: Scope, written: Rows, deleted: list[Key]) -> None:
        if written:
            self.written[scope] = written
        if deleted:
            self.deleted[scope] = deleted


class StoredItems:
    """Rows of one SQLite file. `write` runs in one other thread, one call at a time."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(file, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")  # a commit is on the disk
        self._database.execute(_SCHEMA)
        self._saved: dict[Scope, Rows] = {}
        self._touched: dict[Scope, set[Key]] = {}

    def watch(self) -> None:
        """Note each item that ministack stores or removes."""
        for name, parameters in _WRITERS.items():
            writer = expected.function(dynamodb, name, *parameters)
            setattr(dynamodb, name, self._noting(writer))

    def _noting(self, writer: Callable[..., Any]) -> Callable[..., Any]:
        def noted(table: Any, first: str, second: str, *item: Any) -> Any:
            before = writer(table, first, second, *item)
            self._touched.setdefault((_ITEM, *_place(table)), set()).add((first, second))
            return before

        return noted

    def load(self) -> None:
        """Fill the tables that ministack has loaded, which have no items yet."""
        for scope, rows in self._stored().items():
            self._saved[scope] = rows
            place = scope[1:]
            table = dynamodb._tables.get_scoped(*place)
            if table is None:
                continue
            if scope[0] == _RECORD:
                dynamodb._stream_records.set_scoped(*place, [rows[key] for key in sorted(rows)])
                continue
            items: defaultdict[str, dict[str, Any]] = defaultdict(dict)
            for (first, second), item in rows.items():
                items[first][second] = item
            table["items"] = items
            dynamodb._items_replaced(table)

    def touched(self) -> Changes:
        """Take the items that were noted since the last call, and new stream records."""
        touched, self._touched = self._touched, {}
        changes = Changes({}, {}, [])
        for scope, keys in touched.items():
            rows, saved = dict(_items(scope, keys)), self._saved.get(scope, {})
            changes.add(scope, rows, [key for key in keys if key not in rows and key in saved])
        for place, _ in dynamodb._stream_records.all_items():
            scope = (_RECORD, *place)
            changes.add(scope, dict(_records(scope, self._saved.get(scope, {}))), [])
        return changes

    def changes(self) -> Changes:
        """Compare all rows with those saved. Raises RuntimeError if a thread changes a table."""
        present = {(_ITEM, *place): _items for place, _ in dynamodb._tables.all_items()}
        present |= {
            (_RECORD, *place): _records for place, _ in dynamodb._stream_records.all_items()
        }
        changes = Changes({}, {}, [scope for scope in self._saved if scope not in present])
        for scope, read in present.items():
            rows, saved = dict(read(scope)), self._saved.get(scope, {})
            new = {key: value for key, value in rows.items() if saved.get(key) is not value}
            changes.add(scope, new, [key for key in saved if key not in rows])
        return changes

    def write(self, changes: Changes) -> None:
        """Write changes in one transaction, or none of them."""
        with self._database as database:
            for scope in changes.dropped:
                database.execute(f"DELETE FROM rows WHERE {_SCOPE}", scope)
            for scope, keys in changes.deleted.items():
                database.executemany(
                    f"DELETE FROM rows WHERE {_SCOPE} AND first = ? AND second = ?",
                    [(*scope, *key) for key in keys],
                )
            for scope, rows in changes.written.items():
                database.executemany(
                    "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [(*scope, *key, _text(value)) for key, value in rows.items()],
                )
        self._remember(changes)

    def _remember(self, changes: Changes) -> None:
        for scope in changes.dropped:
            del self._saved[scope]
        for scope, keys in changes.deleted.items():
            for key in keys:
                del self._saved[scope][key]
        for scope, rows in changes.written.items():
            self._saved.setdefault(scope, {}).update(rows)

    def _stored(self) -> dict[Scope, Rows]:
        found: dict[Scope, Rows] = {}
        for row in self._database.execute("SELECT * FROM rows"):
            kind, account, region, table, first, second, value = row
            rows = found.setdefault((kind, account, region, table), {})
            rows[first, second] = json.loads(value)
        return found


def _items(scope: Scope, keys: Collection[Key] | None = None) -> Iterator[tuple[Key, Any]]:
    """Items of a table: all, or those of some keys that exist."""
    table = dynamodb._tables.get_scoped(*scope[1:])
    items = table["items"] if table else {}
    if keys is None:
        keys = [(first, second) for first in items for second in items[first]]
    for first, second in keys:
        if second in items.get(first, {}):
            yield (first, second), items[first][second]


def _records(scope: Scope, until: Collection[Key] = ()) -> Iterator[tuple[Key, Any]]:
    """Records of a stream, the newest first: all, or those after the ones that are saved."""
    for record in reversed(dynamodb._stream_records.get_scoped(*scope[1:]) or ()):
        key = (record["dynamodb"]["SequenceNumber"], "")
        if key in until:
            return
        yield key, record


def _place(table: Any) -> tuple[str, str, str]:
    _, _, _, region, account, name = table["TableArn"].split(":", 5)
    return account, region, name.removeprefix("table/")


def _text(value: Any) -> str:
    return json.dumps(value, default=_json_default, separators=(",", ":"))
