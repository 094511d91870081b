"""The sentiment system: two tables, and what lies before, between and beside them."""

import json
from collections.abc import Callable

import pytest

from cdk_app.settings import read
from lambdas.sentiment.arrivals import SETTLES_AFTER
from lambdas.sentiment.sources.settings import CREDENTIALS, FINANCIAL_CREDENTIALS
from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    Template,
    environment,
    id_of,
    one,
    only,
    resources,
    text,
)

Stage = Callable[[str], Assembly]
TABLE = "AWS::DynamoDB::GlobalTable"
MAPPING = "AWS::Lambda::EventSourceMapping"


@pytest.fixture(scope="module")
def sentiment(prod: Assembly) -> Template:
    return prod.template("sentiment")


def keys_of(part: Template) -> dict[str, str]:
    return {key["KeyType"]: key["AttributeName"] for key in part["KeySchema"]}


def test_the_write_table_has_no_index_and_streams_both_images(sentiment: Template) -> None:
    table = one(sentiment, TABLE, "Items")
    assert table["TableName"] == "prod-sentiment-items-primary"
    assert keys_of(table) == {"HASH": "source_id", "RANGE": "ingested_at"}
    assert "GlobalSecondaryIndexes" not in table
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_the_read_table_is_by_day_by_sentiment_and_by_tag_and_forgets(sentiment: Template) -> None:
    table = one(sentiment, TABLE, "Dashboard")
    assert table["TableName"] == "prod-sentiment-items-dashboard"
    assert keys_of(table) == {"HASH": "day_partition", "RANGE": "ingested_at"}
    assert {index["IndexName"]: keys_of(index) for index in table["GlobalSecondaryIndexes"]} == {
        "by_sentiment": {"HASH": "day_partition", "RANGE": "sentiment_score_combined"},
        "by_tag": {"HASH": "tag", "RANGE": "ingested_at"},
    }
    for index in table["GlobalSecondaryIndexes"]:
        assert index["Projection"] == {"ProjectionType": "ALL"}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert "StreamSpecification" not in table


@pytest.mark.parametrize("name", STAGES)
def test_tables_are_tagged_by_what_they_are(name: str, stage: Stage) -> None:
    types = {"Items": "primary-write", "Dashboard": "read-optimized-dashboard"}
    for start, type in types.items():
        (replica,) = one(stage(name).template("sentiment"), TABLE, start)["Replicas"]
        tags = {tag["Key"]: tag["Value"] for tag in replica["Tags"]}
        assert tags["Environment"] == name
        assert tags["Feature"] == "001-interactive-dashboard-demo"
        assert tags["TableType"] == type


def test_changes_are_projected_in_batches_that_lose_nothing(sentiment: Template) -> None:
    mapping = one(sentiment, MAPPING, "Projection")
    bucket = id_of(sentiment, "AWS::S3::Bucket", "Projection")
    table = id_of(sentiment, TABLE, "Items")
    assert text(mapping["EventSourceArn"]) == f"{{{table}.StreamArn}}"
    assert text(mapping["FunctionName"]).startswith("{ProjectFunction")
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert (mapping["BatchSize"], mapping["MaximumBatchingWindowInSeconds"]) == (100, 5)
    assert mapping["MaximumRecordAgeInSeconds"] == 6 * 3600
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    kept = mapping["DestinationConfig"]["OnFailure"]["Destination"]
    assert text(kept) == f"{{{bucket}.Arn}}"


def test_only_changes_of_what_is_or_was_shown_reach_the_projector(sentiment: Template) -> None:
    mapping = one(sentiment, MAPPING, "Projection")
    analyzed = {"status": {"S": ["analyzed"]}}
    patterns = [json.loads(f["Pattern"]) for f in mapping["FilterCriteria"]["Filters"]]
    assert patterns == [{"dynamodb": {"NewImage": analyzed}}, {"dynamodb": {"OldImage": analyzed}}]


