"""Alarm of a dashboard that an accelerator would serve at less cost."""

from decimal import Decimal

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.stage import Stage
from tablewright.constructs import DesignTableBase
from tablewright.constructs.alarms.alarms import alarm
from tablewright.costs.accelerator_cost import AcceleratorSize, break_even
from tablewright.costs.price_lists import PRICE_LISTS, US_EAST_1

# Pages of the newest ask for the same within the five minutes that answers are kept.
HIT_RATE = Decimal("0.9")
_DAY = 24 * 3600


def tell_of_break_even(
    scope: Construct, *, stage: Stage, table: DesignTableBase, topic: sns.ITopic | None
) -> None:
    """Ring when a day's reads of a table and its indexes cost as much as a cluster of DAX."""
    prices = PRICE_LISTS.get(stage.environment.region or "", US_EAST_1)
    units = break_even(AcceleratorSize(), prices, HIT_RATE)
    read = {
        f"read{number}": _read(table.table_name, index)
        for number, index in enumerate((None, *table.design.indexes))
    }
    alarm(
        scope,
        "AcceleratorPays",
        metric=cloudwatch.MathExpression(
            expression=f"SUM(FILL(METRICS(), 0)) / {_DAY}",
            using_metrics=read,
            label="Read units a second",
            period=Duration.days(1),
        ),
        threshold=round(units),
        describes="The dashboard's reads of a day cost as much as an accelerator.",
        topic=topic,
    )


def _read(table_name: str, index: str | None) -> cloudwatch.Metric:
    dimensions = {"TableName": table_name}
    if index:
        dimensions["GlobalSecondaryIndexName"] = index
    return cloudwatch.Metric(
        namespace="AWS/DynamoDB",
        metric_name="ConsumedReadCapacityUnits",
        dimensions_map=dimensions,
        statistic="Sum",
        period=Duration.days(1),
    )
