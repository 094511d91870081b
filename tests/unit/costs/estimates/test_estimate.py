"""Estimates held against figures that were worked out by hand, at the prices of us-east-1."""

from decimal import Decimal
from typing import Any

import pytest

from cdk_app.settings import ROOT
from tablewright.catalog.sales.design import Sales
from tablewright.costs.estimates.estimate import Estimate, estimate
from tablewright.costs.estimates.pattern_units import PatternUnits
from tablewright.costs.estimates.traffic import (
    FunctionUse,
    InvalidTraffic,
    Kept,
    PatternUse,
    Traffic,
)
from tablewright.costs.measuring import read_measurements, units_each
from tablewright.costs.price_lists import PRICE_LISTS, US_EAST_1
from tablewright.model import (
    KEYS_ONLY,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    Update,
)

SECONDS = Decimal(730 * 3600)


class Order(Entity, key=Key("ORDER#{order_id}")):
    """An order, without an example: its size is told."""

    order_id: Field[str] = Text()
    customer: Field[str] = Text()


class Plain(Table, pk="PK"):
    """A table without indexes."""

    place = Put(Order)
    order = Get(Order)


class Indexed(Table, pk="PK"):
    """A table with an index of whole orders and one of their keys."""

    by_customer = Index(pk="CPK", sk="CSK", keys={Order: Key("{customer}", "{order_id}")})
    by_id = Index(pk="IPK", keys={Order: Key("ID#{order_id}")}, projects=KEYS_ONLY)
    place = Put(Order)
    change = Update(Order)
    of_customer = Query(Order, by_customer)


def each_second(times: int, **more: Any) -> PatternUse:
    return PatternUse(times=times * SECONDS, **more)


# 1,500 bytes are two write units and, eventually consistent, half a read unit.
ORDERS = {"Order": Kept(number=10_000_000, size=1500)}
WRITES, READS = each_second(10), each_second(200)


def priced(table: type[Table], region: str = "us-east-1", **traffic: Any) -> Estimate:
    told = {"peak": Decimal(1), "items": ORDERS, **traffic}
    return estimate(table.__design__, Traffic(**told), PRICE_LISTS[region])


def lines(found: Estimate) -> dict[str, tuple[Decimal, Decimal]]:
    return {f"{one.part}: {one.what}": (one.on_demand, one.provisioned) for one in found.lines}


def both(dollars: str) -> tuple[Decimal, Decimal]:
    return Decimal(dollars), Decimal(dollars)


@pytest.fixture(scope="module")
def plain() -> Estimate:
    return priced(Plain, patterns={"place": WRITES, "order": READS})


def test_a_table_costs_its_units_and_gigabytes(plain: Estimate) -> None:
    found = lines(plain)
    # 10 * 2 units * 2,628,000 s = 52.56 million at 0.625; 20 units / 70 % = 29 * 730 h at 0.00065.
    assert found["table: writes"] == (Decimal("32.85"), Decimal("13.76"))
    # 200 * ½ unit * 2,628,000 s = 262.8 million at 0.125; 100 / 70 % = 143 * 730 h at 0.00013.
    assert found["table: reads"] == (Decimal("32.85"), Decimal("13.57"))
    # 10 million * (1,500 + 100 bytes) = 16 GB, at 0.25 and 0.20.
    assert found["table: storage"] == both("4.00")
    assert found["backups: point in time"] == both("3.20")
    assert (plain.on_demand, plain.provisioned) == (Decimal("72.90"), Decimal("34.53"))


def test_reserved_capacity_is_bought_where_it_pays(plain: Estimate) -> None:
    # One year: a hundred reads, 9.49, for 30 / 12 + 0.0025 * 730 = 4.325; 43 more do not pay.
    assert abs(plain.reserved[1] - Decimal("5.165")) <= Decimal("0.005")
    # Three: two hundred reads, 13.5707, for 2 * 2.168; and writes, 13.7605, for 10.913.
    assert plain.reserved[3] == Decimal("12.08")


def test_provisioned_pays_from_the_share_where_a_unit_costs_as_much_on_demand(
    plain: Estimate,
) -> None:
    # 0.00065 / (0.625 / 10^6 * 3600) = 0.28889, and likewise for reads.
    assert {round(share, 5) for share in plain.break_even.values()} == {Decimal("0.28889")}
    # 20 of 29 units, 100 of 143.
    assert [round(plain.used[kind] or 0, 4) for kind in ("writes", "reads")] == [
        Decimal("0.6897"),
        Decimal("0.6993"),
    ]


@pytest.mark.parametrize(("peak", "cheapest"), [(1, "provisioned"), (24, "on demand")])
def test_a_high_peak_makes_on_demand_the_cheaper_one(peak: int, cheapest: str) -> None:
    found = priced(
        Plain,
        patterns={"place": WRITES},
        items={"Order": Kept(size=1500)},
        peak=Decimal(peak),
        peak_hours=1,
    )
    assert found.cheapest[0] == cheapest


def test_busy_hours_are_paid_for_at_their_capacity() -> None:
    found = priced(Plain, patterns={"place": WRITES}, peak=Decimal(3))
    # 20 hours of 12 units a second and 4 of 60. To serve the rise from 12, 34 units have to stand;
    # 60 / 70 % are 86: (20 * 34 + 4 * 86) * 730 / 24 h at 0.00065.
    assert lines(found)["table: writes"] == (Decimal("32.85"), Decimal("20.25"))


