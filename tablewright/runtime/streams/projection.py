"""Rows of a read table, kept as the items of another table imply them.

What a change writes is a function of the item before and after it, and of nothing else: rows that
are no longer implied are deleted, rows that are new or different are put. So a replay of a stream
changes nothing, whatever of it had been applied before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.model.declaration import Entity, Table
from tablewright.model.patterns import BatchWrite
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.batches import Request, delete_request, put_request, write_all
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.transport import Transport

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

# Records of rows.
Implied = Iterable[Entity]


class Row(NamedTuple):
    """A row before its secret fields are encrypted, and what encrypts them."""

    records: Records
    item: Item


# Rows by their key, None where there must be none.
Rows = dict[tuple[str, ...], Row | None]

_RECONCILE_ATTEMPTS = 10


class Projection:
    """Writes the rows that changes of items imply, by one pattern of the rows' design.

    Example::

        projection = Projection(Totals, Totals.project, "table", dynamo)
        projection.apply([projection.difference(rows_before, rows_after)])
    """

    def __init__(
        self,
        table: type[Table],
        pattern: BatchWrite[Any],
        table_name: str,
        client: Any,
        *,
        secrets: Secrets | None = None,
    ) -> None:
        design = table.__design__
        self._table_name = table_name
        self._transport = Transport.to(client)
        self._keys = design.key.names
        self._records = {
            name: Records(design, design.entities[name], secrets=secrets)
            for name in pattern.entities
        }

    def rows(self, implied: Implied) -> Rows:
        """The rows that these records make."""
        made = ((self._records[record.__entity__.name], record) for record in implied)
        rows = (Row(records, records.clear_item(record)) for records, record in made)
        return {self._key_of(row.item): row for row in rows}

    def difference(self, before: Implied, after: Implied) -> Rows:
        """What a change of what is implied makes of the rows: those to be stored, those to go."""
        old, new = self.rows(before), self.rows(after)
        changed: Rows = {key: None for key in old if key not in new}
        changed.update({key: row for key, row in new.items() if old.get(key) != row})
        return changed

    def apply(self, steps: Iterable[Rows]) -> int:
        """Make the rows so, later steps overruling earlier; gives how many were written."""
        final: Rows = {}
        for rows in steps:
            final.update(rows)
        requests: list[Request] = [
            put_request(row.records.encrypted(row.item)) if row else delete_request(self._key(key))
            for key, row in final.items()
        ]
        write_all(self._transport, self._table_name, requests)
        return len(requests)

    def reconcile(self, touched: Iterable[Rows], current: Callable[[], Implied]) -> None:
        """Make the rows of one item as it implies them now, out of order and long after changes.

        `touched` are all rows that may be there because of those changes. The item is looked at
        again after the rows were written: had it changed in between, the stream might have written
        its rows before ours, so they are written once more.
        """
        gone: Rows = {key: None for rows in touched for key in rows}
        for _ in range(_RECONCILE_ATTEMPTS):
            now = self.rows(current())
            self.apply([gone, now])
            if self.rows(current()) == now:
                return
            gone.update(dict.fromkeys(now))
        raise Conflict("other writers changed the item on every attempt: retry later")

    def _key_of(self, item: Item) -> tuple[str, ...]:
        return tuple(item[name]["S"] for name in self._keys)

    def _key(self, key: tuple[str, ...]) -> Item:
        return {name: {"S": text} for name, text in zip(self._keys, key, strict=True)}
