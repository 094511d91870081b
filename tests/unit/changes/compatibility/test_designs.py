"""Verdicts on pairs of designs: changes that lose or hide items if they are released wrongly."""

from datetime import datetime
from decimal import Decimal

import pytest

from tablewright.changes import Outcome, Verdict, compare
from tablewright.changes.compatibility.mapping import UnknownName
from tablewright.designs import build_table, describe
from tablewright.model import (
    Choice,
    Collection,
    Computed,
    Digest,
    Entity,
    EpochList,
    EpochShards,
    EpochTimestamp,
    Field,
    Get,
    Index,
    Key,
    Money,
    Number,
    Part,
    PartOf,
    Put,
    Query,
    Scan,
    Shards,
    Table,
    Text,
    TimeId,
    Timestamp,
    Update,
    Whole,
    java_hash,
)
from tests.every_design import EVERY_DESIGN


def codes(verdict: Verdict) -> set[str]:
    return {finding.code for finding in verdict.findings}


@pytest.mark.parametrize("design", EVERY_DESIGN, ids=lambda one: one.__name__)
def test_a_design_is_compatible_with_its_lock(design: type[Table]) -> None:
    verdict = compare(build_table(describe(design), design), design)
    assert (verdict.outcome, [*verdict.findings]) == (Outcome.COMPATIBLE, [])


# An index key in the same attributes: old code lists by the old key until readers move.
class Order(Entity, key=Key("ORDER#{order_id}")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    state: Field[str] = Choice(("open", "paid"))
    placed_at: Field[datetime] = Timestamp()


class Orders(Table, pk="PK"):
    by_customer = Index(pk="IPK", sk="ISK", keys={Order: Key("C#{customer}", "AT#{placed_at}")})
    place = Put(Order)
    change = Update(Order)
    of_customer = Query(Order, by_customer, range=Order.placed_at)


def orders(key: Key, pk: str = "IPK", sk: str = "ISK") -> type[Table]:
    class OrdersByState(Table, pk="PK", id="orders"):
        by_customer = Index("by_" + pk.lower(), pk=pk, sk=sk, keys={Order: key})
        place = Put(Order)
        change = Update(Order)
        of_customer = Query(Order, by_customer)

    return OrdersByState


def test_an_index_key_with_other_fields_needs_a_copy() -> None:
    verdict = compare(Orders, orders(Key("C#{customer}", "{state}#{placed_at}")))
    assert verdict.outcome is Outcome.MIGRATE
    assert {finding.code for finding in verdict.old_reads_new} == {"index-replaced"} or (
        "order-changed" in codes(verdict)
    )


def test_an_index_that_replaces_another_hides_new_items_from_old_code() -> None:
    verdict = compare(Orders, orders(Key("C#{customer}", "{state}#{placed_at}"), "JPK", "JSK"))
    assert verdict.outcome is Outcome.MIGRATE
    assert any(one.subject == "query of_customer" for one in verdict.old_reads_new)


class BothIndexes(Table, pk="PK", id="orders"):
    by_customer = Index(pk="IPK", sk="ISK", keys={Order: Key("C#{customer}", "AT#{placed_at}")})
    by_state = Index(pk="JPK", sk="JSK", keys={Order: Key("C#{customer}", "{state}#{placed_at}")})
    place = Put(Order)
    change = Update(Order)
    of_customer = Query(Order, by_customer, range=Order.placed_at)
    of_state = Query(Order, by_state)


def test_an_index_beside_another_is_filled_in_place_and_removed_by_readers_first() -> None:
    added = compare(Orders, BothIndexes)
    assert (added.outcome, codes(added)) == (Outcome.WRITERS_FIRST, {"hidden"})
    assert [note.code for note in added.notes if note.code == "index-added"] == ["index-added"]
    assert compare(BothIndexes, Orders).outcome is Outcome.READERS_FIRST


# A sort key that loses digits: items of one second would become one.
class Reading(Entity, key=Key("{sensor}", "AT#{at}")):
    sensor: Field[str] = Text()
    at: Field[datetime] = Timestamp()


class SecondReading(Entity, key=Key("{sensor}", "AT#{at}"), name="Reading"):
    sensor: Field[str] = Text()
    at: Field[datetime] = Timestamp(resolution="s")


class Readings(Table, pk="sensor", sk="SK"):
    add = Put(Reading)
    of_sensor = Query(Reading, range=Reading.at)


class SecondReadings(Table, pk="sensor", sk="SK", id="readings"):
    add = Put(SecondReading)
    of_sensor = Query(SecondReading, range=SecondReading.at)


def test_a_moment_with_fewer_digits_has_no_exact_counterpart() -> None:
    verdict = compare(Readings, SecondReadings)
    assert verdict.outcome is Outcome.MIGRATE
    assert {finding.subject for finding in verdict.unmapped} == {"Reading.at"}


# Keys that pass from one entity to another, and from one item to another.
def pair(a: str, b: str) -> type[Table]:
    class A(Entity, key=Key(a)):
        id: Field[str] = Text()

    class B(Entity, key=Key(b)):
        id: Field[str] = Text()

    class Pairs(Table, pk="PK", id="pairs"):
        put_a = Put(A)
        put_b = Put(B)
        every_a = Scan(A)
        every_b = Scan(B)

    return Pairs


def swapped(key: str) -> type[Table]:
    class Edge(Entity, key=Key(key)):
        a: Field[str] = Text()
        b: Field[str] = Text()

    class Edges(Table, pk="PK", id="edges"):
        put = Put(Edge)
        every = Scan(Edge)

    return Edges


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (pair("A#{id}", "B#{id}"), pair("B#{id}", "C#{id}")),
        (pair("A#{id}", "B#{id}"), pair("B#{id}", "A#{id}")),
        (swapped("{a}#{b}"), swapped("{b}#{a}")),
    ],
    ids=["chain", "swap of entities", "swap of fields"],
)
def test_a_key_that_belonged_to_another_item_needs_a_new_table(
    old: type[Table], new: type[Table]
) -> None:
    verdict = compare(old, new)
    assert verdict.outcome is Outcome.NEW_TABLE
    assert "keys-reused" in codes(verdict)


