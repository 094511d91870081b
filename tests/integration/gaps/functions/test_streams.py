"""A function behind a table's stream gets its records as it would in AWS."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.gaps.clouds import Cloud, running, until
from tests.integration.gaps.consumers import Consumer


def _one_batch_of(size: int) -> dict[str, Any]:
    """Settings by which this many records that are written together are read together."""
    return {"BatchSize": size, "MaximumBatchingWindowInSeconds": 1}


def test_records_written_before_the_mapping_are_read_from_the_horizon(
    cloud: Cloud, tmp_path: Path
) -> None:
    consumer = Consumer(cloud, tmp_path, deploy_mapping=False)
    consumer.put("before")
    consumer.deploy_mapping()
    consumer.put("after")
    until(lambda: consumer.seen == ["before", "after"])


def test_records_arrive_in_order_and_as_they_were_when_written(
    cloud: Cloud, tmp_path: Path
) -> None:
    consumer = Consumer(cloud, tmp_path, BatchSize=3)
    names = [f"item{number}" for number in range(20)]
    consumer.put(*names)
    until(lambda: consumer.seen == names)
    assert max(len(batch) for batch in consumer.batches) <= 3


def test_a_record_that_the_filter_leaves_out_does_not_arrive(cloud: Cloud, tmp_path: Path) -> None:
    pattern = {"eventName": ["INSERT"], "dynamodb": {"NewImage": {"kind": {"S": ["sale"]}}}}
    filters = {"Filters": [{"Pattern": json.dumps(pattern)}]}
    consumer = Consumer(cloud, tmp_path, FilterCriteria=filters)
    consumer.put("a", kind="sale")
    consumer.put("b", kind="other")
    consumer.put("a", kind="sale", changed="yes")
    consumer.put("c", kind="sale")
    until(lambda: consumer.seen == ["a", "c"])


def test_a_batch_waits_for_its_window_until_it_is_full(cloud: Cloud, tmp_path: Path) -> None:
    consumer = Consumer(cloud, tmp_path, BatchSize=3, MaximumBatchingWindowInSeconds=2)
    consumer.put("a", "b", "c", "d")
    until(lambda: consumer.batches == [["a", "b", "c"], ["d"]])


def test_the_records_before_a_reported_failure_are_not_repeated(
    cloud: Cloud, tmp_path: Path
) -> None:
    consumer = Consumer(
        cloud, tmp_path, fails="by report", MaximumRetryAttempts=2, **_one_batch_of(4)
    )
    consumer.put_batch("a", "b", "c", "d", poison="c")
    failure = consumer.failure()
    consumer.put("e")
    until(lambda: "e" in consumer.seen)
    assert consumer.batches == [["a", "b", "c", "d"], ["c", "d"], ["c", "d"], ["e"]]
    assert failure["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert failure["requestContext"]["approximateInvokeCount"] == 3
    assert failure["DDBStreamBatchInfo"]["batchSize"] == 2


@pytest.mark.parametrize("fails", ["by error", "by report"])
def test_bisection_gives_up_the_poisonous_record_alone(
    cloud: Cloud, tmp_path: Path, fails: str
) -> None:
    consumer = Consumer(
        cloud,
        tmp_path,
        fails=fails,
        BisectBatchOnFunctionError=True,
        MaximumRetryAttempts=1,
        **_one_batch_of(6),
    )
    names = ["a", "b", "c", "d", "e", "f"]
    consumer.put_batch(*names, poison="c")
    info = consumer.failure()["DDBStreamBatchInfo"]
    assert info["batchSize"] == 1
    assert info["startSequenceNumber"] == info["endSequenceNumber"]
    until(lambda: "f" in consumer.batches[-1])
    # Each of the others was in a batch without the poison, or before it in one that reported it.
    done = {name for batch in consumer.batches if "c" not in batch for name in batch}
    assert done | ({"a", "b"} if fails == "by report" else set()) == set(names) - {"c"}


def test_a_bucket_gets_the_given_up_records_themselves(cloud: Cloud, tmp_path: Path) -> None:
    consumer = Consumer(cloud, tmp_path, destination="Bucket", MaximumRetryAttempts=0)
    consumer.put("a", poison="yes")
    s3, bucket = cloud.client("s3"), {"Bucket": consumer.ids["Bucket"]}
    (stored,) = until(lambda: s3.list_objects_v2(**bucket).get("Contents"))
    assert stored["Key"].startswith(f"aws/lambda/{consumer.ids['Mapping']}/shardId-")
    given_up = json.loads(s3.get_object(**bucket, Key=stored["Key"])["Body"].read())
    (record,) = json.loads(given_up["payload"])["Records"]
    assert record["dynamodb"]["Keys"] == {"PK": {"S": "a"}}


def test_without_a_retry_limit_poison_holds_its_own_mapping_only(
    cloud: Cloud, tmp_path: Path
) -> None:
    held, free = Consumer(cloud, tmp_path), Consumer(cloud, tmp_path)
    held.put("a", poison="yes")
    until(lambda: held.seen.count("a") >= 3)
    held.put("b")
    free.put("c")
    until(lambda: free.seen == ["c"])
    assert "b" not in [batch[0] for batch in held.batches]


def test_a_role_that_may_not_read_the_stream_gets_nothing(cloud: Cloud, tmp_path: Path) -> None:
    consumer = Consumer(cloud, tmp_path, read=["dynamodb:DescribeStream"])
    consumer.put("a")
    mapping = {"UUID": consumer.ids["Mapping"]}
    functions = cloud.client("lambda")

    def result() -> str:
        told: str = functions.get_event_source_mapping(**mapping)["LastProcessingResult"]
        return told

    until(lambda: "dynamodb:GetRecords" in result())
    assert consumer.seen == []


def test_a_restart_continues_with_what_was_not_done(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path / "state")
    with running(cloud):
        consumer = Consumer(cloud, tmp_path, BatchSize=1)
        consumer.put("done")
        consumer.put("held", poison="yes")
        until(lambda: "held" in consumer.seen)
        consumer.put("waiting")
    tries = consumer.seen.count("held")
    with running(cloud):
        until(lambda: consumer.seen.count("held") > tries)
        cloud.client("lambda").update_function_configuration(
            FunctionName=consumer.ids["Function"],
            Environment={"Variables": {"SEEN": str(consumer.written), "FAILS": "never"}},
        )
        until(lambda: consumer.seen[-1] == "waiting")
    assert consumer.seen.count("done") == 1


def test_with_the_gap_open_a_reported_failure_is_forgotten(
    cloud_without: Callable[[str], Cloud], tmp_path: Path
) -> None:
    consumer = Consumer(cloud_without("functions.streams"), tmp_path, fails="by report")
    consumer.put("a", poison="yes")
    until(lambda: "a" in consumer.seen)
    consumer.put("b")
    until(lambda: "b" in consumer.seen)
    assert consumer.seen == ["a", "b"]


def test_with_the_gap_open_a_restart_loses_what_was_not_done(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path / "state", without="durable_state")
    with running(cloud):
        consumer = Consumer(cloud, tmp_path, deploy_mapping=False)
        consumer.put("before")
    with running(cloud):
        consumer.deploy_mapping()
        consumer.put("after")
        until(lambda: "after" in consumer.seen)
    assert consumer.seen == ["after"]
