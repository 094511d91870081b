"""The portal: four tables, and what stands around them."""

import json
from collections.abc import Callable

import pytest

from lambdas.portal.contract import FILES_PREFIX, ROUTES
from lambdas.portal.handlers import clean_files, notify_users
from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    Template,
    allowed,
    environment,
    id_of,
    listed,
    one,
    resources,
    synthesize_stage,
    text,
)

Stage = Callable[[str], Assembly]
FUNCTION = "AWS::Lambda::Function"


@pytest.fixture(scope="module")
def portal(prod: Assembly) -> Template:
    return prod.template("portal")


@pytest.mark.parametrize("name", STAGES)
def test_every_route_wants_a_token(name: str, stage: Stage) -> None:
    template = stage(name).template("portal")
    routes = resources(template, "AWS::ApiGatewayV2::Route").values()
    assert {route["AuthorizationType"] for route in routes} == {"JWT"}
    keys = {route["RouteKey"] for route in routes}
    assert keys == {f"{method} {path}" for method, path in ROUTES}


def test_files_are_told_of_by_a_queue_that_only_this_account_s_buckets_send_to(
    portal: Template,
) -> None:
    bucket = one(portal, "AWS::S3::Bucket", "Files")
    queue = id_of(portal, "AWS::SQS::Queue", "FilesArrivalsQueue")
    (told,) = bucket["NotificationConfiguration"]["QueueConfigurations"]
    assert text(told["Queue"]) == f"{{{queue}.Arn}}"
    assert told["Event"] == "s3:ObjectCreated:*"
    assert told["Filter"]["S3Key"]["Rules"] == [{"Name": "prefix", "Value": FILES_PREFIX}]
    policies = resources(portal, "AWS::SQS::QueuePolicy").values()
    sends = [
        statement
        for policy in policies
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Principal"] == {"Service": "s3.amazonaws.com"}
    ]
    assert [s["Condition"] for s in sends] == [
        {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    ]


@pytest.mark.parametrize(
    ("function", "queue"), [("FanOutNotify", "FanOutMessagesQueue"), ("Uploads", "FilesArrivals")]
)
def test_a_message_is_hidden_for_six_times_what_it_may_take(
    function: str, queue: str, portal: Template
) -> None:
    timeout = one(portal, FUNCTION, function)["Timeout"]
    queues = resources(portal, "AWS::SQS::Queue")
    (hidden,) = (
        made["VisibilityTimeout"]
        for id, made in queues.items()
        if id.startswith(queue) and "RedrivePolicy" in made
    )
    assert hidden == 6 * timeout


def test_functions_have_time_for_what_they_keep_in_reserve(portal: Template) -> None:
    assert one(portal, FUNCTION, "FanOutNotify")["Timeout"] * 1000 >= 2 * notify_users.RESERVED_MS
    assert one(portal, FUNCTION, "Clean")["Timeout"] * 1000 >= 2 * clean_files.RESERVED_MS
    assert one(portal, FUNCTION, "Calendar")["Timeout"] >= 120


def test_only_what_is_meant_to_come_back_to_itself_may(portal: Template, prod: Assembly) -> None:
    loops = {
        f["Handler"].split(".")[-2]
        for template in prod.templates.values()
        for f in resources(template, FUNCTION).values()
        if f.get("RecursiveLoop") == "Allow"
    }
    assert loops == {
        *("deliver", "plan_shards"),
        *("notify_users", "clean_files", "run_calendar", "compact_days"),
        "verify_search",
    }


def test_each_function_may_touch_the_tables_that_it_is_told_of_and_no_other(
    portal: Template,
) -> None:
    tables = resources(portal, "AWS::DynamoDB::GlobalTable")
    for id, function in resources(portal, FUNCTION).items():
        told = {text(v) for v in function["Environment"]["Variables"].values()}
        role = text(function["Role"]).strip("{}").removesuffix(".Arn")
        touched = {
            table
            for action, arn in allowed(portal, role)
            for table in tables
            if action.startswith("dynamodb:") and arn.startswith(f"{{{table}.Arn}}")
        }
        assert touched == {table for table in tables if f"{{{table}}}" in told}, id


def test_only_the_function_that_signs_addresses_may_put_files(portal: Template) -> None:
    bucket = id_of(portal, "AWS::S3::Bucket", "Files")
    puts = {
        role
        for policy in resources(portal, "AWS::IAM::Policy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if "s3:PutObject" in listed(statement["Action"])
        and any(bucket in text(arn) for arn in listed(statement["Resource"]))
        for role in (text(one) for one in policy["Roles"])
    }
    assert len(puts) == 1
    assert puts.pop().startswith("{ContentApiRole")


def test_every_alarm_is_told(portal: Template) -> None:
    for id, alarm in resources(portal, "AWS::CloudWatch::Alarm").items():
        (action,) = alarm["AlarmActions"]
        assert "AlarmsTopic" in action["Fn::ImportValue"], id


@pytest.mark.thorough
def test_a_busy_portal_spreads_its_days(tmp_path: object) -> None:
    made = synthesize_stage("dev", tmp_path, {"TABLEWRIGHT_EVENT_SHARDS": "10"})  # type: ignore[arg-type]
    portal = made.template("portal")
    assert environment(portal, "EventsApi")["EVENT_SHARDS"] == "10"
    assert made.findings() == set()
    assert "EVENT_SHARDS" not in json.dumps(environment(portal, "ContentApi"))


@pytest.mark.thorough
def test_a_stage_may_ask_for_a_second_person(tmp_path: object, portal: Template) -> None:
    made = synthesize_stage("dev", tmp_path, {"TABLEWRIGHT_REVIEW": "two-person"})  # type: ignore[arg-type]
    assert environment(made.template("portal"), "ContentApi")["REVIEW"] == "two-person"
    assert "REVIEW" not in environment(portal, "ContentApi")


@pytest.mark.parametrize("function", ["Clean", "Calendar"])
def test_a_run_that_fails_is_kept(function: str, portal: Template) -> None:
    queue = id_of(portal, "AWS::SQS::Queue", "EventFailures")
    configs = resources(portal, "AWS::Lambda::EventInvokeConfig").values()
    (kept,) = (c for c in configs if text(c["FunctionName"]).startswith(f"{{{function}Function"))
    assert text(kept["DestinationConfig"]["OnFailure"]["Destination"]) == f"{{{queue}.Arn}}"
    assert ("sqs:SendMessage", f"{{{queue}.Arn}}") in allowed(portal, f"{function}Role")
