"""Example table: answers a store's calls with the examples of a design, and keeps nothing."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from tablewright.designs.example_records import example_of
from tablewright.model import Design, EntityModel
from tablewright.runtime.aws import Caller
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.sharding.epochs import StoredEpochs
from tablewright.runtime.store.records import Item, Records

Params = dict[str, Any]

_EQUAL = re.compile(r"(#n\d+) = (:v\d+)")


class Made(NamedTuple):
    """A call that was made."""

    operation: str
    params: Params


class Recorder:
    """A caller that remembers what it passes on to another."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._lock = threading.Lock()
        self.made: list[Made] = []

    def call(self, operation: str, params: Params) -> Params:
        with self._lock:
            self.made.append(Made(operation, params))
        return self._caller.call(operation, params)


class ExampleTable:
    """A table, in memory, that has the example of each entity and is never changed."""

    def __init__(self, design: Design, name: str) -> None:
        self._design = design
        self._items: list[tuple[EntityModel, Item]] = []
        for entity, item in example_items(design, name, self):
            self._items.append((entity, item))

    def call(self, operation: str, params: Params) -> Params:
        """The answer of DynamoDB, as far as a store looks at it."""
        if operation == "GetItem":
            return {"Item": item} if (item := self._at(params["Key"])) else {}
        if operation == "UpdateItem":
            return {"Attributes": self._at(params["Key"])}
        if operation in ("Query", "Scan"):
            items = list(self._listed(params))
            return {"Items": items, "Count": len(items), "ScannedCount": len(items)}
        if operation == "BatchGetItem":
            asked = params["RequestItems"].items()
            found = {name: [self._at(key) for key in part["Keys"]] for name, part in asked}
            return {
                "Responses": {name: [one for one in some if one] for name, some in found.items()}
            }
        if operation == "BatchExecuteStatement":
            return {"Responses": [{} for _ in params["Statements"]]}
        return {}

    def _at(self, key: Item) -> Item | None:
        return next((item for _, item in self._items if key.items() <= item.items()), None)

    def _listed(self, params: Params) -> Iterator[Item]:
        names = params.get("ExpressionAttributeNames", {})
        values = params.get("ExpressionAttributeValues", {})
        found = _EQUAL.findall(params.get("KeyConditionExpression", ""))
        equal = {names[name]: values[value] for name, value in found}
        index = self._design.indexes.get(params.get("IndexName", ""))
        for entity, item in self._items:
            entry = self._design.projected(entity, item, index) if index else item
            if entry is not None and equal.items() <= entry.items():
                yield entry


def example_items(design: Design, name: str, caller: Caller) -> Iterator[tuple[EntityModel, Item]]:
    """The example of each entity as it is stored, in wire form and in clear.

    First the one that the others' shards depend on, which is read by the caller.
    """
    source = StoredEpochs(design, name, caller, None) if design.epochs else None
    first = design.patterns[design.epochs].entity if design.epochs else None
    for entity in sorted(design.entity_list, key=lambda one: one.name != first):
        records = Records(design, entity, source, secrets=Secrets.in_clear())
        yield entity, records.to_item(example_of(entity))
