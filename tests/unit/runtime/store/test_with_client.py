"""A store with another client makes the calls of a new store, all of them by that client."""

from typing import Any

import pytest

from tablewright.model import Table
from tablewright.pages.explained import rehearsal
from tablewright.pages.explained.rehearsal import rehearse
from tablewright.runtime.aws import Caller
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tests.every_design import EVERY_DESIGN


class NoCalls:
    """A client that must not be used."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError(f"{operation} was called by the first client")


def calls(table: type[Table]) -> list[tuple[str, list[str]]]:
    """The calls of each way to use a pattern; shards are read side by side, in no order."""
    return [
        (way.what, sorted(map(repr, way.made)))
        for pattern in table.__design__.pattern_list
        for way in rehearse(table, pattern, "orders")
    ]


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda table: table.__name__)
def test_every_pattern_makes_the_calls_of_a_new_store(
    table: type[Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = calls(table)

    def store(table: type[Table], name: str, caller: Caller, **settings: Any) -> Store:
        return Store(table, name, NoCalls(), **settings).with_client(caller)

    monkeypatch.setattr(rehearsal, "Store", store)
    assert calls(table) == expected


def test_the_first_store_keeps_its_client() -> None:
    first, second = NoCalls(), NoCalls()
    store = Store(EVERY_DESIGN[0], "orders", Transport(first))
    before = vars(store).copy()
    store.with_client(second)
    assert vars(store) == before


def test_the_transport_keeps_its_pauses_and_its_kind() -> None:
    class Loop(Transport):
        """Calls on an event loop."""

    class Second:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            return {"Item": {}}

    transport = Loop(NoCalls(), backoff=Backoff(attempts=1)).with_client(Second())
    assert type(transport) is Loop
    assert list(transport.attempts()) == [0]
    assert transport.call("GetItem", {}) == {"Item": {}}


def test_a_transport_is_used_as_it_is() -> None:
    transport = Transport(NoCalls())
    assert Store(EVERY_DESIGN[0], "orders", NoCalls()).with_client(transport).caller is transport
