"""Alarms on how far a table's replicas are behind it."""

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.tables.base import DesignTableBase


class ReplicationAlarms(Construct):
    """One alarm for each replica that is `latency` or more behind, in 3 of 5 minutes.

    Belongs in the table's own region: that is where the latency towards each replica is measured.
    A replica's throttling is measured in the replica's region, and an alarm sees the metrics of
    its own region only: for that, put `TableAlarms` into a stack there.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        topic: sns.ITopic | None = None,
        latency: Duration | None = None,
    ) -> None:
        super().__init__(scope, id)
        latency = latency or Duration.seconds(5)
        for region in table.replica_regions:
            alarm(
                self,
                region,
                metric=cloudwatch.Metric(
                    namespace="AWS/DynamoDB",
                    metric_name="ReplicationLatency",
                    dimensions_map={"TableName": table.table_name, "ReceivingRegion": region},
                    statistic="Average",
                    period=Duration.minutes(1),
                ),
                threshold=latency.to_milliseconds(),
                periods=5,
                breaching=3,
                describes=f"The replica of {table.design.id} in {region} is "
                f"{latency.to_milliseconds()} ms or more behind.",
                topic=topic,
            )
