"""Updates of a stack that AWS refuses are rolled back, and the table stays as it was."""

import json
from typing import Any

import pytest

from tests.integration.gaps.clouds import HOME, Cloud, deploy, until
from tests.integration.gaps.dynamodb.changes.shapes import attributes, index, keys

OTHER, THIRD, FOURTH = "us-west-2", "us-east-2", "us-east-1"
TABLE, GLOBAL_TABLE = "AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"
ONE_INDEX = "Cannot perform more than one GSI creation or deletion in a single update"
FIXED_INDEX = (
    "Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights "
    "Specification. You can create a new GSI with a different name."
)
UNDEFINED = (
    "Property AttributeDefinitions is inconsistent with the KeySchema of the table and the "
    "secondary indexes"
)
RENAME = (
    "CloudFormation cannot update a stack when a custom-named resource requires replacing. "
    "Rename {name} and update the stack again."
)
REPLICAS = "Update table operation with more than one create or delete replica actions not allowed"
ALONE = "Replica modification must be the only operation in the request"
OTHER_TTL = "TimeToLive is active on a different AttributeName: current AttributeName is ttl"
NO_TTL = (
    "Invalid request provided: AttributeName property of TimeToLiveSpecification is required when "
    "TTL status is enabled or while enabling/disabling TTL."
)
PROTECTED = (
    "Resource cannot be deleted as it is currently protected against deletion. "
    "Disable deletion protection first."
)

Properties = dict[str, Any]

FIRST: Properties = {
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": keys("PK"),
    "AttributeDefinitions": attributes("PK", "A"),
    "GlobalSecondaryIndexes": [index("by-a", "A", ProjectionType="KEYS_ONLY")],
    "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True},
}
# A resource that is made after the table, if it could be.
FAILING: dict[str, Any] = {
    "Type": TABLE,
    "DependsOn": "Table",
    "Properties": {"KeySchema": keys("PK"), "AttributeDefinitions": attributes("undefined")},
}
NO_INDEX: Properties = {"GlobalSecondaryIndexes": [], "AttributeDefinitions": attributes("PK")}


def with_indexes(*more: str, **changed: Any) -> Properties:
    """The first index and others, each by an attribute of its own."""
    first = {**FIRST["GlobalSecondaryIndexes"][0], **changed}
    return {
        "GlobalSecondaryIndexes": [first, *(index(f"by-{name.lower()}", name) for name in more)],
        "AttributeDefinitions": attributes("PK", "A", *more),
    }


REFUSED: dict[str, tuple[Properties, str]] = {
    "two indexes made": (with_indexes("B", "C"), ONE_INDEX),
    "one made, one deleted": (
        {
            "GlobalSecondaryIndexes": [index("by-b", "B")],
            "AttributeDefinitions": attributes("PK", "B"),
        },
        ONE_INDEX,
    ),
    "an index of other keys": (with_indexes(KeySchema=keys("A", "PK")), FIXED_INDEX),
    "an index of another projection": (
        with_indexes(Projection={"ProjectionType": "ALL"}),
        FIXED_INDEX,
    ),
    "twenty more": (with_indexes(*(f"B{number}" for number in range(20))), ONE_INDEX),
    "an attribute that is not defined": (
        {**with_indexes("B"), "AttributeDefinitions": attributes("PK", "A")},
        UNDEFINED,
    ),
    "a table of other keys": ({"KeySchema": keys("PK", "A")}, RENAME),
    "a key of another type": (
        {"AttributeDefinitions": [*attributes("PK", kind="N"), *attributes("A")]},
        RENAME,
    ),
    "expiry by another attribute": (
        {"TimeToLiveSpecification": {"AttributeName": "other", "Enabled": True}},
        OTHER_TTL,
    ),
    "expiry left out": ({"TimeToLiveSpecification": None}, NO_TTL),
    "expiry off, by no attribute": ({"TimeToLiveSpecification": {"Enabled": False}}, NO_TTL),
}
REFUSED_GLOBAL: dict[str, tuple[Properties, str]] = {
    "two replicas made": ({"Replicas": [OTHER, THIRD, FOURTH]}, REPLICAS),
    "one made, one removed": ({"Replicas": [THIRD]}, REPLICAS),
    "a replica and an index": ({**NO_INDEX, "Replicas": []}, ALONE),
    "a protected replica removed": (
        {"Replicas": []},
        f"Cannot delete table {{name}} in region {OTHER} because it has deletion protection "
        "enabled. Disable deletion protection first.",
    ),
}


