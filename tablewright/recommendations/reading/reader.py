"""Reader of a stage's usage, by calls that change nothing."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tablewright.recommendations.reading.alarms import alarms_of
from tablewright.recommendations.reading.metrics import (
    HOUR,
    Metric,
    Period,
    Points,
    read_metrics,
)
from tablewright.recommendations.reading.resources import StageResources
from tablewright.recommendations.reading.tables import DescribedTable, with_sizes
from tablewright.recommendations.usage import (
    AcceleratorUsage,
    LogGroupUsage,
    StageUsage,
    TableUsage,
)
from tablewright.runtime.aws import Caller

_DAY = 24 * HOUR
_STACK_TAG = "aws:cloudformation:stack-name"
_CACHES = ("ItemCache", "QueryCache")


class UsageReader:
    """Reads the usage of a stage; `connect` gives the client of a service by its name.

    Example::

        session = boto3.session.Session()
        reader = UsageReader(resources, lambda service: connect(session, service))
        usage = reader.read(datetime.now(UTC))
    """

    def __init__(self, resources: StageResources, connect: Callable[[str], Caller]) -> None:
        self._resources = resources
        self._connect = connect
        self._cloudwatch = connect("cloudwatch")

    def read(
        self, now: datetime, *, days: int = 30, before: StageUsage | None = None
    ) -> StageUsage:
        """Usage of whole hours until now; `before` is what was read earlier, and knows sizes."""
        end = now.replace(minute=0, second=0, microsecond=0)
        period = Period(end - timedelta(days=days), end)
        dynamodb = self._connect("dynamodb")
        described = [DescribedTable.read(dynamodb, one) for one in self._resources.tables]
        groups = list(self._log_groups())
        watches = list(alarms_of(self._cloudwatch, self._resources.prefix))
        cluster = self._cluster()
        wanted = [
            *(metric for table in described for metric in table.metrics()),
            *(_ingested(group["logGroupName"]) for group in groups),
            *(metric for watch in watches for metric in watch.activity),
            *(metric for both in _cache_metrics(cluster) for metric in both),
        ]
        points = read_metrics(self._cloudwatch, wanted, period)
        day = end.date().isoformat()
        tables = tuple(table.usage(points, period) for table in described)
        if before:
            tables = tuple(with_sizes(table, before, day) for table in tables)
        return StageUsage(
            stage=self._resources.stage,
            region=self._resources.region,
            ended=day,
            hours=period.hours,
            tables=tables,
            accelerators=tuple(self._accelerators(tables, cluster, points, period)),
            logs=tuple(_logs(group, points) for group in groups),
            alarms=tuple(one.usage(self._cloudwatch, points, period) for one in watches),
        )

    def _log_groups(self) -> Iterator[dict[str, Any]]:
        request: dict[str, Any] = {"logGroupNamePrefix": self._resources.prefix}
        logs = self._connect("logs")
        while True:
            answer = logs.call("DescribeLogGroups", request)
            yield from answer["logGroups"]
            if not answer.get("nextToken"):
                return
            request["nextToken"] = answer["nextToken"]

    def _cluster(self) -> dict[str, Any] | None:
        """The cluster that one of the stage's stacks made, if there is one."""
        if not self._resources.running:
            return None
        dax = self._connect("dax")
        request: dict[str, Any] = {}
        while True:
            answer = dax.call("DescribeClusters", request)
            for cluster in answer["Clusters"]:
                tags = dax.call("ListTags", {"ResourceName": cluster["ClusterArn"]})["Tags"]
                stack = {tag["Key"]: tag["Value"] for tag in tags}.get(_STACK_TAG, "")
                if stack.startswith(self._resources.prefix):
                    found: dict[str, Any] = cluster
                    return found
            if not answer.get("NextToken"):
                return None
            request["NextToken"] = answer["NextToken"]

    def _accelerators(
        self,
        tables: tuple[TableUsage, ...],
        cluster: dict[str, Any] | None,
        points: dict[Metric, Points],
        period: Period,
    ) -> Iterator[AcceleratorUsage]:
        if self._resources.accelerated is None:
            return
        usage = AcceleratorUsage(
            table=self._resources.accelerated,
            running=False,
            node_type=self._resources.node_type,
            nodes=self._resources.nodes,
        )
        if cluster is None:
            yield usage
            return
        (table,) = (one for one in tables if one.name == usage.table)
        hours = range(period.hours - table.hours, period.hours)
        hits, misses = (
            tuple(int(sum(points[one].get(hour, 0) for one in both)) for hour in hours)
            for both in _cache_metrics(cluster)
        )
        yield replace(
            usage,
            running=True,
            node_type=cluster["NodeType"],
            nodes=cluster["TotalNodes"],
            hits=hits,
            misses=misses,
        )


def _ingested(group: str) -> Metric:
    return Metric("AWS/Logs", "IncomingBytes", (("LogGroupName", group),), period=_DAY)


def _logs(group: dict[str, Any], points: dict[Metric, Points]) -> LogGroupUsage:
    return LogGroupUsage(
        name=group["logGroupName"],
        stored_bytes=group.get("storedBytes", 0),
        ingested_bytes=int(sum(points[_ingested(group["logGroupName"])].values())),
        retention_days=group.get("retentionInDays"),
    )


def _cache_metrics(cluster: dict[str, Any] | None) -> list[list[Metric]]:
    """What the cluster answered itself, and what it did not."""
    if cluster is None:
        return []
    dimensions = (("ClusterId", str(cluster["ClusterName"])),)
    return [
        [Metric("AWS/DAX", f"{cache}{what}", dimensions) for cache in _CACHES]
        for what in ("Hits", "Misses")
    ]
