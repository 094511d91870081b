"""Faulty designs: each fault is found, and the message names the culprit."""

from typing import Any

import pytest

from tablewright.catalog.sales.design import SALES
from tablewright.model import (
    IN_KEY,
    KEYS_ONLY,
    Count,
    Date,
    DesignError,
    Entity,
    EpochList,
    EpochShards,
    Expiry,
    Field,
    Flag,
    Get,
    Index,
    Key,
    Money,
    Number,
    Query,
    Shards,
    Table,
    Tally,
    Text,
    TimeId,
    Timestamp,
)
from tablewright.model.validation.design import check, validate


def design(**changes: Any) -> Table:
    """A sound little design, but for the changes."""
    settings: dict[str, Any] = {
        "pk": "PK",
        "sk": "SK",
        "entities": [order()],
        "indexes": [Index("BY_STATE", pk="G1PK", sk="G1SK", projects=KEYS_ONLY)],
        "patterns": [Query("by_state", "Order", index="BY_STATE", range="total")],
        **changes,
    }
    return Table("orders", **settings)


def order(name: str = "Order", **changes: Any) -> Entity:
    settings: dict[str, Any] = {
        "key": Key("T#{tenant}#O#{order}", "ORDER"),
        "indexed": {"BY_STATE": Key("T#{tenant}#S#{state}", "TOTAL#{total}")},
        "fields": [Text("tenant"), Text("order"), Text("state"), Money("total"), Text("note")],
        **changes,
    }
    return Entity(name, **settings)


def test_the_sound_design_is_sound() -> None:
    assert validate(design()) == []


def test_the_sales_design_is_sound() -> None:
    check(SALES)


FIELDS = order().fields

