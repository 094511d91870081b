"""A whole bill, reckoned by hand."""

from decimal import Decimal

from tablewright.costs.bill import (
    SECONDS_PER_MONTH,
    ServiceUse,
    firewall_month,
    recovery,
    sampled,
    whole_bill,
)
from tablewright.costs.monthly_cost import Usage
from tablewright.costs.price_lists import EU_WEST_1, US_EAST_1

MILLION = 10**6
TABLE = Usage(
    write_units=Decimal(8 * MILLION),
    read_units=Decimal(0),
    stored_bytes=4 * 10**9,
    backed_up_bytes=3 * 10**9,
)


def test_a_bill_adds_what_stands_to_what_is_used() -> None:
    found = whole_bill(
        fixed={"alarms": Decimal("1.50")},
        tables=[TABLE, TABLE],
        services=ServiceUse(requests=2 * MILLION, invocations=5 * MILLION),
        prices=US_EAST_1,
    )
    assert found == {
        "alarms": Decimal("1.50"),
        "tables: storage": 2,
        "tables: writes": 10,
        "tables: recovery and backups": Decimal("1.20"),
        "functions": 1,
        "API": 2,
        "in all": Decimal("17.70"),
    }


def test_each_service_is_paid_by_its_own_price() -> None:
    one_of_each = ServiceUse(
        gb_seconds=Decimal(MILLION),
        events=MILLION,
        pipe_requests=MILLION,
        schedule_runs=MILLION,
        topic_requests=MILLION,
        queue_requests=MILLION,
        emails=1000,
        metrics=10,
        log_gb=Decimal(1),
        log_months=1,
        traces=MILLION,
        object_puts=1000,
        object_gets=1000,
        object_gb=Decimal(1),
        key_calls=MILLION,
        secret_calls=MILLION,
        secrets=1,
        text_units=MILLION,
        guarded_users=100,
        out_gb=Decimal(1),
        between_regions_gb=Decimal(1),
    )
    costs = {name: round(cost, 4) for name, cost in one_of_each.costs(US_EAST_1).items() if cost}
    assert costs == {
        "functions": Decimal("13.3334"),
        "events and pipes": Decimal("2.4"),
        "topics, queues, e-mail": Decimal("1.0"),
        "logs": Decimal("0.53"),
        "metrics and traces": Decimal("8.0"),
        "objects": Decimal("0.0284"),
        "secrets and keys": Decimal("8.4"),
        "analysis of texts": Decimal(100),
        "users": Decimal(2),
        "transfer": Decimal("0.11"),
    }


def test_another_region_is_another_bill() -> None:
    asked = ServiceUse(requests=100 * MILLION)
    assert asked.costs(EU_WEST_1)["API"] == 111


def test_copies_of_a_table_are_paid_each() -> None:
    assert recovery([TABLE], US_EAST_1, copies=0) == Decimal("0.6")
    assert recovery([TABLE], US_EAST_1, copies=10) == Decimal("3.6")


def test_few_requests_are_all_traced_and_many_by_their_share() -> None:
    assert sampled(1000) == 1000
    assert sampled(SECONDS_PER_MONTH + 2000) == SECONDS_PER_MONTH + 100


def test_a_firewall_is_its_list_its_four_rules_and_each_request() -> None:
    assert firewall_month(US_EAST_1) == 9
    assert firewall_month(US_EAST_1, 5 * MILLION) == 17
