"""Counts of the form table's stream, by day and by hour."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from lambdas.forms.delivery.fan_out import new_attempt, record_attempt
from lambdas.forms.submission.listing import TenantSubmissions
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import DeliveryAttempt
from tablewright.catalog.forms.tenants import DomainLookup
from tablewright.model import Put
from tablewright.runtime.store.store import Store
from tests.integration.forms.conftest import FormTable, key_of, submission
from tests.integration.forms.metrics.streaming import Stream, everything, passes
from tests.integration.forms.sharding.traffic import NIGHT, Traffic, begin, end

STREAMED = True

MIDNIGHT = datetime(2099, 3, 5, tzinfo=UTC)


@pytest.fixture
def forms(forms: FormTable) -> FormTable:
    forms.clock.moment = MIDNIGHT + timedelta(days=30)
    return forms


@pytest.fixture
def store(forms: FormTable) -> Store:
    return forms.store()


@pytest.fixture
def stream(forms: FormTable) -> Stream:
    return Stream(forms)


def test_submissions_and_deliveries_are_counted_by_day_and_by_hour(
    store: Store, stream: Stream
) -> None:
    traffic = Traffic(store)
    made = traffic.send(60)
    traffic.deliver(made[0], "SUCCEEDED")
    traffic.deliver(made[0], "RETRYING", "RETRYING", "SUCCEEDED", destination="archive")
    traffic.deliver(made[40], "RETRYING", "FAILED")
    assert stream.deliver() == []
    assert stream.counts() == traffic.expected
    assert stream.counts()["acme", "2099-03-04"] == {
        "submission_count": Decimal(10),
        "bytes_sent": Decimal(670),
        "bytes_stored": Decimal(670),
        "form_stats": {"contact": Decimal(5), "newsletter": Decimal(5)},
        "domain_stats": {"example.com": Decimal(10)},
        "delivery_count": Decimal(2),
        "error_count": Decimal(2),
        "destination_stats": {"crm": Decimal(1), "archive": Decimal(1)},
        "destination_errors": {"archive": Decimal(2)},
    }


def test_midnight_and_the_full_hour_belong_to_what_begins(store: Store, stream: Stream) -> None:
    for number, at in enumerate(
        (
            MIDNIGHT - timedelta(milliseconds=1),
            MIDNIGHT,
            MIDNIGHT + timedelta(hours=1, milliseconds=-1),
            MIDNIGHT + timedelta(hours=1),
        )
    ):
        store.put(Forms.put_submission, submission(at, number))
    stream.deliver()
    found = {period: one["submission_count"] for (_, period), one in stream.counts().items()}
    assert found == {
        "2099-03-04": 1,
        "2099-03-05": 3,
        "2099-03-04-23": 1,
        "2099-03-05-00": 2,
        "2099-03-05-01": 1,
    }


def test_an_attempt_is_counted_when_something_has_come_of_it(store: Store, stream: Stream) -> None:
    made = submission(NIGHT)
    key = begin(store, made, "crm", 1, NIGHT)
    stream.deliver()
    assert stream.counts() == {}
    # It began on one day and ended on the next.
    end(store, key, "SUCCEEDED", MIDNIGHT)
    stream.deliver()
    assert {period for _, period in stream.counts()} == {"2099-03-05", "2099-03-05-00"}


def test_a_corrected_outcome_corrects_the_count_of_both_days(store: Store, stream: Stream) -> None:
    key = begin(store, submission(NIGHT), "crm", 1, NIGHT)
    end(store, key, "RETRYING", NIGHT)
    stream.deliver()
    end(store, key, "FAILED", MIDNIGHT)
    stream.deliver()
    days = {period: one for (_, period), one in stream.counts().items() if len(period) == 10}
    assert days["2099-03-04"]["error_count"] == 0
    assert days["2099-03-05"]["error_count"] == 1
    assert days["2099-03-05"]["destination_failures"] == {"crm": Decimal(1)}
    assert sum(day["destination_errors"]["crm"] for day in days.values()) == 1


def test_a_change_that_is_no_new_outcome_counts_nothing(store: Store, stream: Stream) -> None:
    key = begin(store, submission(NIGHT), "crm", 1, NIGHT)
    end(store, key, "SUCCEEDED", NIGHT)
    stream.deliver()
    before = stream.counts()
    store.update(Forms.update_attempt, key, {"duration_ms": 7})
    assert len(stream.records()) == 2
    stream.deliver()
    assert stream.counts() == before


def test_what_is_removed_stays_counted(store: Store, stream: Stream) -> None:
    made = submission(NIGHT)
    store.put(Forms.put_submission, made)
    stream.deliver()
    before = stream.counts()
    store.update(Forms.update_submission, key_of(made), {"status": "DELIVERED"})
    store.delete(Forms.delete_submission, key_of(made))
    assert len(everything(stream.database)) > len(stream.records())
    stream.deliver(everything(stream.database))
    assert stream.counts() == before


def test_an_hours_count_is_kept_for_three_days_and_a_days_for_ever(
    store: Store, stream: Stream
) -> None:
    store.put(Forms.put_submission, submission(NIGHT))
    stream.deliver()
    items = {item["SK"]["S"]: item for item in stream.database.items()}
    assert "ttl" not in items["METRICS#DAY#2099-03-04"]
    begun = datetime(2099, 3, 4, 23, tzinfo=UTC)
    expires = int(items["METRICS#HOUR#2099-03-04-23"]["ttl"]["N"])
    assert expires == int((begun + timedelta(hours=72)).timestamp())


def test_what_was_counted_is_remembered_in_as_many_items_as_the_tenant_has_shards(
    forms: FormTable, stream: Stream
) -> None:
    forms.set_epochs("acme", (NIGHT - timedelta(days=1), 4))
    store = forms.store()
    for number in range(60):
        made = submission(NIGHT, number)
        store.put(Forms.put_submission, made)
        end(store, begin(store, made, "crm", 1, NIGHT), "SUCCEEDED", NIGHT)
    records = stream.records()
    for record in records:
        record["dynamodb"]["ApproximateCreationDateTime"] = NIGHT.timestamp()
    stream.deliver(records)
    items = stream.database.items()
    marks = {item["PK"]["S"] for item in items if item["SK"]["S"] == "COUNTED"}
    second = "2099-03-04T23:59:30Z"
    assert marks == {
        f"TENANT#acme#COUNTED#{period}#{second}#{part}"
        for period in ("DAY", "HOUR")
        for part in range(4)
    }
    day = stream.counts()["acme", "2099-03-04"]
    assert day["submission_count"] == day["delivery_count"] == 60


def test_a_mark_outlives_every_delivery_of_its_change_however_old_the_item_is(
    store: Store, stream: Stream
) -> None:
    """An imported submission of years ago would otherwise be counted again."""
    store.put(Forms.put_submission, submission(datetime(2024, 1, 1, tzinfo=UTC)))
    stream.deliver()
    marks = [item for item in stream.database.items() if item["SK"]["S"] == "COUNTED"]
    month = datetime.now(UTC) + timedelta(days=30)
    assert [int(mark["ttl"]["N"]) > month.timestamp() for mark in marks] == [True, True]


def test_the_mapping_passes_on_what_is_counted_and_nothing_else(
    store: Store, stream: Stream
) -> None:
    traffic = Traffic(store)
    made = traffic.send(3)
    traffic.deliver(made[0], "RETRYING", "SUCCEEDED")
    traffic.deliver(made[1], "FAILED")
    store.update(Forms.update_submission, key_of(made[1]), {"status": "FAILED"})
    later = {"created_at": "2099-03-04T00:00:00.000Z"}
    for put in ("claim_request", "put_config", "begin_shards", "put_destination", "put_secret"):
        pattern = Forms.__design__.patterns[put]
        assert isinstance(pattern, Put)
        kind = pattern.of
        store.put(
            pattern,
            kind(**{**kind.__entity__.example, **(later if "claim" in put else {})}),
        )
    store.update(
        Forms.update_destination,
        {"tenant_id": "acme", "destination_id": "crm"},
        {"state": "disabled", "failures": 3},
    )
    store.put(Forms.put_domain, DomainLookup(**DomainLookup.__entity__.example))
    stream.deliver()
    store.delete(Forms.delete_submission, key_of(made[2]))

    records = everything(stream.database)
    passed = [record for record in records if passes(record)]
    assert [record["eventName"] for record in passed] == ["INSERT"] * 3 + ["MODIFY"] * 3
    # What is not passed on would not be counted either.
    counts = stream.counts()
    stream.forget()
    stream.deliver(records)
    assert stream.counts() == counts == traffic.expected


def test_counting_does_not_feed_itself(store: Store, stream: Stream) -> None:
    Traffic(store).send(5)
    stream.deliver()
    passed = stream.records()
    stream.deliver()
    assert stream.records() == passed
    assert len(everything(stream.database)) > len(passed)


def test_tests_of_destinations_do_not_reach_the_counts(store: Store, stream: Stream) -> None:
    now = MIDNIGHT + timedelta(hours=1)
    id = TenantSubmissions(store, "acme").make_test(now)
    made = store.get(Forms.get_submission, {"tenant_id": "acme", "submission_id": id})
    assert made is not None
    attempt = record_attempt(store, new_attempt(made, "crm", 1, now))
    key = {name: attempt[name] for name in DeliveryAttempt.__entity__.key.fields}
    store.update(Forms.update_attempt, key, {"status": "SUCCEEDED"})
    assert stream.records() == []
    # Nor where it is passed on all the same.
    assert stream.deliver(everything(stream.database)) == []
    assert stream.counts() == {}
