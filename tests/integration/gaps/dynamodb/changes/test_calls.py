"""Calls that change a table are refused as DynamoDB refuses them, and change nothing."""

from typing import Any

import pytest

from tablewright.testing import Database
from tests.integration.gaps.clouds import Cloud
from tests.integration.gaps.dynamodb.changes.refused_calls import (
    FULL_TABLE,
    GONE,
    NAME,
    REFUSED,
    TABLE,
    created,
    expiring,
    make,
    refused,
    updated,
)
from tests.integration.gaps.dynamodb.changes.shapes import attributes, index


@pytest.fixture(scope="module")
def client(cloud: Cloud) -> Any:
    return make(cloud.client("dynamodb"))


@pytest.mark.parametrize("what", REFUSED)
def test_a_refused_call_changes_nothing(client: Any, what: str) -> None:
    call, code, message, _ = REFUSED[what]
    before = client.describe_table(TableName=NAME)["Table"]
    assert refused(call, client) == (code, message)
    assert client.describe_table(TableName=NAME)["Table"] == before


def test_the_engine_refuses_the_same_calls_by_the_same_errors(dynamodb: Database) -> None:
    engine = make(dynamodb.client(retries={"total_max_attempts": 1}))
    for what, (call, code, message, same_words) in REFUSED.items():
        its_code, its_message = refused(call, engine)
        assert its_code == code, what
        assert (its_message in message) is same_words, what
    # The engine keeps a protected table, and so the database could not be lent again.
    engine.update_table(TableName=NAME, DeletionProtectionEnabled=False)


def test_with_the_gaps_open_every_change_is_made(open_cloud: Cloud) -> None:
    client = make(open_cloud.client("dynamodb"))
    for what in ("two indexes made", "a table with too many", "expiry by another attribute"):
        REFUSED[what][0](client)
    _, message = refused(REFUSED["deletion of a protected table"][0], client)
    assert message != REFUSED["deletion of a protected table"][2]


def test_one_index_at_a_time_is_made_and_deleted(cloud: Cloud) -> None:
    client = cloud.client("dynamodb")
    client.create_table(**{**TABLE, "TableName": "one-at-a-time"})
    # A definition that no key uses is passed over, whatever its type.
    defined = [*attributes("B"), *attributes("PK", kind="N")]
    created(index("by-b", "B"), defined=defined, table="one-at-a-time")(client)
    described = updated(GONE, table="one-at-a-time")(client)["TableDescription"]
    assert [each["IndexName"] for each in described["GlobalSecondaryIndexes"]] == ["by-b"]
    assert described["AttributeDefinitions"] == attributes("PK", "SK", "A", "B")


def test_an_expiry_that_was_switched_off_can_have_another_attribute(cloud: Cloud) -> None:
    client = cloud.client("dynamodb")
    client.create_table(**{**FULL_TABLE, "TableName": "expiring"})
    for attribute, enabled in (("old", True), ("old", False), ("new", True)):
        expiring(attribute, enabled=enabled, table="expiring")(client)
    described = client.describe_time_to_live(TableName="expiring")["TimeToLiveDescription"]
    assert described == {"AttributeName": "new", "TimeToLiveStatus": "ENABLED"}
    off = expiring("new", enabled=False, table="expiring")
    off(client)
    assert refused(off, client) == ("ValidationException", "TimeToLive is already disabled")