@pytest.mark.thorough
def test_on_this_machine_nobody_waits_for_a_batch_to_fill(stage: Stage) -> None:
    mapping = one(stage("local").template("sentiment"), MAPPING, "Projection")
    assert mapping["MaximumBatchingWindowInSeconds"] == 0


def test_analysis_is_asked_for_by_topic_and_waits_in_a_queue(sentiment: Template) -> None:
    topic = id_of(sentiment, "AWS::SNS::Topic", "Analysis")
    queue = id_of(sentiment, "AWS::SQS::Queue", "AnalysisQueue")
    dead = id_of(sentiment, "AWS::SQS::Queue", "AnalysisDeadLetters")
    assert environment(sentiment, "Ingest")["TOPIC_ARN"] == f"{{{topic}}}"
    subscription = only(sentiment, "AWS::SNS::Subscription")
    assert text(subscription["TopicArn"]) == f"{{{topic}}}"
    assert text(subscription["Endpoint"]) == f"{{{queue}.Arn}}"
    mapping = one(sentiment, MAPPING, "Analysis")
    assert text(mapping["EventSourceArn"]) == f"{{{queue}.Arn}}"
    assert text(mapping["FunctionName"]).startswith("{AnalyseFunction")
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    for part in (subscription, resources(sentiment, "AWS::SQS::Queue")[queue]):
        assert text(part["RedrivePolicy"]["deadLetterTargetArn"]) == f"{{{dead}.Arn}}"


def test_a_message_is_hidden_for_six_times_what_its_analysis_may_take(sentiment: Template) -> None:
    function = one(sentiment, "AWS::Lambda::Function", "AnalyseFunction")
    queue = one(sentiment, "AWS::SQS::Queue", "AnalysisQueue")
    assert queue["VisibilityTimeout"] == 6 * function["Timeout"]


@pytest.mark.parametrize(
    ("function", "config"), [("Ingest", "EventFailuresConfig"), ("NewsHeal", "EventFailuresHeal")]
)
def test_an_event_that_a_function_fails_on_is_kept(
    function: str, config: str, sentiment: Template
) -> None:
    kept = one(sentiment, "AWS::Lambda::EventInvokeConfig", config)
    queue = id_of(sentiment, "AWS::SQS::Queue", "EventFailures")
    assert text(kept["FunctionName"]).startswith(f"{{{function}Function")
    assert text(kept["DestinationConfig"]["OnFailure"]["Destination"]) == f"{{{queue}.Arn}}"
    assert text(sentiment["Outputs"]["FailedEvents"]["Value"]) == f"{{{queue}.Arn}}"


def test_sources_are_polled_every_quarter_of_an_hour(sentiment: Template) -> None:
    rule = one(sentiment, "AWS::Events::Rule", "Poll")
    assert rule["ScheduleExpression"] == "rate(15 minutes)"
    (target,) = rule["Targets"]
    assert text(target["Arn"]).startswith("{IngestFunction")


@pytest.mark.thorough
def test_without_sources_nothing_is_polled_and_none_can_stop(stage: Stage) -> None:
    local = stage("local").template("sentiment")
    assert not [id for id in resources(local, "AWS::Events::Rule") if id.startswith("Poll")]
    assert not [id for id in resources(local, "AWS::CloudWatch::Alarm") if "Stopped" in id]
    assert json.loads(environment(local, "Ingest")["SOURCES"]) == {"sources": []}


def test_the_secret_has_a_place_for_every_key_that_a_source_wants(sentiment: Template) -> None:
    made = one(sentiment, "AWS::SecretsManager::Secret", "Keys")["GenerateSecretString"]
    known = {**CREDENTIALS, **FINANCIAL_CREDENTIALS}
    wanted = {key for keys in known.values() for key in keys}
    assert json.loads(made["SecretStringTemplate"]) == dict.fromkeys(wanted, "")