# Attributes that change hands.
def bills(bill_to: str, ship_to: str) -> type[Table]:
    class Bill(Entity, key=Key("{id}")):
        id: Field[str] = Text()
        bill_to_: Field[str] = Text(bill_to)
        ship_to_: Field[str] = Text(ship_to)

    class Bills(Table, pk="id", id="bills"):
        put = Put(Bill)
        bill = Get(Bill)

    return Bills


class Price(Entity, key=Key("{id}")):
    id: Field[str] = Text()
    price: Field[Decimal] = Money("cost")


class CostPrice(Entity, key=Key("{id}"), name="Price"):
    id: Field[str] = Text()
    price: Field[Decimal] = Money()
    cost: Field[Decimal | None] = Money(default=None)


class Prices(Table, pk="id"):
    put = Put(Price)


class CostPrices(Table, pk="id", id="prices"):
    put = Put(CostPrice)


@pytest.mark.parametrize(
    ("old", "new"),
    [(bills("a", "b"), bills("b", "c")), (Prices, CostPrices)],
    ids=["chain", "cost"],
)
def test_an_attribute_that_gets_another_meaning_needs_a_copy(
    old: type[Table], new: type[Table]
) -> None:
    verdict = compare(old, new)
    assert verdict.outcome is Outcome.MIGRATE
    assert verdict.new_reads_old
    assert verdict.old_reads_new


# Values without an exact counterpart.
def priced(field: Field[Decimal] | Field[int] | Field[str]) -> type[Table]:
    class Item(Entity, key=Key("{id}")):
        id: Field[str] = Text()
        price: Field[Decimal] | Field[int] | Field[str] = field

    class Items(Table, pk="id", id="items"):
        put = Put(Item)

    return Items


@pytest.mark.parametrize(
    ("old", "new"), [(Text(), Whole()), (Number(), Money()), (Money(), Whole()), (Text(), Money())]
)
def test_a_value_that_would_be_rounded_has_no_exact_counterpart(old: Field, new: Field) -> None:  # type: ignore[type-arg]
    verdict = compare(priced(old), priced(new))
    assert verdict.outcome is Outcome.MIGRATE
    assert {finding.code for finding in verdict.unmapped} == {"not-exact"}


# Expiry over an attribute that items have.
class Session(Entity, key=Key("{id}")):
    id: Field[str] = Text()
    seen: Field[datetime] = EpochTimestamp()


class Sessions(Table, pk="id"):
    put = Put(Session)


class ExpiringSessions(Table, pk="id", id="sessions", ttl="seen"):
    put = Put(Session)


def test_expiry_by_an_attribute_that_items_have_would_delete_them() -> None:
    verdict = compare(Sessions, ExpiringSessions)
    assert (verdict.outcome, codes(verdict)) == (Outcome.MIGRATE, {"expires-early"})


# Renamed entities and fields.
class Buyer(Entity, key=Key("BUYER#{id}")):
    id: Field[str] = Text()
    name: Field[str] = Text()
    city: Field[str | None] = Text(default=None)


