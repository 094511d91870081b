"""Wrong designs: the declaration or `check` refuses each, and names the culprit and the fix."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import new_class
from typing import Any

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchWrite,
    Binary,
    Choice,
    Collection,
    Computed,
    Count,
    Date,
    DesignError,
    Document,
    Entity,
    EpochTimestamp,
    Expiry,
    Field,
    Fraction,
    Get,
    Index,
    Key,
    ListOf,
    Money,
    Part,
    PartOf,
    Put,
    Query,
    Scan,
    SetOf,
    Shards,
    Table,
    Tally,
    Text,
    Timestamp,
    Whole,
)
from tablewright.model.validation.design import check
from tablewright.model.validation.warnings import warnings
from tests.unit.refusals import complaints, raised_by

KEY = Key("ORDER#{id}", "ORDER")


def entity(key: Any = KEY, name: str = "Order", /, *, settings: Any = None, **members: Any) -> Any:
    """An order with an id, and with more members."""
    body = {"id": Text(), **members}
    return new_class(name, (Entity,), {"key": key, **(settings or {})}, lambda at: at.update(body))


def table(members: Any = None, /, **settings: Any) -> Any:
    """A table with these members, by default one that gets orders."""
    body = {"order": Get(entity())} if members is None else members
    keywords = {"pk": "PK", "sk": "SK", **settings}
    return new_class("Orders", (Table,), keywords, lambda at: at.update(body))


def of(kind: Any, **settings: Any) -> Any:
    """A table that gets one entity."""
    return table({"order": Get(kind)}, **settings)


def indexed(key: Any = None, query: Any = None, /, kind: Any = None, **settings: Any) -> Any:
    """A table with an index and a query of it."""
    kind = kind or entity(total=Money(), note=Text(default=None))
    keys = {kind: key or Key("ALL#{id}", "{total}")}
    index = Index(**{"pk": "IPK", "sk": "ISK", "keys": keys, **settings})
    return table({"by_total": index, "listed": Query(kind, index, **(query or {}))})


@dataclass
class Plain:
    id: str


class Clashing(Part):
    one: Field[str] = Text("x")
    two: Field[str] = Text("x")


class Base(Entity):
    id: Field[str] = Text()


class Elsewhere(Table, pk="PK", sk="SK"):
    by_note = Index(pk="NPK", keys={(NOTE := entity(Key("N#{id}", "N"), "Note")): Key("X#{id}")})
    notes = Query(NOTE, by_note)


def annotated(**annotations: Any) -> Any:
    return entity(__annotations__=annotations)


SHARED = Text()
TWICE = Get(entity())

DESIGNS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    # Fields
    "two fields with one stored name": (
        lambda: of(entity(a=Text("x"), b=Text("x"))),
        ("Order.a and Order.b are both stored as 'x'", "another"),
    ),
    "two members of a part with one stored name": (
        lambda: of(entity(lines=ListOf(PartOf(Clashing)))),
        ("Clashing.one and Clashing.two are both stored as 'x'", "another"),
    ),
    "two tallies of which one has the other's prefix": (
        lambda: of(entity(a=Tally(prefix="c_"), b=Tally(prefix="c_b_"))),
        ("the prefix 'c_b_' of Order.b begins with 'c_', the prefix of Order.a", "Change"),
    ),
    "a tally that begins as the entity type does": (
        lambda: of(entity(a=Tally(prefix="ty")), entity_type="type"),
        ("attribute 'type' begins with 'ty', the prefix of Order.a",),
    ),
    "a set with a default": (
        lambda: of(entity(tags=SetOf(Text(), default={"a"}))),
        ("Order.tags", "default {'a'}", "in place of an empty one. Write None"),
    ),
    "a key of an index that is a number elsewhere": (
        lambda: table(
            {
                "by_id": Index("BY_ID", pk="IPK", keys={(kind := entity()): Key("{id}")}),
                "order": Get(kind),
                "other": Get(entity(Key("OTHER#{id}", "X"), "Other", total=Money("IPK"))),
            }
        ),
        ("attribute 'IPK' is a number for Other and a text for Order",),
    ),
    "a key that is binary for one and text for another": (
        lambda: table(
            {
                "order": Get(entity(Key("ORDER#{id}"))),
                "other": Get(entity(Key("{data}"), "Other", data=Binary("PK"))),
            },
            sk=None,
        ),
        ("attribute 'PK' is a text for Order and binary for Other",),
    ),
    "one specifier for two fields": (
        lambda: of(entity(a=SHARED, b=SHARED)),
        ("Order has one specifier for 'a'", "Write one for each"),
    ),
    "an annotation without Field": (
        lambda: annotated(b=str),
        ("Order.b has an annotation", "Write b: Field[str] = Text()"),
    ),
    "Field without a specifier": (
        lambda: annotated(b=Field[str]),
        ("Order.b has an annotation", "Write b: Field[str] = Text()"),
    ),
    "a plain default in place of a specifier": (
        lambda: entity(__annotations__={"b": str}, b="x"),
        ("Order.b has an annotation", "Write b: Field[str] = Text()"),
    ),
    "a specifier of another type than the annotation": (
        lambda: of(entity(__annotations__={"b": Field[int]}, b=Text())),
        ("Order.b is annotated as Field[int]", "Text", "Field[str"),
    ),
    "a date annotated as a datetime": (
        lambda: of(entity(__annotations__={"b": "Field[datetime | None]"}, b=Date(default=None))),
        ("Order.b is annotated as Field[datetime]", "Date", "Field[date"),
    ),
    "a default that does not fit": (
        lambda: of(entity(note=Text(default=""))),
        ("Order.note", "default ''", "1 to 256 characters"),
    ),
    "a default of another type": (
        lambda: of(entity(total=Money(default=1))),
        ("Order.total", "default 1", "Decimal('1.00')"),
    ),
    "a list as the default of a tuple": (
        lambda: of(entity(lines=ListOf(Text(), default=[]))),
        ("Order.lines", "default []", "()"),
    ),
    "a field that is named like a method of mappings": (
        lambda: entity(items=Text()),
        ("cannot have a field 'items'", "Text('items')"),
    ),
    "a field that is named like a method of records": (
        lambda: entity(_stored=Text()),
        ("cannot have a field '_stored'", "another name"),
    ),
    "a field that is named shard": (
        lambda: of(entity(Key("O#{shard}#{id}", "O", shards=Shards(2, by="id")), shard=Text())),
        ("Order.shard", "{shard}", "another name"),
    ),
    "a pattern that is no regular expression": (
        lambda: of(entity(code=Text(pattern="[a-"))),
        ("Order.code", "'[a-'", "regular expression"),
    ),
    "a set of a specifier that is not called": (
        lambda: entity(tags=SetOf(Text)),  # type: ignore[arg-type]
        ("SetOf: of must be a Field", "not a function"),
    ),
    "a list of a type": (
        lambda: entity(tags=ListOf(str)),  # type: ignore[arg-type]
        ("ListOf: of must be a Field", "the class str"),
    ),
    "a part of a class that is none": (
        lambda: entity(place=PartOf(Plain)),
        ("PartOf: of must be a class such as Part", "the class Plain"),
    ),
    "a choice of a number": (
        lambda: entity(size=Choice(5)),
        ("Choice", "5", "a list"),
    ),
    "a choice of numbers": (
        lambda: of(entity(size=Choice([1, 2]))),
        ("Order.size has the words [1, 2]", "at least one text"),
    ),
    "a choice of nothing": (
        lambda: of(entity(size=Choice([]))),
        ("Order.size has the words []", "at least one text"),
    ),
    "a word twice": (
        lambda: of(entity(size=Choice(["S", "S"]))),
        ("Order.size has the words ['S', 'S']", "each once"),
    ),
    "a word that no key takes": (
        lambda: of(entity(Key("O#{size}", "O"), size=Choice(["S#M"]))),
        ("Order.size can be 'S#M'", "must not contain '#'"),
    ),
    "numbers without digits": (
        lambda: of(entity(count=Whole(digits=0))),
        ("Order.count has digits=0", "from 1 to 38"),
    ),
    "amounts of more digits than DynamoDB has": (
        lambda: of(entity(total=Money(digits=39))),
        ("Order.total has digits=39", "from 1 to 38"),
    ),
    "a fraction of fewer than no decimals": (
        lambda: of(entity(share=Fraction(decimals=-1))),
        ("Order.share has decimals=-1", "from 0 to 37"),
    ),
    "a lowest number above the highest": (
        lambda: of(entity(count=Whole(digits=1, lowest=10))),
        ("Order.count has lowest=10", "the 9 of its digits"),
    ),
    "a text of no length": (
        lambda: of(entity(note=Text(max_length=0))),
        ("Order.note has max_length=0", "from 1"),
    ),
    "a text longer than its longest": (
        lambda: of(entity(notes=ListOf(Text(min_length=5, max_length=4)))),
        ("Order.notes has a min_length above its max_length",),
    ),
    "a set without room": (
        lambda: of(entity(tags=SetOf(Text(), max_items=0))),
        ("Order.tags has max_items=0", "from 1"),
    ),
    "a list of tallies": (
        lambda: of(entity(counts=ListOf(Tally(prefix="c_")))),
        ("Order.counts has a Tally inside", "Document"),
    ),
    "a compiled pattern": (
        lambda: Text(pattern=re.compile("a+")),  # type: ignore[arg-type]
        ("Text: pattern must be a text", "a Pattern"),
    ),
    "a computed part of nothing": (
        lambda: Computed(str.lower),
        ("Computed: name the fields",),
    ),
    "a stored name that is the table's key": (
        lambda: of(entity(note=Text("PK"))),
        ("Order.note is not stored", "another form"),
    ),
    "a part with a key": (
        lambda: new_class("Place", (Part,), {"key": KEY}),
        ("class Place does not take key=", "no keywords"),
    ),
    "a stored name that is a number": (
        lambda: entity(note=Text(5)),  # type: ignore[arg-type]
        ("Text: stored must be a text", "not 5"),
    ),
    "a length that is a text": (
        lambda: entity(note=Text(max_length="5")),  # type: ignore[arg-type]
        ("Text: max_length must be a whole number", "'5'"),
    ),
    "a computed part of a field's name": (
        lambda: entity(spread=Computed(str.lower, "id")),  # type: ignore[arg-type]
        ("Computed: of must be a Field", "'id'"),
    ),
    # Keys
    "a key without the sort key of the table": (
        lambda: of(entity(Key("ORDER#{id}"))),
        (
            'Order: Key("ORDER#{id}") has no sort key, but the table declares sk="SK"',
            "Add a second",
        ),
    ),
    "a sort key that the table does not have": (
        lambda: of(entity(), sk=None),
        ('Order: Key("ORDER#{id}", "ORDER") has a sort key', "declares no sk", "Leave out"),
    ),
    "an index key without a sort key": (
        lambda: indexed(Key("ALL#{id}")),
        ('Order: Key("ALL#{id}") has no sort key', 'index by_total declares sk="ISK"'),
    ),
    "a key with an unknown field": (
        lambda: of(entity(Key("ORDER#{idd}", "ORDER"))),
        ("Order", "{idd}", "does not have"),
    ),
    "a key with a brace that is not closed": (
        lambda: Key("ORDER#{id", "ORDER"),
        ("'ORDER#{id'", "template", "braces"),
    ),
    "a key with a space in a field's name": (
        lambda: Key("ORDER#{order id}", "ORDER"),
        ("'ORDER#{order id}'", "template", "braces"),
    ),
    "a delimiter of nothing": (
        lambda: Key("ORDER#{id}", "ORDER", delimiter=""),
        ("Key: delimiter must be a text", "''"),
    ),
    "words longer than a key": (
        lambda: of(entity(Key("O" * 2048 + "{id}", "O"))),
        ("the table's key of Order has 2048 bytes of fixed text", "Shorten PK"),
    ),
    "an empty key": (lambda: Key("", "ORDER"), ("''", "template")),
    "a key that is a number": (lambda: Key(5), ("Key: pk must be a text", "5")),  # type: ignore[arg-type]
    "an entity whose key is a text": (
        lambda: entity("ORDER#{id}"),
        ("Order: key must be a Key", "'ORDER#{id}'"),
    ),
    "a key with a document": (
        lambda: of(entity(Key("O#{data}", "O"), data=Document())),
        ("Order.data", "Document", "cannot be"),
    ),
    "an optional field in the key": (
        lambda: of(entity(Key("O#{code}", "O"), code=Text(default=None))),
        ("Order.code", "key", "cannot be optional"),
    ),
    "a partition key that does not begin with the tenant": (
        lambda: of(entity(tenant=Text()), tenant="tenant"),
        ("ORDER#{id}", "Order", "must begin with", "{tenant}"),
    ),
    "a shard without shards": (
        lambda: of(entity(Key("O#{shard}", "O#{id}"))),
        ("Order", "{shard}", "shards=Shards("),
    ),
    "shards without a shard": (
        lambda: of(entity(Key("O#{id}", "O", shards=Shards(2, by="id")))),
        ("Order", "{shard}", "partition key"),
    ),
    "no shards at all": (
        lambda: of(entity(Key("O#{shard}", "O#{id}", shards=Shards(0, by="id")))),
        ("Order", "0 shards", "at least 1"),
    ),
    "a number of shards that is a text": (
        lambda: Shards("2", by="id"),  # type: ignore[arg-type]
        ("Shards: count must be a whole number", "'2'"),
    ),
    "two entities with one key": (
        lambda: table({"a": Get(entity()), "b": Get(entity(KEY, "Bill"))}),
        ("Order and Bill can have the same key", "Bill(id='a')", "entity_type"),
    ),
    # Entities and tables
    "a misspelled keyword of an entity": (
        lambda: entity(settings={"keey": KEY}),
        ("class Order does not take keey=", "key, expires"),
    ),
    "a misspelled keyword of a table": (
        lambda: table(sks="SK"),
        ("class Orders does not take sks=", "pk, sk"),
    ),
    "a table without a partition key": (
        lambda: new_class("Orders", (Table,), {}),
        ("Orders has no partition key", 'pk="PK"'),
    ),
    "a partition key that is a number": (lambda: table(pk=5), ("Orders: pk", "str", "5")),
    "a partition key without a name": (lambda: table(pk=""), ("attribute ''", "1 to 255 bytes")),
    "a ttl attribute that is the key": (
        lambda: table(ttl="PK"),
        ("attribute 'PK' is a key and the ttl", "Rename one"),
    ),
    "a pattern that is not called": (
        lambda: table({"order": Get}),
        ("Orders.order is the class Get", "order = Get(Order)"),
    ),
    "patterns in a list": (
        lambda: table({"orders": [Get(entity())]}),
        ("Orders.orders is", "Write one for each name"),
    ),
    "a field of a table": (
        lambda: table({"note": Text()}),
        ("Orders.note is a TextField", "not a pattern"),
    ),
    "other keys of an entity that the table does not have": (
        lambda: table(keys={Base: KEY}),
        ("Orders has no pattern of the class Base",),
    ),
    "an example that does not fit": (
        lambda: of(entity(settings={"example": {"idd": "1"}})),
        ("Order", "example", "idd is not a field of Order"),
    ),
    "the name of an unknown stream": (
        lambda: table(stream="ALL"),
        ("stream 'ALL'", "NEW_AND_OLD_IMAGES"),
    ),
    "epochs that are a name": (lambda: table(epochs="order"), ("Orders: epochs", "Pattern")),
    # Expiry
    "expiry without a ttl attribute": (
        lambda: of(entity(until=Timestamp(), settings={"expires": Expiry("until")})),
        ("Order expires", 'ttl="ttl"'),
    ),
    "expiry by an unknown field": (
        lambda: of(entity(settings={"expires": Expiry("until")}), ttl="ttl"),
        ("Order expires by 'until'", "not one of its fields"),
    ),
    "expiry by money": (
        lambda: of(entity(total=Money(), settings={"expires": Expiry("total")}), ttl="ttl"),
        ("Order expires by total, a Money", "EpochTimestamp"),
    ),
    "an amount in the ttl attribute": (
        lambda: of(entity(total=Money("ttl")), ttl="ttl"),
        ("Order.total is stored as 'ttl'", "expires=Expiry("),
    ),
    "milliseconds in the ttl attribute": (
        lambda: of(
            entity(
                until=EpochTimestamp("ttl", resolution="ms"),
                settings={"expires": Expiry("until")},
            ),
            ttl="ttl",
        ),
        ("Order.until is stored as 'ttl'", "EpochTimestamp in seconds"),
    ),
    "expiry before the beginning": (
        lambda: Expiry("until", days=-1),
        ("Expiry: years=0 and days=-1", "from 0 to 1968 years"),
    ),
    "expiry that is a name": (
        lambda: entity(settings={"expires": "until"}),
        ("Order: expires must be an Expiry", "'until'"),
    ),
    # Indexes
    "an index of what is no entity": (
        lambda: table({"i": Index(pk="IPK", keys={Plain: KEY})}),
        ("the class Plain is not an entity with a key",),
    ),
    "an index with a key that is a text": (
        lambda: Index(pk="IPK", keys={entity(): "ALL#{id}"}),  # type: ignore[dict-item]
        ("keys of an index must be Key(…)", "'ALL#{id}'"),
    ),
    "an index that no table declares": (
        lambda: table({"listed": Query(o := entity(), Index(pk="IPK", keys={o: Key("ALL#{id}")}))}),
        ("'listed'", "index", "attribute of the table"),
    ),
    "an index of another table": (
        lambda: table({"listed": Query(entity(), Elsewhere.by_note)}),
        ("'listed' reads an index", "no attribute of the table", "Assign the Index"),
    ),
    "a projection with a misspelled name": (
        lambda: indexed(projects="KEYS"),
        ("KEYS_ONLY", "'KEYS'"),
    ),
    "a projection of one field": (
        lambda: indexed(projects=5),
        ("Index: projects must be a text or a list", "5"),
    ),
    "a projection of a field that no entity has": (
        lambda: indexed(projects=["colour"]),
        ("index by_total projects 'colour'", "Order"),
    ),
    "a projection that misses a selected field": (
        lambda: indexed(None, {"select": ["note"]}, projects=KEYS_ONLY),
        ("'listed' asks for Order.note", "project it"),
    ),
    # Patterns
    "a pattern of a dataclass": (
        lambda: Put(Plain),
        ("Put: of must be a class such as Entity", "the class Plain"),
    ),
    "a pattern of a record": (
        lambda: Put(entity()(id="1")),
        ("Put: of must be a class such as Entity", "an Order"),
    ),
    "a record of a base without a key": (
        lambda: Base(id="1"),
        ("the class Base is not an entity with a key", "key=Key(…)"),
    ),
    "a pattern of a base without a key": (
        lambda: Get(Base),
        ("the class Base is not an entity with a key", "key=Key(…)"),
    ),
    "a batch of a base without a key": (
        lambda: table({"write": BatchWrite(entity(), Base)}),
        ("the class Base is not an entity with a key",),
    ),
    "a query of an index's name": (
        lambda: Query(entity(), "by_total"),  # type: ignore[arg-type]
        ("Query: index must be an Index", "'by_total'"),
    ),
    "a query that selects a text": (
        lambda: Query(entity(), select="total"),
        ("Query: select must be a list", "'total'"),
    ),
    "a range of a number": (
        lambda: Query(entity(), range=5),  # type: ignore[arg-type]
        ("Query: range must be a text or a Field", "5"),
    ),
    "a range that is not in the sort key": (
        lambda: table({"listed": Query(entity(total=Money()), range="total")}),
        ("'listed' asks for a range of 'total'", "not in the sort key"),
    ),
    "a consistent read of a global index": (
        lambda: indexed(None, {"consistent": True}),
        ("'listed' asks for a consistent read of index by_total",),
    ),
    "a pattern under two names": (
        lambda: table({"a": TWICE, "b": TWICE}),
        ("access pattern 'a'", "twice"),
    ),
    "a collection of what never lies together": (
        lambda: table({"both": Collection(entity(), entity(Key("BILL#{id}", "B"), "Bill"))}),
        ("'both' is of Order and Bill", "never lie in one partition"),
    ),
    "a counter with a text": (
        lambda: table(
            {"count": Count(entity(note=Text()), marker=entity(Key("M#{id}", "M"), "M"))}
        ),
        ("'count' needs Order to have numbers",),
    ),
    "a marker that is a name": (
        lambda: Count(entity(), marker="Seen"),  # type: ignore[arg-type]
        ("Count: marker must be a class such as Entity", "'Seen'"),
    ),
    "a scan of an entity of another table": (
        lambda: table({"every": Scan(entity(Key("N#{id}"), "Note"))}),
        ('Note: Key("N#{id}") has no sort key',),
    ),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_wrong_design_is_refused_with_culprit_and_fix(design: str) -> None:
    declare, fragments = DESIGNS[design]

    def declare_and_check() -> None:
        declared = declare()
        check(declared)

    error = raised_by(declare_and_check)
    assert error is not None, "accepted"
    if isinstance(error, DesignError):
        sentences = [one for one in error.problems if all(part in one for part in fragments)]
        assert sentences, error.problems
    else:
        assert isinstance(error, TypeError | ValueError)
        assert all(part in str(error) for part in fragments), error
    assert complaints(error) == []


def test_table_without_patterns_is_warned_about() -> None:
    assert warnings(table({})) == [
        "Orders has no access patterns: declare one, such as order = Get(Order)"
    ]


def test_default_that_can_be_changed_is_not_shared_by_records() -> None:
    members = {"tags": SetOf(Text(), default={"a"}), "data": Document(default={"a": []})}
    tagged = entity(**members)
    first, second = tagged(id="1"), tagged(id="2")
    first.tags.add("b")
    first.data["a"].append(1)
    tagged._stored({"id": "3"}).tags.add("c")
    assert (second.tags, second.data) == ({"a"}, {"a": []})
    assert tagged(id="4") == {"id": "4", "tags": {"a"}, "data": {"a": []}}


def test_sound_variants_of_wrong_designs_are_accepted() -> None:
    check(table())
    check(indexed(None, {"range": "total", "select": ["note"]}))
    check(of(entity(__annotations__={"at": "Field[datetime]"}, at=Timestamp())))
    check(of(entity(until=EpochTimestamp("ttl"), settings={"expires": Expiry("until")}), ttl="ttl"))
