"""Items of a removed entity: the verdict tells if lists of other entities return them."""

from tablewright.changes import compare
from tablewright.model import Entity, Field, Key, Put, Query, Table, Text
from tablewright.testing import Database


class Customer(Entity, key=Key("C#{customer}", "CUSTOMER")):
    customer: Field[str] = Text()


class Note(Entity, key=Key("C#{customer}", "AT#{at}#{number}")):
    customer: Field[str] = Text()
    at: Field[str] = Text()
    number: Field[str] = Text()


class Order(Entity, key=Key("C#{customer}", "AT#{at}")):
    customer: Field[str] = Text()
    at: Field[str] = Text()


class Orders(Table, pk="PK", sk="SK", id="orders"):
    of_customer = Query(Order)
    place = Put(Order)


class WithCustomers(Table, pk="PK", sk="SK", id="orders"):
    of_customer = Query(Order)
    place = Put(Order)
    join = Put(Customer)


class WithNotes(Table, pk="PK", sk="SK", id="orders"):
    of_customer = Query(Order)
    place = Put(Order)
    note = Put(Note)


def codes(old: type[Table]) -> set[str]:
    return {finding.code for finding in compare(old, Orders).findings}


def test_items_that_lists_do_not_ask_for_may_stay(dynamodb: Database) -> None:
    assert codes(WithCustomers) == set()
    old = dynamodb.store(WithCustomers)
    old.put(WithCustomers.join, Customer(customer="1"))
    old.put(WithCustomers.place, Order(customer="1", at="2"))
    new = dynamodb.store(Orders)
    assert [one.at for one in new.each(Orders.of_customer, {"customer": "1"})] == ["2"]


def test_items_whose_keys_begin_alike_are_not_listed(dynamodb: Database) -> None:
    assert codes(WithNotes) == set()
    old = dynamodb.store(WithNotes)
    old.put(WithNotes.note, Note(customer="1", at="2", number="3"))
    old.put(WithNotes.place, Order(customer="1", at="2"))
    assert [one.at for one in old.each(WithNotes.of_customer, {"customer": "1"})] == ["2"]
    new = dynamodb.store(Orders)
    assert [one.at for one in new.each(Orders.of_customer, {"customer": "1"})] == ["2"]
