"""Months whose best answer is known: what is advised is what trying everything finds."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.costs.price_lists import EU_WEST_1, US_EAST_1
from tablewright.recommendations import (
    AcceleratorUsage,
    Confidence,
    Kind,
    Recommendation,
    Rules,
    StageUsage,
    recommendations,
    total,
)
from tests.unit.recommendations.months import (
    GB,
    HOURS,
    NONE,
    as_is,
    cheapest,
    daily,
    index,
    stage,
    table,
    units,
)

pytestmark = pytest.mark.thorough

ALL = Rules(minimum_saving=Decimal("0.01"))
FOR_GOOD = replace(ALL, commitment_years=3)
NEVER = replace(ALL, commitment_years=0)

SPIKE = [200, *(0,) * 23]
OFFICE = [*(1,) * 8, *range(10, 100, 10), *range(90, 20, -10)]
GROWING = [1 + hour // 12 for hour in range(HOURS)]
ALTERNATING = [40, 90]

MONTHS = {
    "flat": stage(table(reads=units(daily(50)), writes=units(daily(20)), stored_bytes=GB)),
    "spiky": stage(table(reads=units(daily(*SPIKE)), writes=units(daily(*SPIKE)))),
    "spikes within hours": stage(
        table(reads=units(daily(5), daily(100)), writes=units(daily(5), daily(100)))
    ),
    "nightly batch": stage(
        table(reads=units(daily(1)), writes=units(daily(1, 1, 100, *(1,) * 21)))
    ),
    "office hours": stage(table(reads=units(daily(*OFFICE)), writes=units(daily(*OFFICE)))),
    "up and down": stage(
        table(reads=units(daily(*ALTERNATING)), writes=units(daily(*ALTERNATING)))
    ),
    "growing": stage(table(reads=units(GROWING), writes=units(GROWING))),
    "idle": stage(table(reads=NONE, writes=NONE)),
    "storage-heavy": stage(
        table(reads=units(daily(*SPIKE)), writes=units(daily(*SPIKE)), stored_bytes=500 * GB)
    ),
    "busy in the wrong class": stage(
        table(
            reads=units(daily(900)),
            writes=units(daily(300)),
            stored_bytes=GB,
            table_class="STANDARD_INFREQUENT_ACCESS",
        )
    ),
    "provisioned for nothing": stage(
        table(
            reads=units(daily(0), provisioned=(100,) * HOURS),
            writes=units(daily(0), provisioned=(50,) * HOURS),
        )
    ),
    "provisioned too much": stage(
        table(
            reads=units(daily(20), provisioned=(400,) * HOURS),
            writes=units(daily(20), provisioned=(400,) * HOURS),
        )
    ),
    "steady with an index": stage(
        table(
            reads=units(daily(10)),
            writes=units(daily(40)),
            indexes=(index(reads=units(daily(30)), writes=units(daily(40))),),
        )
    ),
    "small ones that fill a reservation together": stage(
        *(table(name, writes=units(daily(30, 0, 0, 0, 0, 0))) for name in ("a", "b", "c"))
    ),
    "one steady, one spiky": stage(
        table("a", writes=units(daily(80))), table("b", writes=units(daily(*SPIKE)))
    ),
}
ACCELERATED = AcceleratorUsage(
    table="t",
    running=True,
    node_type="dax.t3.small",
    nodes=3,
    hits=(0,) * HOURS,
    misses=(0,) * HOURS,
)
PLAIN = replace(ACCELERATED, running=False, hits=(), misses=())
# Queries of so many units each, twenty a second in the mean.
MONTHS |= {
    "accelerator without traffic": stage(table(), accelerators=(ACCELERATED,)),
    "accelerator that pays": stage(
        table(reads=units(daily(100))),
        accelerators=(replace(ACCELERATED, hits=(72_000,) * HOURS, misses=(3600,) * HOURS),),
    ),
    "accelerator that does not pay": stage(
        table(reads=units(daily(5))),
        accelerators=(replace(ACCELERATED, hits=(7200,) * HOURS, misses=(3600,) * HOURS),),
    ),
    "no accelerator, dear queries": stage(
        table(reads=units(daily(3 * 20 * 30, 0, 0))), accelerators=(PLAIN,)
    ),
    "no accelerator, cheap queries": stage(table(reads=units(daily(20))), accelerators=(PLAIN,)),
    "accelerator before a table that is provisioned for it": stage(
        table(
            reads=units(daily(1000), provisioned=(3000,) * HOURS),
            writes=units(daily(0), provisioned=(1,) * HOURS),
        ),
        accelerators=(PLAIN,),
    ),
}


def advised(usage: StageUsage, rules: Rules = ALL) -> list[Recommendation]:
    return recommendations(usage, US_EAST_1, rules)


def near(dollars: Decimal, many: int = 1) -> object:
    """As many roundings to the cent away as there are numbers."""
    return pytest.approx(dollars, abs=Decimal("0.01") * max(many, 1))


@pytest.mark.parametrize("years", [0, 1, 3])
@pytest.mark.parametrize("month", MONTHS)
def test_the_advice_saves_what_the_best_combination_of_all_does(month: str, years: int) -> None:
    usage = MONTHS[month]
    found = advised(usage, replace(ALL, commitment_years=years))
    saved = as_is(usage, US_EAST_1) - cheapest(usage, US_EAST_1, years)
    assert total(found) == near(saved, len(found))


def test_a_flat_load_is_provisioned() -> None:
    (capacity,) = advised(MONTHS["flat"], NEVER)
    assert capacity.kind is Kind.CAPACITY
    assert capacity.changes[0].value == "t=provisioned:1-144@70/1-58@70"
    assert (capacity.confidence, capacity.safe) == (Confidence.HIGH, True)


def test_a_steady_load_is_reserved_as_well_where_that_may_be() -> None:
    kinds = [one.kind for one in advised(MONTHS["busy in the wrong class"])]
    assert kinds == [Kind.CAPACITY, Kind.RESERVED]
    reserved = advised(MONTHS["busy in the wrong class"], FOR_GOOD)[-1]
    assert "for 3 years" in reserved.reason
    assert not reserved.safe


@pytest.mark.parametrize("month", ["spiky", "spikes within hours", "nightly batch", "idle"])
def test_what_comes_in_spikes_or_not_at_all_stays_on_demand(month: str) -> None:
    assert recommendations(MONTHS[month], US_EAST_1) == []


def test_what_is_provisioned_for_nothing_goes_back_to_demand() -> None:
    (capacity,) = advised(MONTHS["provisioned for nothing"])
    assert capacity.changes[0].value == "t=on-demand"
    assert capacity.saving == Decimal("33.22")


def test_much_that_is_stored_and_little_read_goes_to_the_other_class() -> None:
    (one,) = recommendations(MONTHS["storage-heavy"], US_EAST_1, NEVER)
    assert one.kind is Kind.TABLE_CLASS
    assert one.changes[0].words == "class STANDARD_INFREQUENT_ACCESS"
    assert one.changes[0].setting is None


def test_tables_that_pay_only_when_they_are_reserved_together_are_one_advice() -> None:
    (one,) = advised(MONTHS["small ones that fill a reservation together"], FOR_GOOD)
    assert one.kind is Kind.RESERVED
    assert {change.value and change.value[0] for change in one.changes} == {None, "a", "b", "c"}


def test_growth_makes_it_less_certain() -> None:
    found = {one.kind: one.confidence for one in advised(MONTHS["growing"])}
    assert Confidence.HIGH not in found.values()


def test_an_accelerator_without_traffic_is_switched_off() -> None:
    (one,) = advised(MONTHS["accelerator without traffic"])
    assert (one.kind, one.changes[0].value, one.saving) == (
        Kind.ACCELERATOR,
        "off",
        Decimal("87.60"),
    )
    assert one.safe


def test_an_accelerator_pays_by_what_a_query_reads_not_by_how_many_there_are() -> None:
    kinds = {one.kind: one for one in advised(MONTHS["no accelerator, dear queries"], NEVER)}
    assert kinds[Kind.ACCELERATOR].changes[0].value == "on"
    assert kinds[Kind.ACCELERATOR].confidence is Confidence.LOW
    assert Kind.ACCELERATOR not in {
        one.kind for one in advised(MONTHS["no accelerator, cheap queries"])
    }


def test_an_accelerator_whose_reads_nobody_can_price_is_left_alone() -> None:
    cluster = replace(ACCELERATED, hits=(10,) * HOURS)
    assert advised(stage(table(), accelerators=(cluster,))) == []


def test_an_unused_index_is_dropped_before_capacity_is_planned() -> None:
    usage = stage(
        table(
            reads=units(daily(50)),
            writes=units(daily(20)),
            indexes=(index(writes=units(daily(20)), stored_bytes=10 * GB),),
        )
    )
    without = stage(table(reads=units(daily(50)), writes=units(daily(20))))
    first, second, *_ = sorted(advised(usage, NEVER), key=lambda one: one.kind is Kind.CAPACITY)
    assert (first.kind, first.resource) == (Kind.INDEX, "t/i")
    assert first.saving == near(as_is(usage, US_EAST_1) - as_is(without, US_EAST_1))
    (alone,) = advised(without, NEVER)
    assert (second.saving, second.changes) == (alone.saving, alone.changes)
    # By itself it would leave the index too little.
    assert (alone.safe, second.safe) == (True, False)
    assert "do that first" in second.risk


RATES = st.lists(st.integers(0, 120), min_size=1, max_size=6).map(lambda day: daily(*day))
STORED = st.sampled_from([0, GB, 100 * GB])


@st.composite
def tables(draw: st.DrawFn, name: str = "t") -> object:
    reads, writes = draw(RATES), draw(RATES)
    provisioned = draw(st.sampled_from([(), (50,) * HOURS]))
    return table(
        name,
        reads=units(reads, provisioned=provisioned),
        writes=units(writes, provisioned=provisioned),
        stored_bytes=draw(STORED),
        table_class=draw(st.sampled_from(["STANDARD", "STANDARD_INFREQUENT_ACCESS"])),
    )


@settings(max_examples=15, deadline=None)
@given(tables(), st.sampled_from([0, 1, 3]))
def test_any_table_is_advised_what_is_cheapest(one: object, years: int) -> None:
    usage = stage(one)  # type: ignore[arg-type]
    found = recommendations(usage, EU_WEST_1, replace(ALL, commitment_years=years))
    saved = as_is(usage, EU_WEST_1) - cheapest(usage, EU_WEST_1, years)
    # What saves less than the least is not said.
    assert total(found) == near(saved, len(found) + 1)


@settings(max_examples=6, deadline=None)
@given(tables("a"), tables("b"), st.sampled_from([Decimal(1), Decimal(20)]))
def test_no_advice_costs_money_and_the_order_of_tables_does_not_matter(
    a: object, b: object, least: Decimal
) -> None:
    rules = Rules(minimum_saving=least)
    found = recommendations(stage(a, b), US_EAST_1, rules)  # type: ignore[arg-type]
    assert all(one.saving >= least for one in found)
    usage = stage(b, a)  # type: ignore[arg-type]
    assert recommendations(usage, US_EAST_1, rules) == found
    assert total(found) <= as_is(usage, US_EAST_1) - cheapest(usage, US_EAST_1) + len(found)
