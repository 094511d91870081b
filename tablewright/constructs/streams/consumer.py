"""A function behind a table's stream, which loses nothing and says when it falls behind."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import jsii
from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.protection import Protection
from tablewright.constructs.streams.access import grant_stream, stream_of
from tablewright.constructs.streams.failure_store import FailureStore
from tablewright.constructs.tables.base import DesignTableBase

# A stream keeps its records for a day: an hour is left to give them up in.
_MOST_HOURS = 23
_HOUR = 3600


class StreamConsumer(Construct):
    """Gives the changes of a table to a function, in order, and keeps those that it cannot take.

    A batch that fails is retried, halved on the way, until it goes through or its records are as
    old as `give_up_after`: the function, or a table that it writes, may be down for that long, and
    nothing is left to be done by hand. Then they are kept in `failures` for the redrive command,
    and told. A single record that fails is the function's to recognise: it keeps it in the bucket
    that the environment names as FAILURES_BUCKET (`FailedRecords`), counts it by the metric `kept`,
    and goes on with the rest. `filters` are patterns of which a record must match one; others never
    reach the function.

    That records were given up is an essential alarm, unless `essential` says otherwise: for what
    can be made anew from the table.

    Each replica's stream has every change of a table with replicas: consume it in one region, or
    in each for something that is each region's own.

    Example::

        ready = {"status": {"S": ["analyzed"]}}
        StreamConsumer(self, "Projection", table=items, function=projector.function,
                       filters=[{"dynamodb": {"NewImage": ready}},
                                {"dynamodb": {"OldImage": ready}}])
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        function: lambda_.Function,
        batch_size: int = 100,
        window: Duration | None = None,
        give_up_after: Duration | None = None,
        kept: cloudwatch.IMetric | None = None,
        # LATEST would pass over what is written while the mapping is being made.
        starting_position: lambda_.StartingPosition = lambda_.StartingPosition.TRIM_HORIZON,
        filters: Sequence[Mapping[str, Any]] = (),
        keep_failures: Duration | None = None,
        iterator_age: Duration | None = None,
        parallelization: int = 1,
        essential: bool = True,
        alarm_topic: sns.ITopic | None = None,
        protection: Protection | None = None,
    ) -> None:
        stream = stream_of(table)
        role = function.role
        if role is None:
            raise ValueError("the function has no role that could be allowed to read the stream")
        give_up_after = give_up_after or Duration.hours(6)
        if not 60 <= give_up_after.to_seconds() <= _MOST_HOURS * 3600:
            raise ValueError(f"records are given up after a minute to {_MOST_HOURS} hours")
        super().__init__(scope, id)
        self._function = function
        self._kept = kept
        self._topic = alarm_topic
        store = FailureStore(self, "Failures", keep=keep_failures, protection=protection)
        self.failures: s3.Bucket = store.bucket
        function.add_environment("FAILURES_BUCKET", self.failures.bucket_name)
        self.mapping = lambda_.EventSourceMapping(
            self,
            "Mapping",
            target=function,
            event_source_arn=stream,
            batch_size=batch_size,
            max_batching_window=window or Duration.seconds(5),
            # Without a limit of attempts, which an outage of seconds would reach.
            max_record_age=give_up_after,
            bisect_batch_on_error=True,
            report_batch_item_failures=True,
            starting_position=starting_position,
            parallelization_factor=parallelization,
            filters=[{"pattern": json.dumps(pattern)} for pattern in filters] or None,
            on_failure=_KeptIn(self.failures),
            metrics_config=lambda_.MetricsConfig(metrics=[lambda_.MetricType.EVENT_COUNT]),
        )
        # Lambda refuses a mapping whose function may not yet read the stream.
        for grant in (grant_stream(table, role), store.grant_put(role)):
            grant.apply_before(self.mapping)
        self._watch(iterator_age or Duration.seconds(60), essential=essential)

    def _watch(self, iterator_age: Duration, *, essential: bool) -> None:
        minute, five_minutes = Duration.minutes(1), Duration.minutes(5)
        age = self._function.metric("IteratorAge", period=minute, statistic="Maximum")
        self._alarm(
            "Behind",
            metric=age,
            threshold=iterator_age.to_milliseconds(),
            periods=5,
            breaching=3,
            describes=f"The function is {iterator_age.to_seconds()} s or more behind the stream.",
            # Where an hour is nothing, nobody waits; what is lost in the end is told below.
            essential=iterator_age.to_seconds() < _HOUR,
        )
        self._alarm(
            "GivenUp",
            metric=self._given_up(five_minutes),
            describes="Records were given up and kept: mend the function, then redrive them.",
            essential=essential,
        )
        self._alarm(
            "Dropped",
            metric=self._events("DroppedEventCount", five_minutes),
            describes="Records were given up and not kept: they are lost.",
            essential=essential,
        )
        lost = self._function.metric(
            "DestinationDeliveryFailures", period=five_minutes, statistic="Sum"
        )
        self._alarm(
            "NotKept",
            metric=lost,
            describes="Records that were given up could not be kept.",
        )

    def _given_up(self, period: Duration) -> cloudwatch.IMetric:
        """What was put into the bucket, by Lambda and by the function itself."""
        by_lambda = self._events("OnFailureDestinationDeliveredEventCount", period)
        if self._kept is None:
            return by_lambda
        return cloudwatch.MathExpression(
            expression="FILL(by_lambda, 0) + FILL(by_function, 0)",
            using_metrics={"by_lambda": by_lambda, "by_function": self._kept},
            label="Records given up",
            period=period,
        )

    def _events(self, name: str, period: Duration) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace="AWS/Lambda",
            metric_name=name,
            dimensions_map={"EventSourceMappingUUID": self.mapping.event_source_mapping_id},
            statistic="Sum",
            period=period,
        )

    def _alarm(self, id: str, *, threshold: float = 1, **props: Any) -> None:
        alarm(self, id, threshold=threshold, topic=self._topic, **props)


@jsii.implements(lambda_.IEventSourceDlq)
class _KeptIn:
    """The bucket as a destination; CDK's own would let the function read and delete as well."""

    def __init__(self, bucket: s3.IBucket) -> None:
        self._bucket = bucket

    def bind(
        self, target: lambda_.IEventSourceMapping, target_handler: lambda_.IFunction
    ) -> lambda_.DlqDestinationConfig:
        return lambda_.DlqDestinationConfig(destination=self._bucket.bucket_arn)
