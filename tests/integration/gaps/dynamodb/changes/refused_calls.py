"""Calls that DynamoDB refuses, on tables that have what they are about, and its errors."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.gaps.dynamodb.changes.shapes import attributes, index, keys

NAME, FULL = "changed", "full"
INVALID = "One or more parameter values were invalid: "
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}
TABLE = {
    **ON_DEMAND,
    "TableName": NAME,
    "KeySchema": keys("PK", "SK"),
    "AttributeDefinitions": attributes("PK", "SK", "A"),
    "GlobalSecondaryIndexes": [index("by-a", "A")],
    "LocalSecondaryIndexes": [index("local", "PK", "A")],
    "DeletionProtectionEnabled": True,
}
TWENTY = [index(f"index-{number}", "PK") for number in range(20)]
FULL_TABLE = {
    **ON_DEMAND,
    "TableName": FULL,
    "KeySchema": keys("PK"),
    "AttributeDefinitions": attributes("PK"),
    "GlobalSecondaryIndexes": TWENTY,
}

Call = Callable[[Any], Any]


def updated(*updates: dict[str, Any], table: str = NAME, **more: Any) -> Call:
    return lambda client: client.update_table(
        TableName=table, GlobalSecondaryIndexUpdates=list(updates), **more
    )


def created(*made: dict[str, Any], defined: Any = None, **more: Any) -> Call:
    definitions = {} if defined is None else {"AttributeDefinitions": defined}
    return updated(*({"Create": each} for each in made), **definitions, **more)


def expiring(attribute: str, *, enabled: bool = True, table: str = NAME) -> Call:
    specification = {"AttributeName": attribute, "Enabled": enabled}
    return lambda client: client.update_time_to_live(
        TableName=table, TimeToLiveSpecification=specification
    )


GONE = {"Delete": {"IndexName": "by-a"}}
ONE_INDEX = "Only 1 online index can be created or deleted simultaneously per table"
REDEFINED = (
    f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the same type "
    "as previously defined. Existing schema: Schema:[SchemaElement: key{A:S:HASH}] "
    "New schema: Schema:[SchemaElement: key{A:N:HASH}]"
)

# What is refused, by which error; and whether DynamoDB Local says so in the same words, or in some
# of them.
REFUSED: dict[str, tuple[Call, str, str, bool]] = {
    "two indexes made": (
        created(index("by-b", "B"), index("by-c", "C"), defined=attributes("B", "C")),
        "LimitExceededException",
        f"Subscriber limit exceeded: {ONE_INDEX}",
        True,
    ),
    "one made, one deleted": (
        updated({"Create": index("by-b", "B")}, GONE, AttributeDefinitions=attributes("B")),
        "LimitExceededException",
        f"Subscriber limit exceeded: {ONE_INDEX}",
        True,
    ),
    "deleted and made anew": (
        updated(GONE, {"Create": index("by-a", "B")}, AttributeDefinitions=attributes("B")),
        "ValidationException",
        f"{INVALID}Only one global secondary index update per index is allowed simultaneously. "
        "Index: by-a",
        True,
    ),
    "an index that exists": (
        created(index("by-a", "A"), defined=attributes("A")),
        "ValidationException",
        "Attempting to create an index which already exists",
        True,
    ),
    "the name of a local index": (
        created(index("local", "A"), defined=attributes("A")),
        "ValidationException",
        "Attempting to create an index which already exists",
        True,
    ),
    "deletion of an index that is not there": (
        updated({"Delete": {"IndexName": "absent"}}),
        "ResourceNotFoundException",
        f"Requested resource not found: Index absent for table {NAME}",
        True,
    ),
    "deletion of a local index": (
        updated({"Delete": {"IndexName": "local"}}),
        "ValidationException",
        "Cannot delete an index that is not a GlobalSecondaryIndex: local",
        True,
    ),
    "no attribute defined": (
        created(index("by-b", "B")),
        "ValidationException",
        f"{INVALID}AttributeDefinitions is not specified for index: by-b",
        False,
    ),
    "an attribute not defined": (
        created(index("by-b", "B", "C"), defined=attributes("PK", "B")),
        "ValidationException",
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
        "Keys: [C], AttributeDefinitions: [PK, B]",
        False,
    ),
    "an attribute of another type": (
        created(index("again-by-a", "A"), defined=attributes("A", kind="N")),
        "ValidationException",
        REDEFINED,
        False,
    ),
    "one index too many": (
        created(index("by-b", "B"), defined=attributes("B"), table=FULL),
        "LimitExceededException",
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of "
        "20",
        True,
    ),
    "a table with too many": (
        lambda client: client.create_table(
            **{
                **FULL_TABLE,
                "TableName": "fuller",
                "GlobalSecondaryIndexes": [*TWENTY, index("by-pk", "PK")],
            }
        ),
        "ValidationException",
        f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20",
        True,
    ),
    "expiry by another attribute": (
        expiring("other"),
        "ValidationException",
        "TimeToLive is active on a different AttributeName: current AttributeName is ttl",
        True,
    ),
    "no expiry by another attribute": (
        expiring("other", enabled=False),
        "ValidationException",
        "TimeToLive is active on a different AttributeName: current AttributeName is ttl",
        True,
    ),
    "the expiry that there is": (
        expiring("ttl"),
        "ValidationException",
        "TimeToLive is already enabled",
        True,
    ),
    "deletion of a protected table": (
        lambda client: client.delete_table(TableName=NAME),
        "ValidationException",
        "Resource cannot be deleted as it is currently protected against deletion. "
        "Disable deletion protection first.",
        True,
    ),
}


def make(client: Any) -> Any:
    for table in (TABLE, FULL_TABLE):
        client.create_table(**table)
    expiring("ttl")(client)
    return client


def refused(call: Call, client: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(client)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]
