"""Give a function the stream records that were given up, once it can take them.

    tablewright redrive --bucket BUCKET --function NAME --dry-run

Records go in the order of their stream, those of a shard up to the first that fails again. An
object is deleted when all of its records went through, and not before: stopped at any moment, or
run twice at once, the command repeats work but loses none. The function is told by `redrive` in
its event, answers as it does to the stream, and must be idempotent, as it must be for that.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError

from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.errors import ObjectMissing, StoreError

# What a function may be given in one synchronous call.
MOST_BYTES = 6 * 1024 * 1024
# A function may take a quarter of an hour; its answer is waited for.
LONGEST_SECONDS = 900
# Of an error, the message comes first and the stack trace is left out.
_MOST_TOLD = 300
_PREFIX = "aws/lambda/"
_KEY = re.compile(r"aws/lambda/[^/]+/(?P<shard>[^/]+)/\d{4}/\d{2}/\d{2}/[^/]+")
_BEFORE, _AFTER = b'{"redrive":true,"Records":[', b"]}"

Record = dict[str, Any]


class Unreadable(Exception):
    """An object in the bucket is not a batch of stream records."""


class Refused(Exception):
    """The function failed, or said that a record failed."""


@dataclass(frozen=True)
class Batch:
    """Where a given-up batch is kept, and where in its stream it was."""

    key: str
    shard: str
    start: int
    size: int


@dataclass
class Outcome:
    """What became of everything that was found."""

    redriven: int = 0
    redriven_records: int = 0
    left: int = 0
    left_records: int = 0


class Failures:
    """The batches in a bucket that were given up."""

    def __init__(self, s3: Caller, bucket: str) -> None:
        self._s3 = s3
        self._bucket = bucket

    def __iter__(self) -> Iterator[str]:
        asked = {"Bucket": self._bucket, "Prefix": _PREFIX}
        while True:
            page = self._s3.call("ListObjectsV2", asked)
            for found in page.get("Contents", ()):
                if _KEY.fullmatch(found["Key"]):
                    yield found["Key"]
            if not page.get("IsTruncated"):
                return
            asked["ContinuationToken"] = page["NextContinuationToken"]

    def batch(self, key: str) -> Batch | None:
        """Where a batch was in its stream; None when another run has dealt with it meanwhile."""
        body = self._body(key)
        if body is None:
            return None
        return Batch(key, _shard(key), _start(body, key), len(_records(body, key)))

    def records(self, key: str) -> list[Record] | None:
        """A batch's records; None when another run has dealt with it meanwhile."""
        body = self._body(key)
        return None if body is None else _records(body, key)

    def delete(self, key: str) -> None:
        self._s3.call("DeleteObject", {"Bucket": self._bucket, "Key": key})

    def _body(self, key: str) -> dict[str, Any] | None:
        try:
            found = self._s3.call("GetObject", {"Bucket": self._bucket, "Key": key})
        except ObjectMissing:
            return None
        try:
            body = json.loads(found["Body"].read())
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Unreadable(f"{key} is not a JSON object")
        return body


class Redrive:
    """Sends batches to a function, shard by shard."""

    def __init__(self, failures: Failures, lambdas: Caller, function: str, *, keep: bool) -> None:
        self._failures = failures
        self._lambdas = lambdas
        self._function = function
        self._keep = keep

    def run(self, batches: list[Batch], outcome: Outcome) -> None:
        for shard, of_shard in by_shard(batches):
            remaining = list(of_shard)
            try:
                while remaining:
                    sent = self._send(remaining[0].key)
                    del remaining[0]
                    outcome.redriven += sent is not None
                    outcome.redriven_records += sent or 0
            except (Refused, Unreadable) as error:
                _say(f"{shard} stops here: {error}")
            outcome.left += len(remaining)
            outcome.left_records += sum(batch.size for batch in remaining)

    def _send(self, key: str) -> int | None:
        """Send a batch; gives the number of its records, None when there is no batch any more."""
        records = self._failures.records(key)
        if records is None:
            return None
        for payload in payloads(records, MOST_BYTES):
            failed = self._invoke(payload)
            if failed:
                raise Refused(f"{failed}, in {key}")
        # Last: what was killed before this line is sent again, which changes nothing.
        if not self._keep:
            self._failures.delete(key)
        return len(records)

    def _invoke(self, payload: bytes) -> str | None:
        """What went wrong, if anything did."""
        params = {"FunctionName": self._function, "Payload": payload}
        answer = self._lambdas.call("Invoke", params)
        text = answer["Payload"].read().decode()
        if "FunctionError" in answer:
            return f"the function failed: {text[:_MOST_TOLD]}"
        try:
            failures = (json.loads(text or "null") or {}).get("batchItemFailures") or []
            numbers = [failure["itemIdentifier"] for failure in failures]
        except (ValueError, AttributeError, KeyError, TypeError):
            return f"the function's answer is not one to a stream: {text[:_MOST_TOLD]}"
        return f"record {numbers[0]} failed" if numbers else None


