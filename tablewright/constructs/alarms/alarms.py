"""Alarms, each made where the alarm level of its scope includes it.

With or without a topic to tell: an alarm in the console beats none.
"""

from collections.abc import Iterable, Mapping

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.level import AlarmLevel
from tablewright.model.table import Design

# An alarm takes ten metrics, and each key has two.
_KEYS_OF_AN_ALARM = 5


def alarm(
    scope: Construct,
    id: str,
    *,
    metric: cloudwatch.IMetric,
    threshold: float,
    describes: str,
    topic: sns.ITopic | None = None,
    periods: int = 1,
    breaching: int | None = None,
    essential: bool = False,
    absence: bool = False,
) -> None:
    """Make an alarm that is quiet while there is nothing to measure.

    An `essential` one tells of something lost, set aside or standing still, or of callers that get
    errors: it is made at every level but none. One of `absence` fires below the threshold, and
    while there is nothing to measure.
    """
    if not AlarmLevel.of(scope).includes(essential=essential):
        return
    made = cloudwatch.Alarm(
        scope,
        id,
        metric=metric,
        threshold=threshold,
        alarm_description=describes,
        evaluation_periods=periods,
        datapoints_to_alarm=breaching or periods,
        comparison_operator=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
        if absence
        else cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treat_missing_data=cloudwatch.TreatMissingData.BREACHING
        if absence
        else cloudwatch.TreatMissingData.NOT_BREACHING,
    )
    if topic is not None:
        made.add_alarm_action(actions.SnsAction(topic))
        made.add_ok_action(actions.SnsAction(topic))


class TableAlarms(Construct):
    """Throttling of the table and its indexes, and errors on DynamoDB's side.

    One alarm watches reads and writes of up to five keys: a table with four indexes has one. Its
    graph shows each of them.

    Example::

        TableAlarms(self, "Alarms", design=Sales.__design__, table_name=table.table_name,
                    topic=topic)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        design: Design,
        table_name: str,
        topic: sns.ITopic | None = None,
        system_errors: bool = True,
    ) -> None:
        super().__init__(scope, id)
        keys = [None, *design.indexes]
        for start in range(0, len(keys), _KEYS_OF_AN_ALARM):
            some = keys[start : start + _KEYS_OF_AN_ALARM]
            # The SDK's retries absorb one burst: throttling counts when it goes on.
            alarm(
                self,
                f"Throttles{start // _KEYS_OF_AN_ALARM or ''}",
                metric=_throttles(table_name, some),
                threshold=1,
                periods=5,
                breaching=3,
                describes=f"Reads or writes of {design.id} are throttled, or of its indexes.",
                topic=topic,
            )
        operations = dict.fromkeys(
            operation for pattern in design.pattern_list for operation in pattern.operations
        )
        if operations and system_errors:
            alarm(
                self,
                "SystemErrors",
                metric=_system_errors(table_name, operations),
                threshold=1,
                periods=5,
                breaching=3,
                describes=f"DynamoDB fails to answer requests to {design.id}.",
                topic=topic,
            )


class FunctionAlarms(Construct):
    """Errors, throttles and `slow` calls; concurrency near its limit where that is reserved.

    Slow is a call that takes four fifths of the timeout, unless it is said otherwise. Functions
    without a limit of their own share the account's: see `AccountAlarms`.

    Example::

        FunctionAlarms(self, "Alarms", function=function, timeout=Duration.seconds(10))
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        function: lambda_.IFunction,
        timeout: Duration,
        slow: Duration | None = None,
        reserved_concurrency: int | None = None,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        five_minutes = Duration.minutes(5)
        slow = slow or Duration.millis(timeout.to_milliseconds() * 0.8)
        alarm(
            self,
            "Errors",
            metric=function.metric_errors(period=five_minutes),
            threshold=1,
            describes="The function failed.",
            topic=topic,
        )
        alarm(
            self,
            "Throttles",
            metric=function.metric_throttles(period=five_minutes),
            threshold=1,
            describes="Invocations were refused for want of concurrency.",
            topic=topic,
        )
        alarm(
            self,
            "Duration",
            metric=function.metric_duration(period=five_minutes, statistic="p99"),
            threshold=slow.to_milliseconds(),
            periods=3,
            describes=f"One call in a hundred takes {slow.to_seconds(integral=False):g} s or more.",
            topic=topic,
        )
        if reserved_concurrency is None:
            return
        alarm(
            self,
            "Concurrency",
            metric=function.metric(
                "ConcurrentExecutions", period=Duration.minutes(1), statistic="Maximum"
            ),
            threshold=reserved_concurrency * 0.8,
            periods=5,
            breaching=3,
            describes="Concurrency is at four fifths of what is reserved for the function.",
            topic=topic,
        )


