"""A design that says what it was formerly: what can be read of it, and what is refused."""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

import pytest

from tablewright.designs import describe
from tablewright.model import (
    Collection,
    Count,
    Date,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Money,
    Put,
    Query,
    Scan,
    SetOf,
    Shards,
    Table,
    Text,
    Timestamp,
    Whole,
)
from tablewright.model.former import forms
from tablewright.model.validation.design import validate


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    day: Field[date] = Date()
    total: Field[Decimal] = Money()


class Line(Entity, key=Key("ORDER#{order_id}", "LINE#{number}")):
    order_id: Field[str] = Text()
    number: Field[int] = Whole(digits=4)


class Before(Table, pk="PK", sk="SK"):
    by_customer = Index(pk="C1", sk="C2", keys={Order: Key("C#{customer}", "DAY#{day}")})
    place = Put(Order)
    order = Get(Order)
    lines = Query(Line)
    whole = Collection(Order, Line)
    of_customer = Query(Order, by_customer, range=Order.day)


MOVED: dict[type[Entity], Key] = {
    Order: Key("O#{order_id}", "ORDER"),
    Line: Key("O#{order_id}", "LINE#{number}"),
}


class Moved(Before, keys=MOVED, formerly=Before):
    pass


class Single(Table, pk="PK", sk="SK"):
    order, line = Get(Order), Get(Line)


class Resharded(Table, pk="PK", sk="SK", formerly=Before):
    by_customer = Index(
        pk="C1",
        sk="C2",
        keys={Order: Key("CUST#{customer}#{shard}", "ON#{day}", shards=Shards(4, by="order_id"))},
    )
    of_customer = Query(Order, by_customer, range=Order.day)
    line = Get(Line)


class Same(Before, formerly=Before):
    pass


@pytest.mark.parametrize("table", [Moved, Resharded, Same])
def test_other_words_and_shards_are_read_in_both_forms(table: type[Table]) -> None:
    assert validate(table) == []


def test_entities_whose_form_stays_are_not_looked_for() -> None:
    assert forms(Same.__design__) == {}
    assert list(forms(Resharded.__design__)) == ["Order"]
    assert {name for name, one in forms(Moved.__design__).items() if one.is_moved} == {
        "Order",
        "Line",
    }


def test_a_description_says_nothing_of_it() -> None:
    assert describe(Same) == {**describe(Before), "id": "same"}


def twice() -> type[Table]:
    class Twice(Moved, keys={**MOVED}, formerly=Moved):
        pass

    return Twice


def other_attributes() -> type[Table]:
    class Other(Table, pk="id", sk="SK", formerly=Before):
        order, line = Get(Order), Get(Line)

    return Other


def a_renamed_entity() -> type[Table]:
    class Purchase(Order, key=Key("ORDER#{order_id}", "ORDER")):
        pass

    class Other(Table, pk="PK", sk="SK", formerly=Before):
        purchase, line = Get(Purchase), Get(Line)

    return Other


def an_index_of_other_attributes() -> type[Table]:
    class Other(Table, pk="PK", sk="SK", formerly=Before):
        by_customer = Index(pk="D1", sk="D2", keys={Order: Key("C#{customer}", "DAY#{day}")})
        line = Get(Line)

    return Other


def a_new_field_that_is_required() -> type[Table]:
    class Later(Order, key=Key("ORDER#{order_id}", "ORDER"), name="Order"):
        shop: Field[str] = Text()

    class Other(Before, entities={Order: Later}, keys=MOVED, formerly=Before):
        pass

    return Other


def a_key_without_a_field() -> type[Table]:
    class Old(Single, keys={Line: Key("O#{order_id}#{number}", "LINE")}):
        pass

    class New(Old, keys={Line: Key("L#{number}", "LINE")}, formerly=Old):
        pass

    return New


def a_field_of_another_type() -> type[Table]:
    class Later(Entity, key=Key("ORDER#{order_id}", "LINE#{number}"), name="Line"):
        order_id: Field[str] = Text()
        number: Field[int] = Whole(digits=6)

    class Other(Before, entities={Line: Later}, formerly=Before):
        pass

    return Other


