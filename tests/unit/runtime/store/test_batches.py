"""Batches of insertions: what is tried again, and what is an error."""

from collections.abc import Iterable
from typing import Any

import pytest

from tablewright.runtime.errors import AccessDenied, ResourceMissing, StoreError, Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.batches import insert_all
from tablewright.runtime.store.records import Item
from tablewright.runtime.transport import Transport


class Table:
    """A table that takes insertions; `troubles` are the errors of calls to come, by key."""

    def __init__(self, *troubles: dict[str, str]) -> None:
        self.items: dict[str, Item] = {}
        self.troubles = list(troubles)
        self.calls: list[int] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "BatchExecuteStatement"
        trouble = self.troubles.pop(0) if self.troubles else {}
        self.calls.append(len(params["Statements"]))
        return {"Responses": [self._insert(one, trouble) for one in params["Statements"]]}

    def _insert(self, statement: dict[str, Any], trouble: dict[str, str]) -> dict[str, Any]:
        assert statement["Statement"] == "INSERT INTO \"table\" VALUE {'k': ?, 'it''s': ?}"
        key, value = statement["Parameters"]
        code = trouble.get(key["S"]) or ("DuplicateItem" if key["S"] in self.items else None)
        if code:
            return {"Error": {"Code": code, "Message": "as told"}}
        self.items[key["S"]] = {"k": key, "it's": value}
        return {"TableName": "table"}


def item(name: str) -> Item:
    return {"k": {"S": name}, "it's": {"N": "1"}}


def inserted(table: Table, names: Iterable[str]) -> list[bool]:
    transport = Transport(table, backoff=Backoff(attempts=3, first=0))
    return insert_all(transport, "table", [item(name) for name in names])


def test_items_are_inserted_in_batches_and_none_is_replaced() -> None:
    table = Table()
    names = [f"{number:02}" for number in range(60)]
    assert inserted(table, names[10:20]) == [True] * 10
    table.calls.clear()
    assert inserted(table, names) == [not 10 <= number < 20 for number in range(60)]
    assert sorted(table.calls) == [10, 25, 25]
    assert table.items == {name: item(name) for name in names}


@pytest.mark.parametrize(
    "code", ["ThrottlingError", "ProvisionedThroughputExceeded", "InternalServerError"]
)
def test_what_is_refused_for_a_while_is_tried_again_alone(code: str) -> None:
    table = Table({"b": code, "c": code}, {"c": code})
    assert inserted(table, "abcd") == [True] * 4
    assert table.calls == [4, 2, 1]


def test_what_is_refused_to_the_last_is_an_error() -> None:
    table = Table(*[{"b": "ThrottlingError"}] * 3)
    with pytest.raises(Throttled, match="1 of 3 items"):
        inserted(table, "abc")
    assert table.items.keys() == {"a", "c"}


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("AccessDenied", AccessDenied),
        ("ResourceNotFound", ResourceMissing),
        ("ValidationError", StoreError),
    ],
)
def test_what_can_never_be_inserted_is_an_error_at_once(code: str, error: type[StoreError]) -> None:
    table = Table({"b": code})
    with pytest.raises(error, match="as told"):
        inserted(table, "abc")
    assert table.calls == [3]
