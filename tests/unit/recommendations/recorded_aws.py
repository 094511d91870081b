"""AWS as its answers were recorded: requests are checked against the models of botocore."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import botocore.session
from botocore.validate import ParamValidator

from tablewright.runtime.aws import Caller

Json = dict[str, Any]
NOW = datetime(2026, 6, 30, 12, 34, 56, tzinfo=UTC)
END = NOW.replace(minute=0, second=0)
_SESSION = botocore.session.get_session()


class RecordedAws:
    """Answers of all services, in pages; `points` of a metric are by its name and dimensions."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Json]] = []
        self.tables: dict[str, Json] = {}
        self.expiring: set[str] = set()
        self.points: dict[tuple[str, ...], dict[datetime, float]] = {}
        self.alarms: list[Json] = []
        self.history: dict[str, list[str]] = {}
        self.groups: list[Json] = []
        self.clusters: list[tuple[Json, str]] = []
        self.status = "Complete"

    def connect(self, service: str) -> Caller:
        return _Service(self, service)

    def requests(self, operation: str) -> list[Json]:
        return [params for name, params in self.calls if name == operation]

    def every(self, minutes: int, days: int, value: float, *name: str) -> None:
        """A point of a metric in each of so many minutes."""
        moments = (END - timedelta(minutes=minutes * at) for at in range(1, days * 1440 // minutes))
        self.points[name] = dict.fromkeys(moments, value)

    def DescribeTable(self, params: Json) -> Json:  # noqa: N802
        return {"Table": self.tables[params["TableName"]]}

    def DescribeTimeToLive(self, params: Json) -> Json:  # noqa: N802
        on = params["TableName"] in self.expiring
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED" if on else "DISABLED"}}

    def DescribeLogGroups(self, params: Json) -> Json:  # noqa: N802
        return _page(self.groups, params, "logGroups", "nextToken")

    def DescribeAlarms(self, params: Json) -> Json:  # noqa: N802
        return _page(self.alarms, params, "MetricAlarms", "NextToken")

    def DescribeAlarmHistory(self, params: Json) -> Json:  # noqa: N802
        items = [
            {"HistoryData": f'{{"newState": {{"stateValue": "{state}"}}}}'}
            for state in self.history[params["AlarmName"]]
        ]
        return _page(items, params, "AlarmHistoryItems", "NextToken")

    def DescribeClusters(self, params: Json) -> Json:  # noqa: N802
        return _page([one for one, _ in self.clusters], params, "Clusters", "NextToken")

    def ListTags(self, params: Json) -> Json:  # noqa: N802
        (stack,) = (s for one, s in self.clusters if one["ClusterArn"] == params["ResourceName"])
        return {"Tags": [{"Key": "aws:cloudformation:stack-name", "Value": stack}]}

    def GetMetricData(self, params: Json) -> Json:  # noqa: N802
        """Half of each metric's points, then the other half."""
        second = "NextToken" in params
        answer: Json = {"MetricDataResults": []}
        for query in params["MetricDataQueries"]:
            found = sorted(self._summed(query["MetricStat"], params))
            half = len(found) // 2
            part = found[half:] if second else found[:half]
            answer["MetricDataResults"].append(
                {
                    "Id": query["Id"],
                    "Timestamps": [moment for moment, _ in part],
                    "Values": [value for _, value in part],
                    "StatusCode": self.status if second else "PartialData",
                }
            )
        return answer if second else {**answer, "NextToken": "more"}

    def _summed(self, stat: Json, params: Json) -> Iterator[tuple[datetime, float]]:
        metric = stat["Metric"]
        name = (metric["MetricName"], *(one["Value"] for one in metric["Dimensions"]))
        buckets: dict[datetime, list[float]] = {}
        for moment, value in self.points.get(name, {}).items():
            if params["StartTime"] <= moment < params["EndTime"]:
                seconds = (moment - params["StartTime"]).total_seconds()
                begins = timedelta(seconds=seconds // stat["Period"] * stat["Period"])
                buckets.setdefault(params["StartTime"] + begins, []).append(value)
        for moment, values in buckets.items():
            yield moment, max(values) if stat["Stat"] == "Maximum" else sum(values)


class _Service:
    def __init__(self, aws: RecordedAws, service: str) -> None:
        self._aws = aws
        self._model = _SESSION.get_service_model(service)

    def call(self, operation: str, params: Json) -> Json:
        shape = self._model.operation_model(operation).input_shape
        errors = ParamValidator().validate(params, shape)
        assert not errors.has_errors(), errors.generate_report()
        self._aws.calls.append((operation, dict(params)))
        answer: Json = getattr(self._aws, operation)(params)
        return answer


def _page(every: list[Json], params: Json, name: str, token: str) -> Json:
    """One of them a page."""
    at = int(params.get(token, 0))
    more = {token: str(at + 1)} if at + 1 < len(every) else {}
    return {name: every[at : at + 1], **more}