FAULTS = {
    "a field named as the mark of restored items": (
        design(entities=[order(fields=[*FIELDS, Text("restored_from")])]),
        "Order stores a field as 'restored_from', which marks restored items",
    ),
    "a consistent read of an index": (
        design(patterns=[Query("by_state", "Order", index="BY_STATE", consistent=True)]),
        "asks for a consistent read of index BY_STATE",
    ),
    "a key that cannot be one": (
        design(entities=[order(fields=[*FIELDS[:2], Flag("state"), *FIELDS[3:]])]),
        "Order.state is in index BY_STATE, but a Flag cannot be",
    ),
    "two keys in one attribute": (
        design(indexes=[Index("BY_STATE", pk="G1PK", sk="SK", projects=KEYS_ONLY)]),
        "attribute 'SK' is both the key ORDER and the key TOTAL#{total} of Order",
    ),
    "a field that no entity has": (
        design(entities=[order(key=Key("T#{tenant}#O#{ordr}", "ORDER"))]),
        "uses '{ordr}', which Order does not have",
    ),
    "an index key that can be missing": (
        design(entities=[order(fields=[*FIELDS[:2], Text("state", optional=True), *FIELDS[3:]])]),
        "Order.state can be missing, so index BY_STATE must be sparse",
    ),
    "a table key that can be missing": (
        design(entities=[order(fields=[FIELDS[0], Text("order", optional=True), *FIELDS[2:]])]),
        "Order.order is part of the table's key and cannot be optional",
    ),
    "two entities on one key": (
        design(entities=[order(), order("Invoice")]),
        "Order and Invoice can have the same key",
    ),
    "more than an index projects": (
        design(patterns=[Query("by_state", "Order", index="BY_STATE", select=["note"])]),
        "'by_state' asks for Order.note, which index BY_STATE does not project",
    ),
    "a list that cannot tell what has expired": (
        design(
            ttl="ttl",
            entities=[order(fields=[*FIELDS, Timestamp("until")], expires=Expiry("until"))],
        ),
        "lists what expires by Order.until, which index BY_STATE does not project",
    ),
    "a filter on what an index does not project": (
        design(patterns=[Query("by_state", "Order", index="BY_STATE", filters=["note"])]),
        "'by_state' asks for Order.note, which index BY_STATE does not project",
    ),
    "a range over an unordered number": (
        design(entities=[order(fields=[*FIELDS[:3], Number("total"), FIELDS[4]])]),
        "range of Order.total, a number whose text is not ordered",
    ),
    "a range over what is not in the sort key": (
        design(patterns=[Query("by_state", "Order", index="BY_STATE", range="note")]),
        "range of 'note', which is not in the sort key",
    ),
    "a partition without its tenant": (
        design(
            tenant="tenant",
            entities=[order(indexed={"BY_STATE": Key("S#{state}", "TOTAL#{total}")})],
        ),
        "the partition key S#{state} of Order (index BY_STATE) does not set tenants apart",
    ),
    "a tenant that another's name can run into": (
        design(tenant="tenant", entities=[order(key=Key("T#{tenant}{order}", "ORDER"))]),
        "does not set tenants apart",
    ),
    "a shard without shards": (
        design(entities=[order(indexed={"BY_STATE": Key("S#{shard}", "TOTAL#{total}")})]),
        "has a {shard} but no Shards",
    ),
    "shards without a shard": (
        design(
            entities=[
                order(indexed={"BY_STATE": Key("S#{state}", "T#{total}", shards=Shards(2, by="x"))})
            ]
        ),
        "has Shards but no {shard}",
    ),
    "shards sorted by a number": (
        design(
            entities=[
                order(
                    indexed={"BY_STATE": Key("S#{shard}", "{total}", shards=Shards(2, by="order"))}
                )
            ],
            indexes=[Index("BY_STATE", pk="G1PK", sk="total")],
        ),
        "is sharded and sorted by the number total",
    ),
    "a counter without a number": (
        design(patterns=[Count("count", "Order", marker="Order")]),
        "'count' needs Order to have numbers and nothing else outside its key",
    ),
    "a marker without a set": (
        design(patterns=[Count("count", "Order", marker="Order")]),
        "'count' needs Order to have one set and nothing else outside its key",
    ),
    "an unknown marker": (
        design(patterns=[Count("count", "Order", marker="Seen")]),
        "'count' marks events by 'Seen', which the table does not store",
    ),
    "an unknown index": (
        design(patterns=[Query("by_note", "Order", index="BY_NOTE")]),
        "reads Order from index BY_NOTE, which does not hold it",
    ),
    "an unknown entity": (
        design(patterns=[Get("get", "Invoice")]),
        "'get' is about 'Invoice', which the table does not store",
    ),
    "two patterns of one name": (
        design(patterns=[Get("get_order", "Order"), Get("get_order", "Order")]),
        "two of kind access pattern are named 'get_order'",
    ),
    "a pattern that hides an attribute": (
        design(patterns=[Get("entities", "Order")]),
        "'entities' has the name of an attribute of Table",
    ),
    "expiry without a ttl attribute": (
        design(entities=[order(expires=Expiry("note", days=1))]),
        "Order expires, but the table has no ttl attribute",
    ),
    "a key attribute that is also a field": (
        design(entities=[order(fields=[*FIELDS, Text("x", "PK")])]),
        "attribute 'PK' is both Order.x and the key",
    ),
    "too many indexes": (
        design(indexes=[Index(f"BY_STATE{n or ''}", pk="G1PK", sk="G1SK") for n in range(21)]),
        "21 indexes are more than the 20 allowed",
    ),
    "a field that is kept nowhere": (
        design(entities=[order(fields=[*FIELDS[:4], Text("note", IN_KEY)])]),
        "Order.note is not stored and stands in no key of the table",
    ),
    "a field that stands in an index's key alone": (
        design(entities=[order(fields=[*FIELDS[:2], Text("state", IN_KEY), *FIELDS[3:]])]),
        "Order.state is not stored and stands in no key of the table",
    ),
    "a tally that would take a field in": (
        design(entities=[order(fields=[*FIELDS, Tally("notes", prefix="no")])]),
        "attribute 'note' begins with 'no', the prefix of Order.notes",
    ),
    "a tally that would take a key in": (
        design(entities=[order(fields=[*FIELDS, Tally("all", prefix="G1")])]),
        "attribute 'G1SK' begins with 'G1', the prefix of Order.all",
    ),
    "an unknown stream": (design(stream="EVERYTHING"), "stream 'EVERYTHING' is none of"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_named(fault: str) -> None:
    faulty, message = FAULTS[fault]
    assert any(message in problem for problem in validate(faulty)), validate(faulty)


def test_check_lists_all_faults_at_once() -> None:
    faulty = design(stream="EVERYTHING", entities=[order(), order("Invoice")])
    with pytest.raises(DesignError) as stopped:
        check(faulty)
    assert len(stopped.value.problems) == 2
    assert "table design 'orders'" in str(stopped.value)


def kind(name: str, pk: str, sk: str, delimiter: str = "#", **fields: Field) -> Entity:
    """An entity of texts, but for the fields given."""
    key = Key(pk, sk, delimiter=delimiter)
    return Entity(name, key=key, fields=[fields.get(n, Text(n, f"x_{n}")) for n in key.fields])


AT, DAY, NUMBER = Timestamp("at", "SK"), Date("day", "SK"), Number("n", "SK")


@pytest.mark.parametrize(
    ("one", "two", "collide"),
    [
        # A moment is never a word, nor a key that has words in it.
        (kind("A", "{id}", "{at}", at=AT), kind("B", "{id}", "guard"), False),
        (kind("A", "{id}", "{at}", at=AT), kind("B", "{id}", "NOTE#{x}"), False),
        (kind("A", "{id}", "{day}", day=DAY), kind("B", "{id}", "{x}|{y}", "|"), False),
        (kind("A", "{id}", "{n}", n=NUMBER), kind("B", "{id}", "v{x}"), False),
        # But it may be what a key without words comes to,
        (kind("A", "{id}", "{day}", day=DAY), kind("B", "{id}", "{y}-{m}-{d}", "-"), True),
        (kind("A", "{id}", "{at}", at=AT), kind("B", "{id}", "{x}T{y}", "T"), True),
        # and the very text of one.
        (kind("A", "{id}", "{day}", day=DAY), kind("B", "{id}", "2025-01-01"), True),
        (kind("A", "{id}", "{at}", at=AT), kind("B", "{id}", "2025-01-01"), False),
        # Text takes any form that its pattern allows.
        (kind("A", "{id}", "{x}"), kind("B", "{id}", "guard"), True),
        (
            kind("A", "{id}", "{x}", x=Text("x", "SK", pattern="[0-9]+")),
            kind("B", "{id}", "guard"),
            False,
        ),
        # Values may hold what sets the parts of another key apart.
        (kind("A", "{id}", "{x}|{y}|{z}", "|"), kind("B", "{id}", "{u}#b", "#"), True),
        (kind("A", "{id}", "a|{y}", "|"), kind("B", "{id}", "b#{u}", "#"), False),
    ],
)
def test_kinds_of_one_table_may_not_come_to_the_same_key(
    one: Entity, two: Entity, collide: bool
) -> None:
    for pair in ((one, two), (two, one)):
        table = Table("t", pk="PK", sk="SK", entities=pair)
        found = [problem for problem in validate(table) if "can have the same key" in problem]
        assert bool(found) is collide


def test_a_shared_key_need_not_set_tenants_apart() -> None:
    shared = order(indexed={"BY_STATE": Key("S#{state}", "TOTAL#{total}", shared=True)})
    assert validate(design(tenant="tenant", entities=[shared])) == []


def test_an_index_of_several_entities_projects_what_any_of_them_has() -> None:
    invoice = order("Invoice", key=Key("T#{tenant}#I#{order}", "INVOICE"))
    wide = order(fields=[*FIELDS, Text("colour")])
    by_state = Index("BY_STATE", pk="G1PK", sk="G1SK", projects=["note", "colour"])
    assert validate(design(entities=[wide, invoice], indexes=[by_state])) == []
    (problem,) = validate(design(entities=[order(), invoice], indexes=[by_state]))
    assert problem == "index BY_STATE projects 'colour', which no Order or Invoice has"


def epochal(shards: EpochShards, *, by: Field | None = None, **changes: Any) -> Table:
    """A design that is sharded by epochs."""
    note = Entity(
        "Note",
        key=Key("T#{tenant}#{shard}", "N#{id}", shards=shards),
        fields=[Text("tenant"), by or TimeId("id"), Timestamp("at"), Date("day")],
    )
    counts = Entity(
        "Counts", key=Key("T#{tenant}", "COUNTS"), fields=[Text("tenant"), EpochList("counts")]
    )
    settings: dict[str, Any] = {
        "entities": [note, counts],
        "patterns": [Get("get_note", "Note"), Get("get_counts", "Counts", consistent=True)],
        "epochs": "get_counts",
        **changes,
    }
    return Table("notes", pk="PK", sk="SK", **settings)


OF_TENANTS = EpochShards(by="id", whose="tenant", dated="at")


def test_a_design_with_epochs_is_sound() -> None:
    assert validate(epochal(OF_TENANTS)) == []


@pytest.mark.parametrize(
    ("faulty", "message"),
    [
        (epochal(OF_TENANTS, by=Text("id")), "so Note.id must be a TimeId"),
        (
            epochal(EpochShards(by="id", whose="owner")),
            "has the epochs of 'owner', which must stand in its partition key",
        ),
        (
            epochal(EpochShards(by="id", whose="tenant", dated="day")),
            "is dated by 'day', which must be a Timestamp in milliseconds",
        ),
        (epochal(OF_TENANTS, epochs=None), "does not say which pattern reads them"),
        (epochal(OF_TENANTS, epochs="get_nothing"), "'get_nothing', which must be a consistent"),
        (
            epochal(OF_TENANTS, patterns=[Get("get_counts", "Counts")]),
            "'get_counts', which must be a consistent Get",
        ),
        (
            epochal(OF_TENANTS, patterns=[Get("get_counts", "Note", consistent=True)]),
            "epochs are read from Note, which must have one key field and EpochList",
        ),
    ],
)
def test_a_fault_of_epochs_is_found_and_named(faulty: Table, message: str) -> None:
    assert any(message in problem for problem in validate(faulty)), validate(faulty)
