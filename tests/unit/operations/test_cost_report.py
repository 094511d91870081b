"""A run keeps its report and tells of it once a day, whatever fails on the way."""

import io
import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from lambdas.operations.contract import USAGE
from lambdas.operations.cost_report import CostReport
from tablewright.recommendations.reading.resources import StageResources, TableName
from tablewright.recommendations.usage_file import usage_from
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ObjectMissing, Unavailable
from tablewright.testing import survives_every_fault
from tests.unit.recommendations.recorded_aws import NOW, Json, RecordedAws

TOPIC = "arn:aws:sns:eu-west-1:111122223333:alarms"
DAY = "2026-06-30"
RESOURCES = StageResources(
    stage="prod",
    region="eu-west-1",
    prefix="tablewright-prod-",
    tables=(TableName(name="orders", setting_name="sales"),),
)


class World(RecordedAws):
    """What the run writes besides: objects, events, messages."""

    def __init__(self) -> None:
        super().__init__()
        self.objects: dict[str, bytes] = {}
        self.events: list[Json] = []
        self.messages: list[Json] = []
        self.failed_entries = 0
        self.tables["orders"] = {
            "TableSizeBytes": 500 * 10**9,
            "CreationDateTime": NOW - timedelta(days=365),
            "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        }

    def GetObject(self, params: Json) -> Json:  # noqa: N802
        if params["Key"] not in self.objects:
            raise ObjectMissing("NoSuchKey")
        return {"Body": io.BytesIO(self.objects[params["Key"]])}

    def PutObject(self, params: Json) -> Json:  # noqa: N802
        self.objects[params["Key"]] = params["Body"]
        return {}

    def PutEvents(self, params: Json) -> Json:  # noqa: N802
        if self.failed_entries:
            return {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "InternalFailure"}]}
        self.events += params["Entries"]
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}]}

    def Publish(self, params: Json) -> Json:  # noqa: N802
        self.messages.append(params)
        return {"MessageId": "1"}


@pytest.fixture
def world() -> World:
    return World()


def run(world: World, *, days_later: int = 0, **more: Any) -> dict[str, Any]:
    made = cost_report(world.connect, **more)
    return made.run(NOW + timedelta(days=days_later))


def cost_report(connect: Callable[[str], Caller], **more: Any) -> CostReport:
    usual: dict[str, Any] = {"bucket": "reports", "told_from": Decimal(25), "topic_arn": TOPIC}
    return CostReport(resources=RESOURCES, connect=connect, **{**usual, **more})


def test_a_report_is_kept_by_its_day_and_told_by_an_event(world: World) -> None:
    done = run(world)
    kept = json.loads(world.objects[f"reports/{DAY}.json"])
    (event,) = world.events
    detail = json.loads(event["Detail"])
    assert (event["Source"], event["DetailType"]) == ("tablewright.costs", "CostRecommendations")
    # 500 GB that nobody reads, in Ireland.
    assert kept["saving"] == detail["saving"] == done["saving"]
    assert kept["prices"]["region"] == "eu-west-1"
    assert [one["kind"] for one in kept["recommendations"]] == ["table class"]
    assert detail["report"] == {"bucket": "reports", "key": f"reports/{DAY}.json"}
    assert detail["count"] == 1


def test_the_topic_hears_of_savings_that_are_worth_it(world: World) -> None:
    saving = run(world)["saving"]
    (message,) = world.messages
    assert message["Subject"] == f"prod could cost {saving} dollars a month less"
    assert "STANDARD_INFREQUENT_ACCESS" in message["Message"]
    run(world, days_later=7, told_from=Decimal(saving) + 1)
    run(world, days_later=14, topic_arn=None)
    assert len(world.messages) == 1
    assert len(world.events) == 3


def test_a_second_run_of_a_day_tells_nobody_again(world: World) -> None:
    first, second = run(world), run(world)
    assert first == second
    assert (len(world.events), len(world.messages)) == (1, 1)


def test_a_later_run_knows_how_the_table_grew(world: World) -> None:
    run(world)
    world.tables["orders"]["TableSizeBytes"] = 520 * 10**9
    run(world, days_later=14)
    (size,) = usage_from(world.objects[USAGE].decode()).tables[0].sizes
    assert (size.day, size.stored_bytes) == (DAY, 500 * 10**9)
    later = json.loads(world.objects["reports/2026-07-14.json"])
    assert "expiry" in [one["kind"] for one in later["recommendations"]]


def test_an_event_that_is_not_taken_fails_the_run_so_that_it_is_repeated(world: World) -> None:
    world.failed_entries = 1
    with pytest.raises(Unavailable, match="InternalFailure"):
        run(world)
    assert USAGE not in world.objects
    world.failed_entries = 0
    run(world)
    assert (len(world.events), len(world.messages)) == (1, 1)


def test_whatever_fails_the_repeated_run_ends_with_the_same_report_and_event() -> None:
    worlds: list[World] = []

    class Edge:
        """All services at once: by their operations they are told apart."""

        def call(self, operation: str, params: Json) -> Json:
            world = worlds[-1]
            world.calls.append((operation, dict(params)))
            answer: Json = getattr(world, operation)(params)
            return answer

    def fresh() -> Caller:
        world = World()
        # Young, and quickly reckoned.
        world.tables["orders"]["CreationDateTime"] = NOW - timedelta(days=8)
        run(world, days_later=-7)
        world.calls.clear()
        worlds.append(world)
        return Edge()

    def told() -> Any:
        world = worlds[-1]
        events = {event["Detail"] for event in world.events}
        messages = {message["Message"] for message in world.messages}
        return world.objects, events, messages

    calls = survives_every_fault(
        lambda caller: cost_report(lambda _: caller).run(NOW), told, fresh=fresh
    )
    operations = [call.operation for call in calls]
    assert {"GetObject", "PutObject", "PutEvents", "Publish", "GetMetricData"} <= set(operations)
    assert operations == [operation for operation, _ in worlds[0].calls][: len(calls)]
