"""The form table's design: its keys, what sets tenants apart, and what is counted how long."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import Submission
from tablewright.model import Binary, EpochShards, HourText, InvalidRecord, InvalidValue, Whole
from tablewright.model.patterns import Pattern
from tablewright.model.validation.design import check

DESIGN = Forms.__design__
SUB = "0194a211-7280-7abc-8def-0123456789ab"
# By hand, on purpose: what each item is found by.
KEYS = {
    "Submission": {
        "PK": "TENANT#acme#0",
        "SK": f"SUB#{SUB}",
        "GSI1PK": "TENANT#acme#0",
        "GSI1SK": "TS#2025-01-26T10:04:00.000Z",
        "GSI2PK": "TENANT#acme#STATUS#0",
        "GSI2SK": "PENDING#2025-01-26T10:04:00.000Z",
        "GSI3PK": "TENANT#acme#FORM#contact#0",
        "GSI3SK": "TS#2025-01-26T10:04:00.000Z",
    },
    "DeliveryAttempt": {
        "PK": f"TENANT#acme#SUB#{SUB}",
        "SK": "DEST#crm#ATTEMPT#001",
        "GSI1PK": "TENANT#acme#0",
        "GSI1SK": "DELIVERY#RETRYING#2025-01-26T10:04:01.250Z",
        "GSI2PK": "TENANT#acme#DEST#crm#0",
        "GSI2SK": "STATUS#RETRYING#2025-01-26T10:04:01.250Z",
    },
    "Request": {"PK": "TENANT#acme#KEY#" + "0" * 64, "SK": "REQUEST", "ttl": 1738490640},
    "RequestWindow": {
        "PK": "TENANT#acme#REQUESTS#2025-01-26T10:04:00Z",
        "SK": "WINDOW",
        "ttl": 1737885840 + 86400,
    },
    "TenantConfig": {
        "PK": "TENANT#acme",
        "SK": "CONFIG#main",
        "GSI1PK": "CONFIG#active",
        "GSI1SK": "TENANT#acme",
    },
    "TenantShards": {"PK": "TENANT#acme", "SK": "SHARDS#main"},
    "Destination": {
        "PK": "TENANT#acme",
        "SK": "DEST#crm",
        "GSI1PK": "TENANT#acme",
        "GSI1SK": "DEST#webhook#2025-01-26T10:00:00.000Z",
    },
    "TenantSecret": {"PK": "TENANT#acme", "SK": "SECRET#k1"},
    "DomainLookup": {
        "PK": "DOMAIN#a379a6f6eeafb9a5",
        "SK": "LOOKUP#example.com",
    },
    "DomainClaim": {
        "PK": "TENANT#acme",
        "SK": "DOMAIN#example.com",
        "GSI1PK": "CLAIMS#PENDING",
        "GSI1SK": "AT#2025-01-26T10:00:00.000Z",
    },
    "DailyMetrics": {
        "PK": "TENANT#acme",
        "SK": "METRICS#DAY#2025-01-26",
        "GSI1PK": "METRICS#DAY#2025-01-26#1",
        "GSI1SK": "TENANT#acme",
    },
    "HourlyMetrics": {
        "PK": "TENANT#acme",
        "SK": "METRICS#HOUR#2025-01-26-10",
        "ttl": 1737885600 + 72 * 3600,
    },
    "Counted": {
        "PK": "TENANT#acme#COUNTED#DAY#2025-01-26T10:04:00Z#0",
        "SK": "COUNTED",
        "ttl": 1737885840 + 31 * 86400,
    },
}
# What belongs to no tenant, and is not granted to one.
SHARED = {
    ("DomainLookup", None),
    ("DomainClaim", "GSI1"),
    ("TenantConfig", "GSI1"),
    ("DailyMetrics", "GSI1"),
}


def test_the_design_is_sound() -> None:
    check(Forms)


@pytest.mark.parametrize("name", DESIGN.entities)
def test_an_item_is_found_by_the_keys_that_were_published(name: str) -> None:
    entity = DESIGN.entities[name]
    assert DESIGN.derived(entity, entity.check(entity.example)) == KEYS[name]


def test_every_key_but_the_shared_ones_begins_with_the_tenant_and_a_delimiter() -> None:
    shared = set()
    for entity in DESIGN.entity_list:
        for index, key in ((None, entity.key), *entity.indexed.items()):
            if key.shared:
                shared.add((entity.name, index))
                continue
            assert key.partition[0].literals[0] == "TENANT#"
            assert key.partition[0].fields[0] == "tenant_id"
            assert key.partition[0].literals[1][:1] in ("", "#")
    assert shared == SHARED


def test_an_index_is_spread_like_what_it_indexes() -> None:
    for name in ("Submission", "DeliveryAttempt"):
        for key in DESIGN.entities[name].indexed.values():
            assert isinstance(key.shards, EpochShards)
            assert key.shards.by == "submission_id"


@pytest.mark.parametrize(
    "tenant", [*("a#b", "", "*", "a*", "a/b", "ä", "a b", "$$$", "a:b", "_a"), "x" * 129]
)
def test_a_tenant_s_id_cannot_reach_beyond_its_keys(tenant: str) -> None:
    with pytest.raises(InvalidRecord, match="tenant_id"):
        Submission(**{**Submission.__entity__.example, "tenant_id": tenant})


def test_no_index_carries_a_payload() -> None:
    record = Submission(**Submission.__entity__.example)
    attributes = DESIGN.attributes(Submission.__entity__, record)
    for index in DESIGN.index_list:
        entry = DESIGN.projected(Submission.__entity__, attributes, index)
        assert entry is not None
        assert "data" not in entry


def test_every_entity_has_a_pattern_that_writes_it_and_one_that_reads_it() -> None:
    def of(entity: str, *verbs: str) -> list[Pattern[Any]]:
        return [p for p in DESIGN.pattern_list if entity in p.entities and p.verb in verbs]

    # A window is made, and looked at, by the very update that counts in it.
    assert of("RequestWindow", "UpdateItem")
    for name in DESIGN.entities.keys() - {"RequestWindow"}:
        assert of(name, "PutItem", "TransactWriteItems"), name
        assert of(name, "GetItem", "Query", "TransactWriteItems"), name


def test_an_hour_is_one_of_a_day_in_utc() -> None:
    hour = HourText().named("hour")
    assert hour.check(datetime(2025, 1, 26, 10, 59, tzinfo=UTC)) == "2025-01-26-10"
    assert hour.check("2025-01-26-23") == "2025-01-26-23"
    for value, reason in (
        ("2025-01-26T10", "of the form YYYY-MM-DD-HH"),
        (10, "of the form"),
        ("2025-01-26-24", "that exists"),
        ("2025-02-30-01", "that exists"),
    ):
        with pytest.raises(InvalidValue, match=reason):
            hour.check(value)


def test_bytes_are_bytes_and_not_too_many() -> None:
    field = Binary(max_bytes=3).named("payload")
    assert field.check(bytearray(b"abc")) == b"abc"
    for value, reason in (("abc", "must be bytes"), (b"abcd", "at most 3 bytes, not 4")):
        with pytest.raises(InvalidValue, match=reason):
            field.check(value)


@pytest.mark.parametrize("value", [-1, 1000, Decimal("1.5"), True, "1", Decimal("NaN")])
def test_a_whole_number_is_padded_in_keys_and_nothing_else_is_taken(value: Any) -> None:
    field = Whole(digits=3).named("number")
    assert field.to_text(field.check(7)) == "007"
    assert field.from_text("007") == 7
    with pytest.raises(InvalidValue, match="number must be"):
        field.check(value)


@pytest.mark.parametrize("tenant", ["ada@example.com", "7", "a=b+c", "x" * 128])
def test_tenant_ids_are_as_wide_as_tags_and_folders_allow(tenant: str) -> None:
    made = Submission(**{**Submission.__entity__.example, "tenant_id": tenant})
    assert made.tenant_id == tenant


@pytest.mark.parametrize("form", ["_contact", "wpforms-123", "7", "a:b@c~d.e", "x" * 128])
def test_form_ids_are_as_wide_as_addresses_allow(form: str) -> None:
    assert Submission(**{**Submission.__entity__.example, "form_id": form}).form_id == form


@pytest.mark.parametrize("form", ["", ".", "..", "a#b", "a/b", "a b", "x" * 129])
def test_a_form_id_that_an_address_or_key_cannot_hold_is_refused(form: str) -> None:
    with pytest.raises(InvalidRecord, match="form_id"):
        Submission(**{**Submission.__entity__.example, "form_id": form})
