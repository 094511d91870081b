"""Example records are sound, differ in their keys, and lie where lists show several of them."""

from datetime import datetime

import pytest

from tablewright.designs.example_records import NoExample, example_of, example_records
from tablewright.model import Binary, Entity, Field, Get, Key, Put, Query, Table, Text, Timestamp
from tests.every_design import EVERY_DESIGN


class Order(Entity, key=Key("CUSTOMER#{customer}", "AT#{placed_at}#{order_id}")):
    """An order without an example."""

    customer: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()
    order_id: Field[str] = Text(max_length=12)


class Orders(Table, pk="PK", sk="SK"):
    place = Put(Order)
    of_customer = Query(Order)


class Door(Entity, key=Key("{code}")):
    code: Field[str] = Text(pattern="[A-Z](?<=Q)")


class Doors(Table, pk="code"):
    door = Get(Door)


class Seal(Entity, key=Key("{digest}"), example={"digest": b"\x01\xff"}):
    digest: Field[bytes] = Binary()


class Seals(Table, pk="digest"):
    seal = Get(Seal)


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda table: table.__design__.id)
def test_examples_of_every_design_are_sound_and_have_keys_of_their_own(table: type[Table]) -> None:
    design = table.__design__
    for entity in design.entity_list:
        records = example_records(design, entity)
        items = [design.attributes(entity, entity.check(record)) for record in records]
        keys = {tuple(item[name] for name in design.key.names) for item in items}
        assert len(keys) == len(records)


def test_an_entity_without_an_example_gets_one_that_it_accepts() -> None:
    made = example_of(Order.__entity__)
    assert made["customer"] == "customer-1"
    assert Order.__entity__.check(made) == made


def test_a_list_shows_several_items_of_one_partition_and_one_of_another() -> None:
    records = example_records(Orders.__design__, Orders.__design__.entities["Order"])
    customers = [record["customer"] for record in records]
    assert customers == ["customer-1", "customer-1", "customer-1", "customer-2"]
    assert len({record["placed_at"] for record in records[:3]}) == 3


def test_bytes_differ_too() -> None:
    design = Seals.__design__
    digests = [one["digest"] for one in example_records(design, design.entity_list[0])]
    assert digests == [b"\x01\xff", b"\x01\x00", b"\x01\x01"]


def test_an_entity_of_which_none_can_be_made_up_is_told_to_declare_one() -> None:
    with pytest.raises(NoExample, match=r"no example of Door .* give it example="):
        example_of(Doors.__design__.entity_list[0])
