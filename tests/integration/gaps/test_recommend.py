"""Usage is read from a cloud that answers as AWS does, and the command says what it means."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lambdas.operations.contract import RecommendEnvironment
from lambdas.operations.handlers import recommend
from tablewright.commands.operations.recommend import main
from tablewright.recommendations import LogGroupUsage, StageUsage, write_usage
from tablewright.recommendations.reading.reader import UsageReader
from tablewright.recommendations.reading.resources import StageResources, TableName
from tablewright.runtime.boto3_client import Boto3Client
from tests.integration.gaps.clouds import HOME, Cloud

TABLE, PREFIX = "recommended-orders", "recommended-"
BUCKET = "recommended-reports"
RESOURCES = StageResources(
    stage="test",
    region=HOME,
    prefix=PREFIX,
    tables=(TableName(name=TABLE, setting_name="sales"),),
)
DAYS = 8
# The table is made now, so that its past is yet to come.
LATER = datetime.now(UTC) + timedelta(days=DAYS + 1)


@pytest.fixture(scope="module")
def looked_at(cloud: Cloud) -> Cloud:
    """A table with a steady load and an index that nobody reads, a log group, two alarms."""
    key = {"AttributeName": "PK", "KeyType": "HASH"}
    cloud.client("dynamodb").create_table(
        TableName=TABLE,
        KeySchema=[key],
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "BY_DAY",
                "KeySchema": [key],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    for metric, units, index in (
        ("ConsumedReadCapacityUnits", 9000, ""),
        ("ConsumedWriteCapacityUnits", 6000, ""),
        ("ConsumedWriteCapacityUnits", 6000, "BY_DAY"),
    ):
        put_points(cloud, metric, units, index)
    cloud.client("logs").create_log_group(logGroupName=f"{PREFIX}logs")
    for function in ("used", "unused"):
        cloud.client("cloudwatch").put_metric_alarm(
            AlarmName=f"{PREFIX}{function}",
            Namespace="AWS/Lambda",
            MetricName="Errors",
            Dimensions=[{"Name": "FunctionName", "Value": f"{PREFIX}{function}"}],
            Statistic="Sum",
            Period=60,
            EvaluationPeriods=1,
            Threshold=1,
            ComparisonOperator="GreaterThanOrEqualToThreshold",
            TreatMissingData="notBreaching",
        )
    put_data(
        cloud,
        "AWS/Lambda",
        [point("Invocations", LATER - timedelta(hours=5), 1, FunctionName=f"{PREFIX}used")],
    )
    return cloud


def put_points(cloud: Cloud, metric: str, units: int, index: str) -> None:
    """So many units in each five minutes of all days."""
    of = {"TableName": TABLE, **({"GlobalSecondaryIndexName": index} if index else {})}
    moments = (LATER - timedelta(minutes=5 * at) for at in range(1, DAYS * 24 * 12 + 1))
    put_data(cloud, "AWS/DynamoDB", [point(metric, moment, units, **of) for moment in moments])


def point(metric: str, moment: datetime, value: int, **of: str) -> dict[str, Any]:
    dimensions = [{"Name": name, "Value": one} for name, one in of.items()]
    return {"MetricName": metric, "Dimensions": dimensions, "Timestamp": moment, "Value": value}


def put_data(cloud: Cloud, namespace: str, points: list[dict[str, Any]]) -> None:
    for at in range(0, len(points), 1000):
        cloud.client("cloudwatch").put_metric_data(
            Namespace=namespace, MetricData=points[at : at + 1000]
        )


@pytest.fixture(scope="module")
def usage(looked_at: Cloud) -> StageUsage:
    reader = UsageReader(RESOURCES, lambda service: Boto3Client(looked_at.client(service)))
    return reader.read(LATER, days=DAYS)


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


def test_what_the_cloud_knows_is_what_was_put_there(usage: StageUsage) -> None:
    (table,) = usage.tables
    assert table.hours == DAYS * 24
    assert set(table.reads.consumed[1:-1]) == {12 * 9000}
    assert set(table.reads.peak[1:-1]) == {30}
    assert [index.name for _, index in usage.unused_indexes()] == ["BY_DAY"]
    assert [group.name for group in usage.logs] == [f"{PREFIX}logs"]
    watches = {one.name: one.watches_something for one in usage.alarms}
    assert watches == {f"{PREFIX}used": True, f"{PREFIX}unused": False}


def test_the_command_prints_what_follows_from_a_file(
    usage: StageUsage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "usage.json"
    write_usage(usage, file)
    assert main(["--from", str(file), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["recommendations"]
    assert {one["kind"] for one in found} == {"unused index", "capacity"}
    assert main(["--from", str(file), "--minimum", "1000"]) == 0
    assert "Nothing to recommend." in capsys.readouterr().out


@pytest.mark.usefixtures("credentials")
def test_the_command_reads_a_stage_and_saves_what_it_read(
    looked_at: Cloud, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "usage.json"
    read = ("--stage", "test", "--region", HOME, "--prefix", PREFIX, "--table", f"{TABLE}=sales")
    assert main([*read, "--endpoint-url", looked_at.endpoint, "--save", str(file)]) == 0
    assert capsys.readouterr().out.startswith(f"test in {HOME}: 30 days")
    # The table is new, as of today.
    assert json.loads(file.read_text())["tables"][0]["reads"]["consumed"] == []


@pytest.mark.usefixtures("credentials")
def test_the_function_keeps_its_report_and_tells_the_topic(
    looked_at: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3, sns, sqs = (looked_at.client(name) for name in ("s3", "sns", "sqs"))
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": HOME})
    topic = sns.create_topic(Name="recommended-alarms")["TopicArn"]
    arn = topic.replace(":sns:", ":sqs:").replace("-alarms", "-told")
    anybody = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": arn}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [anybody]})
    created = sqs.create_queue(QueueName="recommended-told", Attributes={"Policy": policy})
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    # A lot that is kept for good, which is all that can be said of a stage that is new today.
    logs = LogGroupUsage(name="kept", stored_bytes=10**12, ingested_bytes=0, retention_days=None)
    monkeypatch.setattr(UsageReader, "read", with_logs(UsageReader.read, logs))
    told = RecommendEnvironment(
        resources=RESOURCES.to_json(), bucket=BUCKET, told_from="25", topic_arn=topic
    )
    for name, value in told.variables().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", looked_at.endpoint)
    monkeypatch.setenv("AWS_DEFAULT_REGION", HOME)
    recommend.cost_report.cache_clear()
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: 300_000)
    done = [recommend.handler({}, context) for _ in range(2)]
    assert done[0] == done[1]
    kept = json.loads(s3.get_object(Bucket=BUCKET, Key=done[0]["report"])["Body"].read())
    assert [one["kind"] for one in kept["recommendations"]] == ["log retention"]
    told_once = sqs.receive_message(
        QueueUrl=created["QueueUrl"], MaxNumberOfMessages=10, WaitTimeSeconds=5
    )
    (message,) = (json.loads(one["Body"]) for one in told_once.get("Messages", ()))
    assert message["Subject"] == f"test could cost {kept['saving']} dollars a month less"


def with_logs(read: Callable[..., StageUsage], logs: LogGroupUsage) -> Callable[..., StageUsage]:
    return lambda *args, **given: replace(read(*args, **given), logs=(logs,))


@pytest.mark.usefixtures("credentials")
def test_a_table_that_is_not_there_stops_the_command(
    looked_at: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    read = ("--stage", "test", "--region", HOME, "--table", "nowhere")
    assert main([*read, "--endpoint-url", looked_at.endpoint]) == 2
    assert "Stopped:" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [
        (),
        ("--stage", "test"),
        ("--from", "usage.json", "--stage", "test"),
        ("--from", "usage.json", "--minimum", "nothing"),
        ("--from", "usage.json", "--days", "90"),
        ("--from", "usage.json", "--commit", "2"),
    ],
)
def test_options_that_make_no_sense_are_told(
    wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    assert ended.value.code == 2
    assert "recommend: error" in capsys.readouterr().err


def test_a_file_that_is_missing_stops_the_command(tmp_path: Path) -> None:
    assert main(["--from", str(tmp_path / "usage.json")]) == 2
