"""Records that a function keeps can be redriven like those that Lambda gave up."""

import io
from typing import Any

from tablewright.commands.operations.redrive import Failures, by_shard
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.failed_records import FailedRecords


class Bucket:
    """S3, as what keeps records calls it and as the command does."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert params["Bucket"] == "failures"
        if operation == "ListObjectsV2":
            return {"Contents": [{"Key": key} for key in self.objects]}
        if operation == "GetObject":
            return {"Body": io.BytesIO(self.objects[params["Key"]])}
        assert operation == "PutObject"
        self.objects[params["Key"]] = params["Body"]
        return {}


def record(number: int, item: str) -> dict[str, Any]:
    return {
        "eventID": f"event{number}",
        "eventSourceARN": "arn:stream",
        "dynamodb": {
            "SequenceNumber": str(number),
            "Keys": {"id": {"S": item}},
            "NewImage": {"id": {"S": item}, "text": {"S": "größer"}},
            "ApproximateCreationDateTime": 1_700_000_000,
        },
    }


def kept(*records: dict[str, Any]) -> Bucket:
    bucket = Bucket()
    for one in records:
        FailedRecords(bucket, "failures", "stack-Project-1A2B").keep(Change(one))
    return bucket


def test_a_kept_record_comes_back_as_it_was() -> None:
    failures = Failures(kept(record(7, "a")), "failures")
    (key,) = failures
    assert failures.records(key) == [record(7, "a")]


def test_a_record_that_is_delivered_again_is_kept_once() -> None:
    assert len(kept(record(7, "a"), record(7, "a")).objects) == 1


def test_records_of_an_item_keep_their_order_and_wait_for_no_other_item() -> None:
    failures = Failures(kept(record(9, "a"), record(8, "b"), record(10, "a")), "failures")
    batches = [batch for key in failures if (batch := failures.batch(key))]
    order = [[batch.start for batch in of_item] for _, of_item in by_shard(batches)]
    assert order == [[8], [9, 10]]
