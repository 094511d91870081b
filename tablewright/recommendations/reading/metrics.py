"""Metrics of CloudWatch, many at a time, within the limits of `GetMetricData`."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from tablewright.model.errors import TablewrightError
from tablewright.runtime.aws import Caller

# Of one call.
MOST_QUERIES = 500
MOST_POINTS = 100_800
HOUR = 3600


class MetricsUnavailable(TablewrightError):
    """CloudWatch could not give all points of a metric, so that nothing can be said of it."""


class Metric(NamedTuple):
    """A statistic of a metric, over periods of so many seconds."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: str = "Sum"
    period: int = HOUR


class Period(NamedTuple):
    """The time that is asked for: whole hours, the first included, the last not."""

    start: datetime
    end: datetime

    @property
    def seconds(self) -> int:
        return int((self.end - self.start).total_seconds())

    @property
    def hours(self) -> int:
        return self.seconds // HOUR


# The value of each period in which there was one, by its number from the start.
Points = Mapping[int, Decimal]


def read_metrics(
    cloudwatch: Caller, metrics: Iterable[Metric], period: Period
) -> dict[Metric, Points]:
    """The points of each metric; a metric without any has none."""
    found: dict[Metric, Points] = {}
    for batch in _batches(dict.fromkeys(metrics), period):
        found |= _read(cloudwatch, batch, period)
    return found


def _batches(metrics: Iterable[Metric], period: Period) -> Iterator[list[Metric]]:
    batch: list[Metric] = []
    points = 0
    for metric in metrics:
        more = -(-period.seconds // metric.period)
        if batch and (len(batch) == MOST_QUERIES or points + more > MOST_POINTS):
            yield batch
            batch, points = [], 0
        batch.append(metric)
        points += more
    if batch:
        yield batch


def _read(cloudwatch: Caller, batch: list[Metric], period: Period) -> dict[Metric, Points]:
    found: dict[Metric, dict[int, Decimal]] = {metric: {} for metric in batch}
    request: dict[str, Any] = {
        "MetricDataQueries": [_query(at, metric) for at, metric in enumerate(batch)],
        "StartTime": period.start,
        "EndTime": period.end,
        "ScanBy": "TimestampAscending",
    }
    while True:
        answer = cloudwatch.call("GetMetricData", request)
        for result in answer["MetricDataResults"]:
            metric = batch[int(result["Id"][1:])]
            if result["StatusCode"] not in ("Complete", "PartialData"):
                raise MetricsUnavailable(f"{metric.name}: {result['StatusCode']}")
            for moment, value in zip(result["Timestamps"], result["Values"], strict=True):
                at = int((moment - period.start).total_seconds()) // metric.period
                found[metric][at] = Decimal(str(value))
        # More points of the same metrics, until there is no token.
        if not answer.get("NextToken"):
            return dict(found)
        request["NextToken"] = answer["NextToken"]


def _query(at: int, metric: Metric) -> dict[str, Any]:
    return {
        "Id": f"m{at}",
        "MetricStat": {
            "Metric": {
                "Namespace": metric.namespace,
                "MetricName": metric.name,
                "Dimensions": [{"Name": name, "Value": one} for name, one in metric.dimensions],
            },
            "Period": metric.period,
            "Stat": metric.statistic,
        },
    }