class Client(Entity, key=Key("CLIENT#{id}")):
    id: Field[str] = Text()
    name: Field[str] = Text()
    city: Field[str | None] = Text(default=None)


class Buyers(Table, pk="PK"):
    put = Put(Buyer)


class Clients(Table, pk="PK", id="buyers"):
    put = Put(Client)


def test_a_renamed_entity_with_another_key_is_uncertain_until_it_is_named() -> None:
    verdict = compare(Buyers, Clients)
    assert verdict.outcome is Outcome.MIGRATE
    assert {"uncertain", "hidden"} <= codes(verdict)
    named = compare(Buyers, Clients, was={"Client": "Buyer"})
    assert (named.outcome, codes(named)) == (Outcome.MIGRATE, {"hidden"})
    other = compare(Buyers, Clients, was={"Client": ""})
    assert (other.outcome, codes(other)) == (Outcome.COMPATIBLE, set())
    assert "entity-removed" in {note.code for note in other.notes}


def test_was_names_the_old_field_of_one_with_another_name_and_attribute() -> None:
    class Person(Entity, key=Key("BUYER#{id}"), name="Buyer"):
        id: Field[str] = Text()
        title: Field[str] = Text()
        city: Field[str | None] = Text(default=None)

    class People(Table, pk="PK", id="buyers"):
        put = Put(Person)

    assert "value-missing" in codes(compare(Buyers, People))
    named = compare(Buyers, People, was={"Buyer.title": "Buyer.name"})
    assert (named.outcome, named.unmapped) == (Outcome.MIGRATE, ())
    with pytest.raises(UnknownName, match=r"'Buyer\.colour' is no entity, part or field"):
        compare(Buyers, People, was={"Buyer.title": "Buyer.colour"})


def test_a_key_field_may_have_another_name_in_python() -> None:
    class Person(Entity, key=Key("BUYER#{number}"), name="Buyer"):
        number: Field[str] = Text("id")
        name: Field[str] = Text()
        city: Field[str | None] = Text(default=None)

    class People(Table, pk="PK", id="buyers"):
        put = Put(Person)

    assert compare(Buyers, People).outcome is Outcome.COMPATIBLE


# Shards of an index.
def visits(shards: Shards) -> type[Table]:
    class Visit(Entity, key=Key("VISIT#{id}")):
        id: Field[str] = Text()
        day: Field[str] = Text()

    class Visits(Table, pk="PK", id="visits"):
        by_day = Index(pk="DPK", sk="DSK", keys={Visit: Key("ALL#{shard}", "{day}", shards=shards)})
        put = Put(Visit)
        of_day = Query(Visit, by_day)

    return Visits


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        (Shards(4, by="id"), Shards(8, by="id"), Outcome.READERS_FIRST),
        (Shards(8, by="id"), Shards(4, by="id"), Outcome.MIGRATE),
        (Shards(4, by="id"), Shards(4, by="id", function=java_hash), Outcome.COMPATIBLE),
        (Shards(4, by="id"), Shards(4, by="day"), Outcome.COMPATIBLE),
    ],
    ids=["raised", "lowered", "another function", "another field"],
)
def test_shards_of_an_index_are_read_by_every_version(
    old: Shards, new: Shards, outcome: Outcome
) -> None:
    assert compare(visits(old), visits(new)).outcome is outcome


# Entities in one partition.
class Parent(Entity, key=Key("P#{id}", "{name}")):
    id: Field[str] = Text()
    name: Field[str] = Text(pattern="[a-z]+")


class Child(Entity, key=Key("P#{id}", "C#{number}")):
    id: Field[str] = Text()
    number: Field[str] = Text()


class Line(Entity, key=Key("P#{id}", "LINE#{number}")):
    id: Field[str] = Text()
    number: Field[str] = Text()


class ShortLine(Entity, key=Key("P#{id}", "L#{number}"), name="Line"):
    id: Field[str] = Text()
    number: Field[str] = Text()


class Parents(Table, pk="PK", sk="SK"):
    put = Put(Parent)
    of_id = Query(Parent)


class Families(Table, pk="PK", sk="SK", id="parents"):
    put = Put(Parent)
    put_child = Put(Child)
    of_id = Query(Parent)


class Baskets(Table, pk="PK", sk="SK"):
    put = Put(Child)
    put_line = Put(Line)
    basket = Collection(Child, Line)


class ShortBaskets(Table, pk="PK", sk="SK", id="baskets"):
    put = Put(Child)
    put_line = Put(ShortLine)
    basket = Collection(Child, ShortLine)