def keys_that_are_both() -> type[Table]:
    class Old(Single, keys={Line: Key("{order_id}#{number}", "LINE")}):
        pass

    class New(Old, keys={Line: Key("{number}#{order_id}", "LINE")}, formerly=Old):
        pass

    return New


def the_key_of_another() -> type[Table]:
    class New(
        Single,
        keys={Order: Key("X#{order_id}", "ORDER"), Line: Key("Y#{order_id}", "LINE#{number}")},
    ):
        pass

    class Newer(
        New,
        keys={Order: Key("Y#{order_id}", "LINE#{customer}"), Line: Key("Z#{order_id}", "{number}")},
        formerly=New,
    ):
        pass

    return Newer


def another_order() -> type[Table]:
    class Other(Table, pk="PK", sk="SK", formerly=Before):
        by_customer = Index(pk="C1", sk="C2", keys={Order: Key("C#{customer}", "T#{total}")})
        of_customer = Query(Order, by_customer)
        line = Get(Line)

    return Other


def other_words_between() -> type[Table]:
    class Other(Table, pk="PK", sk="SK", formerly=Before):
        by_customer = Index(pk="C1", sk="C2", keys={Order: Key("C#{customer}", "DAY#{day}#END")})
        of_customer = Query(Order, by_customer)
        line = Get(Line)

    return Other


def another_partition() -> type[Table]:
    class Other(Table, pk="PK", sk="SK", formerly=Before):
        by_customer = Index(pk="C1", sk="C2", keys={Order: Key("ALL", "DAY#{day}")})
        of_customer = Query(Order, by_customer)
        line = Get(Line)

    return Other


def a_collection_in_another_order() -> type[Table]:
    class Other(
        Before,
        keys={Order: Key("O#{order_id}", "ORDER"), Line: Key("O#{order_id}", "Z#{number}")},
        formerly=Before,
    ):
        pass

    return Other


def a_counter() -> type[Table]:
    class Sum(Entity, key=Key("SUM#{name}", "SUM")):
        name: Field[str] = Text()
        amount: Field[int] = Whole()

    class Seen(Entity, key=Key("SEEN#{name}", "SEEN")):
        name: Field[str] = Text()
        ids: Field[set[str] | frozenset[str]] = SetOf(Text())

    class Old(Table, pk="PK", sk="SK"):
        add = Count(Sum, marker=Seen)

    class New(Old, keys={Sum: Key("S#{name}", "SUM")}, formerly=Old):
        pass

    return New


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (twice, "finish one change before the next"),
        (other_attributes, "other key attributes, and no table changes those"),
        (a_renamed_entity, "keeps its name by `name='Order'`"),
        (an_index_of_other_attributes, "index by_customer had other key attributes in before"),
        (a_new_field_that_is_required, "Order.shop is required"),
        (a_key_without_a_field, "had {order_id} in old and has it no more"),
        (a_field_of_another_type, "{number}, which was a Whole and is a Whole, or one of another"),
        (keys_that_are_both, "can be both of the form"),
        (the_key_of_another, "Order has keys of the form that Line had in new"),
        (another_order, "give the index another name"),
        (other_words_between, "only what stands before its first field may change"),
        (another_partition, "had other fields in its partition key"),
        (a_collection_in_another_order, "'whole' lists Order and Line, which before sorted other"),
        (a_counter, "which counters do not bring over"),
    ],
)
def test_what_cannot_be_read_is_refused(made: Callable[[], type[Table]], says: str) -> None:
    problems = validate(made())
    assert any(says in problem for problem in problems), problems


def test_an_index_that_is_not_listed_may_sort_as_it_likes() -> None:
    class Moment(Entity, key=Key("M#{id}", "M")):
        id: Field[str] = Text()
        at: Field[datetime] = Timestamp()

    class Old(Table, pk="PK", sk="SK"):
        by_moment = Index(pk="M1", sk="M2", keys={Moment: Key("ALL", "AT#{at}")})
        moment = Get(Moment)

    class New(Table, pk="PK", sk="SK", formerly=Old):
        by_moment = Index(pk="M1", sk="M2", keys={Moment: Key("ALL", "{at}#{id}")})
        moment = Get(Moment)
        moments = Scan(Moment, by_moment)

    assert validate(New) == []
