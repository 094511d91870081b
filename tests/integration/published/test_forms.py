"""The published Form-Bridge strategy, section by section, against DynamoDB Local."""

import gzip
import json
import tomllib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import md5, sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cdk_app.declared.every import COST_LIMITS
from docs.bills.forms import FORMS
from lambdas.forms import import_form_bridge
from lambdas.forms.import_form_bridge import PublishedItems, importing
from lambdas.forms.metrics.aggregation import MetricsAggregationManager
from lambdas.forms.metrics.events import Events, counted
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.sharding.strategy import FormBridgeShardingStrategy
from lambdas.forms.submission.domain_lookup import DomainLookupManager
from lambdas.forms.tenants.domain_names import domain_key
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DailyMetrics, HourlyMetrics
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.catalog.forms.stream import COUNTED_CHANGES, CREATED_SUBMISSIONS
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.catalog.forms.tenants import (
    Destination,
    DomainLookup,
    TenantConfig,
    TenantShards,
)
from tablewright.commands.items.bring_back import BringBack, Live
from tablewright.commands.items.segments import Rate
from tablewright.model import Entity
from tablewright.model.sharding.epochs import UNDIVIDED
from tablewright.model.table_form import TableForm
from tablewright.model.time_ids import moment_of
from tablewright.runtime.errors import Unavailable
from tablewright.runtime.ids import uuid7
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.store.records import Records
from tablewright.runtime.streams.changes import Change
from tablewright.testing import Database
from tests.integration.forms.conftest import FormTable, submission
from tests.integration.forms.metrics.streaming import passes
from tests.integration.forms.submission.submitting import World, taken
from toolchain.paths import ROOT

# Far ahead, because DynamoDB Local deletes expired items.
NOW = datetime(2099, 1, 26, 10, 30, tzinfo=UTC)
TODAY = NOW.date()


@pytest.fixture
def forms(dynamodb: Database) -> FormTable:
    table = FormTable(dynamodb)
    table.clock.moment = NOW
    return table


@pytest.fixture
def strategy(forms: FormTable) -> FormBridgeShardingStrategy:
    return FormBridgeShardingStrategy(forms.store())


def put(forms: FormTable, record: Entity) -> dict[str, str]:
    """Store an item; return its key attributes as DynamoDB has them."""
    store = forms.store()
    records = Records(Forms.__design__, record.__entity__, store.epochs)
    forms.database.write([records.to_item(record)])
    (item,) = forms.database.items()
    return {name: item[name]["S"] for name in sorted(item) if name.endswith(("PK", "SK"))}


def example(kind: type[Entity], **changes: Any) -> Any:
    return kind(**{**kind.__entity__.example, **changes})


# Table Structure: `FormBridgeData`.


def test_the_table_has_the_published_keys_indexes_and_ttl() -> None:
    table = TableForm.of(Forms.__design__)
    assert (table.partition, table.sort) == ((("PK", "S"),), (("SK", "S"),))
    assert {name: (index.partition, index.sort) for name, index in table.indexes.items()} == {
        f"GSI{n}": (((f"GSI{n}PK", "S"),), ((f"GSI{n}SK", "S"),)) for n in (1, 2, 3)
    }
    assert table.ttl == "ttl"


# Entity Types and Key Patterns. Index keys of submissions and deliveries end with the shard; keys
# of deliveries begin with the tenant.


def test_a_submission_has_the_published_keys(forms: FormTable) -> None:
    made = submission(NOW)
    assert put(forms, made) == {
        "PK": "TENANT#acme#0",
        "SK": f"SUB#{made.submission_id}",
        "GSI1PK": "TENANT#acme#0",
        "GSI1SK": "TS#2099-01-26T10:30:00.000Z",
        "GSI2PK": "TENANT#acme#STATUS#0",
        "GSI2SK": "PENDING#2099-01-26T10:30:00.000Z",
        "GSI3PK": "TENANT#acme#FORM#contact#0",
        "GSI3SK": "TS#2099-01-26T10:30:00.000Z",
    }


def test_a_destination_has_the_published_keys(forms: FormTable) -> None:
    assert put(forms, example(Destination)) == {
        "PK": "TENANT#acme",
        "SK": "DEST#crm",
        "GSI1PK": "TENANT#acme",
        "GSI1SK": "DEST#webhook#2025-01-26T10:00:00.000Z",
    }