def template(kind: str, **properties: Any) -> dict[str, Any]:
    given = {name: value for name, value in {**FIRST, **properties}.items() if value is not None}
    if kind == GLOBAL_TABLE:
        regions = (HOME, *given.get("Replicas", ()))
        given["Replicas"] = [{"Region": region} for region in regions]
        given["StreamSpecification"] = {"StreamViewType": "NEW_AND_OLD_IMAGES"}
        # A replica is protected or not, and so is the table of a stack.
        protected = given.pop("DeletionProtectionEnabled", False)
        for replica in given["Replicas"]:
            replica["DeletionProtectionEnabled"] = protected
    return {"Resources": {"Table": {"Type": kind, "DeletionPolicy": "Delete", "Properties": given}}}


class Stack:
    """A stack with one table, and what becomes of its updates."""

    def __init__(self, cloud: Cloud, name: str, kind: str = GLOBAL_TABLE, **first: Any) -> None:
        self.cloud, self.name, self.kind, self.first = cloud, name, kind, first
        self._formation = cloud.client("cloudformation")
        self.table = deploy(cloud, name, template(kind, **first))["Table"]

    def update(self, *, fails: bool = False, **changes: Any) -> str | None:
        changed = template(self.kind, **{**self.first, **changes})
        if fails:
            changed["Resources"]["Failing"] = FAILING
        self._formation.update_stack(StackName=self.name, TemplateBody=json.dumps(changed))
        return until(self._ended)

    def delete(self) -> str | None:
        self._formation.delete_stack(StackName=self.name)
        return until(self._ended)

    @property
    def reason(self) -> str:
        """Why the table was last refused something."""
        events = self._formation.describe_stack_events(StackName=self.name)["StackEvents"]
        failed = (event for event in events if event["ResourceStatus"].endswith("_FAILED"))
        of_table = (event for event in failed if event["LogicalResourceId"] == "Table")
        return str(next(of_table)["ResourceStatusReason"])

    @property
    def described(self) -> list[Any]:
        """The table in each region, and when its items expire."""
        regions = (self.cloud.client("dynamodb", region_name=r) for r in (HOME, OTHER, THIRD))
        there = [each for each in regions if self.table in each.list_tables()["TableNames"]]
        return [
            (
                each.describe_table(TableName=self.table)["Table"],
                each.describe_time_to_live(TableName=self.table)["TimeToLiveDescription"],
            )
            for each in there
        ]

    def physical_id(self) -> str:
        resources = self._formation.describe_stack_resources(StackName=self.name)
        (table,) = resources["StackResources"]
        return str(table["PhysicalResourceId"])

    def _ended(self) -> str | None:
        # A deleted stack is found no more by its name.
        found = [
            stack["StackStatus"]
            for stack in self._formation.list_stacks()["StackSummaries"]
            if stack["StackName"] == self.name
        ]
        return None if found[0].endswith("IN_PROGRESS") else str(found[0])


@pytest.fixture(scope="module")
def tables(cloud: Cloud) -> dict[str, Stack]:
    replicas: Properties = {"Replicas": [OTHER], "DeletionProtectionEnabled": True}
    made = (
        Stack(cloud, "kept-table", TABLE, TableName="kept-table"),
        Stack(cloud, "kept-global", TableName="kept-global", **replicas),
    )
    for stack in made:
        cloud.client("dynamodb").put_item(TableName=stack.table, Item={"PK": {"S": "kept"}})
    return {stack.kind: stack for stack in made}


CASES = [
    pytest.param(kind, changes, reason, id=f"{kind.rpartition('::')[2]}, {what}")
    for kind, cases in ((TABLE, REFUSED), (GLOBAL_TABLE, {**REFUSED, **REFUSED_GLOBAL}))
    for what, (changes, reason) in cases.items()
]


