"""Alarms: which there are, whether they rang, and whether what they watch is used."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from tablewright.recommendations.reading.metrics import Metric, Period, Points
from tablewright.recommendations.usage import AlarmUsage
from tablewright.runtime.aws import Caller

_RINGS = "ALARM"
_DAY = 86_400
_PAGE = 100
# Metrics that say whether a resource is used, by namespace and the dimension that names it. Of
# other resources nobody can tell: a queue of failures that is empty is not idle.
_USE = {
    "AWS/DynamoDB": ("TableName", ("ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits")),
    "AWS/Lambda": ("FunctionName", ("Invocations",)),
    "AWS/ApiGateway": ("ApiId", ("Count",)),
}
_INDEX = "GlobalSecondaryIndexName"


class Watch(NamedTuple):
    """An alarm as CloudWatch describes it."""

    alarm: dict[str, Any]

    @property
    def watched(self) -> list[dict[str, Any]]:
        """The metrics that it takes."""
        several = (one.get("MetricStat") for one in self.alarm.get("Metrics") or ())
        return [one["Metric"] for one in several if one] or [self.alarm]

    @property
    def activity(self) -> list[Metric]:
        """Metrics that say whether what it watches is used; none where that cannot be said."""
        found: list[Metric] = []
        for metric in self.watched:
            dimensions = {one["Name"]: one["Value"] for one in metric.get("Dimensions") or ()}
            namespace = metric.get("Namespace", "")
            name, uses = _USE.get(namespace, ("", ()))
            if name not in dimensions:
                return []
            of = tuple((one, dimensions[one]) for one in (name, _INDEX) if one in dimensions)
            found += [Metric(namespace, use, of, period=_DAY) for use in uses]
        return found

    def usage(self, cloudwatch: Caller, points: dict[Metric, Points], period: Period) -> AlarmUsage:
        """What it did in a period. What it rang for is looked up where it makes a difference."""
        made = self.alarm.get("AlarmConfigurationUpdatedTimestamp")
        # Of one that is younger than the period nobody can tell yet.
        used = not self.activity or (made is not None and made > period.start)
        used = used or any(sum(points[one].values()) for one in self.activity)
        changed = self.alarm.get("StateTransitionedTimestamp") or self.alarm.get(
            "StateUpdatedTimestamp"
        )
        rang = int(self.alarm["StateValue"] == _RINGS)
        if not used and not rang and _within(changed, period):
            rang = sum(1 for _ in _rings(cloudwatch, self.alarm["AlarmName"], period))
        return AlarmUsage(
            name=self.alarm["AlarmName"],
            metrics=len(self.watched),
            rang=rang,
            watches_something=used,
        )


def alarms_of(cloudwatch: Caller, prefix: str) -> Iterator[Watch]:
    """The alarms whose names begin so."""
    request: dict[str, Any] = {"AlarmNamePrefix": prefix, "MaxRecords": _PAGE}
    while True:
        answer = cloudwatch.call("DescribeAlarms", request)
        yield from map(Watch, answer["MetricAlarms"])
        if not answer.get("NextToken"):
            return
        request["NextToken"] = answer["NextToken"]


def _within(changed: datetime | None, period: Period) -> bool:
    return changed is None or changed >= period.start


def _rings(cloudwatch: Caller, name: str, period: Period) -> Iterator[dict[str, Any]]:
    request: dict[str, Any] = {
        "AlarmName": name,
        "HistoryItemType": "StateUpdate",
        "StartDate": period.start,
        "EndDate": period.end,
        "MaxRecords": _PAGE,
    }
    while True:
        answer = cloudwatch.call("DescribeAlarmHistory", request)
        for item in answer["AlarmHistoryItems"]:
            if json.loads(item["HistoryData"])["newState"]["stateValue"] == _RINGS:
                yield item
        if not answer.get("NextToken"):
            return
        request["NextToken"] = answer["NextToken"]
