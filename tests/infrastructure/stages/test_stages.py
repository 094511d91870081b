"""What each stage has, and what differs between them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import pytest

from cdk_app.settings import ROOT
from lambdas.sales.contract import ROUTES
from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    allowed,
    exported,
    listed,
    only,
    resources,
    statements,
    text,
)

Stage = Callable[[str], Assembly]
START = """
import json, os, sys
from importlib import import_module
for handler, told in json.loads(sys.argv[1]):
    os.environ.update(told)
    import_module(handler.removesuffix(".handler"))
"""


@pytest.mark.parametrize(
    ("name", "days", "protected", "policy"),
    [
        ("local", None, False, "Delete"),
        ("dev", None, False, "Delete"),
        ("staging", 7, False, "RetainExceptOnCreate"),
        ("prod", 35, True, "RetainExceptOnCreate"),
    ],
)
def test_data_is_as_protected_as_its_stage_is_precious(
    name: str, days: int | None, protected: bool, policy: str, stage: Stage
) -> None:
    tables = [
        resource
        for template in stage(name).templates.values()
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::DynamoDB::GlobalTable"
    ]
    assert {table["Properties"]["TableName"] for table in tables} == {
        f"bg-remover-{name}-sales-intelligence",
        f"{name}-sentiment-items-primary",
        f"{name}-sentiment-items-dashboard",
        f"{name}-sentiment-items",
        f"{name}-FormBridgeData",
        f"{name}-content_registry",
        f"{name}-content_search",
        f"{name}-notifications",
        f"{name}-subscriptions",
        f"{name}-events",
    }
    for table in tables:
        (replica,) = table["Properties"]["Replicas"]
        recovery = replica["PointInTimeRecoverySpecification"]
        assert recovery.get("RecoveryPeriodInDays") == days
        assert recovery["PointInTimeRecoveryEnabled"] is (days is not None)
        assert replica["DeletionProtectionEnabled"] is protected
        assert table["DeletionPolicy"] == policy
    pool = only(stage(name).template("identity"), "AWS::Cognito::UserPool")
    assert pool.get("DeletionProtection", "INACTIVE") == ("ACTIVE" if protected else "INACTIVE")


@pytest.mark.parametrize("name", STAGES)
def test_only_what_aws_cannot_narrow_is_allowed_on_everything(name: str, stage: Stage) -> None:
    wide = {
        action
        for template in stage(name).templates.values()
        for policy in resources(template, "AWS::IAM::Policy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if "*" in listed(statement["Resource"])
        for action in listed(statement["Action"])
    }
    traces = {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}
    # Whoever looks at costs reads metrics, which have no resources to name.
    assert wide == traces | ({"cloudwatch:GetMetricData"} if name == "prod" else set())


# Names within something that has a name of its own: an API, a pool, a role, a namespace.
WITHIN = {
    ("AWS::ApiGatewayV2::Authorizer", "Name"),
    ("AWS::ApiGatewayV2::Stage", "StageName"),
    ("AWS::CloudWatch::Alarm", "MetricName"),
    ("AWS::Cognito::UserPoolGroup", "GroupName"),
    ("AWS::IAM::Policy", "PolicyName"),
}


def given_names(assembly: Assembly) -> set[tuple[str, str, str]]:
    """What the templates themselves name: type, property, and the name in full."""
    found = set()
    for template in assembly.templates.values():
        for output in template.get("Outputs", {}).values():
            if "Export" in output:
                found.add(("Output", "Export", text(output["Export"]["Name"])))
        for resource in template["Resources"].values():
            for key, value in resource.get("Properties", {}).items():
                if key.endswith("Name") and isinstance(value, str):
                    found.add((resource["Type"], key, value))
    return found


@pytest.mark.thorough
def test_two_stages_of_one_account_share_no_name(dev: Assembly, stage: Stage) -> None:
    shared = given_names(dev) & given_names(stage("staging"))
    assert {(type, key) for type, key, _ in shared} <= WITHIN
    assert dev.templates.keys().isdisjoint(stage("staging").templates)


def test_the_function_alone_may_not_touch_the_table(dev: Assembly) -> None:
    sales = dev.template("sales")
    actions = {action for action, _ in allowed(sales, "ApiRole")}
    assert actions == {
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "secretsmanager:GetSecretValue",
        "sts:AssumeRole",
        "sts:TagSession",
        "xray:PutTraceSegments",
        "xray:PutTelemetryRecords",
    }


def test_the_tenant_role_may_use_the_table_for_one_tenant_only(dev: Assembly) -> None:
    found = statements(dev.template("sales"), "TenantAccessRole")
    assert {text(statement["Resource"]).partition("/")[2] for statement in found} == {
        "",
        "index/GSI1",
        "index/GSI2",
        "index/GSI3",
    }
    for statement in found:
        (keys,) = statement["Condition"]["ForAllValues:StringLike"].values()
        assert all(key.startswith("TENANT#${aws:PrincipalTag/tenant}#") for key in keys)


def test_the_function_is_told_where_everything_is(dev: Assembly) -> None:
    sales = dev.template("sales")
    function = only(sales, "AWS::Lambda::Function")
    (table,) = resources(sales, "AWS::DynamoDB::GlobalTable")
    identity = dev.template("identity")
    (secret,) = resources(identity, "AWS::SecretsManager::Secret")
    (role,) = (id for id in resources(sales, "AWS::IAM::Role") if id.startswith("TenantAccess"))
    variables = {key: text(v) for key, v in function["Environment"]["Variables"].items()}
    assert variables == {
        "SALES_INTELLIGENCE_TABLE_NAME": f"{{{table}}}",
        "TENANT_ROLE_ARN": f"{{{role}.Arn}}",
        "CURSOR_SECRET_ARN": exported(identity, secret),
        "EMBEDDING_BUCKET": "bg-remover-dev-embeddings",
        "POWERTOOLS_SERVICE_NAME": "sales",
        "POWERTOOLS_METRICS_NAMESPACE": "Tablewright/dev",
        "POWERTOOLS_LOG_LEVEL": "INFO",
    }


@pytest.mark.parametrize(
    ("system", "modules"),
    [
        ("sales", {"handlers.api"}),
        (
            "sentiment",
            {"handlers.ingest", "handlers.analyse", "handlers.project_items", "handlers.api"}
            | {"handlers.serve_page", "handlers.news_api", "handlers.heal_news"},
        ),
        (
            "forms",
            {"handlers.submit", "handlers.deliver", "handlers.admin"}
            | {"handlers.count_changes", "handlers.plan_shards", "handlers.verify_domains"},
        ),
        (
            "portal",
            {"handlers.content_api", "handlers.complete_uploads", "handlers.clean_files"}
            | {"handlers.run_calendar", "handlers.inbox_api", "handlers.publish_announcements"}
            | {"handlers.notify_users", "handlers.events_api"}
            | {"handlers.index_content", "handlers.verify_search"},
        ),
    ],
)
def test_functions_run_traced_on_graviton_and_log_json_to_their_own_groups(
    system: str, modules: set[str], dev: Assembly
) -> None:
    template = dev.template(system)
    functions = list(resources(template, "AWS::Lambda::Function").values())
    assert {f["Handler"] for f in functions} == {f"lambdas.{system}.{m}.handler" for m in modules}
    groups = [text(f["LoggingConfig"]["LogGroup"]).strip("{}") for f in functions]
    assert len(set(groups)) == len(functions)
    for function, group in zip(functions, groups, strict=True):
        assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"])
        assert function["TracingConfig"] == {"Mode": "Active"}
        assert function["LoggingConfig"]["LogFormat"] == "JSON"
        assert resources(template, "AWS::Logs::LogGroup")[group]["RetentionInDays"] == 7
        module, _, name = function["Handler"].rpartition(".")
        assert callable(getattr(import_module(module), name))


@pytest.mark.thorough
@pytest.mark.parametrize("system", ["sales", "sentiment", "forms", "portal"])
def test_functions_start_with_what_they_are_told(system: str, dev: Assembly) -> None:
    """In a process of their own, because they make themselves when they are imported."""
    told = [
        [f["Handler"], {name: text(v) for name, v in f["Environment"]["Variables"].items()}]
        for f in resources(dev.template(system), "AWS::Lambda::Function").values()
    ]
    environ = {
        "PATH": os.environ["PATH"],
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    started = subprocess.run(
        [sys.executable, "-c", START, json.dumps(told)],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert started.returncode == 0, started.stderr


@pytest.mark.thorough
def test_the_local_stage_runs_on_the_python_of_the_host(stage: Stage) -> None:
    for function in resources(stage("local").template("sales"), "AWS::Lambda::Function").values():
        assert (function["Runtime"], function["Architectures"]) == ("python3.11", ["x86_64"])


@pytest.mark.parametrize("name", STAGES)
def test_every_route_wants_a_token_of_the_pool(name: str, stage: Stage) -> None:
    sales = stage(name).template("sales")
    (authorizer,) = resources(sales, "AWS::ApiGatewayV2::Authorizer")
    routes = resources(sales, "AWS::ApiGatewayV2::Route").values()
    assert {route["RouteKey"] for route in routes} == {f"{m} {path}" for m, path in ROUTES}
    for route in routes:
        assert route["AuthorizationType"] == "JWT"
        assert text(route["AuthorizerId"]) == f"{{{authorizer}}}"


def test_the_authorizer_accepts_tokens_of_the_one_client(dev: Assembly) -> None:
    authorizer = only(dev.template("sales"), "AWS::ApiGatewayV2::Authorizer")
    (audience,) = authorizer["JwtConfiguration"]["Audience"]
    assert "UsersClient" in audience["Fn::ImportValue"]


def test_the_access_log_holds_no_token(dev: Assembly) -> None:
    stage = only(dev.template("sales"), "AWS::ApiGatewayV2::Stage")
    logged = stage["AccessLogSettings"]["Format"].lower()
    assert "$context.requestid" in logged
    assert "header" not in logged
    assert "authorization" not in logged
    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] == 100


@pytest.mark.parametrize("name", STAGES)
def test_a_client_can_read_but_not_write_the_tenant(name: str, stage: Stage) -> None:
    identity = stage(name).template("identity")
    client = only(identity, "AWS::Cognito::UserPoolClient")
    assert "custom:tenant" in client["ReadAttributes"]
    assert client["WriteAttributes"] == ["email", "family_name", "given_name"]
    pool = only(identity, "AWS::Cognito::UserPool")
    (tenant,) = (a for a in pool["Schema"] if a["Name"] == "tenant")
    assert tenant["Mutable"] is False
    assert pool["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}


@pytest.mark.parametrize(
    ("name", "by_password"), [("local", True), ("dev", True), ("staging", False), ("prod", False)]
)
def test_passwords_are_sent_only_where_there_are_no_real_users(
    name: str, by_password: bool, stage: Stage
) -> None:
    client = only(stage(name).template("identity"), "AWS::Cognito::UserPoolClient")
    assert ("ALLOW_USER_PASSWORD_AUTH" in client["ExplicitAuthFlows"]) is by_password
    assert "ALLOW_USER_SRP_AUTH" in client["ExplicitAuthFlows"]


@pytest.mark.thorough
def test_every_alarm_is_told_to_the_topic(stage: Stage) -> None:
    alarms = resources(stage("prod-us-east-1").template("sales"), "AWS::CloudWatch::Alarm")
    # Two of the table, three of each function, two of the API, four of the stream's consumer and
    # one of its archive's failed runs, one of runs that do not begin and one of missing backups.
    assert len(alarms) == 2 + 3 * 3 + 2 + 4 + 3
    for id, alarm in alarms.items():
        (action,) = alarm["AlarmActions"]
        assert "AlarmsTopic" in action["Fn::ImportValue"], id


def test_the_outputs_are_what_a_client_needs(dev: Assembly) -> None:
    assert {"ApiUrl", "TableName"} <= dev.template("sales")["Outputs"].keys()
    assert {"UserPoolId", "UserPoolClientId"} <= dev.template("identity")["Outputs"].keys()