def test_an_attempt_has_the_published_keys_within_its_tenant(forms: FormTable) -> None:
    made = example(DeliveryAttempt)
    assert put(forms, made) == {
        "PK": f"TENANT#acme#SUB#{made.submission_id}",
        "SK": "DEST#crm#ATTEMPT#001",
        "GSI1PK": "TENANT#acme#0",
        "GSI1SK": "DELIVERY#RETRYING#2025-01-26T10:04:01.250Z",
        "GSI2PK": "TENANT#acme#DEST#crm#0",
        "GSI2SK": "STATUS#RETRYING#2025-01-26T10:04:01.250Z",
    }


def test_a_configuration_has_the_published_keys(forms: FormTable) -> None:
    assert put(forms, example(TenantConfig)) == {
        "PK": "TENANT#acme",
        "SK": "CONFIG#main",
        "GSI1PK": "CONFIG#active",
        "GSI1SK": "TENANT#acme",
    }


def test_shards_are_one_item_of_the_tenant(forms: FormTable) -> None:
    made = example(TenantShards)
    assert put(forms, made) == {"PK": "TENANT#acme", "SK": "SHARDS#main"}
    assert made.keys() == {"tenant_id", "shard_mapping", "distribution_strategy"}


def test_daily_metrics_have_the_published_keys(forms: FormTable) -> None:
    made = example(DailyMetrics)
    assert put(forms, made) == {
        "PK": "TENANT#acme",
        "SK": "METRICS#DAY#2025-01-26",
        "GSI1PK": "METRICS#DAY#2025-01-26#1",
        "GSI1SK": "TENANT#acme",
    }
    assert {"submission_count", "destination_stats"} <= made.keys()


def test_hourly_metrics_end_after_72_hours(forms: FormTable) -> None:
    hour = NOW.replace(minute=0)
    made = example(HourlyMetrics, datetime=hour)
    assert put(forms, made) == {"PK": "TENANT#acme", "SK": "METRICS#HOUR#2099-01-26-10"}
    (item,) = forms.database.items()
    assert int(item["ttl"]["N"]) == int((hour + timedelta(hours=72)).timestamp())


# Write Sharding Implementation: `FormBridgeShardingStrategy`.


def new_id(number: int = 0) -> str:
    return uuid7(NOW + timedelta(milliseconds=number), number.to_bytes(10, "big"))


def test_a_tenant_without_configuration_has_shard_0(strategy: FormBridgeShardingStrategy) -> None:
    assert strategy.get_tenant_shard_config("acme") is None
    assert strategy.get_shard_id("acme", new_id()) == "0"


def test_a_hash_distributes_submissions_over_the_shards(
    forms: FormTable, strategy: FormBridgeShardingStrategy
) -> None:
    forms.set_epochs("acme", (NOW - timedelta(days=1), 4))
    shards = [strategy.get_shard_id("acme", new_id(number)) for number in range(400)]
    assert set(shards) == {"0", "1", "2", "3"}
    assert max(map(shards.count, set(shards))) < 130


def test_a_submission_key_has_the_published_attributes(
    forms: FormTable, strategy: FormBridgeShardingStrategy
) -> None:
    forms.set_epochs("acme", (NOW - timedelta(days=1), 10))
    id = new_id(7)
    shard = strategy.get_shard_id("acme", id)
    assert strategy.create_submission_key("acme", id, moment_of(id)) == {
        "PK": f"TENANT#acme#{shard}",
        "SK": f"SUB#{id}",
        "GSI1PK": f"TENANT#acme#{shard}",
        "GSI1SK": f"TS#{moment_of(id)}",
        "GSI2PK": f"TENANT#acme#STATUS#{shard}",
        "GSI2SK": f"PENDING#{moment_of(id)}",
        "shard_id": shard,
        "tenant_id": "acme",
    }


