"""Faulty designs: each fault is found, and the message names the culprit."""

from collections.abc import Mapping
from decimal import Decimal
from types import new_class
from typing import Any

import pytest

from tablewright.catalog.sales.design import Sales
from tablewright.model import (
    IN_KEY,
    KEYS_ONLY,
    Collection,
    Computed,
    Count,
    DateText,
    DesignError,
    Document,
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
    Pattern,
    Query,
    Reversed,
    Shards,
    Table,
    Tally,
    Text,
    TimeId,
    TimestampText,
    Whole,
)
from tablewright.model.validation.design import check, validate

BY_STATE = Key("T#{tenant}#S#{state}", "TOTAL#{total}")
Fields = Mapping[str, Field[Any] | Computed]


def entity(name: str, fields: Fields, **settings: Any) -> type[Entity]:
    """An entity, as its class would declare it."""
    return new_class(name, (Entity,), settings, lambda members: members.update(fields))


def table(name: str, members: Mapping[str, Any], **settings: Any) -> type[Table]:
    """A table, as its class would declare it."""
    return new_class(name, (Table,), settings, lambda own: own.update(members))


def fields(**changes: Field[Any] | Computed) -> dict[str, Field[Any] | Computed]:
    """The fields of an order, but for the changes."""
    usual: dict[str, Field[Any] | Computed] = {
        "tenant": Text(),
        "order": Text(),
        "state": Text(),
        "total": Money(),
        "note": Text(),
    }
    return {**usual, **changes}


def order(name: str = "Order", **changes: Any) -> type[Entity]:
    settings: dict[str, Any] = {"key": Key("T#{tenant}#O#{order}", "ORDER"), **changes}
    return entity(name, settings.pop("fields", None) or fields(), **settings)


def of(name: str) -> type[Entity]:
    """An entity of its own key."""
    return order(name, key=Key(f"{name}#{{tenant}}#{{order}}", "X"))


def by_state(*kinds: type[Entity], key: Key = BY_STATE, **changes: Any) -> Index:
    settings: dict[str, Any] = {"pk": "G1PK", "sk": "G1SK", "projects": KEYS_ONLY, **changes}
    return Index("BY_STATE", keys=dict.fromkeys(kinds, key), **settings)


def design(
    kind: type[Entity] | None = None,
    index: Mapping[str, Any] | None = None,
    query: Mapping[str, Any] | None = None,
    more: Mapping[str, Any] | None = None,
    **settings: Any,
) -> type[Table]:
    """A sound little design, but for the changes."""
    kind = kind or order()
    found = by_state(kind, **(index or {}))
    asked: dict[str, Any] = {"range": "total", **(query or {})}
    members = {"by_state_index": found, "by_state": Query(kind, found, **asked), **(more or {})}
    return table("Orders", members, **{"pk": "PK", "sk": "SK", **settings})


def test_the_sound_design_is_sound() -> None:
    assert validate(design()) == []


def test_the_sales_design_is_sound() -> None:
    check(Sales)


