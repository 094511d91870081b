"""Items of the form table beside submissions: payloads, deliveries, tenants, domains, counts."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any, cast

import pytest

from benchmarks.form_payloads import payload as form_payload
from lambdas.forms.tenants.domain_names import domain_key
from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.forms.payload_dictionary import DICTIONARIES
from tablewright.catalog.forms.submissions import SUBMISSION
from tablewright.model import Entity, Record
from tablewright.model.patterns import Count, Delete, Get, Put
from tablewright.model.sizes import item_bytes
from tablewright.runtime.errors import AlreadyExists, Conflict
from tablewright.runtime.payload import LARGEST, Payloads
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.counters import Counters, Event
from tests.integration.forms.conftest import ACME, NOON, Forms, ids, key_of, pages, submission


@pytest.fixture
def store(forms: Forms) -> Store:
    return forms.store()


class Bucket:
    """S3, as far as payloads need it."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "PutObject":
            self.objects[params["Key"]] = params["Body"]
            return {}
        return {"Body": BytesIO(self.objects[params["Key"]])}


@pytest.mark.parametrize("size", [200, 1_000, 16_000, 60_000, 400_000, 4_000_000, LARGEST])
@pytest.mark.parametrize("item_bytes_most", [16 * 1024, 380 * 1024])
def test_a_payload_of_any_size_comes_back_from_the_table(
    store: Store, size: int, item_bytes_most: int
) -> None:
    payload = form_payload(min(size, 4_000_000), 1)
    payload += b" " * (size - len(payload))
    payloads = Payloads(Bucket(), "bucket", item_bytes=item_bytes_most, dictionaries=DICTIONARIES)
    bare = submission(NOON, payload=b"")
    beside = item_bytes(FORMS.attributes(SUBMISSION, bare))
    kept = payloads.keep(payload, key="acme/1", beside=beside)
    del bare["payload"]
    store.put(FORMS.put_submission, {**bare, **kept})
    found = store.get(FORMS.get_submission, key_of(bare))
    assert found is not None
    assert payloads.fetch(found) == payload
    assert item_bytes(FORMS.attributes(SUBMISSION, found)) <= item_bytes_most


EXAMPLES: dict[str, Record] = {entity.name: entity.example for entity in FORMS.entity_list}


def _of(entity: Entity, kind: Callable[..., Any]) -> list[Any]:
    return [p for p in FORMS.pattern_list if p.entity == entity.name and type(p) is kind]


# What is only ever added to has no pattern that stores it.
ADDED_TO = {"DailyMetrics", "HourlyMetrics", "Counted", "RequestWindow"}


@pytest.mark.parametrize("name", [n for n in EXAMPLES if n not in ADDED_TO])
def test_an_item_of_every_kind_is_stored_once_and_reads_back(forms: Forms, name: str) -> None:
    store, entity = forms.store(), FORMS.entities[name]
    # Far ahead, because the engine deletes what has expired.
    later = {"created_at": "2099-01-01T00:00:00.000Z"} if name == "Request" else {}
    record = entity.check({**EXAMPLES[name], **later})
    (put,), (get,) = _of(entity, Put), _of(entity, Get)
    assert store.put(put, record) == record
    with pytest.raises(AlreadyExists):
        store.put(put, record)
    key = {field: record[field] for field in entity.key.fields}
    assert store.get(get, key) == record
    for delete in _of(entity, Delete):
        store.delete(delete, key)
        assert store.get(get, key) is None


def test_a_status_moves_a_submission_from_list_to_list(store: Store) -> None:
    made = [submission(NOON - timedelta(seconds=n), n) for n in range(10)]
    for record in made:
        store.put(FORMS.put_submission, record)
    for record in made[:4]:
        store.update(FORMS.update_submission, key_of(record), {"status": "DELIVERED"})
    for status, expected in (("DELIVERED", made[:4]), ("PENDING", made[4:])):
        found = pages(store, FORMS.submissions_by_status, {**ACME, "status": status}, 3)
        assert ids(found) == ids(expected)
    shown = pages(store, FORMS.submissions_by_form, {**ACME, "form_id": "contact"}, 3)
    assert [record["status"] for record in shown] == ["DELIVERED"] * 4 + ["PENDING"] * 6
    assert pages(store, FORMS.submissions_by_form, {**ACME, "form_id": "other"}, 3) == []


