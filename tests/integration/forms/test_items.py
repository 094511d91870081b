"""Items of the form table beside submissions: payloads, deliveries, tenants, domains, counts."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import cache
from io import BytesIO
from typing import Any

import pytest

from benchmarks.chapters import form_payloads
from lambdas.forms.payload_compression import LARGEST, PayloadCompressionManager
from lambdas.forms.tenants.domain_names import domain_key
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.catalog.forms.tenants import Destination, DomainLookup, TenantConfig
from tablewright.model import EntityModel, Record
from tablewright.model.fields.time import iso_utc
from tablewright.model.patterns import Delete, Get, Put
from tablewright.model.sizes import item_bytes
from tablewright.runtime.errors import AlreadyExists, Conflict
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.counters import Counters, Event
from tests.integration.forms.conftest import ACME, NOON, FormTable, ids, key_of, pages, submission

# Megabytes of them take a second to make.
form_payload = cache(form_payloads.payload)


@pytest.fixture
def store(forms: FormTable) -> Store:
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
    payloads = PayloadCompressionManager(Bucket(), "bucket", item_bytes=item_bytes_most)
    bare = submission(NOON, data=b"")
    beside = item_bytes(Forms.__design__.attributes(Submission.__entity__, bare))
    kept = payloads.store(payloads.process_payload(payload, beside=beside), key="acme/1")
    store.put(Forms.put_submission, Submission(**{**bare, "data": None, **kept}))
    found = store.get(Forms.get_submission, key_of(bare))
    assert found is not None
    assert payloads.fetch(found) == payload
    assert item_bytes(Forms.__design__.attributes(Submission.__entity__, found)) <= item_bytes_most


EXAMPLES: dict[str, Record] = {
    entity.name: entity.example for entity in Forms.__design__.entity_list
}


def _of(entity: EntityModel, kind: Callable[..., Any]) -> list[Any]:
    return [p for p in Forms.__design__.pattern_list if p.entity == entity.name and type(p) is kind]


# What is only ever added to has no pattern that stores it.
ADDED_TO = {"DailyMetrics", "HourlyMetrics", "Counted", "RequestWindow"}


@pytest.mark.parametrize("name", [n for n in EXAMPLES if n not in ADDED_TO])
def test_an_item_of_every_kind_is_stored_once_and_reads_back(forms: FormTable, name: str) -> None:
    store, entity = forms.store(), Forms.__design__.entities[name]
    # Far ahead, because the engine deletes what has expired.
    later = {"created_at": "2099-01-01T00:00:00.000Z"} if name == "Request" else {}
    record = entity.made(**{**EXAMPLES[name], **later})
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
        store.put(Forms.put_submission, record)
    for record in made[:4]:
        store.update(Forms.update_submission, key_of(record), {"status": "DELIVERED"})
    for status, expected in (("DELIVERED", made[:4]), ("PENDING", made[4:])):
        found = pages(store, Forms.submissions_by_status, {**ACME, "status": status}, 3)
        assert ids(found) == ids(expected)
    shown = pages(store, Forms.submissions_by_form, {**ACME, "form_id": "contact"}, 3)
    assert [record["status"] for record in shown] == ["DELIVERED"] * 4 + ["PENDING"] * 6
    assert pages(store, Forms.submissions_by_form, {**ACME, "form_id": "other"}, 3) == []


def test_attempts_are_listed_by_submission_by_destination_and_by_status(forms: FormTable) -> None:
    forms.set_epochs("acme", (NOON - timedelta(days=1), 4))
    store = forms.store()
    made = [submission(NOON - timedelta(seconds=n), n) for n in range(12)]
    example = DeliveryAttempt.__entity__.example
    for number, record in enumerate(made):
        for destination in ("crm", "archive"):
            for attempt, status in ((1, "RETRYING"), (2, "SUCCEEDED")):
                store.put(
                    Forms.put_attempt,
                    DeliveryAttempt(
                        **{
                            **example,
                            "submission_id": record["submission_id"],
                            "destination_id": destination,
                            "attempt_num": attempt,
                            "status": status,
                            # Long after the submission: a list by it cannot go by the id's epoch.
                            "timestamp": NOON + timedelta(hours=number, minutes=attempt),
                        }
                    ),
                )
    of_one = pages(
        store,
        Forms.submission_attempts,
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
    of_crm = pages(store, Forms.destination_attempts, where, 5)
    assert ids(of_crm) == ids(made)[::-1]
    late = pages(store, Forms.attempts_by_status, {**ACME, "status": "SUCCEEDED"}, 5)
    assert len(late) == 24
    moments = [one["timestamp"] for one in late]
    assert moments == sorted(moments, reverse=True)
    since = NOON + timedelta(hours=10)
    assert len(pages(store, Forms.destination_attempts, where, 5, since=since)) == 2


def test_a_domain_is_found_however_it_is_spelt_and_belongs_to_one(store: Store) -> None:
    lookup: Record = {**domain_key("Example.com"), **ACME, "created_at": NOON}
    store.put(Forms.put_domain, DomainLookup(**lookup))
    for spelt in ("example.com", "WWW.Example.COM.", " example.com"):
        found = store.get(Forms.get_domain, domain_key(spelt))
        assert found is not None
        assert found["tenant_id"] == "acme"
    assert store.get(Forms.get_domain, domain_key("example.org")) is None
    with pytest.raises(AlreadyExists):
        store.put(Forms.put_domain, DomainLookup(**{**lookup, "tenant_id": "globex"}))


def test_what_is_not_as_expected_is_not_removed(store: Store) -> None:
    key = domain_key("example.com")
    store.put(Forms.put_domain, DomainLookup(**key, **ACME, created_at=iso_utc(NOON)))
    with pytest.raises(Conflict):
        store.delete(Forms.delete_domain, key, when={"tenant_id": "globex"})
    assert store.get(Forms.get_domain, key) is not None
    for _ in range(2):  # what is not there is removed already
        store.delete(Forms.delete_domain, key, when=ACME)
    assert store.get(Forms.get_domain, key) is None


def test_events_are_counted_once_and_the_day_of_all_tenants_is_listed(forms: FormTable) -> None:
    dynamo = forms.database.caller
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

    counters = Counters(Forms, Forms.count_daily, "forms", dynamo)
    events = [event(number, tenant) for tenant in tenants for number in range(5)]
    for _ in range(3):
        counters.add(events)
    store = forms.store()
    found = list(store.each(Forms.day_of_tenants, {"date": date}))
    assert [one["tenant_id"] for one in found] == tenants
    assert {one["submission_count"] for one in found} == {Decimal(5)}
    (day,) = store.each(Forms.daily_metrics, {"tenant_id": "tenant-03"}, since=date)
    assert day["form_stats"] == {"contact": Decimal(5)}


def test_destinations_are_listed_by_type_and_tenants_by_state(store: Store) -> None:
    example = Destination.__entity__.example
    for number, kind in enumerate(("webhook", "email", "webhook", "s3")):
        made = {"destination_id": f"d{number}", "destination_type": kind}
        store.put(Forms.put_destination, Destination(**{**example, **made}))
    by_type = store.each(Forms.destinations_by_type, {**ACME, "destination_type": "webhook"})
    assert sorted(one["destination_id"] for one in by_type) == ["d0", "d2"]
    assert len(list(store.each(Forms.destinations, ACME))) == 4
    config = TenantConfig.__entity__.example
    for number in range(3):
        store.put(Forms.put_config, TenantConfig(**{**config, "tenant_id": f"t{number}"}))
    store.update(Forms.update_config, {"tenant_id": "t1"}, {"state": "disabled"})
    active = store.each(Forms.tenants, {"state": "active"})
    assert [one["tenant_id"] for one in active] == ["t0", "t2"]
