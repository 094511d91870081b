"""How closely each stage is watched, and what that asks for."""

import re
from collections.abc import Callable

import pytest
from aws_cdk import App, Duration, Stack

from cdk_app.setting import SettingError
from cdk_app.settings import read
from deployment.cdk import Assembly as Synthesized
from deployment.exports import importers_of_removed, imports
from tablewright.constructs import AccountAlarms, AlarmLevel, FunctionAlarms, MessageQueue
from tablewright.constructs.nag import TablewrightChecks
from tests.infrastructure.constructs.building_blocks import function_in, table_in
from tests.infrastructure.synthesis import (
    Assembly,
    Template,
    context,
    new_stack,
    one,
    resources,
    synthesize_stage,
    template_of,
)

Stage = Callable[[str], Assembly]
MOST_METRICS = 61
MINUTE = Duration.minutes(1)


def alarms(assembly: Assembly) -> dict[tuple[str, str], Template]:
    """By the system and the logical id, which are the same in every stage."""
    return {
        (stack.rpartition("-")[2], id): alarm
        for stack, template in assembly.templates.items()
        for id, alarm in resources(template, "AWS::CloudWatch::Alarm").items()
    }


def topic_of(assembly: Assembly) -> str:
    """The name under which the alarms' topic is exported."""
    outputs = assembly.template("operations")["Outputs"].values()
    (name,) = (output["Export"]["Name"] for output in outputs if "Export" in output)
    return str(name)


def metrics(alarm: Template) -> int:
    """What is paid for: each metric that an expression takes counts."""
    return sum("MetricStat" in metric for metric in alarm.get("Metrics", ())) or 1


@pytest.mark.parametrize("name", ["staging", "prod"])
def test_a_stage_has_few_alarm_metrics(name: str, stage: Stage) -> None:
    assert 0 < sum(map(metrics, alarms(stage(name)).values())) <= MOST_METRICS


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    folder = tmp_path_factory.mktemp("watched")
    return synthesize_stage("prod", folder, {"TABLEWRIGHT_ALARMS": "all"})


@pytest.mark.thorough
def test_all_alarms_are_those_of_production_and_the_ones_that_tell_why(
    prod: Assembly, watched: Assembly
) -> None:
    few, all = alarms(prod), alarms(watched)
    assert few.keys() < all.keys()
    # One for each of the nine tables, in which each key counts twice.
    throttles = [all[key] for key in all.keys() - few.keys() if "AlarmsThrottles" in key[1]]
    assert sum(map(metrics, throttles)) > 50


@pytest.mark.thorough
def test_one_alarm_watches_the_concurrency_of_the_account_by_its_quota_of_the_day(
    watched: Assembly,
) -> None:
    template = watched.template("operations")
    found = one(template, "AWS::CloudWatch::Alarm", "AccountConcurrency")
    expression, used = found["Metrics"]
    assert expression["Expression"] == "100 * used / SERVICE_QUOTA(used)"
    assert (found["Threshold"], used["Id"], used["MetricStat"]["Stat"]) == (80, "used", "Maximum")
    assert used["MetricStat"]["Metric"] == {
        "Namespace": "AWS/Usage",
        "MetricName": "ResourceCount",
        "Dimensions": [
            {"Name": "Class", "Value": "None"},
            {"Name": "Resource", "Value": "ConcurrentExecutions"},
            {"Name": "Service", "Value": "Lambda"},
            {"Name": "Type", "Value": "Resource"},
        ],
    }


def test_a_function_with_concurrency_of_its_own_is_watched_by_that() -> None:
    stack = new_stack()
    FunctionAlarms(
        stack, "Alarms", function=function_in(stack), timeout=MINUTE, reserved_concurrency=50
    )
    found = resources(template_of(stack), "AWS::CloudWatch::Alarm").values()
    (own,) = (alarm for alarm in found if alarm.get("MetricName") == "ConcurrentExecutions")
    assert own["Threshold"] == 40


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    folder = tmp_path_factory.mktemp("silent")
    return synthesize_stage("staging", folder, {"TABLEWRIGHT_ALARMS": "none"})


@pytest.mark.thorough
def test_no_alarms_are_no_topic_and_no_key_either(silent: Assembly) -> None:
    assert alarms(silent) == {}
    topics = resources(silent.template("operations"), "AWS::SNS::Topic")
    assert [id for id in topics if id.startswith("Alarms")] == []
    assert silent.findings() == set()


@pytest.mark.thorough
def test_a_stage_that_had_alarms_gives_up_their_topic_before_it_goes(
    stage: Stage, silent: Assembly
) -> None:
    staging = stage("staging")
    before = staging.templates
    taken = {name for name, template in before.items() if topic_of(staging) in imports(template)}
    first = importers_of_removed(Synthesized(silent.folder), lambda name, region: before[name])
    assert taken == set(first)
    assert len(taken) == 5
    # The other way round the topic is made first, as ever.
    after = silent.templates
    assert importers_of_removed(Synthesized(staging.folder), lambda name, region: after[name]) == []


