"""The sentiment system: what is open, who is told what, and who may do what."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lambdas.sentiment import contract
from lambdas.sentiment.contract import ADD_ITEMS, LIST_NEWS, NEWS_EVENTS, READ_ROUTES
from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    Template,
    allowed,
    environment,
    exported,
    id_of,
    one,
    resources,
    statements,
    text,
)

Stage = Callable[[str], Assembly]
TABLE = "AWS::DynamoDB::GlobalTable"
SECRET = "AWS::SecretsManager::Secret"
OWN_LOGS_AND_TRACES = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
}


@pytest.fixture(scope="module")
def sentiment(prod: Assembly) -> Template:
    return prod.template("sentiment")


@pytest.mark.parametrize("name", STAGES)
def test_only_the_page_and_its_settings_are_open(name: str, stage: Stage) -> None:
    template = stage(name).template("sentiment")
    (authorizer,) = resources(template, "AWS::ApiGatewayV2::Authorizer")
    open_routes, closed = set(), set()
    for route in resources(template, "AWS::ApiGatewayV2::Route").values():
        if route["AuthorizationType"] == "NONE":
            open_routes.add(route["RouteKey"])
        else:
            assert route["AuthorizationType"] == "JWT"
            assert text(route["AuthorizerId"]) == f"{{{authorizer}}}"
            closed.add(route["RouteKey"])
    assert open_routes == {f"GET {path}" for path in (*contract.page_files(), "/config.json")}
    wanted = (*READ_ROUTES, ADD_ITEMS, LIST_NEWS, NEWS_EVENTS)
    assert closed == {f"{method} {path}" for method, path in wanted}


def test_what_is_written_goes_to_ingestion_what_is_open_to_the_page_and_the_rest_to_the_api(
    sentiment: Template,
) -> None:
    integrations = resources(sentiment, "AWS::ApiGatewayV2::Integration")
    leads = {}
    for route in resources(sentiment, "AWS::ApiGatewayV2::Route").values():
        integration = integrations[text(route["Target"]).partition("{")[2].rstrip("}")]
        leads[route["RouteKey"]] = text(integration["IntegrationUri"])
    served_by = {
        **{f"{method} {path}": "Ingest" for method, path in (ADD_ITEMS,)},
        **{f"{method} {path}": "Api" for method, path in READ_ROUTES},
        **{f"{method} {path}": "NewsApi" for method, path in (LIST_NEWS, NEWS_EVENTS)},
        **{f"GET {path}": "Page" for path in (*contract.page_files(), "/config.json")},
    }
    assert leads.keys() == served_by.keys()
    for key, function in served_by.items():
        assert leads[key].startswith(f"{{{function}Function"), key


@pytest.mark.parametrize("name", STAGES)
def test_no_function_is_told_a_secret_only_where_it_is(name: str, stage: Stage) -> None:
    template = stage(name).template("sentiment")
    assert "{{resolve:" not in json.dumps(template)
    secrets = {f"{{{id}}}" for id in resources(template, "AWS::SecretsManager::Secret")}
    told = set()
    for function in ("Ingest", "Analyse", "Project", "Api", "Page", "NewsApi", "NewsHeal"):
        for variable, value in environment(template, function).items():
            if value in secrets:
                assert variable.endswith("_SECRET_ARN")
                told.add(value)
    assert told == secrets


def test_the_page_learns_where_to_sign_in_and_nothing_else(prod: Assembly) -> None:
    function = one(prod.template("sentiment"), "AWS::Lambda::Function", "PageFunction")
    told = function["Environment"]["Variables"]
    assert {name for name in told if not name.startswith("POWERTOOLS_")} == {"PAGE_CONFIG"}
    parts: list[Any] = told["PAGE_CONFIG"]["Fn::Join"][1]
    config = json.loads("".join(part if isinstance(part, str) else "x" for part in parts))
    assert config == {
        "stage": "prod",
        "signIn": {
            "url": "https://cognito-idp.x.x/",
            "clientId": "x",
            "userPoolId": "x",
            "password": False,
        },
        "refreshSeconds": 5,
    }


@pytest.mark.parametrize(
    ("name", "shown"), [("local", True), ("dev", True), ("staging", True), ("prod", False)]
)
def test_what_a_request_consumed_is_not_shown_to_the_public(
    name: str, shown: bool, stage: Stage
) -> None:
    assert ("SHOW_CAPACITY" in environment(stage(name).template("sentiment"), "Api")) is shown


def test_each_function_may_do_what_it_does_and_nothing_else(
    sentiment: Template, prod: Assembly
) -> None:
    identity = prod.template("identity")
    items, dashboard, news = (
        f"{{{id_of(sentiment, TABLE, start)}" for start in ("Items", "Dashboard", "News")
    )
    bucket = f"{{{id_of(sentiment, 'AWS::S3::Bucket', 'Projection')}.Arn}}"
    queue, failed = (
        f"{{{id_of(sentiment, 'AWS::SQS::Queue', start)}.Arn}}"
        for start in ("AnalysisQueue", "EventFailures")
    )
    topic = f"{{{id_of(sentiment, 'AWS::SNS::Topic', 'Analysis')}}}"
    keys = f"{{{id_of(sentiment, SECRET, 'Keys')}}}"
    cursor_key = exported(identity, id_of(identity, SECRET, "CursorKey"))
    expected = {
        "Ingest": {
            ("dynamodb:BatchGetItem", f"{items}.Arn}}"),
            ("dynamodb:BatchWriteItem", f"{items}.Arn}}"),
            ("dynamodb:GetItem", f"{items}.Arn}}"),
            ("dynamodb:PutItem", f"{items}.Arn}}"),
            ("dynamodb:BatchWriteItem", f"{dashboard}.Arn}}"),
            ("dynamodb:BatchGetItem", f"{news}.Arn}}"),
            ("dynamodb:GetItem", f"{news}.Arn}}"),
            ("dynamodb:PutItem", f"{news}.Arn}}"),
            ("dynamodb:UpdateItem", f"{news}.Arn}}"),
            ("sns:Publish", topic),
            ("secretsmanager:GetSecretValue", keys),
            ("sqs:SendMessage", failed),
        },
        "Analyse": {
            ("dynamodb:UpdateItem", f"{items}.Arn}}"),
            ("dynamodb:UpdateItem", f"{news}.Arn}}"),
            ("sqs:DeleteMessage", queue),
            ("sqs:GetQueueAttributes", queue),
            ("sqs:ReceiveMessage", queue),
        },
        "Project": {
            ("dynamodb:BatchWriteItem", f"{dashboard}.Arn}}"),
            ("dynamodb:BatchGetItem", f"{dashboard}.Arn}}"),
            ("dynamodb:UpdateItem", f"{dashboard}.Arn}}"),
            ("dynamodb:GetItem", f"{items}.Arn}}"),
            ("dynamodb:DescribeStream", f"{items}.StreamArn}}"),
            ("dynamodb:GetRecords", f"{items}.StreamArn}}"),
            ("dynamodb:GetShardIterator", f"{items}.StreamArn}}"),
            ("dynamodb:ListStreams", f"{items}.StreamArn}}"),
            ("s3:PutObject", f"{bucket}/aws/lambda/*"),
            ("s3:ListBucket", bucket),
        },
        "Api": {
            ("dynamodb:Query", f"{dashboard}.Arn}}"),
            ("dynamodb:Query", f"{dashboard}.Arn}}/index/by_sentiment"),
            ("dynamodb:Query", f"{dashboard}.Arn}}/index/by_tag"),
            ("secretsmanager:GetSecretValue", cursor_key),
        },
        "Page": set(),
        "NewsApi": {
            ("dynamodb:Query", f"{news}.Arn}}/index/by_sentiment"),
            ("dynamodb:Query", f"{news}.Arn}}/index/by_arrival"),
            ("dynamodb:BatchGetItem", f"{news}.Arn}}"),
            ("secretsmanager:GetSecretValue", cursor_key),
        },
        "NewsHeal": {
            ("dynamodb:Query", f"{news}.Arn}}/index/by_status"),
            ("dynamodb:BatchGetItem", f"{news}.Arn}}"),
            ("dynamodb:UpdateItem", f"{news}.Arn}}"),
            ("sns:Publish", topic),
            ("sqs:SendMessage", failed),
        },
    }
    for function, may in expected.items():
        found = allowed(sentiment, f"{function}Role")
        assert {pair for pair in found if pair[0] not in OWN_LOGS_AND_TRACES} == may, function


def test_items_of_unknown_sources_can_be_neither_read_nor_written(sentiment: Template) -> None:
    items = f"{{{id_of(sentiment, TABLE, 'Items')}.Arn}}"
    seen = 0
    for function in ("Ingest", "Analyse", "Project"):
        for statement in statements(sentiment, f"{function}Role"):
            if text(statement["Resource"]) == items:
                condition = statement["Condition"]
                assert condition["ForAllValues:StringLike"] == {
                    "dynamodb:LeadingKeys": ["newsapi#*", "twitter#*", "reddit#*"]
                }
                assert condition["Null"] == {"dynamodb:LeadingKeys": "false"}
                seen += 1
    assert seen == 3


def test_ingestion_may_add_to_the_dashboard_only_what_it_refused(sentiment: Template) -> None:
    dashboard = f"{{{id_of(sentiment, TABLE, 'Dashboard')}.Arn}}"
    (statement,) = (
        s for s in statements(sentiment, "IngestRole") if text(s["Resource"]) == dashboard
    )
    (keys,) = statement["Condition"]["ForAllValues:StringLike"].values()
    assert keys == ["rejected|*"]
