"""What is computed because the engine does not report it."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.runtime.aws import Caller
from tablewright.runtime.meter import Meter
from tablewright.testing import Database
from tablewright.testing.metering import FaithfulMeter

TABLE = "sentiment-dashboard"


def key(number: int) -> dict[str, Any]:
    return {"day_partition": {"S": f"key {number}"}, "ingested_at": {"S": "now"}}


QUERY = {
    "TableName": TABLE,
    "KeyConditionExpression": "#day = :day",
    "ExpressionAttributeNames": {"#day": "day_partition"},
    "ExpressionAttributeValues": {":day": {"S": "nothing"}},
}
BATCH_GET = {"RequestItems": {TABLE: {"Keys": [key(1), key(2), key(3)]}}}
CONSISTENT = {"ConsistentRead": True}
CONSISTENT_BATCH_GET = {"RequestItems": {TABLE: {"Keys": [key(1), key(2)], **CONSISTENT}}}


@pytest.fixture
def dynamo(dynamodb: Database) -> Caller:
    dynamodb.table(Dashboard)
    return dynamodb.caller


@pytest.mark.parametrize(
    ("operation", "params"),
    [
        ("Query", QUERY),
        ("Query", {**QUERY, **CONSISTENT}),
        ("BatchGetItem", BATCH_GET),
        ("BatchGetItem", CONSISTENT_BATCH_GET),
    ],
)
def test_the_engine_reports_nothing_for_what_is_not_there(
    dynamo: Caller, operation: str, params: dict[str, Any]
) -> None:
    """When this fails, the engine has learned it, and the computed part is to go."""
    meter = Meter(dynamo)
    meter.call(operation, params)
    assert meter.read_units == 0


def test_a_query_that_finds_nothing_costs_half_a_unit(dynamo: Caller) -> None:
    meter = FaithfulMeter(dynamo)
    meter.call("Query", QUERY)
    assert (meter.read_units, meter.computed) == (Decimal("0.5"), True)


def test_a_key_without_an_item_costs_half_a_unit(dynamo: Caller) -> None:
    dynamo.call("PutItem", {"TableName": TABLE, "Item": key(1)})
    meter = FaithfulMeter(dynamo)
    meter.call("BatchGetItem", BATCH_GET)
    assert (meter.read_units, meter.computed) == (Decimal("1.5"), True)


def test_a_consistent_look_for_what_is_not_there_costs_a_unit(dynamo: Caller) -> None:
    dynamo.call("PutItem", {"TableName": TABLE, "Item": key(1)})
    meter = FaithfulMeter(dynamo)
    meter.call("BatchGetItem", CONSISTENT_BATCH_GET)
    assert (meter.read_units, meter.computed) == (Decimal(2), True)
    meter.reset()
    meter.call("Query", {**QUERY, **CONSISTENT})
    assert (meter.read_units, meter.computed) == (Decimal(1), True)


def test_what_a_filter_leaves_out_is_as_the_engine_reports(dynamo: Caller) -> None:
    dynamo.call("PutItem", {"TableName": TABLE, "Item": key(1)})
    filtered = {
        **QUERY,
        "FilterExpression": "attribute_exists(#mood)",
        "ExpressionAttributeNames": {"#day": "day_partition", "#mood": "mood"},
        "ExpressionAttributeValues": {":day": key(1)["day_partition"]},
    }
    meter = FaithfulMeter(dynamo)
    assert meter.call("Query", filtered)["Items"] == []
    assert (meter.read_units, meter.computed) == (Decimal("0.5"), False)


def test_what_is_found_is_as_the_engine_reports(dynamo: Caller) -> None:
    dynamo.call("PutItem", {"TableName": TABLE, "Item": key(1)})
    meter = FaithfulMeter(dynamo)
    meter.call("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [key(1)]}}})
    assert (meter.read_units, meter.computed) == (Decimal("0.5"), False)


def test_an_item_of_a_transaction_costs_two_units_a_kilobyte(dynamo: Caller) -> None:
    large = {**key(1), "text": {"S": "x" * 1500}}
    dynamo.call("PutItem", {"TableName": TABLE, "Item": large})
    change = {
        "TableName": TABLE,
        "Key": key(1),
        "UpdateExpression": "SET #mood = :mood",
        "ExpressionAttributeNames": {"#mood": "mood"},
        "ExpressionAttributeValues": {":mood": {"S": "fine"}},
    }
    put = {"TableName": TABLE, "Item": key(2)}
    meter = FaithfulMeter(dynamo)
    meter.call("TransactWriteItems", {"TransactItems": [{"Put": put}, {"Update": change}]})
    assert meter.write_units == 2 + 4
    assert (meter.calls, meter.computed) == (1, True)


def test_what_a_transaction_removes_or_only_looks_at_costs_as_much(dynamo: Caller) -> None:
    large = {**key(1), "text": {"S": "x" * 1500}}
    dynamo.call("PutItem", {"TableName": TABLE, "Item": large})
    absent = {
        "TableName": TABLE,
        "Key": key(2),
        "ConditionExpression": "attribute_not_exists(#day)",
        "ExpressionAttributeNames": {"#day": "day_partition"},
    }
    gone = {"TableName": TABLE, "Key": key(1)}
    meter = FaithfulMeter(dynamo)
    actions = [{"Delete": gone}, {"ConditionCheck": absent}]
    meter.call("TransactWriteItems", {"TransactItems": actions})
    assert meter.write_units == 4 + 2


def test_a_read_of_a_transaction_is_as_the_engine_reports(dynamo: Caller) -> None:
    """Two units for four kilobytes, and for what is not there."""
    dynamo.call(
        "PutItem",
        {"TableName": TABLE, "Item": {**key(1), "text": {"S": "x" * 4500}}},
    )
    meter = FaithfulMeter(dynamo)
    reads = [{"Get": {"TableName": TABLE, "Key": key(number)}} for number in (1, 2)]
    meter.call("TransactGetItems", {"TransactItems": reads})
    assert (meter.read_units, meter.computed) == (Decimal(4 + 2), False)
