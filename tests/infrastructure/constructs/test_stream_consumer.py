"""A stream's consumer gives nothing up in silence, and may do no more than it must."""

import json
from typing import Any

import pytest
from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns

from tablewright.constructs import Protection, StreamConsumer
from tests.infrastructure.constructs.building_blocks import (
    IN_IRELAND,
    Unstreamed,
    alarms,
    findings,
    function_in,
    table_in,
)
from tests.infrastructure.synthesis import (
    allowed,
    new_stack,
    only,
    resources,
    statements,
    template_of,
    text,
)

MAPPING = "AWS::Lambda::EventSourceMapping"


def consumer(**props: Any) -> dict[str, Any]:
    stack = new_stack()
    StreamConsumer(stack, "Consumer", table=table_in(stack), function=function_in(stack), **props)
    return template_of(stack)


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    return consumer()


def test_a_failing_batch_is_halved_and_retried_for_as_long_as_an_outage_may_last(
    template: dict[str, Any],
) -> None:
    mapping = only(template, MAPPING)
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["MaximumRecordAgeInSeconds"] == 6 * 3600
    # An outage of seconds would use up any number of attempts.
    assert "MaximumRetryAttempts" not in mapping


@pytest.mark.parametrize("hours", [0, 24, 48])
def test_records_are_given_up_while_the_stream_still_has_them(hours: int) -> None:
    with pytest.raises(ValueError, match="after a minute to 23 hours"):
        consumer(give_up_after=Duration.hours(hours))


def test_the_function_is_told_where_to_keep_a_record_that_fails(template: dict[str, Any]) -> None:
    (bucket,) = resources(template, "AWS::S3::Bucket")
    told = only(template, "AWS::Lambda::Function")["Environment"]["Variables"]
    assert text(told["FAILURES_BUCKET"]) == f"{{{bucket}}}"


def test_what_the_function_keeps_by_itself_rings_like_what_lambda_gave_up() -> None:
    kept = cloudwatch.Metric(namespace="Tablewright/dev", metric_name="RecordsKept")
    template = consumer(kept=kept)
    (alarm,) = (
        alarm
        for id, alarm in resources(template, "AWS::CloudWatch::Alarm").items()
        if "GivenUp" in id
    )
    by_id = {metric["Id"]: metric for metric in alarm["Metrics"]}
    names = {
        id: metric["MetricStat"]["Metric"]["MetricName"]
        for id, metric in by_id.items()
        if "MetricStat" in metric
    }
    assert names == {
        "by_lambda": "OnFailureDestinationDeliveredEventCount",
        "by_function": "RecordsKept",
    }
    (sum_of_both,) = (m["Expression"] for m in by_id.values() if "Expression" in m)
    assert sum_of_both == "FILL(by_lambda, 0) + FILL(by_function, 0)"


def test_what_is_given_up_is_kept_in_a_bucket(template: dict[str, Any]) -> None:
    (bucket,) = resources(template, "AWS::S3::Bucket")
    destination = only(template, MAPPING)["DestinationConfig"]["OnFailure"]["Destination"]
    assert text(destination) == f"{{{bucket}.Arn}}"


def test_batches_are_as_large_as_asked_for_and_begin_with_the_oldest_record(
    template: dict[str, Any],
) -> None:
    mapping = only(template, MAPPING)
    assert (mapping["BatchSize"], mapping["MaximumBatchingWindowInSeconds"]) == (100, 5)
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    other = only(
        consumer(
            batch_size=7,
            window=Duration.seconds(1),
            give_up_after=Duration.hours(1),
            parallelization=4,
            starting_position=lambda_.StartingPosition.LATEST,
        ),
        MAPPING,
    )
    assert (other["BatchSize"], other["MaximumBatchingWindowInSeconds"]) == (7, 1)
    assert (other["MaximumRecordAgeInSeconds"], other["ParallelizationFactor"]) == (3600, 4)
    assert other["StartingPosition"] == "LATEST"


def test_records_are_filtered_by_the_mapping_and_not_by_the_function(
    template: dict[str, Any],
) -> None:
    assert "FilterCriteria" not in only(template, MAPPING)
    patterns: list[dict[str, Any]] = [
        {"eventName": ["REMOVE"]},
        {"dynamodb": {"NewImage": {"status": {"S": ["analyzed"]}}}},
    ]
    filters = only(consumer(filters=patterns), MAPPING)["FilterCriteria"]["Filters"]
    assert [json.loads(each["Pattern"]) for each in filters] == patterns


def test_the_function_may_read_the_stream_and_add_to_the_bucket_and_nothing_else(
    template: dict[str, Any],
) -> None:
    (bucket,) = resources(template, "AWS::S3::Bucket")
    (table,) = resources(template, "AWS::DynamoDB::GlobalTable")
    stream = f"{{{table}.StreamArn}}"
    assert allowed(template, "FunctionRole") == {
        ("dynamodb:DescribeStream", stream),
        ("dynamodb:GetRecords", stream),
        ("dynamodb:GetShardIterator", stream),
        ("dynamodb:ListStreams", stream),
        ("s3:ListBucket", f"{{{bucket}.Arn}}"),
        ("s3:PutObject", f"{{{bucket}.Arn}}/aws/lambda/*"),
    }


