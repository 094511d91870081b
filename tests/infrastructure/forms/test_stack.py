"""The form system: one table, and what stands around it."""

import json
from collections.abc import Callable

import pytest

from lambdas.forms.contract import ADMIN_ROUTES, CREATED, SOURCE, SUBMIT_ROUTES
from lambdas.forms.delivery.attempts import CLAIM
from tablewright.model.restored import NOT_RESTORED
from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    Template,
    environment,
    id_of,
    one,
    only,
    resources,
    synthesize_stage,
    text,
)

Stage = Callable[[str], Assembly]
TABLE = "AWS::DynamoDB::GlobalTable"
MAPPING = "AWS::Lambda::EventSourceMapping"


@pytest.fixture(scope="module")
def forms(prod: Assembly) -> Template:
    return prod.template("forms")


@pytest.mark.parametrize("name", STAGES)
def test_only_signed_submissions_need_no_token(name: str, stage: Stage) -> None:
    template = stage(name).template("forms")
    (authorizer,) = resources(template, "AWS::ApiGatewayV2::Authorizer")
    kinds: dict[str, set[str]] = {"NONE": set(), "JWT": set()}
    for route in resources(template, "AWS::ApiGatewayV2::Route").values():
        kinds[route["AuthorizationType"]].add(route["RouteKey"])
        if route["AuthorizationType"] == "JWT":
            assert text(route["AuthorizerId"]) == f"{{{authorizer}}}"
    assert kinds["NONE"] == {f"{method} {path}" for method, path in SUBMIT_ROUTES}
    assert kinds["JWT"] == {f"{method} {path}" for method, path in ADMIN_ROUTES}


def test_new_submissions_are_told_on_a_bus_of_the_application_s_own(forms: Template) -> None:
    pipe = only(forms, "AWS::Pipes::Pipe")
    bus = id_of(forms, "AWS::Events::EventBus", "Deliveries")
    assert text(pipe["Target"]) == f"{{{bus}.Arn}}"
    assert text(pipe["Source"]) == f"{{{id_of(forms, TABLE, 'Forms')}.StreamArn}}"
    (pattern,) = pipe["SourceParameters"]["FilterCriteria"]["Filters"]
    assert json.loads(pattern["Pattern"]) == {
        "eventName": ["INSERT"],
        "dynamodb": {
            "Keys": {"SK": {"S": [{"prefix": "SUB#"}]}},
            "NewImage": {"status": {"S": ["PENDING"]}, **NOT_RESTORED},
        },
    }
    assert "payload." not in pipe["TargetParameters"]["InputTemplate"]
    rule = one(forms, "AWS::Events::Rule", "DeliveriesQueue")
    assert rule["EventPattern"] == {"source": [SOURCE], "detail-type": [CREATED]}


def test_an_attempt_ends_before_it_is_another_s_and_a_message_before_it_is_seen_again(
    forms: Template,
) -> None:
    deliver = one(forms, "AWS::Lambda::Function", "DeliveriesDeliver")
    queues = resources(forms, "AWS::SQS::Queue").values()
    (queue,) = (queue for queue in queues if "RedrivePolicy" in queue)
    assert deliver["Timeout"] < CLAIM.total_seconds()
    assert queue["VisibilityTimeout"] == 6 * deliver["Timeout"]
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 5


def test_deliveries_share_no_function_and_leave_room_in_the_account(forms: Template) -> None:
    mapping = one(forms, MAPPING, "DeliveriesQueue")
    assert mapping["BatchSize"] == 1
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 100}


def test_what_is_counted_is_neither_a_count_nor_a_mark_of_one(forms: Template) -> None:
    mapping = one(forms, MAPPING, "Counting")
    patterns = [json.loads(one["Pattern"]) for one in mapping["FilterCriteria"]["Filters"]]
    prefixes = {p["dynamodb"]["Keys"]["SK"]["S"][0]["prefix"] for p in patterns}
    assert prefixes == {"SUB#", "DEST#", "REQUEST"}
    # Lambda takes no more.
    assert len(patterns) <= 5
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True


def test_shards_are_planned_every_hour(forms: Template) -> None:
    rule = one(forms, "AWS::Events::Rule", "Planning")
    assert rule["ScheduleExpression"] == "rate(1 hour)"
    (target,) = rule["Targets"]
    assert text(target["Arn"]).startswith("{PlanFunction")


def test_payloads_are_kept_as_long_as_the_table_can_be_taken_back(stage: Stage) -> None:
    for name, days in (("dev", None), ("staging", 7), ("prod", 35)):
        bucket = one(stage(name).template("forms"), "AWS::S3::Bucket", "Payloads")
        rules = bucket["LifecycleConfiguration"]["Rules"]
        kept = [rule.get("NoncurrentVersionExpiration") for rule in rules if "Prefix" not in rule]
        assert kept == [{"NoncurrentDays": days} if days else None]
        assert bucket.get("VersioningConfiguration") == ({"Status": "Enabled"} if days else None)


def test_webhooks_on_the_function_s_own_machine_are_for_this_machine_only(stage: Stage) -> None:
    for name in STAGES:
        template = stage(name).template("forms")
        for function in ("DeliveriesDeliver", "Admin"):
            told = environment(template, function)
            assert ("LOCAL_WEBHOOKS" in told) is (name == "local"), (name, function)


def test_every_alarm_is_told(forms: Template) -> None:
    for id, alarm in resources(forms, "AWS::CloudWatch::Alarm").items():
        (action,) = alarm["AlarmActions"]
        assert "AlarmsTopic" in action["Fn::ImportValue"], id


@pytest.mark.thorough
def test_only_destinations_that_the_stage_names_can_be_reached(tmp_path: object) -> None:
    environ = {
        "TABLEWRIGHT_FORM_MAIL_FROM": "forms@example.com",
        "TABLEWRIGHT_FORM_BUCKETS": "acme-forms, globex.forms",
        "TABLEWRIGHT_FORM_BUSES": "acme,arn:aws:events:eu-west-1:111122223333:event-bus/globex",
    }
    made = synthesize_stage("dev", tmp_path, environ)  # type: ignore[arg-type]
    forms = made.template("forms")
    assert environment(forms, "DeliveriesDeliver")["MAIL_FROM"] == "forms@example.com"
    by_action: dict[str, set[str]] = {}
    for policy in resources(forms, "AWS::IAM::Policy").values():
        if not any("DeliveriesDeliverRole" in text(role) for role in policy["Roles"]):
            continue
        for statement in policy["PolicyDocument"]["Statement"]:
            found = statement["Resource"]
            named = {text(r) for r in (found if isinstance(found, list) else [found])}
            if isinstance(statement["Action"], str):
                by_action.setdefault(statement["Action"], set()).update(named)
    assert {arn.partition("identity/")[2] for arn in by_action["ses:SendEmail"]} == {
        "forms@example.com",
        "example.com",
    }
    assert {arn.partition(":::")[2] for arn in by_action["s3:PutObject"]} == {
        "acme-forms/*",
        "globex.forms/*",
    }
    buses = {arn.rpartition("/")[2] for arn in by_action["events:PutEvents"]}
    assert {"acme", "globex"} < buses
    assert len(buses) == 3
    assert made.findings() == set()
