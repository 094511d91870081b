"""What looks at costs: in production, every week, with rights to describe and nothing else."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cdk_app.setting import SettingError
from cdk_app.settings import ROOT, read
from lambdas.operations.contract import DETAIL_TYPE, EVENT_SOURCE
from stacks.cost_recommendations import SOURCES
from tablewright.constructs import Source
from tablewright.recommendations.reading.resources import StageResources
from tests.infrastructure.synthesis import (
    Assembly,
    Template,
    allowed,
    environment,
    listed,
    one,
    resources,
    statements,
)

Stage = Callable[[str], Assembly]
ROLE = "RecommendationsRecommendRole"
FUNCTION = "RecommendationsRecommend"


@pytest.fixture(scope="module")
def operations(stage: Stage) -> Template:
    return stage("prod-us-east-1").template("operations")


@pytest.fixture(scope="module")
def watched(operations: Template) -> StageResources:
    told = environment(operations, FUNCTION)["RESOURCES"]
    return StageResources.from_json(told)


def test_every_table_of_the_stage_is_looked_at(watched: StageResources, stage: Stage) -> None:
    home = stage("prod-us-east-1")
    there = {
        table["TableName"]
        for system in ("sales", "forms", "sentiment", "portal")
        for table in resources(home.template(system), "AWS::DynamoDB::GlobalTable").values()
    }
    # The switch of regions has one item.
    assert there - {one.name for one in watched.tables} == {"prod-sentiment-regions"}


def test_tables_have_the_names_that_the_setting_of_capacity_takes(watched: StageResources) -> None:
    for table in watched.tables:
        setting = {"TABLEWRIGHT_CAPACITY": f"{table.setting_name}=provisioned:1-10@70/2-20@50"}
        assert read({"stage": "prod"}.get, setting)


def test_it_may_describe_and_write_its_report_and_no_more(operations: Template) -> None:
    actions = {action for action, _ in allowed(operations, ROLE)}
    assert actions == {
        "cloudwatch:DescribeAlarmHistory",
        "cloudwatch:DescribeAlarms",
        "cloudwatch:GetMetricData",
        "dynamodb:DescribeTable",
        "dynamodb:DescribeTimeToLive",
        "events:PutEvents",
        "kms:Decrypt",
        "kms:GenerateDataKey",
        "logs:CreateLogStream",
        "logs:DescribeLogGroups",
        "logs:PutLogEvents",
        "s3:GetObject",
        "s3:ListBucket",
        "s3:PutObject",
        "sns:Publish",
        "sqs:SendMessage",
        "xray:PutTelemetryRecords",
        "xray:PutTraceSegments",
    }


def test_it_sends_no_other_event_than_its_own(operations: Template) -> None:
    (statement,) = (
        one for one in statements(operations, ROLE) if "events:PutEvents" in listed(one["Action"])
    )
    own = {"events:source": EVENT_SOURCE, "events:detail-type": DETAIL_TYPE}
    assert statement["Condition"] == {"StringEquals": own}


def test_it_runs_on_mondays_and_one_alarm_watches_it(operations: Template) -> None:
    rule = one(operations, "AWS::Events::Rule", "RecommendationsWeekly")
    assert rule["ScheduleExpression"] == "cron(0 6 ? * MON *)"
    alarms = [id for id in resources(operations, "AWS::CloudWatch::Alarm") if "Recommend" in id]
    assert [id.rstrip("0123456789ABCDEF") for id in alarms] == [
        "RecommendationsEventFailuresNotTaken"
    ]


def test_the_function_imports_nothing_that_its_bundle_lacks(tmp_path: Path) -> None:
    for source in SOURCES:
        for target, path in Source(ROOT / source, source).files():
            (tmp_path / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, tmp_path / target)
    handler = "lambdas.operations.handlers.recommend"
    subprocess.run([sys.executable, "-c", f"import {handler}"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("name", ["dev", "staging", "local"])
def test_other_stages_are_not_looked_at_unless_they_ask(name: str, stage: Stage) -> None:
    template = json.dumps(stage(name).template("operations"))
    assert "Recommend" not in template
    asked = read({"stage": name}.get, {"TABLEWRIGHT_RECOMMENDATIONS": "5"})
    assert asked.recommended_from == 5


def test_a_sum_that_is_none_is_refused() -> None:
    with pytest.raises(SettingError, match="TABLEWRIGHT_RECOMMENDATIONS is 'much'"):
        read({"stage": "dev"}.get, {"TABLEWRIGHT_RECOMMENDATIONS": "much"})
