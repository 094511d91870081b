"""Exactly-once counters under at-least-once delivery.

A group of events remembers, in one item, which of them have been counted. A batch is folded to one
addition for each counter and written together with the new members of its groups in one
transaction, which holds only if no group has grown since it was read. So a replay changes nothing,
a crash leaves all of a transaction or none of it, and what is remembered costs next to nothing when
events that come together are grouped together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from tablewright.model import Record
from tablewright.model.declaration import Table
from tablewright.model.patterns import Count
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled, TransactionCanceled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item, Records

_ACTIONS = 100  # what one transaction may hold
# Somebody else was at the same groups or counters: look again.
_AGAIN = (
    "ConditionalCheckFailed",
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
)


class Event:
    """Something to be counted: its id, its group's key, and what it adds to each counter.

    A sum is a counter's key and the numbers to be added, each under its field's name.
    """

    __slots__ = ("group", "id", "sums")

    def __init__(
        self,
        id: str,
        group: Mapping[str, Any],
        sums: Iterable[tuple[Record, Mapping[str, Any]]],
    ) -> None:
        self.id = id
        self.group = group
        self.sums = list(sums)


class Counters:
    """Counts events by one pattern of a design.

    Example::

        counters = Counters(Sales, Sales.count_sales, "table", dynamo)
        counters.add([Event("e1", {"minute": "10:15"}, [({"day": "2025-01-01"}, {"sales": 1})])])
    """

    def __init__(
        self,
        table: type[Table],
        pattern: Count[Any],
        table_name: str,
        caller: Caller,
        *,
        backoff: Backoff | None = None,
    ) -> None:
        design = table.__design__
        self._table_name = table_name
        self._caller = caller
        self._backoff = backoff or Backoff(attempts=16, first=0.02, longest=1.0)
        self._groups = Records(design, design.entities[pattern.marker])
        self._counts = Records(design, design.entities[pattern.entity])
        entity = self._groups.entity
        (self._members,) = (f.stored for f in entity.fields if f.name not in entity.key.fields)

    def add(self, events: Iterable[Event]) -> int:
        """Count the events that have not been; gives how many those were."""
        return sum(self._count(chunk) for chunk in self._chunks(events))

    def _chunks(self, events: Iterable[Event]) -> Iterator[list[_Prepared]]:
        """Events whose groups and counters fit into one transaction, each event once."""
        chunk: dict[str, _Prepared] = {}
        touched: set[str] = set()
        groups, counts = _Places(self._groups), _Places(self._counts)
        for event in events:
            prepared = _Prepared(event, groups, counts)
            more = touched | {prepared.group.id, *prepared.sums}
            if len(more) > _ACTIONS:
                yield list(chunk.values())
                chunk, more = {}, {prepared.group.id, *prepared.sums}
            chunk.setdefault(prepared.id, prepared)
            touched = more
        if chunk:
            yield list(chunk.values())

    def _count(self, events: list[_Prepared]) -> int:
        for _ in self._backoff:
            counted = self._counted(events)
            new = [event for event in events if event.id not in counted[event.group.id]]
            if not new:
                return 0
            actions = [*self._memberships(new, counted), *self._additions(new)]
            try:
                self._caller.call("TransactWriteItems", {"TransactItems": actions})
                return len(new)
            except TransactionCanceled as canceled:
                if not any(reason in _AGAIN for reason in canceled.reasons):
                    raise
        raise Throttled(f"{len(events)} events could not be counted: their counters are too busy")

    def _counted(self, events: Sequence[_Prepared]) -> dict[str, set[str]]:
        """Which events of each group have been counted, as of now."""
        groups = {event.group.id: event.group.key for event in events}
        found: dict[str, set[str]] = {id: set() for id in groups}
        request: dict[str, Any] = {"Keys": list(groups.values()), "ConsistentRead": True}
        for _ in self._backoff:
            answer = self._caller.call(
                "BatchGetItem", {"RequestItems": {self._table_name: request}}
            )
            for item in answer.get("Responses", {}).get(self._table_name, []):
                key = {name: item[name] for name in request["Keys"][0]}
                found[_id(key)] = set(item[self._members]["SS"])
            unprocessed = answer.get("UnprocessedKeys", {}).get(self._table_name)
            if not unprocessed:
                return found
            request = unprocessed
        raise Throttled(f"{len(request['Keys'])} groups of events could not be read")

    def _memberships(
        self, events: Sequence[_Prepared], counted: Mapping[str, set[str]]
    ) -> Iterator[dict[str, Any]]:
        by_group: dict[str, list[_Prepared]] = {}
        for event in events:
            by_group.setdefault(event.group.id, []).append(event)
        for id, members in by_group.items():
            group, expressions = members[0].group, Expressions()
            name = expressions.name(self._members)
            added = expressions.value({"SS": [event.id for event in members]})
            # Members are only ever added, so a group of the same size is the same group.
            known = len(counted[id])
            unchanged = f"attribute_not_exists({name})"
            if known:
                unchanged = f"size({name}) = {expressions.value({'N': str(known)})}"
            update = {
                "TableName": self._table_name,
                "Key": group.key,
                "UpdateExpression": _joined(f"ADD {name} {added}", expressions, group.rest),
                "ConditionExpression": unchanged,
            }
            yield {"Update": expressions.into(update)}

    def _additions(self, events: Sequence[_Prepared]) -> Iterator[dict[str, Any]]:
        counters: dict[str, _Sum] = {}
        for event in events:
            for id, part in event.sums.items():
                counters.setdefault(id, _Sum(part.place)).add(part.numbers)
        for counter in counters.values():
            if not counter.numbers:
                continue  # additions that cancel one another leave nothing to be written
            expressions = Expressions()
            adds = ", ".join(
                f"{expressions.name(name)} {expressions.value({'N': str(number)})}"
                for name, number in counter.numbers.items()
            )
            update = {
                "TableName": self._table_name,
                "Key": counter.place.key,
                "UpdateExpression": _joined(f"ADD {adds}", expressions, counter.place.rest),
            }
            yield {"Update": expressions.into(update)}


class _Place:
    """An item by its key, and its other attributes, which follow from the key."""

    __slots__ = ("id", "key", "rest")

    def __init__(self, records: Records, values: Mapping[str, Any]) -> None:
        checked = records.check_some(values)
        inputs = records.entity.inputs(records.entity.key)
        self.key = records.key({name: checked[name] for name in inputs if name in checked})
        item = records.to_item(checked)
        self.rest = {name: wire for name, wire in item.items() if name not in self.key}
        self.id = _id(self.key)


class _Places:
    """The places of an entity by their keys: the events of a batch share most of them."""

    __slots__ = ("_known", "records")

    def __init__(self, records: Records) -> None:
        self.records = records
        self._known: dict[tuple[Any, ...], _Place] = {}

    def of(self, values: Mapping[str, Any]) -> _Place:
        key = tuple(values.items())
        place = self._known.get(key)
        if place is None:
            place = self._known[key] = _Place(self.records, values)
        return place


class _Sum:
    """What is added to one counter."""

    __slots__ = ("numbers", "place")

    def __init__(self, place: _Place) -> None:
        self.place = place
        self.numbers: dict[str, Decimal] = {}

    def add(self, numbers: Mapping[str, Decimal]) -> None:
        for name, number in numbers.items():
            total = self.numbers.get(name, Decimal()) + number
            if total:
                self.numbers[name] = total
            else:
                self.numbers.pop(name, None)


class _Prepared:
    """An event in wire form: its group, and its sums by counter."""

    __slots__ = ("group", "id", "sums")

    def __init__(self, event: Event, groups: _Places, counts: _Places) -> None:
        self.id = event.id
        self.group = groups.of(event.group)
        self.sums: dict[str, _Sum] = {}
        for record, numbers in event.sums:
            place = counts.of(record)
            added = counts.records.values(counts.records.check_some(numbers))
            part = self.sums.setdefault(place.id, _Sum(place))
            part.add({name: Decimal(wire["N"]) for name, wire in added.items()})
        self.sums = {id: part for id, part in self.sums.items() if part.numbers}


def _joined(add: str, expressions: Expressions, rest: Item) -> str:
    sets = ", ".join(expressions.equal(name, wire) for name, wire in rest.items())
    return f"{add} SET {sets}" if sets else add


def _id(key: Item) -> str:
    return repr(sorted((name, *wire.items()) for name, wire in key.items()))
