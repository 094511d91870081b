"""A table that is strongly consistent across regions, and what DynamoDB would refuse of it."""

from typing import Any

import pytest
from aws_cdk import Environment

from tablewright.catalog.sales.design import Sales
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.constructs import DesignTable
from tablewright.model import Check, Entity, Field, Get, Index, Key, Put, Table, Text
from tablewright.model.regions import RegionSwitch
from tests.infrastructure.synthesis import Template, new_stack, one, resources, template_of

TABLE = "AWS::DynamoDB::GlobalTable"
OHIO, OREGON = "us-east-2", "us-west-2"


class Note(Entity, key=Key("{owner}", "{name}")):
    """A note."""

    owner: Field[str] = Text()
    name: Field[str] = Text()
    colour: Field[str] = Text()


class ByColour(Table, pk="owner", sk="name"):
    """Notes by colour."""

    by_colour = Index(local=True, pk="owner", sk="colour", keys={Note: Key("{owner}", "{colour}")})
    get_note = Get(Note)


class Checked(Table, pk="owner", sk="name"):
    """Notes that transactions look at."""

    put_note = Put(Note)
    note_is_there = Check(Note)


def template(design: type[Table] = RegionSwitch, **options: Any) -> Template:
    stack = new_stack(env=Environment(account="111122223333", region="us-east-1"))
    DesignTable(stack, "Made", design=design, strong_consistency=True, **options)
    return template_of(stack)


def refusal(design: type[Table] = RegionSwitch, **options: Any) -> str:
    with pytest.raises(ValueError, match="cannot be strongly consistent") as refused:
        template(design, **options)
    return str(refused.value)


def test_it_is_in_three_regions_of_a_set() -> None:
    table = one(template(replicas=[OHIO, OREGON]), TABLE, "Made")
    assert table["MultiRegionConsistency"] == "STRONG"
    assert {replica["Region"] for replica in table["Replicas"]} == {"us-east-1", OHIO, OREGON}


def test_one_of_them_may_keep_no_items() -> None:
    table = one(template(replicas=[OHIO], witness_region=OREGON), TABLE, "Made")
    assert table["GlobalTableWitnesses"] == [{"Region": OREGON}]
    assert {replica["Region"] for replica in table["Replicas"]} == {"us-east-1", OHIO}


def test_it_has_no_alarm_on_a_lag_that_there_is_not() -> None:
    alarms = resources(template(replicas=[OHIO, OREGON]), "AWS::CloudWatch::Alarm").values()
    assert alarms
    assert not [alarm for alarm in alarms if "ReplicationLatency" in str(alarm)]


@pytest.mark.parametrize(
    ("design", "said"),
    [
        (Sales, "its items expire by 'ttl', and it can have no time to live"),
        (Dashboard, "count_items need transactions, which it refuses"),
        (Checked, "note_is_there need transactions, which it refuses"),
        (ByColour, "it has local indexes (by_colour)"),
    ],
)
def test_a_design_that_dynamodb_would_refuse_is_refused_at_synthesis(
    design: type[Table], said: str
) -> None:
    assert said in refusal(design, replicas=[OHIO, OREGON])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"replicas": [OHIO]}, "it is in 2 regions, and must be in three"),
        ({"replicas": [OHIO, "eu-west-1"]}, "must all be of one set"),
        ({"replicas": [OHIO, OREGON], "witness_region": OREGON}, "is a region that has its items"),
        ({"replicas": ["sa-east-1", "ca-central-1"]}, "must all be of one set"),
    ],
)
def test_regions_that_dynamodb_would_refuse_are_refused_at_synthesis(
    options: dict[str, Any], said: str
) -> None:
    assert said in refusal(**options)


def test_only_a_strongly_consistent_table_has_a_witness() -> None:
    stack = new_stack(env=Environment(account="111122223333", region="us-east-1"))
    with pytest.raises(ValueError, match="only a table with strong_consistency"):
        DesignTable(stack, "Made", design=RegionSwitch, replicas=[OHIO], witness_region=OREGON)
