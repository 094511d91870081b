"""DynamoDB table in memory, with the operations that a `Store` needs and the rules of indexes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

from tablewright.model.table import ALL, Design
from tablewright.model.table_form import TableForm
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.transport import Transport

Item = dict[str, Wire]
T = TypeVar("T")
R = TypeVar("R")
MARK = "\0mark"
"""Attribute that identifies an item in answers. Projections keep it."""
_CONDITION = re.compile(r"(#n\d+) (=|>=|<=|BETWEEN) (:v\d+)(?: AND (:v\d+))?")
_SET = re.compile(r"(#n\d+) = (:v\d+)")


class WriteRefused(Exception):
    """A write that DynamoDB rejects with a ValidationException."""


class _KeySchema(NamedTuple):
    """Key attributes of the table or of an index, and the attributes that it projects."""

    partition: tuple[str, ...]
    sort: tuple[str, ...]
    projected: frozenset[str] | None

    @property
    def names(self) -> tuple[str, ...]:
        return self.partition + self.sort


class MemoryTable:
    """A table with the indexes of one or two designs. If both have an index of one name, the
    table has that of the last design."""

    def __init__(self, *designs: Design) -> None:
        last = designs[-1]
        self._key = _KeySchema(last.key.partition, last.key.sort, None)
        self._indexes: dict[str, _KeySchema] = {}
        self._types: dict[str, str] = {}
        for design in designs:
            form = TableForm.of(design)
            self._types.update(form.key_kinds)
            for name, index in {**form.indexes, **form.local}.items():
                self._types.update(index.kinds)
                keys = {*form.key_kinds, *index.kinds, *index.attributes, MARK}
                projected = None if index.projects == ALL else frozenset(keys)
                attributes = design.indexes[name].key
                self._indexes[name] = _KeySchema(attributes.partition, attributes.sort, projected)
        self.items: dict[tuple[str, ...], Item] = {}

    def put(self, item: Item, mark: str) -> None:
        """Store an item as it was before the table had its indexes."""
        self.items[self._place(item)] = {**item, MARK: {"S": mark}}

    def require_writable(self, item: Item) -> None:
        """Raise WriteRefused for an item with an index key of another type than the table has."""
        for name in self._types.keys() & item.keys():
            if not self._fits(item, name):
                raise WriteRefused(
                    f"{name} is an index key of type {self._types[name]}, not {item[name]}"
                )

    def __contains__(self, item: Item) -> bool:
        return self._place(item) in self.items

    def _fits(self, item: Item, name: str) -> bool:
        ((kind, value),) = item[name].items()
        return kind == self._types[name] and value not in ("", b"")

    def _place(self, item: Item) -> tuple[str, ...]:
        return tuple(str(_ordered(item[name])) for name in self._key.names)

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Answer a request as DynamoDB does. The conditions of updates hold."""
        if operation == "GetItem":
            item = self.items.get(self._place(params["Key"]))
            return {"Item": item} if item else {}
        if operation == "BatchGetItem":
            ((name, request),) = params["RequestItems"].items()
            found = [self.items.get(self._place(key)) for key in request["Keys"]]
            return {"Responses": {name: [item for item in found if item]}, "UnprocessedKeys": {}}
        if operation == "UpdateItem":
            place = self._place(params["Key"])
            item = self.items.get(place, {**params["Key"], MARK: {"S": ""}})
            self.items[place] = _updated(item, params)
            return {"Attributes": self.items[place]}
        if operation == "Query":
            items = self._query(params)
        else:
            items = list(self.index_items(params.get("IndexName")))
        return {"Items": items, "Count": len(items), "ScannedCount": len(items)}

    def index_items(self, index: str | None) -> Iterator[Item]:
        """Items of an index, or of the table, with the attributes that it projects."""
        schema = self._indexes[index] if index else self._key
        for item in self.items.values():
            if all(name in item and self._fits(item, name) for name in schema.names):
                projected = schema.projected
                yield item if projected is None else {n: item[n] for n in item if n in projected}

    def _query(self, params: dict[str, Any]) -> list[Item]:
        index = params.get("IndexName")
        schema = self._indexes[index] if index else self._key
        names, values = params["ExpressionAttributeNames"], params["ExpressionAttributeValues"]
        conditions = [
            (names[alias], sign, values[low], values.get(high))
            for alias, sign, low, high in _CONDITION.findall(params["KeyConditionExpression"])
        ]
        if not {name for name, *_ in conditions} <= {*schema.names}:
            raise WriteRefused(f"the query has conditions on attributes that are no key of {index}")
        matches = [
            item
            for item in self.index_items(index)
            if all(_holds(item[name], *condition) for name, *condition in conditions)
        ]
        matches.sort(key=lambda item: [_ordered(item[name]) for name in schema.sort])
        if "ProjectionExpression" in params:
            kept = {names[alias] for alias in params["ProjectionExpression"].split(", ")} | {MARK}
            matches = [{n: w for n, w in item.items() if n in kept} for item in matches]
        return matches if params.get("ScanIndexForward", True) else matches[::-1]


def _updated(item: Item, params: dict[str, Any]) -> Item:
    """The item after an UpdateItem that sets and removes whole attributes."""
    names = params.get("ExpressionAttributeNames", {})
    values = params.get("ExpressionAttributeValues", {})
    sets, _, removals = params.get("UpdateExpression", "").partition("REMOVE ")
    removed = {names[alias] for alias in removals.split(", ") if alias}
    changed = {names[alias]: values[value] for alias, value in _SET.findall(sets)}
    return {name: wire for name, wire in item.items() if name not in removed} | changed


def _ordered(wire: Wire) -> Any:
    """A key value as DynamoDB sorts it."""
    ((kind, value),) = wire.items()
    return Decimal(value) if kind == "N" else value.encode() if kind == "S" else value


def _holds(wire: Wire, sign: str, low: Wire, high: Wire | None) -> bool:
    if wire.keys() != low.keys():
        return False
    value = _ordered(wire)
    if sign == "=":
        return bool(value == _ordered(low))
    if sign == "<=":
        return bool(value <= _ordered(low))
    return bool(value >= _ordered(low) and (high is None or value <= _ordered(high)))


class SequentialTransport(Transport):
    """Transport that makes calls one after another: a table in memory needs no threads."""

    def in_parallel(self, work: Callable[[T], R], elements: Iterable[T]) -> list[R]:
        return [work(element) for element in elements]
