"""Items of several entities in one partition: each list has its own, and none breaks another."""

from decimal import Decimal

import pytest

from tablewright.model import (
    BatchDelete,
    BatchWrite,
    Collection,
    Delete,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Money,
    Put,
    Query,
    Scan,
    Table,
    Text,
    Update,
    Whole,
)
from tablewright.model.validation.design import check
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Order(Entity, key=Key("CUSTOMER#{customer}", "ORDER#{order_id}")):
    customer: Field[str] = Text()
    order_id: Field[str] = Text()
    total: Field[Decimal] = Money()


class Line(Entity, key=Key("CUSTOMER#{customer}", "ORDER#{order_id}#LINE#{number}")):
    customer: Field[str] = Text()
    order_id: Field[str] = Text()
    number: Field[int] = Whole(digits=3)


class Account(Entity, key=Key("ACCOUNT#{name}", "ACCOUNT")):
    name: Field[str] = Text()


class Repo(Entity, key=Key("REPO#{owner}#{repo}", "REPO")):
    owner: Field[str] = Text()
    repo: Field[str] = Text()


class Shop(Table, pk="PK", sk="SK"):
    of_owner = Index(
        pk="GPK",
        sk="GSK",
        keys={
            Account: Key("OWNER#{name}", "ACCOUNT#{name}"),
            Repo: Key("OWNER#{owner}", "REPO#{repo}"),
        },
    )

    put_order = Put(Order)
    put_line = Put(Line)
    put_account = Put(Account)
    put_repo = Put(Repo)
    orders = Query(Order)
    lines = Query(Line)
    repos = Query(Repo, of_owner)
    order_with_lines = Collection(Order, Line)
    owner_with_repos = Collection(Account, Repo, index=of_owner)
    all_lines = Scan(Line)
    all_repos = Scan(Repo, of_owner)
    drop_lines = BatchDelete(Line)
    write = BatchWrite(Order, Line)
    accounts = Query(Account, of_owner)


@pytest.fixture
def shop(dynamodb: Database) -> Store:
    check(Shop)
    store = dynamodb.store(Shop)
    for number in range(1, 6):
        order = Order(customer="ann", order_id=f"o{number}", total=Decimal(number))
        store.put(Shop.put_order, order)
        for line in range(1, 4):
            of = {"customer": "ann", "order_id": f"o{number}"}
            store.put(Shop.put_line, Line(**of, number=line))
    store.put(Shop.put_account, Account(name="ann"))
    for repo in ("x", "y", "z"):
        store.put(Shop.put_repo, Repo(owner="ann", repo=repo))
    return store


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_an_order_s_lines_are_no_orders(shop: Store, limit: int) -> None:
    found, cursor = [], None
    while True:
        page = shop.query(Shop.orders, customer="ann", limit=limit, cursor=cursor)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    assert [order.order_id for order in found] == ["o1", "o2", "o3", "o4", "o5"]
    assert [order.total for order in found] == [1, 2, 3, 4, 5]


def test_lines_are_listed_without_their_orders(shop: Store) -> None:
    assert len(list(shop.each(Shop.lines, customer="ann"))) == 15
    of_one = shop.each(Shop.lines, customer="ann", order_id="o2")
    assert [line.number for line in of_one] == [1, 2, 3]


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_a_collection_has_each_record_as_what_it_is(shop: Store, limit: int) -> None:
    shop.put(Shop.put_order, Order(customer="ann", order_id="o10", total=Decimal(1)))
    found: list[Order | Line] = []
    cursor = None
    while True:
        page = shop.query(
            Shop.order_with_lines, customer="ann", order_id="o1", limit=limit, cursor=cursor
        )
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    order, *lines = found
    assert isinstance(order, Order)
    assert order.total == 1
    assert [line.number for line in lines if isinstance(line, Line)] == [1, 2, 3]
    assert len(list(shop.each(Shop.order_with_lines, customer="ann"))) == 21


def test_a_collection_of_an_index_is_asked_for_by_its_first_entity(shop: Store) -> None:
    found = list(shop.each(Shop.owner_with_repos, name="ann"))
    assert [type(one) for one in found] == [Account, Repo, Repo, Repo]
    assert found[1:] == [Repo(owner="ann", repo=name) for name in "xyz"]


