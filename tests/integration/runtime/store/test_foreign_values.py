"""What others have stored, and what an index does not carry."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchPut,
    Computed,
    Condition,
    Entity,
    Field,
    Get,
    Index,
    InvalidValue,
    Key,
    Money,
    Number,
    Put,
    Query,
    Scan,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
    replaced,
)
from tablewright.model.validation.design import check
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)


class Product(Entity, key=Key("SHOP#{shop}", "PRODUCT#{product_id}")):
    shop: Field[str] = Text()
    product_id: Field[str] = Text()
    category: Field[str] = Text(pattern="[A-Za-z$-]+")
    added: Field[datetime] = Timestamp()
    left: Field[int | None] = Whole(default=None)
    note: Field[str | None] = Text(default=None)
    price: Field[Decimal] = Money()
    initial = Computed(lambda product_id: product_id[:1], product_id)


class Note(Entity, key=Key("SHOP#{shop}", "NOTE#{number}")):
    shop: Field[str] = Text()
    number: Field[Decimal] = Number()


class Products(Table, pk="PK", sk="SK"):
    """Products of shops, beside notes."""

    by_category = Index(
        pk="CPK",
        sk="CSK",
        keys={Product: Key("SHOP#{shop}", "{category}#{product_id}")},
        projects=(Product.price,),
    )
    by_initial = Index(
        pk="IPK",
        sk="ISK",
        keys={
            Product: Key("SHOP#{shop}", "INITIAL#{initial}#{product_id}"),
            Note: Key("SHOP#{shop}", "NOTE#{number}"),
        },
    )
    keys = Index(
        pk="KPK", sk="KSK", keys={Product: Key("{category}", "{product_id}")}, projects=KEYS_ONLY
    )
    put = Put(Product)
    load = BatchPut(Product)
    put_note = Put(Note)
    get = Get(Product)
    change = Update(Product)
    of_shop = Query(Product)
    in_categories = Query(Product, by_category, range=Product.category)
    by_letter = Query(Product, by_initial)
    of_category = Query(Product, keys)
    every = Scan(Product, keys)


CATEGORIES = ["Home", "Home-Garden", "Homes", "Home$", "Garden", "Hom"]


def product(number: int, category: str = "Home", **more: Any) -> Product:
    values = {"shop": "s", "product_id": f"p{number}", "category": category, **more}
    return Product(added=NOON, price=Decimal(number), **values)


ALL = [product(number, category) for number, category in enumerate(CATEGORIES)]


@pytest.fixture(scope="module")
def dynamodb(module_dynamodb: Database) -> Database:
    check(Products)
    module_dynamodb.table(Products)
    return module_dynamodb


@pytest.fixture(scope="module")
def filled(dynamodb: Database) -> Store:
    store = dynamodb.store(Products)
    store.put_many(Products.load, ALL)
    store.put(Products.put_note, Note(shop="s", number=Decimal(1)))
    return store


@pytest.fixture
def store(filled: Store) -> Iterator[Store]:
    yield filled
    filled.put(Products.put, ALL[0])
    filled.put(Products.put, ALL[-1])


RANGES: dict[str, Callable[[str, str], bool]] = {
    "since": lambda text, bound: text >= bound,
    "until": lambda text, bound: text <= bound,
    "after": lambda text, bound: text > bound,
    "before": lambda text, bound: text < bound,
}


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("bound", CATEGORIES)
@pytest.mark.parametrize("limit", [1, 50])
def test_a_range_of_texts_goes_by_the_texts_and_not_by_the_keys(
    store: Store, name: str, bound: str, limit: int
) -> None:
    expected = sorted(one.product_id for one in ALL if RANGES[name](one.category, bound))
    asked: dict[str, Any] = {name: bound}
    found: list[str] = []
    cursor = None
    while True:
        page = store.query(
            Products.in_categories, shop="s", limit=limit, cursor=cursor, caller="me", **asked
        )
        found += [one.product_id for one in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(found) == expected
    assert store.count(Products.in_categories, shop="s", **asked) == len(expected)


def test_a_beginning_does_not_reach_into_the_rest_of_a_key(store: Store) -> None:
    with pytest.raises(InvalidValue, match="cannot be 'Home#p', which no category begins with"):
        store.first(Products.in_categories, shop="s", begins_with="Home#p")
    assert store.count(Products.in_categories, shop="s", since="x", before="x") == 0


def test_a_part_that_is_computed_does_not_confuse_neighbours(store: Store) -> None:
    assert len(list(store.each(Products.by_letter, shop="s"))) == len(ALL)
    assert store.count(Products.by_letter, shop="s") == len(ALL)


def test_what_an_index_does_not_carry_was_not_read(store: Store) -> None:
    one = store.first(Products.in_categories, shop="s", category="Hom")
    assert one is not None
    assert (one.price, one.product_id) == (Decimal("5.00"), "p5")
    with pytest.raises(AttributeError, match="added was not read"):
        _ = one.added
    with pytest.raises(AttributeError, match="note was not read"):
        _ = one.note
    with pytest.raises(TypeError, match="Product was read without added, left, note: read it"):
        store.put(Products.put, one)
    with pytest.raises(TypeError, match="read it whole first"):
        replaced(one, price=Decimal(1))
    assert store.update(Products.change, one, Product.left.set(1)).left == 1


CONDITIONS: list[tuple[Condition, bool]] = [
    (Product.category == "Home", True),
    (Product.product_id == "p0", True),
    (Product.product_id > "p9", False),
]


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS)
def test_a_condition_on_what_stands_in_a_key_alone_is_looked_at_here(
    store: Store, condition: Condition, holds: bool
) -> None:
    for found in (
        store.each(Products.of_category, category="Home", where=condition),
        store.scan(Products.every, where=condition & (Product.category == "Home")),
        store.each(Products.in_categories, shop="s", category="Home", where=condition),
    ):
        assert bool(list(found)) is holds


FUNCTIONS: list[tuple[Condition, bool]] = [
    (Product.added.contains("2026-11"), True),
    (Product.added.contains("2025"), False),
    (Product.added.size() == 27, True),
    (Product.added.is_of_type("S"), True),
    (Product.price.is_of_type("N"), True),
    (Product.price >= 0, True),
    (Product.price > -1, True),
    (Product.category != "", True),
]


@pytest.mark.parametrize(("condition", "holds"), FUNCTIONS)
def test_a_function_looks_at_what_is_stored_here_as_there(
    store: Store, condition: Condition, holds: bool
) -> None:
    there = list(store.each(Products.of_shop, shop="s", where=condition))
    key = Product.product_id >= "p"  # which is looked at here
    here = list(store.each(Products.of_shop, shop="s", where=condition & key))
    assert bool(there) is holds
    assert here == there


def test_null_of_an_optional_field_breaks_no_list(store: Store, dynamodb: Database) -> None:
    key = {"PK": {"S": "SHOP#s"}, "SK": {"S": "PRODUCT#p0"}}
    stored = dynamodb.caller.call("GetItem", {"TableName": "products", "Key": key})["Item"]
    dynamodb.write([{**stored, "left": {"NULL": True}, "note": {"NULL": True}}])
    found = store.get(Products.get, shop="s", product_id="p0")
    assert found is not None
    assert (found.left, found.note) == (None, None)
    assert "note" not in found
    assert len(list(store.each(Products.of_shop, shop="s"))) == len(ALL)


def test_a_default_that_is_no_value_is_refused() -> None:
    class Bad(Entity, key=Key("{name}")):
        name: Field[str] = Text()
        note: Field[str] = Text(default="")

    class Badly(Table, pk="PK"):
        put = Put(Bad)

    with pytest.raises(Exception, match=r"Bad\.note has the default ''"):
        check(Badly)