def test_every_alarm_is_told(sentiment: Template) -> None:
    alarms = resources(sentiment, "AWS::CloudWatch::Alarm")
    assert alarms
    for id, alarm in alarms.items():
        (action,) = alarm["AlarmActions"]
        assert "AlarmsTopic" in action["Fn::ImportValue"], id
        assert alarm["OKActions"] == alarm["AlarmActions"]
        # Where nothing is measured, something that must run did not.
        is_absence = "NotRun" in id or "BackupMissing" in id
        assert alarm["TreatMissingData"] == ("breaching" if is_absence else "notBreaching"), id


def test_the_outputs_are_what_an_operator_pastes(sentiment: Template) -> None:
    assert {
        *("ApiUrl", "ItemsTable", "DashboardTable", "IngestFunction", "ProjectFunction"),
        *("FailuresBucket", "AnalysisQueue", "DeadLetters", "SourceKeys", "FailedEvents"),
        *("NewsTable", "HealFunction"),
    } <= sentiment["Outputs"].keys()


def test_an_analysis_is_over_before_its_place_in_the_stream_is_settled(
    sentiment: Template,
) -> None:
    """Else news could be passed over: what is stamped must be written by then, and found."""
    analyse = one(sentiment, "AWS::Lambda::Function", "AnalyseFunction")
    assert 2 * analyse["Timeout"] <= SETTLES_AFTER.total_seconds()


def test_the_stream_of_news_cannot_starve_the_account(sentiment: Template) -> None:
    """However many pages are open: what its route lets in, for as long as its function may run."""
    function = one(sentiment, "AWS::Lambda::Function", "NewsApiFunction")
    stage = only(sentiment, "AWS::ApiGatewayV2::Stage")
    limit = stage["RouteSettings"]["GET /news/events"]
    assert (limit["ThrottlingRateLimit"], limit["ThrottlingBurstLimit"]) == (20, 40)
    assert limit["ThrottlingRateLimit"] * function["Timeout"] <= 200
    (route,) = (id for id in sentiment["Resources"] if "GETnewsevents" in id and "Api" in id)
    (stage_resource,) = (
        one for one in sentiment["Resources"].values() if one["Type"] == "AWS::ApiGatewayV2::Stage"
    )
    assert route in stage_resource["DependsOn"]


def test_news_are_healed_every_quarter_of_an_hour_by_the_published_rules(
    sentiment: Template,
) -> None:
    rule = one(sentiment, "AWS::Events::Rule", "NewsHealing")
    assert rule["ScheduleExpression"] == "rate(15 minutes)"
    (target,) = rule["Targets"]
    assert text(target["Arn"]).startswith("{NewsHealFunction")
    told = environment(sentiment, "NewsHeal")
    assert {name: value for name, value in told.items() if name.startswith("HEALING_")} == {
        "HEALING_THRESHOLD_SECONDS": "3600",
        "HEALING_BATCH": "100",
        "HEALING_PAUSE_SECONDS": "3600",
        "HEALING_ATTEMPTS": "5",
    }


def test_the_companies_to_ask_for_are_told_to_ingestion(sentiment: Template) -> None:
    asked = read({"stage": "dev"}.get, {}).sentiment
    assert json.loads(environment(sentiment, "Ingest")["TICKERS"]) == list(asked.tickers)


@pytest.mark.thorough
def test_slow_answers_ring(stage: Stage) -> None:
    sentiment = stage("prod-us-east-1").template("sentiment")
    slow = [
        one(sentiment, "AWS::CloudWatch::Alarm", f"{function}AlarmsDuration")
        for function in ("Api", "NewsApi")
    ]
    assert [alarm["Threshold"] for alarm in slow] == [3000, 3000]
    alarms = resources(sentiment, "AWS::CloudWatch::Alarm").values()
    assert "Latency" in {alarm.get("MetricName") for alarm in alarms}