def test_old_code_lists_new_items_below_another_key() -> None:
    verdict = compare(Parents, Families)
    assert (verdict.outcome, codes(verdict)) == (Outcome.READERS_FIRST, {"unreadable"})
    assert [one.subject for one in verdict.old_reads_new] == ["query of_id"]


def test_a_member_of_a_collection_with_another_key_is_hidden() -> None:
    verdict = compare(Baskets, ShortBaskets)
    assert verdict.outcome is Outcome.MIGRATE
    hidden = {one.subject for one in verdict.new_reads_old if one.code == "hidden"}
    assert hidden == {"Line by key", "query basket"}


# Fields with defaults.
class Task(Entity, key=Key("{id}")):
    id: Field[str] = Text()


class StateTask(Entity, key=Key("{id}"), name="Task"):
    id: Field[str] = Text()
    state: Field[str] = Text(default="open")


class Tasks(Table, pk="id"):
    put = Put(Task)


class StateTasks(Table, pk="id", id="tasks"):
    put = Put(StateTask)


class IndexedTasks(Table, pk="id", id="tasks"):
    by_state = Index(pk="state", keys={StateTask: Key("{state}")})
    put = Put(StateTask)
    of_state = Query(StateTask, by_state)


@pytest.mark.parametrize("old", [Tasks, StateTasks])
def test_an_index_of_a_default_lacks_items_that_are_older_than_the_field(old: type[Table]) -> None:
    assert compare(Tasks, StateTasks).outcome is Outcome.COMPATIBLE
    verdict = compare(old, IndexedTasks)
    assert (verdict.outcome, codes(verdict)) == (Outcome.WRITERS_FIRST, {"hidden"})


# Parts.
class Address(Part):
    street: Field[str] = Text()


class RoadAddress(Part):
    street: Field[str] = Text("road")


def people(part: type[Part]) -> type[Table]:
    class Person(Entity, key=Key("{id}")):
        id: Field[str] = Text()
        address: Field[Part] = PartOf(part)

    class People(Table, pk="id", id="people"):
        put = Put(Person)

    return People


def test_a_member_of_a_part_that_is_stored_elsewhere_is_not_read() -> None:
    verdict = compare(people(Address), people(RoadAddress))
    assert verdict.outcome is Outcome.MIGRATE
    assert "unreadable" in codes(verdict)
    assert verdict.unmapped == ()


# The way back.
def test_the_way_back_is_a_comparison_of_its_own() -> None:
    class Named(Entity, key=Key("{id}", "{name}"), name="Parent"):
        id: Field[str] = Text()
        name: Field[str] = Text()

    class Single(Entity, key=Key("{id}", "ONE"), name="Parent"):
        id: Field[str] = Text()
        name: Field[str] = Text()

    class NamedTable(Table, pk="PK", sk="SK", id="named"):
        put = Put(Named)

    class SingleTable(Table, pk="PK", sk="SK", id="named"):
        put = Put(Single)

    assert "keys-collide" not in codes(compare(SingleTable, NamedTable))
    assert "keys-collide" in codes(compare(NamedTable, SingleTable))


# Partial updates.
class Job(Entity, key=Key("{id}")):
    id: Field[str] = Text()
    state: Field[str] = Text()


class TaggedJob(Entity, key=Key("{id}"), name="Job"):
    id: Field[str] = Text()
    state: Field[str] = Text()
    tag: Field[str | None] = Text(default=None)


class Jobs(Table, pk="id"):
    put = Put(Job)
    change = Update(Job)


class PutJobs(Table, pk="id", id="jobs"):
    put = Put(Job)


class TaggedJobs(Table, pk="id", id="jobs"):
    by_tag = Index(pk="TPK", sk="TSK", sparse=True, keys={TaggedJob: Key("{tag}", "{state}")})
    put = Put(TaggedJob)
    change = Update(TaggedJob)
    of_tag = Query(TaggedJob, by_tag)


def test_an_update_by_old_code_leaves_the_index_of_new_code_as_it_was() -> None:
    verdict = compare(Jobs, TaggedJobs)
    assert (verdict.outcome, codes(verdict)) == (Outcome.WRITERS_FIRST, {"update-stale"})
    assert "TSK" in verdict.new_reads_old[0].example
    assert compare(PutJobs, TaggedJobs).outcome is Outcome.COMPATIBLE


# Computed parts and secrets.
def accounts(length: int, *, digest: bool) -> type[Table]:
    def part(text: str) -> str:
        return text[:length]

    class Account(Entity, key=Key("{number}")):
        number: Field[str] = Text()
        mail: Field[str] = Text(secret=True)
        start = Digest(mail) if digest else Computed(part, number)

    class Accounts(Table, pk="number", id="accounts"):
        by_start = Index(pk="SPK", keys={Account: Key("S#{start}")})
        put = Put(Account)
        starting = Query(Account, by_start)

    return Accounts


