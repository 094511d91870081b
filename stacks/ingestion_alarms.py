"""Alarms on what ingestion counts: what it refuses, and sources that stop."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms import alarm


class IngestionAlarms(Construct):
    """One alarm on refused items, and one for each source that is polled.

    Example::

        IngestionAlarms(self, "IngestionAlarms", sources=["newsapi"], period=Duration.minutes(15))
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        sources: Sequence[str],
        period: Duration,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)

        def metric(name: str, **dimensions: str) -> cloudwatch.Metric:
            return cloudwatch.Metric(
                namespace="Tablewright",
                metric_name=name,
                dimensions_map=dimensions,
                statistic="Sum",
                period=period,
            )

        alarm(
            self,
            "Rejected",
            metric=metric("ItemsRejected", service="sentiment"),
            threshold=1,
            describes="Items were refused; they are parked with the reason.",
            topic=topic,
        )
        for source in sources:
            alarm(
                self,
                f"{source}Stopped",
                metric=metric("SourceErrors", source=source),
                threshold=1,
                # Polls do not keep step with the clock, so that a period may be without one.
                periods=4,
                breaching=3,
                describes=f"{source} could not be read to its end, three polls of four.",
                topic=topic,
            )