@pytest.mark.parametrize(("kind", "changes", "reason"), CASES)
def test_a_refused_update_leaves_the_table_as_it_was(
    tables: dict[str, Stack], kind: str, changes: Properties, reason: str
) -> None:
    stack = tables[kind]
    before = stack.described
    assert all(table["ItemCount"] == 1 for table, _ in before)
    assert stack.update(**changes) == "UPDATE_ROLLBACK_COMPLETE"
    assert stack.reason == reason.format(name=stack.table)
    assert stack.described == before


def test_one_change_an_update_is_made(cloud: Cloud) -> None:
    stack = Stack(cloud, "step-by-step", TableName="step-by-step")
    off = {"TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": False}}
    on = {"TimeToLiveSpecification": {"AttributeName": "other", "Enabled": True}}
    two: Properties = with_indexes("B")
    replica: Properties = {**two, "Replicas": [OTHER]}
    one: Properties = {**with_indexes(), **on}
    for changes in (two, replica, {**replica, **off}, {**replica, **on}, {**two, **on}, one):
        assert stack.update(**changes) == "UPDATE_COMPLETE", stack.reason
        described = stack.described
        assert len(described) == 1 + len(changes.get("Replicas", []))
        wanted = [each["IndexName"] for each in changes["GlobalSecondaryIndexes"]]
        for table, _ in described:
            assert [each["IndexName"] for each in table["GlobalSecondaryIndexes"]] == wanted
    assert described[0][1] == {"AttributeName": "other", "TimeToLiveStatus": "ENABLED"}


def test_a_change_is_taken_back_when_another_resource_fails(cloud: Cloud) -> None:
    first: Properties = {"TableName": "taken-back", "TimeToLiveSpecification": None}
    stack = Stack(cloud, "taken-back", **first)
    expiry = {"TimeToLiveSpecification": FIRST["TimeToLiveSpecification"]}
    for changes in (expiry, with_indexes("B"), {"Replicas": [OTHER]}):
        assert stack.update(fails=True, **changes) == "UPDATE_ROLLBACK_COMPLETE"
        ((table, expires),) = stack.described
        assert expires["TimeToLiveStatus"] == "DISABLED"
        assert [each["IndexName"] for each in table["GlobalSecondaryIndexes"]] == ["by-a"]


def test_a_table_without_a_given_name_is_replaced_for_other_keys(cloud: Cloud) -> None:
    for kind in (TABLE, GLOBAL_TABLE):
        stack = Stack(cloud, f"unnamed-{kind.rpartition('::')[2]}", kind)
        assert stack.update(KeySchema=keys("PK", "A")) == "UPDATE_COMPLETE"
        assert stack.physical_id() != stack.table
        assert stack.described == []


@pytest.mark.parametrize("kind", [TABLE, GLOBAL_TABLE])
def test_a_protected_table_outlives_its_stack(cloud: Cloud, kind: str) -> None:
    name = f"guarded-{kind.rpartition('::')[2]}"
    stack = Stack(cloud, name, kind, TableName=name, DeletionProtectionEnabled=True)
    assert stack.delete() == "DELETE_FAILED"
    assert stack.reason == PROTECTED
    assert len(stack.described) == 1
    cloud.client("dynamodb").update_table(TableName=name, DeletionProtectionEnabled=False)
    assert stack.delete() == "DELETE_COMPLETE"
    assert stack.described == []


def test_a_table_is_not_made_with_more_than_twenty_indexes(cloud: Cloud) -> None:
    many = with_indexes(*(f"B{number}" for number in range(20)))
    limit = "GlobalSecondaryIndex count exceeds the per-table limit of 20"
    with pytest.raises(AssertionError, match=limit):
        Stack(cloud, "too-many", TableName="too-many", **many)


def test_with_the_gaps_open_every_update_is_made(open_cloud: Cloud) -> None:
    stack = Stack(open_cloud, "open", TableName="open", DeletionProtectionEnabled=True)
    for what in (
        "two indexes made",
        "an index of other keys",
        "a key of another type",
        "expiry by another attribute",
    ):
        assert stack.update(**REFUSED[what][0]) == "UPDATE_COMPLETE"
    assert stack.update(Replicas=[OTHER, THIRD]) == "UPDATE_COMPLETE"
    assert stack.delete() == "DELETE_COMPLETE"
    assert stack.described == []