@pytest.mark.parametrize(
    ("stage", "asked", "level"),
    [
        ("dev", None, "none"),
        ("dev", "all", "all"),
        ("staging", None, "essential"),
        ("prod", None, "essential"),
        ("prod", "all", "all"),
        ("prod", "none", "none"),
        ("local", None, "all"),
    ],
)
def test_the_level_is_the_stage_s_unless_another_is_asked_for(
    stage: str, asked: str | None, level: str
) -> None:
    environ = {"TABLEWRIGHT_ALARMS": asked} if asked else {}
    assert read({"stage": stage}.get, environ).alarms == level


def test_another_level_is_refused() -> None:
    with pytest.raises(SettingError, match=r"ALARMS is 'few': .* none, essential or all"):
        read({"stage": "dev"}.get, {"TABLEWRIGHT_ALARMS": "few"})


def test_a_level_holds_for_the_scope_it_is_applied_to() -> None:
    app = App(context=context())
    quiet, loud = Stack(app, "Quiet"), Stack(app, "Loud")
    AlarmLevel.NONE.apply_to(quiet)
    for stack in (quiet, loud):
        MessageQueue(stack, "Queue", visibility=MINUTE)
        AccountAlarms(stack, "Account")
    assert resources(template_of(quiet), "AWS::CloudWatch::Alarm") == {}
    assert len(resources(template_of(loud), "AWS::CloudWatch::Alarm")) == 3


def test_throttle_alarms_are_asked_for_where_there_are_all_alarms() -> None:
    for level, found in ((AlarmLevel.ESSENTIAL, []), (AlarmLevel.ALL, ["ThrottleAlarms"])):
        stack = new_stack()
        level.apply_to(stack)
        table_in(stack).node.find_child("Alarms").node.try_remove_child("Throttles")
        report = TablewrightChecks().validate_scope(stack)
        assert [v.rule_name.partition("-")[2] for v in report.violations] == found


def test_cloudwatch_may_use_the_key_whatever_it_tells_kms_about_itself(prod: Assembly) -> None:
    operations = prod.template("operations")
    keys = [key for id, key in resources(operations, "AWS::KMS::Key").items() if "Alarms" in id]
    (policy,) = (key["KeyPolicy"]["Statement"] for key in keys)
    (allowed,) = (s for s in policy if s["Principal"] == {"Service": "cloudwatch.amazonaws.com"})
    assert allowed["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]
    assert "Condition" not in allowed


def test_alarms_of_the_account_and_nothing_else_may_publish_to_the_topic(prod: Assembly) -> None:
    operations = prod.template("operations")
    policies = resources(operations, "AWS::SNS::TopicPolicy")
    (policy,) = (policy for id, policy in policies.items() if id.startswith("Alarms"))
    allowed = [s for s in policy["PolicyDocument"]["Statement"] if s["Effect"] == "Allow"]
    (statement,) = allowed
    assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert statement["Action"] == "sns:Publish"
    parts = statement["Condition"]["ArnLike"]["aws:SourceArn"]["Fn::Join"][1]
    assert parts[-1] == ":alarm:*"
    assert {"Ref": "AWS::AccountId"} in parts


@pytest.mark.parametrize(
    ("name", "made"), [("dev", []), ("staging", ["AlarmsKey"]), ("prod", ["AlarmsKey"])]
)
def test_a_stage_that_is_not_thrown_away_has_one_key_that_of_its_alarms_topic(
    name: str, made: list[str], stage: Stage
) -> None:
    keys = [
        id
        for template in stage(name).templates.values()
        for id in resources(template, "AWS::KMS::Key")
    ]
    assert [id.rstrip("0123456789ABCDEF") for id in keys] == made


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["dev", "staging", "prod"])
def test_a_table_has_at_most_five_alarms_by_default(name: str, stage: Stage) -> None:
    of_tables: dict[str, int] = {}
    for stack, template in stage(name).templates.items():
        tables = resources(template, "AWS::DynamoDB::GlobalTable")
        # The beginning of a table's construct path, which its alarms, backups and replicas share.
        for id in (id.partition("Table")[0] for id in tables):
            alarms = resources(template, "AWS::CloudWatch::Alarm")
            of_tables[f"{stack}/{id}"] = sum(alarm.startswith(id) for alarm in alarms)
    assert max(of_tables.values()) <= 5, of_tables


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["prod", "prod-us-east-1"])
def test_every_schedule_and_backup_has_an_alarm_of_absence(name: str, stage: Stage) -> None:
    for stack, template in stage(name).templates.items():
        rules = [
            rule["ScheduleExpression"]
            for rule in resources(template, "AWS::Events::Rule").values()
            # A week is further back than CloudWatch looks.
            if not re.search("EventPattern|SUN|MON", str(rule))
        ]
        plans = resources(template, "AWS::Backup::BackupPlan")
        absence = [
            alarm
            for alarm in resources(template, "AWS::CloudWatch::Alarm").values()
            if alarm["TreatMissingData"] == "breaching"
        ]
        runs = [alarm for alarm in absence if alarm["MetricName"] == "Invocations"]
        copies = [a for a in absence if a["MetricName"] == "NumberOfBackupJobsCompleted"]
        assert len(runs) == len(rules), stack
        assert len(copies) == len(plans), stack
        assert len(runs) + len(copies) == len(absence)
        for alarm in absence:
            assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
            looks_back = alarm["Period"] * alarm["EvaluationPeriods"]
            assert looks_back <= (86_400 if alarm["Period"] < 3600 else 604_800)
