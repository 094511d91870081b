"""Changed keys: what the stream of a table says has changed, shard by shard, with checkpoints.

Records may be read more than once, and in any order: a copier reads the item itself, and takes
from a record only which item changed, and what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ResourceMissing, StoreError
from tablewright.runtime.store.records import Item

# Streams keep records for 24 hours.
STREAM_HOURS = 20
_OLD_IMAGES = ("NEW_AND_OLD_IMAGES", "OLD_IMAGE")
_DONE = "done"
# Clocks of a runner and of DynamoDB differ by less.
_SKEW = timedelta(minutes=15)


class StreamGap(Exception):
    """Records were removed from the stream before they were read."""


class ChangedItem(NamedTuple):
    """An item that was written: its key, and what it was before, if it existed."""

    key: Item
    before: Item | None


class ChangedKeys:
    """Reads a stream from its oldest record on; `positions` are those that were committed.

    Records from before `since` are passed over. `has_reached_now` is True if the last read came to
    the end of every shard, or to records that are newer than `now`: programs may go on writing.
    """

    def __init__(
        self,
        streams: Caller,
        arn: str,
        positions: Mapping[str, str],
        *,
        since: datetime,
        now: datetime,
    ) -> None:
        self._streams, self._arn = streams, arn
        self._positions = dict(positions)
        self._since, self._now = since - _SKEW, now
        self.has_reached_now = False
        self._iterators: dict[str, str] = {}
        self._next = dict(self._positions)

    def read(self) -> list[ChangedItem]:
        """The next records of every shard; none if there are none now. Raises StreamGap."""
        self._next, changed, self.has_reached_now = {}, [], True
        for shard in self._shards():
            position = self._positions.get(shard, "")
            if position != _DONE:
                records, position = self._records(shard, position)
                changed += [_changed(one) for one in records if _is_since(one, self._since)]
                if records and not _is_since(records[-1], self._now):
                    self.has_reached_now = False
            # Those that the stream does not list any more are not kept either.
            self._next[shard] = position
        return changed

    def commit(self) -> dict[str, str]:
        """Note that all that was read is settled; gives the positions to keep."""
        self._positions = self._next
        return dict(self._positions)

    def _shards(self) -> list[str]:
        shards: list[str] = []
        request: dict[str, Any] = {"StreamArn": self._arn}
        while True:
            stream = self._streams.call("DescribeStream", request)["StreamDescription"]
            shards += [one["ShardId"] for one in stream["Shards"]]
            if not stream.get("LastEvaluatedShardId"):
                break
            request["ExclusiveStartShardId"] = stream["LastEvaluatedShardId"]
        if any(at not in (_DONE, "") for name, at in self._positions.items() if name not in shards):
            raise StreamGap
        return shards

    def _records(self, shard: str, position: str) -> tuple[list[Any], str]:
        iterator = self._iterators.pop(shard, None) or self._iterator(shard, position)
        try:
            page = self._streams.call("GetRecords", {"ShardIterator": iterator})
        except StoreError as error:
            _raise_gap(error)
            if "ExpiredIterator" not in str(error):
                raise
            iterator = self._iterator(shard, position)
            page = self._streams.call("GetRecords", {"ShardIterator": iterator})
        records = page["Records"]
        if not page.get("NextShardIterator"):
            return records, _DONE
        self._iterators[shard] = page["NextShardIterator"]
        return records, records[-1]["dynamodb"]["SequenceNumber"] if records else position

    def _iterator(self, shard: str, position: str) -> str:
        request = {"StreamArn": self._arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        if position:
            request["ShardIteratorType"] = "AFTER_SEQUENCE_NUMBER"
            request["SequenceNumber"] = position
        try:
            return str(self._streams.call("GetShardIterator", request)["ShardIterator"])
        except StoreError as error:
            _raise_gap(error)
            raise


def stream_of(described: Mapping[str, Any]) -> str | None:
    """The ARN of a table's stream, if it has the old images of items; None otherwise."""
    stream = described.get("StreamSpecification") or {}
    has_images = stream.get("StreamEnabled") and stream.get("StreamViewType") in _OLD_IMAGES
    return str(described["LatestStreamArn"]) if has_images else None


def _changed(record: Mapping[str, Any]) -> ChangedItem:
    return ChangedItem(record["dynamodb"]["Keys"], record["dynamodb"].get("OldImage"))


def _is_since(record: Mapping[str, Any], moment: datetime) -> bool:
    return bool(record["dynamodb"]["ApproximateCreationDateTime"] >= moment)


def _raise_gap(error: StoreError) -> None:
    if isinstance(error, ResourceMissing) or "TrimmedDataAccess" in str(error):
        raise StreamGap from error
