"""Pages over uneven shards: in order, whole, and for no unit more than they need."""

from collections.abc import Sequence

import pytest

from tablewright.model import BatchPut, Entity, Field, Key, Query, Shards, Table, Text, Whole
from tablewright.model.capacity import page_floor
from tablewright.runtime.meter import Meter
from tablewright.testing import Database

PAGES = (3, 20, 25, 33)


class Parcel(
    Entity,
    key=Key("DEPOT#{depot}#{shard}", "{number}", shards=Shards(5, by="place")),
    example={"depot": "d", "number": 0, "place": "p0", "note": "n" * 975},
):
    """Four of them fill a read unit."""

    depot: Field[str] = Text()
    number: Field[int] = Whole(digits=4)
    place: Field[str] = Text()
    note: Field[str] = Text(max_length=1000)


class Parcels(Table, pk="PK", sk="SK"):
    load = BatchPut(Parcel)
    of_depot = Query(Parcel)


def parcels(places: Sequence[str]) -> list[Parcel]:
    example = Parcel.__entity__.example
    return [Parcel(**{**example, "number": n, "place": p}) for n, p in enumerate(places)]


UNEVEN = {
    "one shard": parcels(["p0"] * 60),
    "two shards": parcels(["p0", "p1"] * 30),
    "one after the other": parcels(sorted(f"p{n % 9}" for n in range(60))),
    "many": parcels([f"p{n * n}" for n in range(60)]),
}


@pytest.mark.parametrize("limit", PAGES)
@pytest.mark.parametrize("name", UNEVEN)
def test_pages_list_every_record_once_in_order(dynamodb: Database, name: str, limit: int) -> None:
    store = dynamodb.store(Parcels)
    store.put_many(Parcels.load, UNEVEN[name])
    found: list[Parcel] = []
    cursor = None
    while not found or cursor:
        page = store.query(Parcels.of_depot, depot="d", limit=limit, cursor=cursor, caller="me")
        found += page.items
        cursor = page.cursor
    assert found == UNEVEN[name]


@pytest.mark.parametrize("limit", PAGES)
def test_a_shard_that_has_the_whole_page_is_not_read_beyond_it(
    dynamodb: Database, limit: int
) -> None:
    dynamodb.table(Parcels)
    meter = Meter(dynamodb.caller)
    store = dynamodb.store(Parcels, meter)
    made = UNEVEN["one shard"]
    store.put_many(Parcels.load, made)
    meter.reset()
    page = store.query(Parcels.of_depot, depot="d", limit=limit)
    assert page.items == made[:limit]
    # The engine does not report the four queries without an answer.
    empty = page_floor(Parcels.__design__, Parcels.of_depot, []) * 4 / 5
    floor = page_floor(Parcels.__design__, Parcels.of_depot, made, limit=limit)
    assert meter.read_units == floor - empty