def by_shard(batches: list[Batch]) -> Iterator[tuple[str, Iterator[Batch]]]:
    """Each shard's batches in order; first the shard that begins first, so parents first."""
    first: dict[str, int] = {}
    for batch in batches:
        first[batch.shard] = min(batch.start, first.get(batch.shard, batch.start))
    ordered = sorted(batches, key=lambda batch: (first[batch.shard], batch.shard, batch.start))
    return groupby(ordered, key=lambda batch: batch.shard)


def payloads(records: list[Record], most: int) -> Iterator[bytes]:
    """The records in order, in as few payloads as a call has room for."""
    room = most - len(_BEFORE) - len(_AFTER)
    chunk: list[bytes] = []
    used = 0
    for record in records:
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
        if chunk and used + len(text) > room:
            yield _BEFORE + b",".join(chunk) + _AFTER
            chunk, used = [], 0
        chunk.append(text)
        used += len(text) + 1
    if chunk:
        yield _BEFORE + b",".join(chunk) + _AFTER


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    session = boto3.session.Session(region_name=options.region)
    outcome = Outcome()
    try:
        place = {"endpoint_url": options.endpoint_url, "read_timeout": LONGEST_SECONDS + 10}
        failures = Failures(connect(session, "s3", **place), options.bucket)
        lambdas = connect(session, "lambda", **place)
        redrive = Redrive(failures, lambdas, options.function, keep=options.keep)
        batches = _found(failures, outcome)
        if options.dry_run:
            return _dry_run(batches, outcome)
        redrive.run(batches, outcome)
    except (StoreError, BotoCoreError) as error:
        _say(f"Stopped: {error}")
        _say("Nothing is lost: the same command goes on from here.")
        return 2
    except KeyboardInterrupt:
        _say("Stopped. The same command goes on from here.")
        return 130
    gone = "kept" if options.keep else "deleted"
    _say(f"{outcome.redriven} objects ({outcome.redriven_records} records) redriven and {gone}")
    _say(f"{outcome.left} objects ({outcome.left_records} records) left")
    return 1 if outcome.left else 0


def _found(failures: Failures, outcome: Outcome) -> list[Batch]:
    batches = []
    for key in failures:
        try:
            batch = failures.batch(key)
        except Unreadable as error:
            # Nobody can send it, so it does not hold up the others of its shard.
            _say(f"Left alone: {error}")
            outcome.left += 1
        else:
            batches += [batch] if batch else []
    return batches


def _dry_run(batches: list[Batch], outcome: Outcome) -> int:
    for shard, of_shard in by_shard(batches):
        sizes = [batch.size for batch in of_shard]
        _say(f"{shard}: {len(sizes)} objects ({sum(sizes)} records)")
    records = sum(batch.size for batch in batches)
    _say(f"{len(batches)} objects ({records} records) would be redriven (dry run)")
    return 1 if batches or outcome.left else 0


def _shard(key: str) -> str:
    match = _KEY.fullmatch(key)
    return match["shard"] if match else ""


def _start(body: dict[str, Any], key: str) -> int:
    try:
        return int(body["DDBStreamBatchInfo"]["startSequenceNumber"])
    except (KeyError, TypeError, ValueError):
        raise Unreadable(f"{key} does not say where in the stream it was") from None


def _records(body: dict[str, Any], key: str) -> list[Record]:
    try:
        records: list[Record] = json.loads(body["payload"])["Records"]
        if all(isinstance(record, dict) for record in records):
            return records
    except (KeyError, TypeError, ValueError):
        pass
    raise Unreadable(f"{key} has no records")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright redrive",
        description="Give a function the stream records that were given up, once it can take them. "
        "Ends with 0 only when none are left.",
        epilog="For example: tablewright redrive --bucket dev-failures --function "
        "dev-project --dry-run",
    )
    parser.add_argument("--bucket", required=True, help="where the records are kept")
    parser.add_argument("--function", required=True, help="the function's name or ARN")
    parser.add_argument("--region", help="the region of both (default: that of the environment)")
    parser.add_argument("--endpoint-url", help="another cloud than AWS, such as a local one")
    parser.add_argument("--dry-run", action="store_true", help="say what would be sent, only")
    parser.add_argument("--keep", action="store_true", help="delete nothing")
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr)