def test_a_part_of_an_index_key_that_is_computed_otherwise_hides_items() -> None:
    assert compare(accounts(1, digest=False), accounts(1, digest=False)).outcome == "compatible"
    assert compare(accounts(1, digest=True), accounts(1, digest=True)).outcome == "compatible"
    for change in (accounts(2, digest=False), accounts(1, digest=True)):
        verdict = compare(accounts(1, digest=False), change)
        assert verdict.outcome is Outcome.MIGRATE
        assert "hidden" in codes(verdict)


# Shards by epochs.
def forms(epochs: str, shards: Shards | EpochShards) -> type[Table]:
    class Tenant(Entity, key=Key(epochs, "SHARDS")):
        tenant: Field[str] = Text()
        shards: Field[object] = EpochList()

    class Form(Entity, key=Key("F#{tenant}#{shard}", "{id}", shards=shards)):
        tenant: Field[str] = Text()
        id: Field[str] = TimeId()

    reads = Get(Tenant)

    class Forms(Table, pk="PK", sk="SK", id="forms", epochs=reads):
        shards_of = reads
        set_shards = Put(Tenant)
        put = Put(Form)
        of_tenant = Query(Form)

    return Forms


EPOCHS = EpochShards(by="id", whose="tenant")


def test_epochs_that_the_other_version_cannot_read_hide_items() -> None:
    old = forms("T#{tenant}", EPOCHS)
    assert compare(old, forms("T#{tenant}", EPOCHS)).outcome is Outcome.COMPATIBLE
    for change in (forms("TENANT#{tenant}", EPOCHS), forms("T#{tenant}", Shards(2, by="id"))):
        verdict = compare(old, change)
        assert verdict.outcome is Outcome.MIGRATE
        hidden = {one.subject for one in verdict.new_reads_old if one.code == "hidden"}
        assert {"Form by key", "query of_tenant"} <= hidden


# Entities for which no record can be made.
def odd(pattern: str, **example: str) -> type[Table]:
    class Odd(Entity, key=Key("{id}"), example=example):
        id: Field[str] = Text(pattern=pattern)

    class Odds(Table, pk="id", id="odds"):
        put = Put(Odd)

    return Odds


def test_an_entity_without_any_record_is_never_compatible() -> None:
    pattern = r"(?=.*7)(?=.*x)[x7q]{5}"
    verdict = compare(odd(pattern), odd(pattern))
    assert verdict.outcome is Outcome.MIGRATE
    assert [one.subject for one in verdict.not_examined] == ["Odd"]
    example = odd(pattern, id="q7xqq")
    assert compare(example, example).outcome is Outcome.COMPATIBLE


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [(40, 60, Outcome.READERS_FIRST), (60, 40, Outcome.MIGRATE), (40, 41, Outcome.MIGRATE)],
    ids=["longer", "shorter", "too close to be shown by a text"],
)
def test_a_length_of_texts_with_a_pattern_is_examined_or_named(
    old: int, new: int, outcome: Outcome
) -> None:
    def table(length: int) -> type[Table]:
        class Code(Entity, key=Key("{id}")):
            id: Field[str] = Text()
            code: Field[str] = Text(pattern="(abcd)+", max_length=length)

        class Codes(Table, pk="id", id="codes"):
            put = Put(Code)

        return Codes

    verdict = compare(table(old), table(new))
    assert verdict.outcome is outcome
    assert bool(verdict.not_examined) is (abs(old - new) == 1)


# One record for each key that has no field: its values need a table each.
def setting(length: int) -> type[Table]:
    class Setting(Entity, key=Key("SETTING")):
        text: Field[str | None] = Text(default=None, max_length=length)

    class Settings(Table, pk="PK", id="settings"):
        put = Put(Setting)
        every = Scan(Setting)

    return Settings


def test_every_value_of_a_single_item_is_examined() -> None:
    assert compare(setting(20), setting(20)).outcome == "compatible"
    assert compare(setting(20), setting(40)).outcome == "readers first"
    assert compare(setting(40), setting(20)).outcome == "migrate"


def test_a_verdict_is_printed_with_its_findings_and_examples() -> None:
    text = str(compare(StateTasks, IndexedTasks))
    assert text.splitlines()[0] == "writers first"
    assert "hidden: query of_state: The item exists" in text
    assert "Example: Task(id=" in text