FAULTS = {
    "a field named as the mark of restored items": (
        design(order(fields=fields(restored_from=Text()))),
        "Order stores a field as 'restored_from', which marks restored items",
    ),
    "a consistent read of an index": (
        design(query={"consistent": True}),
        "asks for a consistent read of index BY_STATE",
    ),
    "a key that cannot be one": (
        design(order(fields=fields(state=Document()))),
        "Order.state is in index BY_STATE, but a Document cannot be",
    ),
    "two keys in one attribute": (
        design(index={"sk": "SK"}),
        "attribute 'SK' is both the key ORDER and the key TOTAL#{total} of Order",
    ),
    "a field that no entity has": (
        design(order(key=Key("T#{tenant}#O#{ordr}", "ORDER"))),
        "uses '{ordr}', which Order does not have",
    ),
    "an index key that can be missing": (
        design(order(fields=fields(state=Text(default=None)))),
        "Order.state can be missing, so index BY_STATE must be sparse",
    ),
    "a table key that can be missing": (
        design(order(fields=fields(order=Text(default=None)))),
        "Order.order is part of the table's key and cannot be optional",
    ),
    "two entities on one key": (
        design(more={"get_invoice": Get(order("Invoice"))}),
        "Order and Invoice can have the same key",
    ),
    "more than an index projects": (
        design(query={"select": ["note"]}),
        "'by_state' asks for Order.note, which index BY_STATE does not project",
    ),
    "a list that cannot tell what has expired": (
        design(
            order(fields=fields(until=TimestampText(resolution="ms")), expires=Expiry("until")),
            ttl="ttl",
        ),
        "lists what expires by Order.until, which index BY_STATE does not project",
    ),
    "a filter on what an index does not project": (
        design(query={"filters": ["note"]}),
        "'by_state' asks for Order.note, which index BY_STATE does not project",
    ),
    "a range over an unordered number": (
        design(order(fields=fields(total=Number()))),
        "range of Order.total, whose text in keys is not in the order of values",
    ),
    "a range over what is not in the sort key": (
        design(query={"range": "note"}),
        "range of 'note', which is not in the sort key",
    ),
    "a partition without its tenant": (
        design(index={"key": Key("S#{state}", "TOTAL#{total}")}, tenant="tenant"),
        "the partition key S#{state} of Order (index BY_STATE) does not set tenants apart",
    ),
    "a tenant that another's name can run into": (
        design(order(key=Key("T#{tenant}{order}", "ORDER")), tenant="tenant"),
        "does not set tenants apart",
    ),
    "a shard without shards": (
        design(index={"key": Key("S#{shard}", "TOTAL#{total}")}),
        "has a {shard} but no Shards",
    ),
    "shards without a shard": (
        design(index={"key": Key("S#{state}", "T#{total}", shards=Shards(2, by="x"))}),
        "has Shards but no {shard}",
    ),
    "shards sorted by a number": (
        design(
            index={
                "key": Key("S#{shard}", "{total}", shards=Shards(2, by="order")),
                "sk": "total",
            }
        ),
        "is sharded and sorted by the number total",
    ),
    "a counter without a number": (
        design(more={"count": Count(of("Counter"), marker=of("Seen"))}),
        "'count' needs Counter to have numbers and nothing else outside its key",
    ),
    "a marker without a set": (
        design(more={"count": Count(of("Counter"), marker=of("Seen"))}),
        "'count' needs Seen to have one set and nothing else outside its key",
    ),
    "expiry without a ttl attribute": (
        design(order(expires=Expiry("note", days=1))),
        "Order expires, but the table has no ttl attribute",
    ),
    "a key attribute that is also a field": (
        design(order(fields=fields(x=Text("PK")))),
        "Order.x is not stored and stands in no key of the table",
    ),
    "a field twice in one key": (
        design(order(key=Key("T#{tenant}#{order}#{order}", "ORDER"))),
        "the table's key of Order has {order} 2 times in T#{tenant}#{order}#{order}",
    ),
    "an index with too short a name": (
        design(more={"i1": Index(pk="G2PK")}),
        "index 'i1' must have a name of 3 to 255 letters",
    ),
    "too many indexes": (
        design(more={f"i{n}": Index(pk="G1PK", sk="G1SK") for n in range(20)}),
        "21 indexes are more than the 20 allowed",
    ),
    "a field that is kept nowhere": (
        design(order(fields=fields(note=Text(IN_KEY)))),
        "Order.note is not stored and stands in no key of the table",
    ),
    "a field that stands in an index's key alone": (
        design(order(fields=fields(state=Text(IN_KEY)))),
        "Order.state is not stored and stands in no key of the table",
    ),
    "a tally that would take a field in": (
        design(order(fields=fields(notes=Tally(prefix="no")))),
        "attribute 'note' begins with 'no', the prefix of Order.notes",
    ),
    "a tally that would take a key in": (
        design(order(fields=fields(all=Tally(prefix="G1")))),
        "attribute 'G1SK' begins with 'G1', the prefix of Order.all",
    ),
    "more attributes than a key can have": (
        design(index={"pk": ("a", "b", "c", "d", "e")}),
        "index BY_STATE has 5 attributes in its partition key, 4 are allowed",
    ),
    "an attribute twice in a key": (
        design(index={"pk": ("state", "order"), "sk": "state"}),
        "index BY_STATE has the attribute 'state' twice in its key",
    ),
    "fewer forms than attributes": (
        design(index={"sk": ("total", "order")}),
        "has 1 template(s) for the 2 attributes of the sort key of index BY_STATE",
    ),
    "shards of a key of several attributes": (
        design(
            index={
                "sk": ("total", "order"),
                "key": Key(
                    "T#{tenant}#{shard}", ("{total}", "{order}"), shards=Shards(2, by="order")
                ),
            }
        ),
        "index BY_STATE of Order is sharded, which a key of several attributes cannot be",
    ),
    "a local index with another partition key": (
        design(index={"local": True}),
        "index BY_STATE is local: its partition key is 'PK', the table's",
    ),
    "a local index of a table without a sort key": (
        design(
            order(key=Key("T#{tenant}#O#{order}")),
            sk=None,
            index={"pk": "PK", "local": True, "key": Key("T#{tenant}#O#{order}", "{total}")},
        ),
        "index BY_STATE is local, but the table has no sort key",
    ),
    "too many local indexes": (
        design(
            more={
                f"local_{number}": Index(
                    pk="PK",
                    sk=f"L{number}",
                    local=True,
                    keys={order(): Key("T#{tenant}#O#{order}", "{total}")},
                )
                for number in range(6)
            }
        ),
        "6 local indexes are more than the 5 allowed",
    ),
    "a flag that is a key by itself": (
        design(
            order(fields=fields(state=Flag())),
            index={"pk": "state", "key": Key("{state}", "TOTAL#{total}")},
        ),
        "attribute 'state' is Order.state, a Flag, which no key can be",
    ),
    "a collection of what never lies together": (
        design(more={"both": Collection(of("Bill"), of("Receipt"))}),
        "access pattern 'both' is of Bill and Receipt, which never lie in one partition",
    ),
    "a range of what is computed": (
        design(
            order(fields=fields(newest=Reversed(total := Money()), total=total)),
            index={"key": Key("T#{tenant}#S#{state}", "{newest}")},
            query={"range": "newest"},
        ),
        "access pattern 'by_state' asks for a range of 'newest', which is computed: it has none",
    ),
    "a number below zero in the text of a key": (
        design(order(fields=fields(total=Whole(lowest=-5)))),
        "Order.total can be negative, and stands in the text of the key TOTAL#{total}",
    ),
    "expiry by a number": (
        design(order(fields=fields(until=Whole()), expires=Expiry("until")), ttl="ttl"),
        "Order expires by until, a Whole: it must be a day, an hour or a time",
    ),
    "a time to live that is stored as a text": (
        design(order(fields=fields(ttl=TimestampText()), expires=Expiry("ttl")), ttl="ttl"),
        "Order.ttl is stored as 'ttl', by which items expire",
    ),
    "a default that is no value": (
        design(order(fields=fields(note=Text(default="")))),
        "Order.note has the default '', but must have 1 to 256 characters",
    ),
    "an unknown stream": (design(stream="EVERYTHING"), "stream 'EVERYTHING' is none of"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_named(fault: str) -> None:
    faulty, message = FAULTS[fault]
    assert any(message in problem for problem in validate(faulty)), validate(faulty)


def test_check_lists_all_faults_at_once() -> None:
    faulty = design(stream="EVERYTHING", more={"get_invoice": Get(order("Invoice"))})
    with pytest.raises(DesignError) as stopped:
        check(faulty)
    assert len(stopped.value.problems) == 2
    assert "table design 'orders'" in str(stopped.value)


def kind(name: str, pk: str, sk: str, delimiter: str = "#", **own: Field[Any]) -> type[Entity]:
    """An entity of texts, but for the fields given."""
    key = Key(pk, sk, delimiter=delimiter)
    return entity(name, {n: own.get(n) or Text(f"x_{n}") for n in key.fields}, key=key)


def at() -> Field[str]:
    return TimestampText("SK", resolution="ms")


def day() -> Field[str]:
    return DateText("SK")


@pytest.mark.parametrize(
    ("one", "two", "collide"),
    [
        # A moment is never a word, nor a key that has words in it.
        (kind("A", "{id}", "{at}", at=at()), kind("B", "{id}", "guard"), False),
        (kind("A", "{id}", "{at}", at=at()), kind("B", "{id}", "NOTE#{x}"), False),
        (kind("A", "{id}", "{day}", day=day()), kind("B", "{id}", "{x}|{y}", "|"), False),
        (kind("A", "{id}", "{n}", n=Number("SK")), kind("B", "{id}", "v{x}"), False),
        # But it may be what a key without words comes to,
        (kind("A", "{id}", "{day}", day=day()), kind("B", "{id}", "{y}-{m}-{d}", "-"), True),
        (kind("A", "{id}", "{at}", at=at()), kind("B", "{id}", "{x}T{y}", "T"), True),
        # and the very text of one.
        (kind("A", "{id}", "{day}", day=day()), kind("B", "{id}", "2025-01-01"), True),
        (kind("A", "{id}", "{at}", at=at()), kind("B", "{id}", "2025-01-01"), False),
        # Text takes any form that its pattern allows.
        (kind("A", "{id}", "{x}"), kind("B", "{id}", "guard"), True),
        (
            kind("A", "{id}", "{x}", x=Text("SK", pattern="[0-9]+")),
            kind("B", "{id}", "guard"),
            False,
        ),
        # Values may hold what sets the parts of another key apart.
        (kind("A", "{id}", "{x}|{y}|{z}", "|"), kind("B", "{id}", "{u}#b", "#"), True),
        (kind("A", "{id}", "a|{y}", "|"), kind("B", "{id}", "b#{u}", "#"), False),
    ],
)
def test_kinds_of_one_table_may_not_come_to_the_same_key(
    one: type[Entity], two: type[Entity], collide: bool
) -> None:
    for pair in ((one, two), (two, one)):
        both = table("T", {"a": Get(pair[0]), "b": Get(pair[1])}, pk="PK", sk="SK")
        found = [problem for problem in validate(both) if "can have the same key" in problem]
        assert bool(found) is collide


def test_a_key_attribute_has_one_type_in_all_entities() -> None:
    class Sold(Entity, key=Key("S#{id}", "SOLD")):
        id: Field[str] = Text()
        amount: Field[Decimal] = Number()

    class Named(Entity, key=Key("N#{id}", "NAMED")):
        id: Field[str] = Text()
        name: Field[str] = Text("amount")

    class Mixed(Table, pk="PK", sk="SK"):
        by_amount = Index(
            pk="amount", keys={Sold: Key("{amount}"), Named: Key("{name}")}, projects=KEYS_ONLY
        )
        get_sold = Get(Sold)
        get_named = Get(Named)

    (problem,) = validate(Mixed)
    assert problem.startswith("attribute 'amount' is a number for Sold and a text for Named")


def test_a_number_is_a_key_or_part_of_one() -> None:
    class Sold(Entity, key=Key("{id}", "{amount}")):
        id: Field[str] = Text()
        amount: Field[Decimal] = Money()

    class Both(Table, pk="id", sk="amount"):
        by_amount = Index(pk="APK", keys={Sold: Key("AMOUNT#{amount}")}, projects=KEYS_ONLY)
        get = Get(Sold)

    (problem,) = validate(Both)
    assert problem.startswith("Sold.amount is a key by itself, as a number, and part of the key")


def test_a_shared_key_need_not_set_tenants_apart() -> None:
    shared = Key("S#{state}", "TOTAL#{total}", shared=True)
    assert validate(design(index={"key": shared}, tenant="tenant")) == []


def test_an_index_of_several_entities_projects_what_any_of_them_has() -> None:
    def two(one: type[Entity]) -> type[Table]:
        invoice = order("Invoice", key=Key("T#{tenant}#I#{order}", "INVOICE"))
        index = by_state(one, invoice, projects=["note", "colour"])
        members = {"index": index, "get": Get(one), "get_invoice": Get(invoice)}
        return table("Orders", members, pk="PK", sk="SK")

    assert validate(two(order(fields=fields(colour=Text())))) == []
    (problem,) = validate(two(order()))
    assert problem == "index BY_STATE projects 'colour', which no Order or Invoice has"


def epochal(
    shards: EpochShards,
    *,
    by: Field[Any] | None = None,
    consistent: bool = True,
    known: bool = True,
    of_notes: bool = False,
) -> type[Table]:
    """A design that is sharded by epochs."""
    note = entity(
        "Note",
        {
            "tenant": Text(),
            "id": by or TimeId(),
            "at": TimestampText(resolution="ms"),
            "day": DateText(),
        },
        key=Key("T#{tenant}#{shard}", "N#{id}", shards=shards),
    )
    counts = entity(
        "Counts", {"tenant": Text(), "counts": EpochList()}, key=Key("T#{tenant}", "COUNTS")
    )
    reads: Pattern[Any] = Get(note if of_notes else counts, consistent=consistent)
    members = {"get_note": Get(note), "get_counts": reads, "other": Get(counts)}
    return table("Notes", members, pk="PK", sk="SK", epochs=reads if known else None)


OF_TENANTS = EpochShards(by="id", whose="tenant", dated="at")


def test_a_design_with_epochs_is_sound() -> None:
    assert validate(epochal(OF_TENANTS)) == []


@pytest.mark.parametrize(
    ("faulty", "message"),
    [
        (epochal(OF_TENANTS, by=Text()), "so Note.id must be a TimeId"),
        (
            epochal(EpochShards(by="id", whose="owner")),
            "has the epochs of 'owner', which must stand in its partition key",
        ),
        (
            epochal(EpochShards(by="id", whose="tenant", dated="day")),
            "is dated by 'day', which must be a Timestamp in milliseconds",
        ),
        (epochal(OF_TENANTS, known=False), "does not say which pattern reads them"),
        (
            epochal(OF_TENANTS, consistent=False),
            "'get_counts', which must be a consistent Get",
        ),
        (
            epochal(OF_TENANTS, of_notes=True),
            "epochs are read from Note, which must have one key field and EpochList",
        ),
    ],
)
def test_a_fault_of_epochs_is_found_and_named(faulty: type[Table], message: str) -> None:
    assert any(message in problem for problem in validate(faulty)), validate(faulty)
