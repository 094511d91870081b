"""A small table with a stream, a function, and what the rules say of a stack."""

from decimal import Decimal
from typing import Any

from aws_cdk import Environment, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from cdk_nag import AwsSolutionsChecks

from tablewright.constructs import DesignTable
from tablewright.constructs.nag import TablewrightChecks
from tablewright.model import (
    KEYS_ONLY,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Number,
    Put,
    Query,
    Table,
    Text,
)
from tests.infrastructure.synthesis import resources

IN_IRELAND = Environment(account="111122223333", region="eu-west-1")


class Reading(
    Entity,
    key=Key("METER#{meter}", "{at}"),
    example={"meter": "m1", "at": 1, "unit": "kWh"},
):
    meter: Field[str] = Text()
    at: Field[Decimal] = Number()
    unit: Field[str] = Text()


class Readings(Table, pk="PK", sk="at", stream="NEW_AND_OLD_IMAGES"):
    """Meter readings by meter, and by unit in an index."""

    units = Index(
        "ByUnit",
        pk="unit",
        sk="at",
        projects=KEYS_ONLY,
        keys={Reading: Key("{unit}", "{at}")},
    )

    put_reading = Put(Reading)
    get_reading = Get(Reading)
    by_unit = Query(Reading, units)
    by_unit_whole = Query(Reading, units, hydrate=True)


class Unstreamed(Readings, id="readings", stream=None):
    """Meter readings whose changes nobody follows."""


class KeysOnly(Readings, id="readings", stream="KEYS_ONLY"):
    """Meter readings of which streams have the keys alone."""


def table_in(stack: Stack, design: type[Table] = Readings, **options: Any) -> DesignTable:
    return DesignTable(stack, "Table", design=design, table_name="readings", **options)


def function_in(stack: Stack, id: str = "Function", **options: Any) -> lambda_.Function:
    """A function whose role may do nothing but what it is granted."""
    role = iam.Role(stack, f"{id}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    return lambda_.Function(
        stack,
        id,
        runtime=lambda_.Runtime.PYTHON_3_14,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context): ..."),
        role=role,
        **options,
    )


def findings(stack: Stack) -> set[str]:
    """The rules of both packs that something in the stack breaks, unacknowledged."""
    packs = (AwsSolutionsChecks(), TablewrightChecks())
    return {
        violation.rule_name for pack in packs for violation in pack.validate_scope(stack).violations
    }


def alarms(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The alarms on a single metric, by its name; those of tables left out."""
    found = {}
    for alarm in resources(template, "AWS::CloudWatch::Alarm").values():
        name = alarm.get("MetricName")
        if name and name != "NumberOfBackupJobsCompleted":
            assert name not in found
            found[name] = alarm
    return found
