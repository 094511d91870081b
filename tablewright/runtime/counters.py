"""Exactly-once counters under at-least-once delivery.

A batch of events is folded to one addition for each counter and written, together with a marker for
each event, in one transaction. An event whose marker is there has been counted: it is left out, and
the rest is tried again. So a replay changes nothing, and a crash leaves all of a transaction or
none of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tablewright.designs import Record, Table
from tablewright.designs.patterns import Count
from tablewright.runtime.dynamo import Caller
from tablewright.runtime.errors import Throttled, TransactionCanceled
from tablewright.runtime.expressions import Expressions
from tablewright.runtime.records import Item, Records
from tablewright.runtime.retry import Backoff

_ACTIONS = 100  # what one transaction may hold
_COUNTED = "ConditionalCheckFailed"
_BUSY = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")


class Event:
    """Something to be counted: its marker's record, and what it adds to each counter."""

    __slots__ = ("marker", "sums")

    def __init__(self, marker: Mapping[str, Any], sums: Iterable[tuple[Record, int]]) -> None:
        self.marker = marker
        self.sums = list(sums)


class Counters:
    """Counts events by one pattern of a design.

    Example::

        counters = Counters(SALES, SALES.count_sales, "table", dynamo)
        counters.add([Event({"event_id": "e1"}, [({"day": "2025-01-01"}, 1)])])
    """

    def __init__(
        self,
        design: Table,
        pattern: Count,
        table_name: str,
        caller: Caller,
        *,
        backoff: Backoff | None = None,
    ) -> None:
        self._table_name = table_name
        self._caller = caller
        self._pk = design.pk
        self._backoff = backoff or Backoff(attempts=12, first=0.02, longest=1.0)
        self._markers = Records(design, design.entities[pattern.marker])
        self._counts = Records(design, design.entities[pattern.entity])
        (self._number,) = (
            field.stored
            for field in self._counts.entity.fields
            if field.name not in self._counts.entity.key.fields
        )

    def add(self, events: Iterable[Event]) -> int:
        """Count the events that have not been; gives how many those were."""
        return sum(self._transact(chunk) for chunk in self._chunks(events))

    def _chunks(self, events: Iterable[Event]) -> Iterator[list["_Prepared"]]:
        """Events in groups that fit into one transaction, each event once."""
        chunk: list[_Prepared] = []
        keys: set[str] = set()
        seen: set[str] = set()
        for event in events:
            prepared = _Prepared(event, self._markers, self._counts)
            if prepared.id in seen:
                continue
            seen.add(prepared.id)
            more = keys | prepared.sums.keys()
            if len(chunk) + 1 + len(more) > _ACTIONS:
                yield chunk
                chunk, more = [], set(prepared.sums)
            chunk.append(prepared)
            keys = more
        if chunk:
            yield chunk

    def _transact(self, events: list["_Prepared"]) -> int:
        for _ in self._backoff:
            while events:
                try:
                    self._caller.call(
                        "TransactWriteItems",
                        {"TransactItems": [*map(self._mark, events), *self._additions(events)]},
                    )
                    return len(events)
                except TransactionCanceled as cancelled:
                    reasons = cancelled.reasons[: len(events)]
                    new = [e for e, why in zip(events, reasons, strict=True) if why != _COUNTED]
                    if len(new) == len(events):
                        if not any(why in _BUSY for why in cancelled.reasons):
                            raise
                        break  # somebody else is at the same counters: wait, then again
                    events = new
            if not events:
                return 0
        raise Throttled(f"{len(events)} events could not be counted: their counters are too busy")

    def _mark(self, event: "_Prepared") -> dict[str, Any]:
        expressions = Expressions()
        put = {
            "TableName": self._table_name,
            "Item": event.marker,
            "ConditionExpression": expressions.matches(self._pk, None),
        }
        return {"Put": expressions.into(put)}

    def _additions(self, events: Sequence["_Prepared"]) -> Iterator[dict[str, Any]]:
        totals: dict[str, int] = {}
        counters: dict[str, tuple[Item, Item]] = {}
        for event in events:
            for id, (key, rest, number) in event.sums.items():
                totals[id] = totals.get(id, 0) + number
                counters[id] = key, rest
        for id, total in totals.items():
            key, rest = counters[id]
            expressions = Expressions()
            add = f"ADD {expressions.name(self._number)} {expressions.value({'N': str(total)})}"
            sets = ", ".join(expressions.equal(name, wire) for name, wire in rest.items())
            update = {
                "TableName": self._table_name,
                "Key": key,
                # The counter's other attributes follow from its key, so every write agrees on them.
                "UpdateExpression": f"{add} SET {sets}" if sets else add,
            }
            yield {"Update": expressions.into(update)}


class _Prepared:
    """An event in wire form: its marker, and its sums by counter."""

    __slots__ = ("id", "marker", "sums")

    def __init__(self, event: Event, markers: Records, counts: Records) -> None:
        self.marker = markers.to_item(markers.entity.check(event.marker))
        self.id = repr(sorted(markers.key(event.marker).items()))
        self.sums: dict[str, tuple[Item, Item, int]] = {}
        for record, number in event.sums:
            checked = counts.check_some(record)
            key = counts.key(checked)
            item = counts.to_item(checked)
            rest = {name: wire for name, wire in item.items() if name not in key}
            id = repr(sorted(key.items()))
            before = self.sums[id][2] if id in self.sums else 0
            if before + number:
                self.sums[id] = key, rest, before + number
            else:
                self.sums.pop(id, None)