class AccountAlarms(Construct):
    """Concurrency of all functions of the account in the region, near the account's quota.

    The quota is the one that the account has at the time: a raised one counts at once.

    Example::

        AccountAlarms(self, "Account", topic=topic)
    """

    def __init__(self, scope: Construct, id: str, *, topic: sns.ITopic | None = None) -> None:
        super().__init__(scope, id)
        used = cloudwatch.Metric(
            namespace="AWS/Usage",
            metric_name="ResourceCount",
            dimensions_map={
                "Service": "Lambda",
                "Type": "Resource",
                "Resource": "ConcurrentExecutions",
                "Class": "None",
            },
            statistic="Maximum",
        )
        alarm(
            self,
            "Concurrency",
            metric=cloudwatch.MathExpression(
                expression="100 * used / SERVICE_QUOTA(used)",
                using_metrics={"used": used},
                label="Percent of the quota",
                period=Duration.minutes(1),
            ),
            threshold=80,
            periods=5,
            breaching=3,
            describes="The account's functions are at four fifths of what may run at once.",
            topic=topic,
            essential=True,
        )


class ApiAlarms(Construct):
    """Server errors of an HTTP API and, where one is given, its latency.

    Example::

        ApiAlarms(self, "Alarms", api=api, latency=Duration.seconds(2))
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        api: apigateway.HttpApi,
        latency: Duration,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        five_minutes = Duration.minutes(5)
        alarm(
            self,
            "ServerErrors",
            metric=api.metric_server_error(period=five_minutes, statistic="Sum"),
            threshold=1,
            describes="The API answered 5xx.",
            topic=topic,
            essential=True,
        )
        alarm(
            self,
            "Latency",
            metric=api.metric_latency(period=five_minutes, statistic="p99"),
            threshold=latency.to_milliseconds(),
            periods=3,
            describes=f"One answer in a hundred takes {latency.to_seconds()} s or more.",
            topic=topic,
        )


def _throttles(table_name: str, keys: Iterable[str | None]) -> cloudwatch.MathExpression:
    events = {}
    for number, index in enumerate(keys):
        dimensions = {"TableName": table_name}
        if index:
            dimensions["GlobalSecondaryIndexName"] = index
        for kind in ("Read", "Write"):
            events[f"{kind.lower()}{number}"] = cloudwatch.Metric(
                namespace="AWS/DynamoDB",
                metric_name=f"{kind}ThrottleEvents",
                dimensions_map=dimensions,
                statistic="Sum",
                label=f"{kind}s of {f'index {index}' if index else 'the table'}",
            )
    return _sum_of(events, "Throttled requests")


def _system_errors(table_name: str, operations: Iterable[str]) -> cloudwatch.MathExpression:
    # DynamoDB reports system errors for each operation only, never for the table.
    errors = {
        operation[0].lower() + operation[1:]: cloudwatch.Metric(
            namespace="AWS/DynamoDB",
            metric_name="SystemErrors",
            dimensions_map={"TableName": table_name, "Operation": operation},
            statistic="Sum",
        )
        for operation in operations
    }
    return _sum_of(errors, "System errors")


def _sum_of(metrics: Mapping[str, cloudwatch.IMetric], label: str) -> cloudwatch.MathExpression:
    return cloudwatch.MathExpression(
        expression="SUM(FILL(METRICS(), 0))",
        using_metrics=metrics,
        label=label,
        period=Duration.minutes(1),
    )