def test_the_mapping_waits_for_the_permissions_that_lambda_checks(
    template: dict[str, Any],
) -> None:
    (policy,) = (p for p in resources(template, "AWS::IAM::Policy") if p.startswith("Function"))
    (mapping,) = (r for r in template["Resources"].values() if r["Type"] == MAPPING)
    assert policy in mapping["DependsOn"]


def test_a_table_with_its_own_key_is_read_through_dynamodb_only() -> None:
    stack = new_stack(env=IN_IRELAND)
    table = table_in(stack, encryption_key=kms.Key(stack, "Key"))
    StreamConsumer(stack, "Consumer", table=table, function=function_in(stack))
    template = template_of(stack)
    (use,) = (s for s in statements(template, "FunctionRole") if "kms:Decrypt" in s["Action"])
    (key,) = resources(template, "AWS::KMS::Key")
    assert text(use["Resource"]) == f"{{{key}.Arn}}"
    (service,) = use["Condition"]["StringEquals"].values()
    assert text(service).startswith("dynamodb.eu-west-1.")


def test_the_bucket_is_closed_encrypted_and_forgets(template: dict[str, Any]) -> None:
    bucket = only(template, "AWS::S3::Bucket")
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    (expiry,) = bucket["LifecycleConfiguration"]["Rules"]
    assert expiry["ExpirationInDays"] == 30
    policy = only(template, "AWS::S3::BucketPolicy")["PolicyDocument"]["Statement"]
    assert any(s["Condition"] == {"Bool": {"aws:SecureTransport": "false"}} for s in policy)
    shorter = only(consumer(keep_failures=Duration.days(3)), "AWS::S3::Bucket")
    assert shorter["LifecycleConfiguration"]["Rules"][0]["ExpirationInDays"] == 3


@pytest.mark.parametrize(
    ("protection", "policy"),
    [
        (None, "RetainExceptOnCreate"),
        (Protection.recoverable(), "RetainExceptOnCreate"),
        (Protection.throw_away(), "Delete"),
    ],
)
def test_the_bucket_is_as_protected_as_asked_for(
    protection: Protection | None, policy: str
) -> None:
    made = consumer(protection=protection)["Resources"].values()
    (bucket,) = (r for r in made if r["Type"] == "AWS::S3::Bucket")
    assert bucket["DeletionPolicy"] == policy


def test_falling_behind_and_giving_up_are_told() -> None:
    stack = new_stack()
    topic = sns.Topic(stack, "Topic")
    StreamConsumer(
        stack,
        "Consumer",
        table=table_in(stack),
        function=function_in(stack),
        iterator_age=Duration.seconds(90),
        alarm_topic=topic,
    )
    template = template_of(stack)
    (mapping,) = resources(template, MAPPING)
    (function,) = resources(template, "AWS::Lambda::Function")
    found = {
        name: (
            {d["Name"]: text(d["Value"]) for d in alarm["Dimensions"]},
            alarm["Threshold"],
            len(alarm["AlarmActions"]),
        )
        for name, alarm in alarms(template).items()
    }
    by_mapping = {"EventSourceMappingUUID": f"{{{mapping}}}"}
    by_function = {"FunctionName": f"{{{function}}}"}
    assert found == {
        "IteratorAge": (by_function, 90_000, 1),
        "OnFailureDestinationDeliveredEventCount": (by_mapping, 1, 1),
        "DroppedEventCount": (by_mapping, 1, 1),
        "DestinationDeliveryFailures": (by_function, 1, 1),
    }


def test_the_mapping_counts_the_events_that_the_alarms_watch(template: dict[str, Any]) -> None:
    assert only(template, MAPPING)["MetricsConfig"] == {"Metrics": ["EventCount"]}
    assert alarms(template)["IteratorAge"]["Threshold"] == 60_000


def test_a_table_without_a_stream_is_refused() -> None:
    stack = new_stack()
    table, function = table_in(stack, Unstreamed), function_in(stack)
    with pytest.raises(ValueError, match=r"'readings' has no stream to consume: declare one"):
        StreamConsumer(stack, "Consumer", table=table, function=function)


def test_a_function_without_a_role_is_refused() -> None:
    stack = new_stack()
    function: Any = lambda_.Function.from_function_name(stack, "Imported", "elsewhere")
    with pytest.raises(ValueError, match="no role that could be allowed"):
        StreamConsumer(stack, "Consumer", table=table_in(stack), function=function)


def test_a_consumer_breaks_no_rule() -> None:
    stack = new_stack()
    StreamConsumer(stack, "Consumer", table=table_in(stack), function=function_in(stack))
    assert findings(stack) == set()
