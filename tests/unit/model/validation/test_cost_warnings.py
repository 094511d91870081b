"""Warnings of projections that cost more than they save, and of what is kept for ever."""

from datetime import datetime
from typing import Any

import pytest

from tablewright.model import (
    ALL,
    KEYS_ONLY,
    Collection,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
    Update,
)
from tablewright.model.validation.design import validate
from tablewright.model.validation.warnings import warnings
from tests.every_design import EVERY_DESIGN

ADMITTED = {"employees": "everybody", "content-registry": "due"}


class Order(
    Entity,
    key=Key("{order_id}"),
    example={"order_id": "o1", "customer": "ann", "total": "9", "note": "n" * 200},
):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    total: Field[str] = Text()
    note: Field[str] = Text(max_length=3000)


BY_CUSTOMER = {Order: Key("{customer}")}


def orders(projects: Any, *, update: bool = False, **asked: Any) -> type[Table]:
    """A table with a list of a customer's orders, in an index that carries this."""
    index = Index("by_customer", pk="customer", keys=BY_CUSTOMER, projects=projects)
    own = {
        "by_customer": index,
        "order": Get(Order),
        "of_customer": Query(Order, index, **asked),
        **({"change": Update(Order)} if update else {}),
    }
    return type("Orders", (Table,), own, pk="order_id")


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda table: table.__design__.id)
def test_of_our_designs_only_one_partition_s_lists_are_warned_of(table: type[Table]) -> None:
    found = warnings(table)
    if table.__design__.id in ADMITTED:
        (found_one,) = found
        assert "is in one partition of index" in found_one
    else:
        assert found == []


def test_what_an_index_carries_and_nobody_reads_is_told_with_what_would_do() -> None:
    (told,) = warnings(orders(("total", "note"), select=("order_id", "total")))
    assert told == (
        "index by_customer carries note of Order, which no pattern on it reads, and every write "
        "pays for it: projects=(Order.total,) carries what is read"
    )


def test_an_index_of_everything_of_which_little_is_read_is_told_of() -> None:
    (told,) = warnings(orders(ALL, select=("order_id",)))
    assert told.endswith("pays for it: KEYS_ONLY carries what is read")


@pytest.mark.parametrize(
    ("projects", "asked"),
    [
        (ALL, {}),  # it is read whole
        (("total",), {"filters": ("total",), "select": ("order_id",)}),
        (ALL, {"select": ("order_id", "note")}),  # the rest is little
    ],
)
def test_what_is_read_or_hardly_matters_is_not_told_of(
    projects: Any, asked: dict[str, Any]
) -> None:
    assert warnings(orders(projects, **asked)) == []


def test_lists_that_are_completed_though_the_index_could_carry_all_are_told_of() -> None:
    (told,) = warnings(orders(KEYS_ONLY, hydrate=True))
    assert told.startswith("of_customer completes each entry of index by_customer from the table:")
    assert "a page of 20 reads 10.5 units, and 1 if the index carried whole items" in told
    assert told.endswith("projects=ALL")


def test_where_items_change_a_list_may_be_completed() -> None:
    assert warnings(orders(KEYS_ONLY, update=True, hydrate=True)) == []


class Session(Entity, key=Key("{id}")):
    id: Field[str] = Text()


class Invitation(Entity, key=Key("{id}")):
    id: Field[str] = Text()
    expires_at: Field[datetime] = Timestamp()


class Room(Entity, key=Key("ROOM#{room}", "ROOM"), expires=Expiry("closed_at", days=1)):
    room: Field[str] = Text()
    closed_at: Field[datetime] = Timestamp()


class Message(Entity, key=Key("ROOM#{room}", "MESSAGE#{number}")):
    room: Field[str] = Text()
    number: Field[str] = Text()


class Sessions(Table, pk="id"):
    begin = Put(Session)


class Invitations(Table, pk="id", ttl="ttl"):
    invite = Put(Invitation)


class Chat(Table, pk="PK", sk="SK", ttl="ttl"):
    open = Put(Room)
    say = Put(Message)
    messages = Query(Message)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (
            Sessions,
            "Session is a session by its name, and is kept for ever: give it expires=Expiry(…), "
            "and the table ttl=…",
        ),
        (
            Invitations,
            "Invitation has Invitation.expires_at, and nothing removes it then: give it "
            'expires=Expiry("expires_at")',
        ),
        (
            Chat,
            "Message lies with Room, which expires, and stays when that is gone: give it "
            "expires=Expiry(…), too",
        ),
    ],
)
def test_what_looks_as_if_it_should_expire_is_told_of(table: type[Table], says: str) -> None:
    assert warnings(table)[-1] == says


class Line(Entity, key=Key("ROOM#{room}", "LINE#{day}"), expires=Expiry("day", days=1)):
    room: Field[str] = Text()
    day: Field[datetime] = Timestamp()


class Lines(Table, pk="PK", sk="SK", ttl="ttl"):
    open = Put(Room)
    write = Put(Line)
    room_with_lines = Collection(Room, Line)


def test_entities_of_a_collection_may_expire_each_by_a_field_of_its_own() -> None:
    assert validate(Lines) == []
