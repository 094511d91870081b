"""Healing attached to a table: its schedule, its rules, its rights and its alarms."""

from typing import Any

import pytest
from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_

from tablewright.catalog.news.constructs import NewsTable
from tablewright.catalog.news.design import News, NewsItem, SparseNews, news_healing
from tablewright.catalog.sentiment.items import Items
from tablewright.constructs import SelfHealing, WorkQueue
from tablewright.model.healing import HealingPlan
from tests.infrastructure.synthesis import (
    Template,
    allowed,
    id_of,
    new_stack,
    one,
    only,
    resources,
    template_of,
)

NO_QUERY: dict[str, Any] = {"waiting": News.get_news}
OF_ANOTHER: dict[str, Any] = {"mark": Items.record_analysis}


def healed(
    plan: HealingPlan[NewsItem] | None = None, *, sparse: bool = False, **options: Any
) -> Template:
    stack = new_stack()
    table = NewsTable(stack, "News", sparse_status=sparse)
    function = lambda_.Function(
        stack,
        "Heal",
        runtime=lambda_.Runtime.PYTHON_3_13,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context): ..."),
    )
    SelfHealing(
        stack,
        "Healing",
        table=table,
        plan=plan or news_healing(SparseNews if sparse else News),
        function=function,
        requests=WorkQueue(stack, "Work", visibility=Duration.minutes(3)),
        service="news",
        **options,
    )
    return template_of(stack)


def alarm(template: Template, name: str) -> Template:
    return one(template, "AWS::CloudWatch::Alarm", f"Healing{name}")


def told(template: Template) -> dict[str, str]:
    found: dict[str, str] = one(template, "AWS::Lambda::Function", "Heal")["Environment"][
        "Variables"
    ]
    return found


def test_the_published_rules_are_the_default() -> None:
    template = healed()
    assert only(template, "AWS::Events::Rule")["ScheduleExpression"] == "rate(15 minutes)"
    assert told(template) == {
        "HEALING_THRESHOLD_SECONDS": "3600",
        "HEALING_BATCH": "100",
        "HEALING_PAUSE_SECONDS": "3600",
        "HEALING_ATTEMPTS": "5",
    }


def test_every_rule_can_be_another() -> None:
    template = healed(
        every=Duration.minutes(5),
        threshold=Duration.minutes(10),
        batch=7,
        pause=Duration.hours(2),
        attempts=3,
    )
    assert only(template, "AWS::Events::Rule")["ScheduleExpression"] == "rate(5 minutes)"
    assert list(told(template).values()) == ["600", "7", "7200", "3"]
    assert alarm(template, "Parked")["Period"] == 300


@pytest.mark.parametrize("sparse", [False, True])
def test_the_function_may_find_read_mark_and_publish_and_nothing_else(sparse: bool) -> None:
    template = healed(sparse=sparse)
    table = f"{{{id_of(template, 'AWS::DynamoDB::GlobalTable', 'News')}.Arn}}"
    topic = f"{{{id_of(template, 'AWS::SNS::Topic', 'Work')}}}"
    assert allowed(template, "HealServiceRole") == {
        ("dynamodb:Query", f"{table}/index/by_status"),
        ("dynamodb:BatchGetItem", table),
        ("dynamodb:UpdateItem", table),
        ("sns:Publish", topic),
    }


def test_a_run_is_not_repeated_by_the_schedule() -> None:
    (target,) = only(healed(), "AWS::Events::Rule")["Targets"]
    assert target["RetryPolicy"] == {"MaximumRetryAttempts": 0}


def test_whatever_is_parked_rings() -> None:
    parked = alarm(healed(), "Parked")
    assert (parked["Namespace"], parked["MetricName"]) == ("Tablewright", "SelfHealingItemsParked")
    assert parked["Dimensions"] == [{"Name": "service", "Value": "news"}]
    assert (parked["Statistic"], parked["Threshold"], parked["Period"]) == ("Maximum", 1, 900)


def test_what_cannot_be_asked_for_rings_when_it_goes_on() -> None:
    """A run that fails as a whole rings the function's own alarm."""
    failing = alarm(healed(), "Failing")
    assert failing["MetricName"] == "SelfHealingItemsFailed"
    assert (failing["EvaluationPeriods"], failing["DatapointsToAlarm"]) == (4, 3)


def test_a_backlog_that_grows_or_fills_runs_rings() -> None:
    backlog = alarm(healed(batch=50), "Backlog")
    by_id = {metric["Id"]: metric for metric in backlog["Metrics"]}
    (expression,) = (m["Expression"] for m in by_id.values() if "Expression" in m)
    assert expression == "IF(FILL(found, 0) >= 50 OR DIFF(FILL(found, 0)) > 0, 1, 0)"
    stat = by_id["found"]["MetricStat"]
    assert (stat["Metric"]["MetricName"], stat["Stat"]) == ("SelfHealingItemsFound", "Maximum")
    assert (backlog["EvaluationPeriods"], backlog["DatapointsToAlarm"]) == (4, 4)


def test_no_alarm_rings_for_want_of_data() -> None:
    alarms = resources(healed(), "AWS::CloudWatch::Alarm")
    mine = {id: alarm for id, alarm in alarms.items() if id.startswith("Healing")}
    (not_run,) = (mine.pop(id) for id in [*mine] if "NotRun" in id)
    assert (not_run["TreatMissingData"], not_run["MetricName"]) == ("breaching", "Invocations")
    assert len(mine) == 3
    assert {alarm["TreatMissingData"] for alarm in mine.values()} == {"notBreaching"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"plan": news_healing(SparseNews)}, "for another design than that of the table"),
        ({"plan": news_healing()._replace(result="verdict")}, "has no verdict"),
        ({"plan": news_healing()._replace(**NO_QUERY)}, "must be of kind Query"),
        ({"plan": news_healing()._replace(**OF_ANOTHER)}, "is not an access"),
        ({"every": Duration.seconds(90)}, "whole minutes"),
        ({"every": Duration.seconds(30)}, "whole minutes"),
        ({"batch": 0}, "at least one item"),
        ({"attempts": 0}, "at least once"),
    ],
)
def test_what_cannot_work_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        healed(**options)