@pytest.mark.parametrize("segments", [1, 3])
def test_a_scan_has_all_of_its_entity_and_nothing_else(shop: Store, segments: int) -> None:
    lines = list(shop.scan(Shop.all_lines, segments=segments))
    assert len(lines) == 15
    assert {type(one) for one in lines} == {Line}
    first = shop.scan(Shop.all_lines, where=Line.number == 1, segments=segments)
    assert sorted(line.order_id for line in first) == ["o1", "o2", "o3", "o4", "o5"]
    assert sorted(repo.repo for repo in shop.scan(Shop.all_repos)) == ["x", "y", "z"]


def test_a_list_can_be_counted(shop: Store) -> None:
    assert shop.count(Shop.lines, customer="ann") == 15
    assert shop.count(Shop.lines, customer="ann", where=Line.number > 1) == 10
    assert shop.count(Shop.orders, customer="bob") == 0


def test_many_are_removed_at_once_and_written_beside(shop: Store) -> None:
    lines = list(shop.each(Shop.lines, customer="ann"))
    shop.delete_many(Shop.drop_lines, [*lines[:10], lines[0]])
    assert shop.count(Shop.lines, customer="ann") == 5
    order = Order(customer="ann", order_id="new", total=Decimal(2))
    shop.write_many(Shop.write, put=[order], delete=lines)
    assert shop.count(Shop.lines, customer="ann") == 0
    assert shop.count(Shop.orders, customer="ann") == 6


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_kinds_that_share_a_partition_of_an_index_are_told_apart(shop: Store, limit: int) -> None:
    repos, cursor = [], None
    while True:
        page = shop.query(Shop.repos, owner="ann", limit=limit, cursor=cursor, examine=2)
        repos += page.items
        cursor = page.cursor
        if cursor is None:
            break
    assert [repo.repo for repo in repos] == ["x", "y", "z"]
    (account,) = shop.each(Shop.accounts, name="ann")
    assert account == {"name": "ann"}


class Person(Entity, key=Key("PERSON#{name}", "PERSON")):
    name: Field[str] = Text()


class Friend(Entity, key=Key("PERSON#{of}", "PERSON#FRIEND#{name}")):
    of: Field[str] = Text()
    name: Field[str] = Text()


class People(Table, pk="PK", sk="SK"):
    put_person = Put(Person)
    put_friend = Put(Friend)
    person_with_friends = Collection(Person, Friend)


def test_what_a_partition_is_made_of_may_have_another_name_in_each_entity(
    dynamodb: Database,
) -> None:
    check(People)
    store = dynamodb.store(People)
    ann, bob = Person(name="ann"), Friend(of="ann", name="bob")
    store.put(People.put_person, ann)
    store.put(People.put_friend, bob)
    store.put(People.put_friend, Friend(of="bob", name="ann"))
    assert list(store.each(People.person_with_friends, name="ann")) == [ann, bob]


class Offer(Entity, key=Key("{brand}", "{price}")):
    brand: Field[str] = Text()
    price: Field[Decimal] = Money()
    note: Field[str | None] = Text(default=None)


class Offers(Table, pk="brand", sk="price"):
    put = Put(Offer)
    get = Get(Offer)
    change = Update(Offer)
    remove = Delete(Offer)
    of_brand = Query(Offer, range=Offer.price)


def test_an_amount_that_is_the_key_itself_is_found_by_its_value(dynamodb: Database) -> None:
    check(Offers)
    store = dynamodb.store(Offers)
    prices = [Decimal(text) for text in ("9.00", "15.50", "100.00", "0.05")]
    for price in prices:
        store.put(Offers.put, Offer(brand="acme", price=price))
    found = store.get(Offers.get, brand="acme", price=Decimal("15.5"))
    assert found == Offer(brand="acme", price=Decimal("15.50"))
    assert str(found and found.price) == "15.50"
    store.update(Offers.change, {"brand": "acme", "price": Decimal("15.50")}, {"note": "less"})
    listed = list(store.each(Offers.of_brand, brand="acme"))
    assert [offer.price for offer in listed] == sorted(prices)
    above = store.each(Offers.of_brand, brand="acme", since=Decimal("15.50"))
    assert [offer.price for offer in above] == [Decimal("15.50"), Decimal("100.00")]
    first = store.query(Offers.of_brand, brand="acme", limit=2)
    rest = store.query(Offers.of_brand, brand="acme", limit=9, cursor=first.cursor)
    assert [offer.price for offer in (*first.items, *rest.items)] == sorted(prices)
    store.delete(Offers.remove, brand="acme", price=Decimal("15.50"))
    assert store.get(Offers.get, brand="acme", price=Decimal("15.50")) is None