def test_attempts_are_listed_by_submission_by_destination_and_by_status(forms: Forms) -> None:
    forms.set_epochs("acme", (NOON - timedelta(days=1), 4))
    store = forms.store()
    made = [submission(NOON - timedelta(seconds=n), n) for n in range(12)]
    example = FORMS.entities["DeliveryAttempt"].example
    for number, record in enumerate(made):
        for destination in ("crm", "archive"):
            for attempt, status in ((1, "RETRYING"), (2, "SUCCEEDED")):
                store.put(
                    FORMS.put_attempt,
                    {
                        **example,
                        "submission_id": record["submission_id"],
                        "destination_id": destination,
                        "attempt_num": attempt,
                        "status": status,
                        # Long after the submission: a list by it cannot go by the id's epoch.
                        "timestamp": NOON + timedelta(hours=number, minutes=attempt),
                    },
                )
    of_one = pages(
        store,
        FORMS.submission_attempts,
        {**ACME, "submission_id": made[3]["submission_id"]},
        2,
    )
    assert [(one["destination_id"], one["attempt_num"]) for one in of_one] == [
        ("archive", 1),
        ("archive", 2),
        ("crm", 1),
        ("crm", 2),
    ]
    where = {**ACME, "destination_id": "crm", "status": "RETRYING"}
    of_crm = pages(store, FORMS.destination_attempts, where, 5)
    assert ids(of_crm) == ids(made)[::-1]
    late = pages(store, FORMS.attempts_by_status, {**ACME, "status": "SUCCEEDED"}, 5)
    assert len(late) == 24
    moments = [one["timestamp"] for one in late]
    assert moments == sorted(moments, reverse=True)
    since = NOON + timedelta(hours=10)
    assert len(pages(store, FORMS.destination_attempts, where, 5, since=since)) == 2


def test_a_domain_is_found_however_it_is_spelt_and_belongs_to_one(store: Store) -> None:
    lookup = {**domain_key("Example.com"), **ACME, "created_at": NOON}
    store.put(FORMS.put_domain, lookup)
    for spelt in ("example.com", "WWW.Example.COM.", " example.com"):
        found = store.get(FORMS.get_domain, domain_key(spelt))
        assert found is not None
        assert found["tenant_id"] == "acme"
    assert store.get(FORMS.get_domain, domain_key("example.org")) is None
    with pytest.raises(AlreadyExists):
        store.put(FORMS.put_domain, {**lookup, "tenant_id": "globex"})


def test_what_is_not_as_expected_is_not_removed(store: Store) -> None:
    key = domain_key("example.com")
    store.put(FORMS.put_domain, {**key, **ACME, "created_at": NOON})
    with pytest.raises(Conflict):
        store.delete(FORMS.delete_domain, key, expect={"tenant_id": "globex"})
    assert store.get(FORMS.get_domain, key) is not None
    for _ in range(2):  # what is not there is removed already
        store.delete(FORMS.delete_domain, key, expect=ACME)
    assert store.get(FORMS.get_domain, key) is None


def test_events_are_counted_once_and_the_day_of_all_tenants_is_listed(forms: Forms) -> None:
    dynamo = forms.database.dynamo
    tenants = [f"tenant-{number:02}" for number in range(12)]
    date = "2099-03-04"

    def event(number: int, tenant: str) -> Event:
        counts = {"submission_count": 1, "form_stats": {"contact": 1}}
        return Event(
            f"{tenant}-{number}",
            {
                "tenant_id": tenant,
                "period": "DAY",
                "second": f"{date}T10:00:{number % 3:02}Z",
                "part": "0",
            },
            [({"tenant_id": tenant, "date": date}, counts)],
        )

    counters = Counters(FORMS, cast(Count, FORMS.count_daily), "table", dynamo)
    events = [event(number, tenant) for tenant in tenants for number in range(5)]
    for _ in range(3):
        counters.add(events)
    store = forms.store()
    found = list(store.each(FORMS.day_of_tenants, {"date": date}))
    assert [one["tenant_id"] for one in found] == tenants
    assert {one["submission_count"] for one in found} == {Decimal(5)}
    (day,) = store.each(FORMS.daily_metrics, {"tenant_id": "tenant-03"}, since=date)
    assert day["form_stats"] == {"contact": Decimal(5)}


def test_destinations_are_listed_by_type_and_tenants_by_state(store: Store) -> None:
    example = FORMS.entities["Destination"].example
    for number, kind in enumerate(("webhook", "email", "webhook", "s3")):
        made = {"destination_id": f"d{number}", "destination_type": kind}
        store.put(FORMS.put_destination, {**example, **made})
    by_type = store.each(FORMS.destinations_by_type, {**ACME, "destination_type": "webhook"})
    assert sorted(one["destination_id"] for one in by_type) == ["d0", "d2"]
    assert len(list(store.each(FORMS.destinations, ACME))) == 4
    config = FORMS.entities["TenantConfig"].example
    for number in range(3):
        store.put(FORMS.put_config, {**config, "tenant_id": f"t{number}"})
    store.update(FORMS.update_config, {"tenant_id": "t1"}, {"state": "disabled"})
    active = store.each(FORMS.tenants, {"state": "active"})
    assert [one["tenant_id"] for one in active] == ["t0", "t2"]
