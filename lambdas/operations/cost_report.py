"""Cost report: what a stage should change to cost less, kept in a bucket and told by an event."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from lambdas.operations.contract import DETAIL_TYPE, EVENT_SOURCE, REPORTS, USAGE
from tablewright.costs.price_lists import PRICE_LISTS, US_EAST_1
from tablewright.costs.prices import Prices
from tablewright.recommendations import Recommendation, StageUsage, recommendations, total
from tablewright.recommendations.reading.reader import UsageReader
from tablewright.recommendations.reading.resources import StageResources
from tablewright.recommendations.report import report, report_lines
from tablewright.recommendations.usage_file import usage_from, usage_json
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ObjectMissing, Unavailable

# An event has room for 256 KB; all of them are in the report.
_MOST_IN_EVENT = 20
# SNS takes no longer ones.
_MOST_IN_MESSAGE = 200_000
_JSON = "application/json"


class CostReport(NamedTuple):
    """A run: reads the month's usage and says what it recommends, once a day however often it runs.

    What was read is written last: a run that finds its own day there tells nobody again, and one
    that died before that is repeated whole.
    """

    resources: StageResources
    connect: Callable[[str], Caller]
    bucket: str
    told_from: Decimal
    topic_arn: str | None = None

    def run(self, now: datetime) -> dict[str, Any]:
        """The sum that could be saved, and how many recommendations there are."""
        before = self._before()
        usage = UsageReader(self.resources, self.connect).read(now, before=before)
        prices = PRICE_LISTS.get(usage.region, US_EAST_1)
        found = recommendations(usage, prices)
        name = f"{REPORTS}{usage.ended}.json"
        self._put(name, json.dumps(report(usage, prices, found), indent=2))
        if before is None or before.ended != usage.ended:
            self._tell(usage, prices, found, name)
        self._put(USAGE, usage_json(usage))
        return {"saving": str(total(found)), "recommendations": len(found), "report": name}

    def _before(self) -> StageUsage | None:
        try:
            answer = self._s3.call("GetObject", {"Bucket": self.bucket, "Key": USAGE})
        except ObjectMissing:
            return None
        return usage_from(answer["Body"].read().decode(), USAGE)

    @property
    def _s3(self) -> Caller:
        return self.connect("s3")

    def _put(self, name: str, text: str) -> None:
        written = {"Bucket": self.bucket, "Key": name, "Body": text.encode(), "ContentType": _JSON}
        self._s3.call("PutObject", written)

    def _tell(
        self, usage: StageUsage, prices: Prices, found: Sequence[Recommendation], name: str
    ) -> None:
        entry = {
            "Source": EVENT_SOURCE,
            "DetailType": DETAIL_TYPE,
            "Detail": json.dumps(self._detail(usage, prices, found, name)),
        }
        answer = self.connect("events").call("PutEvents", {"Entries": [entry]})
        if answer["FailedEntryCount"]:
            raise Unavailable(f"PutEvents: {answer['Entries'][0].get('ErrorCode')}")
        if self.topic_arn and total(found) >= self.told_from:
            text = "\n".join(report_lines(usage, prices, found))
            message = {
                "TopicArn": self.topic_arn,
                "Subject": f"{usage.stage} could cost {total(found)} dollars a month less"[:100],
                "Message": text[:_MOST_IN_MESSAGE],
            }
            self.connect("sns").call("Publish", message)

    def _detail(
        self, usage: StageUsage, prices: Prices, found: Sequence[Recommendation], name: str
    ) -> dict[str, Any]:
        whole = report(usage, prices, found)
        return {
            **whole,
            "recommendations": whole["recommendations"][:_MOST_IN_EVENT],
            "count": len(found),
            "report": {"bucket": self.bucket, "key": name},
        }