def test_an_index_costs_its_own_writes_reads_and_storage() -> None:
    page = each_second(1, items=8)
    found = lines(priced(Indexed, patterns={"place": WRITES, "of_customer": page}))
    assert found["table: writes"] == found["index by_customer: writes"]
    assert found["index by_customer: writes"][0] == Decimal("32.85")
    # 8 * 1,500 bytes are 3 * 4 KB, 1.5 units * 2.628 million at 0.125.
    assert found["index by_customer: reads"][0] == Decimal("0.49")
    assert found["index by_customer: storage"] == both("4.00")
    assert found["table: reads"] == (Decimal(0), Decimal("0.09"))  # one unit is the least


def test_an_update_rewrites_entries_that_show_it_and_moves_those_that_are_told() -> None:
    use = {"change": each_second(1)}
    one = lines(priced(Indexed, patterns=use))
    # Two units * 2.628 million at 0.625.
    assert one["table: writes"][0] == one["index by_customer: writes"][0] == Decimal("3.28")
    assert one["index by_id: writes"][0] == 0
    moved = lines(priced(Indexed, patterns={"change": each_second(1, moves=("by_customer",))}))
    assert moved["index by_customer: writes"][0] == Decimal("6.57")
    assert moved["table: reads"][0] == Decimal("0.33")  # the item is looked at before


def test_a_transaction_writes_to_the_table_twice() -> None:
    found = lines(priced(Indexed, patterns={"place": each_second(10, transaction=True)}))
    assert found["table: writes"][0] == 2 * found["index by_customer: writes"][0]


def test_a_replica_takes_every_write_and_keeps_every_item_at_the_prices_of_its_region() -> None:
    found = priced(Plain, patterns={"place": WRITES}, replicas=("eu-west-1", "eu-central-1"))
    told = lines(found)
    assert told["table: writes"][0] == Decimal("32.85")
    # 52.56 million at 0.7065, 29 * 730 h at 0.000735; 16 GB at 0.283.
    assert told["replica eu-west-1: writes"] == (Decimal("37.13"), Decimal("15.56"))
    assert told["replica eu-west-1: storage"] == both("4.53")
    # 0.7625 and 0.305.
    assert told["replica eu-central-1: writes"][0] == Decimal("40.08")
    assert told["replica eu-central-1: storage"] == both("4.88")
    # Nothing is read, and replicated writes cannot be reserved.
    assert set(found.reserved.values()) == {Decimal(0)}


def test_what_is_beside_the_table_is_in_it() -> None:
    found = lines(
        priced(
            Plain,
            patterns={},
            copies=3,
            alarms=5,
            stream_readers=1,
            point_in_time_recovery=False,
            functions={"api": FunctionUse(times=Decimal(10**6), ms=Decimal(50), mb=512)},
        )
    )
    assert found["backups: copies"] == both("4.80")  # 3 * 16 GB at 0.10
    assert found["backups: point in time"] == both("0")
    assert found["alarms: metrics"] == both("0.50")
    assert found["stream: reads"] == both("2.10")  # 4 a second are 10.512 million, at 0.20
    # 0.20, and 25,000 GB-seconds at 0.0000133334.
    assert found["functions: api"] == both("0.53")


def test_measured_units_replace_computed_ones_and_stay_where_they_were() -> None:
    measured = [{"pattern": "place", "what": "one", "many": 2, "read": "0", "write": "24"}]
    traffic = Traffic(patterns={"place": PatternUse(times=Decimal(10**6))}, items=ORDERS)
    found = lines(estimate(Indexed.__design__, traffic, US_EAST_1, measured))
    # Computed are two units in each of three parts; measured, twelve in all.
    names = ("table", "index by_customer", "index by_id")
    assert [found[f"{name}: writes"][0] for name in names] == [Decimal("2.50")] * 3


def test_a_case_that_was_not_measured_is_told_of() -> None:
    measured = [{"pattern": "place", "what": "one", "many": 1, "read": "0", "write": "2"}]
    use = PatternUse(times=Decimal(1), measured="two")
    traffic = Traffic(patterns={"place": use}, items=ORDERS)
    with pytest.raises(InvalidTraffic, match="'two' was not measured, but: one"):
        estimate(Plain.__design__, traffic, US_EAST_1, measured)


def test_a_size_that_nobody_knows_is_asked_for() -> None:
    with pytest.raises(InvalidTraffic, match=r"Order has no example: say its size"):
        priced(Plain, patterns={"place": WRITES}, items={})


@pytest.mark.parametrize(
    ("pattern", "items"),
    [
        *(("put_sale", 1), ("put_sales", 1), ("create_sales", 1), ("get_sales", 1)),
        *(("get_sale", 1), ("delete_sale", 1), ("product_sales", 20), ("category_sales", 20)),
        *(("brand_sales", 20), ("brand_prices", 400), ("category_prices", 400)),
    ],
)
def test_what_is_computed_of_sales_is_what_was_measured(pattern: str, items: int) -> None:
    design = Sales.__design__
    recorded = read_measurements(ROOT / "docs" / "tables" / "sales.capacity.json")
    use = PatternUse(times=Decimal(1), items=items)
    units = PatternUnits(design, {}, []).of(design.patterns[pattern], use)
    found = next(one for one in recorded if one["pattern"] == pattern)
    computed = tuple(sum(kind.values(), Decimal()) for kind in units)
    assert computed == units_each(found)
