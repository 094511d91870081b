"""Failed records: where a function keeps those of a stream that it cannot take."""

from __future__ import annotations

import json
from hashlib import blake2b

from tablewright.runtime.aws import Caller
from tablewright.runtime.streams.changes import Change


class FailedRecords:
    """Adds records to the bucket in which Lambda keeps those that it gave up, in the same form.

    The command `redrive` sends both again. An object is named by its record, so that one that is
    delivered twice is kept once; the place of a shard is taken by the item, whose changes keep
    their order and wait for no other's.

    Example::

        FailedRecords(Client(boto3.client("s3")), bucket, "project").keep(change)
    """

    def __init__(self, caller: Caller, bucket: str, function: str) -> None:
        self._caller = caller
        self._bucket = bucket
        self._function = function

    def keep(self, change: Change) -> None:
        """When this returns, the record is kept."""
        item = _item(change)
        body = {
            "version": "1.0",
            "requestContext": {"condition": "RecordFailed"},
            "DDBStreamBatchInfo": {
                "shardId": item,
                "startSequenceNumber": change.sequence,
                "endSequenceNumber": change.sequence,
                "batchSize": 1,
                "streamArn": change.record.get("eventSourceARN"),
            },
            "payload": json.dumps({"Records": [change.record]}),
        }
        key = f"aws/lambda/{self._function}/{item}/{change.made:%Y/%m/%d}/{change.id}"
        params = {"Bucket": self._bucket, "Key": key, "Body": json.dumps(body).encode()}
        self._caller.call("PutObject", params)


def _item(change: Change) -> str:
    key = json.dumps(change.key, sort_keys=True).encode()
    return f"item-{blake2b(key, digest_size=16).hexdigest()}"
