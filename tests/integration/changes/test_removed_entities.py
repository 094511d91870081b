"""Items of an entity that is gone: whether lists of others meet them is as comparison says."""

from tablewright.changes import compare
from tablewright.designs import describe
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


def rule(old: type[Table], entity: str) -> str:
    (found,) = (one for one in compare(describe(old), describe(Orders)) if one.subject == entity)
    return found.rule


def test_items_that_lists_do_not_ask_for_may_stay(dynamodb: Database) -> None:
    assert rule(WithCustomers, "Customer") == "ENTITY_REMOVED"
    old = dynamodb.store(WithCustomers)
    old.put(WithCustomers.join, Customer(customer="1"))
    old.put(WithCustomers.place, Order(customer="1", at="2"))
    new = dynamodb.store(Orders)
    assert [one.at for one in new.each(Orders.of_customer, {"customer": "1"})] == ["2"]


def test_items_that_lists_meet_must_go(dynamodb: Database) -> None:
    assert rule(WithNotes, "Note") == "ENTITY_REMOVED_AMONG_OTHERS"
    old = dynamodb.store(WithNotes)
    old.put(WithNotes.note, Note(customer="1", at="2", number="3"))
    old.put(WithNotes.place, Order(customer="1", at="2"))
    assert [one.at for one in old.each(WithNotes.of_customer, {"customer": "1"})] == ["2"]
    new = dynamodb.store(Orders)
    listed = [one.at for one in new.each(Orders.of_customer, {"customer": "1"})]
    assert listed == ["2", "2"], "the note is taken for an order"