def test_a_sent_submission_is_stored_under_its_submission_key(
    dynamodb: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(FormTable(dynamodb), monkeypatch)
    world.tenant()
    id = taken(world.send())
    (item,) = (one for one in dynamodb.items() if one["SK"]["S"] == f"SUB#{id}")
    strategy = FormBridgeShardingStrategy(world.forms.store())
    key = strategy.create_submission_key("acme", id, moment_of(id))
    assert {name: item[name]["S"] for name in key} == key


@pytest.mark.parametrize(
    ("volume", "shards"), [(0, 1), (1_000, 1), (1_001, 4), (10_000, 4), (10_001, 10)]
)
def test_the_shard_count_follows_the_volume_of_the_month(
    forms: FormTable, strategy: FormBridgeShardingStrategy, volume: int, shards: int
) -> None:
    put_days(forms, (TODAY, volume), (TODAY - timedelta(days=31), 10**6))
    decision = strategy.calculate_optimal_shards("acme", None, NOW)
    assert (decision.shards, decision.wanted) == (1, shards)


def test_the_thresholds_can_be_set(forms: FormTable) -> None:
    put_days(forms, (TODAY, 101))
    rules = ShardRules.parse('{"thresholds": [[100, 2]]}')
    strategy = FormBridgeShardingStrategy(forms.store(), rules)
    assert strategy.calculate_optimal_shards("acme", None, NOW).wanted == 2


def put_days(forms: FormTable, *days: tuple[Any, int], **more: Any) -> None:
    records = Records(Forms.__design__, DailyMetrics.__entity__)
    forms.database.write(
        [
            records.to_item(
                DailyMetrics(
                    tenant_id="acme",
                    date=day.isoformat(),
                    submission_count=Decimal(count),
                    **more,
                )
            )
            for day, count in days
        ]
    )


class NoBucket:
    """S3 that must not be called."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError(operation)


def json_payload(size: int, random_part: float) -> bytes:
    """A JSON object of this size, of which about this share cannot be compressed."""
    random = Random(1).randbytes(int(size * random_part)).hex()[: int(size * random_part)]
    head, tail = b'{"message":"', b'"}'
    text = random.encode() + b"x" * size
    return head + text[: size - len(head) - len(tail)] + tail


# Intelligent Compression Strategy: `PayloadCompressionManager`.


PAYLOADS = PayloadCompressionManager(NoBucket(), "payloads")


def test_the_constants_are_the_published_ones() -> None:
    assert PayloadCompressionManager.COMPRESSION_THRESHOLD == 1024
    assert PayloadCompressionManager.TARGET_COMPRESSION_RATIO == 0.7


def test_a_payload_of_1023_bytes_is_stored_as_it_is() -> None:
    payload = json_payload(1023, 0)
    assert PAYLOADS.store(PAYLOADS.process_payload(payload, beside=400), key="") == {
        "data": payload,
        "compressed": False,
        "original_size": 1023,
        "storage_size": 1023,
        "compression_algorithm": None,
        "compression_ratio": None,
        "compression_note": None,
    }


def test_a_payload_of_1024_bytes_is_compressed_in_binary() -> None:
    payload = json_payload(1024, 0)
    processed = PAYLOADS.process_payload(payload, beside=400)
    assert processed.compressed
    assert processed.compression_algorithm == "zlib"
    assert processed.original_size == 1024
    assert processed.storage_size == len(processed.data) < len(gzip.compress(payload))
    ratio = Decimal(len(processed.data)) / 1024
    assert processed.compression_ratio == ratio.quantize(Decimal("0.0001"))
    assert PAYLOADS.fetch(processed._asdict()) == payload


def test_a_poor_ratio_is_noted_and_the_payload_stored_as_it_is() -> None:
    payload = Random(1).randbytes(1100)
    processed = PAYLOADS.process_payload(payload, beside=400)
    assert (processed.data, processed.compressed) == (payload, False)
    assert processed.compression_note == "poor_compression_ratio"
    assert processed.storage_size == processed.original_size == 1100


def test_a_stored_submission_carries_the_published_attributes(
    dynamodb: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(FormTable(dynamodb), monkeypatch)
    world.tenant()
    payload = json_payload(2000, 0.2)
    id = taken(world.send(payload))
    (item,) = (one for one in dynamodb.items() if one["SK"]["S"] == f"SUB#{id}")
    assert item["compressed"] == {"BOOL": True}
    assert item["compression_algorithm"] == {"S": "zlib"}
    assert item["original_size"] == {"N": "2000"}
    assert item["storage_size"] == {"N": str(len(item["data"]["B"]))}
    assert 0 < float(item["compression_ratio"]["N"]) < 0.7
    assert "compression_note" not in item
    assert world.payloads() == [payload]


# Pre-Aggregated Metrics Strategy: `MetricsAggregationManager`.


def metrics_of(forms: FormTable) -> MetricsAggregationManager:
    return MetricsAggregationManager(forms.store(), now=lambda: NOW)


def test_a_new_submission_adds_to_its_day_and_hour_once(forms: FormTable) -> None:
    events = list(stored_submissions("contact", "contact", "newsletter"))
    for _ in range(2):  # the stream may deliver a change again
        metrics_of(forms).update_submission_metrics(events)
    store = forms.store()
    (day,) = store.each(Forms.daily_metrics, tenant_id="acme")
    (hour,) = store.each(Forms.hourly_metrics, tenant_id="acme")
    assert (day.date, hour.datetime) == ("2099-01-26", "2099-01-26-10")
    for period in (day, hour):
        assert period.submission_count == 3
        assert dict(period.form_stats or {}) == {"contact": Decimal(2), "newsletter": Decimal(1)}


def test_the_dashboard_adds_up_the_days_in_one_query(forms: FormTable) -> None:
    first, before = TODAY - timedelta(days=30), TODAY - timedelta(days=31)
    put_days(forms, (TODAY, 3), (first, 4), form_stats={"contact": Decimal(3)})
    put_days(forms, (before, 100))
    meter = Meter(forms.database.caller)
    metrics = MetricsAggregationManager(forms.store(meter), now=lambda: NOW)
    shown = metrics.get_dashboard_metrics("acme")
    assert meter.calls == 1
    assert shown["total_submissions"] == 7
    assert shown["daily_breakdown"] == {first.isoformat(): 4, TODAY.isoformat(): 3}
    assert shown["form_statistics"] == {"contact": 6}
    assert shown["period"] == "2098-12-27 to 2099-01-26"


@pytest.mark.parametrize(
    ("days_back", "period"),
    [(0, "2099-01-26 to 2099-01-26"), (7, "2099-01-19 to 2099-01-26")],
)
def test_the_period_has_today_and_the_days_back(
    forms: FormTable, days_back: int, period: str
) -> None:
    assert metrics_of(forms).get_dashboard_metrics("acme", days_back)["period"] == period


def stored_submissions(*form_ids: str) -> Iterator[Events]:
    """Events of new submissions, as the stream reports them."""
    records = Records(Forms.__design__, Submission.__entity__, UNDIVIDED)
    for number, form_id in enumerate(form_ids):
        item = records.to_item(submission(NOW, number, form_id=form_id))
        change = {
            "Keys": {name: item[name] for name in ("PK", "SK")},
            "NewImage": item,
            "SequenceNumber": str(number),
            "ApproximateCreationDateTime": NOW.timestamp(),
        }
        events = counted(Change({"eventID": f"e{number}", "dynamodb": change}))
        assert events is not None
        yield events


# Domain Reverse Lookup: `DomainLookupManager`.


def test_a_domain_is_found_by_its_hash_in_one_read(forms: FormTable) -> None:
    made = DomainLookup(
        **domain_key("example.com"), tenant_id="acme", created_at="2099-01-26T10:00:00.000Z"
    )
    digest = sha256(b"example.com").hexdigest()[:16]
    assert put(forms, made) == {"PK": f"DOMAIN#{digest}", "SK": "LOOKUP#example.com"}
    meter = Meter(forms.database.caller)
    manager = DomainLookupManager(forms.store(meter))
    assert manager.lookup_tenant_by_domain("example.com") == made
    assert manager.lookup_tenant_by_domain("WWW.Example.com.") == made
    assert meter.calls == 1


def test_an_unknown_domain_is_none(forms: FormTable) -> None:
    assert DomainLookupManager(forms.store()).lookup_tenant_by_domain("other.com") is None


def test_an_outage_is_not_an_unknown_domain(forms: FormTable) -> None:
    class Down:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            raise Unavailable("DynamoDB does not answer")

    with pytest.raises(Unavailable):
        DomainLookupManager(forms.store(Down())).lookup_tenant_by_domain("example.com")


# Realistic Cost Projections: `COST_MODEL_2025`, and the alerts of decision 4.


COST_MODEL_2025: dict[str, dict[str, dict[str, float]]] = {
    "1,000": {
        "dynamodb": {"read": 2, "write": 3, "storage": 1},
        "lambda": {"compute": 2, "requests": 1},
        "api_gateway": {"requests": 1, "data_transfer": 0.5},
        "eventbridge": {"events": 0.5},
        "security": {"kms": 2, "secrets_manager": 1},
        "monitoring": {"cloudwatch": 1, "xray": 0.5},
        "s3": {"storage": 0.5, "requests": 0.2},
    },
    "10,000": {
        "dynamodb": {"read": 8, "write": 12, "storage": 3},
        "lambda": {"compute": 6, "requests": 2},
        "api_gateway": {"requests": 3, "data_transfer": 2},
        "eventbridge": {"events": 2},
        "security": {"kms": 8, "secrets_manager": 3, "waf": 5},
        "monitoring": {"cloudwatch": 3, "xray": 2},
        "s3": {"storage": 2, "requests": 1},
    },
}


@pytest.mark.parametrize("size", COST_MODEL_2025)
def test_the_bill_has_a_line_for_each_cost_of_the_model(size: str) -> None:
    lines = FORMS.scale(size).lines
    model = COST_MODEL_2025[size].values()
    published = sum(Decimal(str(dollars)) for parts in model for dollars in parts.values())
    assert sum(Decimal(line.published) for line in lines) == published
    assert ("WAF" in {line.name for line in lines}) is (size == "10,000")


def test_alerts_are_at_10_15_and_20_dollars() -> None:
    """In dev. An idle stage with alarms and backups costs more than ten."""
    settings = tomllib.loads((ROOT / "stages" / "dev.toml").read_text())
    assert settings["cost_limits"] == [10, 15, 20]
    assert COST_LIMITS.default == "20,30,40"


# Decision Log and Knowledge Base.


def test_all_entities_are_in_one_table() -> None:
    published = {
        *("Submission", "Destination", "DeliveryAttempt", "TenantConfig", "TenantShards"),
        *("DailyMetrics", "HourlyMetrics", "DomainLookup"),
    }
    assert published <= Forms.__design__.entities.keys()


def test_no_index_projects_all_attributes() -> None:
    assert {index.projects for index in TableForm.of(Forms.__design__).indexes.values()} == {
        "INCLUDE"
    }


def test_a_repeated_request_stores_one_submission(
    dynamodb: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(FormTable(dynamodb), monkeypatch)
    world.tenant()
    headers = world.signed()
    assert taken(world.send(headers=headers)) == taken(world.send(headers=headers))
    assert len(world.stored()) == 1


def test_a_payload_beyond_the_item_is_offloaded_to_s3(
    dynamodb: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(FormTable(dynamodb), monkeypatch)
    world.tenant()
    body = json.dumps({"file": Random(1).randbytes(200_000).hex()}).encode()
    id = taken(world.send(body))
    (stored,) = world.stored()
    assert stored.payload_key == f"acme/{id}"
    assert stored.data is None
    assert world.payloads() == [body]


def published_submission(id: str, payload: dict[str, Any], count: int = 4) -> dict[str, Any]:
    """A submission as the published `create_submission_key` and `process_payload` write it."""
    timestamp = "2025-01-26T10:04:00.123456"
    digest = md5(f"acme#{timestamp}".encode(), usedforsecurity=False).hexdigest()
    text = json.dumps(payload, separators=(",", ":"), default=float).encode()
    zipped = gzip.compress(text)
    stored: dict[str, Any] = {"data": payload, "compressed": False, "storage_size": len(text)}
    if len(text) >= 1024 and len(zipped) / len(text) < 0.7:
        stored = {
            "data": b64encode(zipped).decode(),
            "compressed": True,
            "compression_algorithm": "gzip",
            "storage_size": len(zipped),
            "compression_ratio": Decimal(str(len(zipped) / len(text))),
        }
    shard = str(int(digest[:8], 16) % count)
    return {
        "PK": f"TENANT#acme#{shard}",
        "SK": f"SUB#{id}",
        "GSI1PK": "TENANT#acme",
        "GSI1SK": f"TS#{timestamp}",
        "GSI2PK": "TENANT#acme#STATUS",
        "GSI2SK": f"PENDING#{timestamp}",
        "shard_id": shard,
        "tenant_id": "acme",
        "original_size": len(text),
        **stored,
    }


SMALL: dict[str, Any] = {"name": "Ada", "score": Decimal("0.5"), "tags": ["a", None, True]}
LARGE: dict[str, Any] = {"message": "Hello " * 500}


# Items that the published code wrote are imported by `lambdas.forms.import_form_bridge`.


def import_all(forms: FormTable, *items: dict[str, Any]) -> Counter[str]:
    store = forms.store()
    published = PublishedItems(store, "FormBridgeData", "contact")
    work = BringBack(
        *(forms.database.caller, Live("forms", ("PK", "SK"), "ttl"), lambda item: item),
        rate=Rate(1000),
        dry_run=False,
        now=NOW,
    )
    wire = [{name: encode(value) for name, value in item.items()} for item in items]
    return importing(published.convert, work)(wire)


@pytest.mark.parametrize("payload", [SMALL, LARGE], ids=["as it is", "base64 of gzip"])
def test_a_published_submission_is_imported_once_and_read_by_its_id(
    forms: FormTable, payload: dict[str, Any]
) -> None:
    old = published_submission("order-17", payload)
    assert import_all(forms, old) == Counter(missing=1)
    assert import_all(forms, old) == Counter(same=1)
    (found,) = forms.store().each(Forms.submissions, tenant_id="acme")
    read = forms.store().get(
        Forms.get_submission, tenant_id="acme", submission_id=found.submission_id
    )
    assert read is not None
    assert (read.published_id, read.form_id, read.status) == ("order-17", "contact", "PENDING")
    assert read.timestamp == "2025-01-26T10:04:00.123Z"
    assert json.loads(PAYLOADS.fetch(read), parse_float=Decimal) == payload


def test_an_imported_submission_is_neither_delivered_nor_counted(forms: FormTable) -> None:
    import_all(forms, published_submission("order-17", LARGE))
    (item,) = forms.database.items()
    record = {"eventName": "INSERT", "dynamodb": {"Keys": item, "NewImage": item}}
    assert not passes(record, (*CREATED_SUBMISSIONS, *COUNTED_CHANGES))


def test_published_daily_metrics_are_on_the_dashboard(forms: FormTable) -> None:
    day = {
        "PK": "TENANT#acme",
        "SK": "METRICS#DAY#2099-01-26",
        "GSI1PK": "METRICS#DAY#2099-01-26",
        "GSI1SK": "TENANT#acme",
        "submission_count": 3,
        "form_stats": {"contact": 2, "newsletter": 1},
    }
    assert import_all(forms, day) == Counter(missing=1)
    metrics = MetricsAggregationManager(forms.store(), now=lambda: NOW)
    shown = metrics.get_dashboard_metrics("acme")
    assert shown["total_submissions"] == 3
    assert shown["form_statistics"] == {"contact": 2, "newsletter": 1}


def test_a_damaged_item_is_refused_and_the_others_imported(forms: FormTable) -> None:
    bad, good = (published_submission(id, LARGE) for id in ("bad", "good"))
    damages: list[dict[str, Any]] = [
        {"data": "bm90IGd6aXA="},
        {"data": {"message": "not compressed"}},
        {"data": {"file": b"%PDF"}, "compressed": False},
        {"ttl": ["soon"]},
        {"ttl": Decimal("1E+20")},
        {"GSI1SK": "TS#soon"},
    ]
    damaged = [{**bad, **damage} for damage in damages]
    assert import_all(forms, *damaged, good) == Counter(missing=1, refused=len(damages))


def test_a_submission_in_two_published_shards_is_imported_once(forms: FormTable) -> None:
    first, second = (published_submission("order-17", LARGE, count=n) for n in (1, 4))
    other = {**second, "PK": "TENANT#acme#9", "form_id": "other"}
    assert import_all(forms, first, second, other) == Counter(missing=1, same=1, differs=1)


def test_numbers_of_a_published_payload_keep_all_digits(forms: FormTable) -> None:
    payload = {"amount": Decimal("12345678901234567890.123456789")}
    old = {**published_submission("order-17", SMALL), "data": payload}
    import_all(forms, old)
    (found,) = forms.store().each(Forms.submissions, tenant_id="acme")
    read = forms.store().get(
        Forms.get_submission, tenant_id="acme", submission_id=found.submission_id
    )
    assert read is not None
    assert json.loads(PAYLOADS.fetch(read), parse_float=Decimal) == payload


@pytest.mark.parametrize("dry_run", [True, False], ids=["dry run", "import"])
def test_the_command_imports_the_published_table_and_can_be_repeated(
    forms: FormTable,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    dry_run: bool,
) -> None:
    database = forms.database
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    database.table(Forms, "FormBridgeData")
    items = [published_submission("a", SMALL), published_submission("b", LARGE)]
    items.append({"PK": "TENANT#acme", "SK": "CONFIG#main", "name": "is left out"})
    wire = [{name: encode(value) for name, value in item.items()} for item in items]
    database.write(wire, "FormBridgeData")
    options = ["--from", "FormBridgeData", "--to", "forms", "--region", "eu-west-1"]
    options += ["--form", "contact", "--state", str(tmp_path / "state.json")]
    for _ in range(2):
        assert import_form_bridge.main([*options, *(["--dry-run"] if dry_run else [])]) == 0
    imported = sorted(item["published_id"]["S"] for item in database.items("forms"))
    assert imported == ([] if dry_run else ["a", "b"])
