"""Alarm on scheduled runs that do not begin."""

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm


def missed_runs_alarm(
    scope: Construct,
    *,
    runs: cloudwatch.IMetric,
    every: Duration,
    topic: sns.ITopic | None = None,
    id: str = "NotRun",
) -> None:
    """Make an alarm that fires when three runs in a row of something scheduled did not begin.

    `runs` counts those of one period, which is `every`.

    Example::

        missed_runs_alarm(self, runs=function.metric_invocations(period=every), every=every)
    """
    alarm(
        scope,
        id,
        metric=runs,
        threshold=1,
        periods=3,
        describes=f"What runs every {every.to_human_string()} did not begin three times.",
        topic=topic,
        essential=True,
        absence=True,
    )
