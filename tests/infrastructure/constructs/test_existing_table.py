"""A table that exists is granted and consumed as one that is made here."""

from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms

from tablewright.constructs import DesignTable, GrantError, StreamConsumer
from tablewright.constructs.tables.base import DesignTableBase
from tablewright.model import Entity, Field, Get, Index, Key, Put, Query, Table, Text
from tests.infrastructure.constructs.building_blocks import IN_IRELAND, function_in
from tests.infrastructure.synthesis import new_stack, resources, template_of, text


class Note(Entity, key=Key("T#{tenant}", "{note}")):
    tenant: Field[str] = Text()
    note: Field[str] = Text()
    topic: Field[str] = Text()


class Notes(Table, pk="pk", sk="sk", tenant="tenant", stream="NEW_AND_OLD_IMAGES"):
    by_topic = Index(
        pk="topic_pk",
        sk="topic_sk",
        keys={Note: Key("T#{tenant}#TOPIC#{topic}", "{note}")},
    )

    put_note = Put(Note)
    get_note = Get(Note)
    topic_notes = Query(Note, by_topic)


ARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/notes"


def role(stack: Stack) -> iam.Role:
    return iam.Role(stack, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))


def granted(stack: Stack) -> list[dict[str, Any]]:
    (policy,) = resources(template_of(stack), "AWS::IAM::Policy").values()
    statements: list[dict[str, Any]] = policy["PolicyDocument"]["Statement"]
    return statements


def by_name(stack: Stack) -> DesignTableBase:
    return DesignTable.from_table_name(stack, "Notes", "notes", design=Notes)


def by_arn(stack: Stack) -> DesignTableBase:
    return DesignTable.from_table_arn(stack, "Notes", ARN, design=Notes)


@pytest.mark.parametrize("find", [by_name, by_arn])
def test_it_is_granted_by_pattern_and_index_and_makes_no_table(find: Any) -> None:
    stack = new_stack(env=IN_IRELAND)
    grant = find(stack).grant(role(stack), Notes.put_note, Notes.topic_notes)
    assert isinstance(grant, iam.Grant)
    assert grant.success
    found = [(one["Action"], text(one["Resource"])) for one in granted(stack)]
    assert [action for action, _ in found] == ["dynamodb:PutItem", "dynamodb:Query"]
    assert found[0][1].endswith("table/notes")
    assert found[1][1].endswith("table/notes/index/by_topic")
    assert not resources(template_of(stack), "AWS::DynamoDB::GlobalTable")


def test_its_replicas_and_keys_are_granted_too() -> None:
    stack = new_stack(env=IN_IRELAND)
    table = DesignTable.from_table_attributes(
        stack,
        "Notes",
        design=Notes,
        table_name="notes",
        replicas=["us-west-2"],
        encryption_key=kms.Key.from_key_arn(stack, "Key", "arn:aws:kms:eu-west-1:1:key/home"),
        replica_key_arns={"us-west-2": "arn:aws:kms:us-west-2:1:key/away"},
    )
    table.grant(role(stack), Notes.get_note, region="us-west-2")
    read, decrypt = granted(stack)
    assert text(read["Resource"]).endswith(":dynamodb:us-west-2:111122223333:table/notes")
    assert decrypt["Resource"] == "arn:aws:kms:us-west-2:1:key/away"
    with pytest.raises(GrantError, match="has no replica in ap-south-1"):
        table.grant(role(Stack(stack, "Other")), Notes.get_note, region="ap-south-1")


def test_a_tenant_s_role_reaches_that_tenant_s_keys_of_it() -> None:
    stack = new_stack(env=IN_IRELAND)
    access = by_name(stack).tenant_access_role("Access", Notes.get_note, assumed_by=role(stack))
    statements = [
        statement
        for policy in resources(template_of(stack), "AWS::IAM::Policy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Action"] == "dynamodb:GetItem"
    ]
    (statement,) = statements
    keys = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    assert keys == "T#${aws:PrincipalTag/tenant}" or keys == ["T#${aws:PrincipalTag/tenant}"]
    assert access.session_tag == "tenant"


def test_its_stream_is_consumed_when_it_is_named() -> None:
    stack = new_stack(env=IN_IRELAND)
    stream = f"{ARN}/stream/2026-01-01T00:00:00.000"
    table = DesignTable.from_table_attributes(
        stack, "Notes", design=Notes, table_arn=ARN, table_stream_arn=stream
    )
    StreamConsumer(stack, "Consumer", table=table, function=function_in(stack))
    (mapping,) = resources(template_of(stack), "AWS::Lambda::EventSourceMapping").values()
    assert mapping["EventSourceArn"] == stream
