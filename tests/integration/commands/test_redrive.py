"""Records that were given up reach their function in order, and leave the bucket after that."""

import itertools
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tablewright.commands.operations import redrive
from tablewright.testing import Crash
from tests.integration.gaps.clouds import HOME, Cloud, running, until, zipped
from tests.integration.gaps.consumers import Consumer

# Writes down what it was given, then fails as FAILS says, if the record POISON is there.
CODE = """
import json, os

def handler(event, context):
    numbers = [record["dynamodb"]["SequenceNumber"] for record in event["Records"]]
    with open(os.environ["SEEN"], "a") as seen:
        seen.write(json.dumps([event["redrive"], numbers]) + chr(10))
    poison, fails = os.environ["POISON"], os.environ["FAILS"]
    if poison in numbers:
        if fails == "by error":
            raise ValueError("poison")
        if fails == "by report":
            return {"batchItemFailures": [{"itemIdentifier": poison}]}
        if fails == "by nonsense":
            return "done"
    return {"batchItemFailures": []}
"""
NUMBERS = itertools.count()
TRUST = {
    "Statement": [
        {
            "Effect": "Allow",
            "Action": "sts:AssumeRole",
            "Principal": {"Service": "lambda.amazonaws.com"},
        }
    ]
}


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with running(Cloud(tmp_path_factory.mktemp("cloud") / "state")) as started:
        yield started


class Place:
    """A bucket of given-up batches and the function that they are of."""

    def __init__(self, cloud: Cloud, folder: Path) -> None:
        self.cloud = cloud
        self.name = f"redrive{next(NUMBERS)}"
        self.s3, self._lambdas = cloud.client("s3"), cloud.client("lambda")
        self._seen = folder / "seen.jsonl"
        self.s3.create_bucket(
            Bucket=self.name, CreateBucketConfiguration={"LocationConstraint": HOME}
        )
        role = cloud.client("iam").create_role(
            RoleName=self.name, AssumeRolePolicyDocument=json.dumps(TRUST)
        )
        self._lambdas.create_function(
            FunctionName=self.name,
            Runtime="python3.11",
            Role=role["Role"]["Arn"],
            Handler="index.handler",
            Code={"ZipFile": zipped(CODE)},
            Environment={"Variables": self._variables("", "never")},
        )

    def fails(self, poison: int, how: str) -> None:
        variables = self._variables(str(poison), how)
        self._lambdas.update_function_configuration(
            FunctionName=self.name, Environment={"Variables": variables}
        )

    def keep(self, *numbers: int, shard: str = "shard-1", text: str = "") -> str:
        """A batch in the bucket, named and written as Lambda does."""
        records = [
            {"dynamodb": {"SequenceNumber": str(number), "NewImage": {"text": {"S": text}}}}
            for number in numbers
        ]
        body = {
            "DDBStreamBatchInfo": {"shardId": shard, "startSequenceNumber": str(numbers[0])},
            "payload": json.dumps({"Records": records}),
        }
        return self.put(json.dumps(body), shard=shard)

    def put(self, body: str, *, shard: str = "shard-1") -> str:
        # Names that order otherwise than the stream does.
        name = f"2026-11-16T00.00.00-{99 - next(NUMBERS) % 100:02}"
        key = f"aws/lambda/mapping/{shard}/2026/11/16/{name}"
        self.s3.put_object(Bucket=self.name, Key=key, Body=body.encode())
        return key

    def kept(self) -> set[str]:
        found = self.s3.list_objects_v2(Bucket=self.name).get("Contents", [])
        return {each["Key"] for each in found}

    def seen(self) -> list[list[int]]:
        if not self._seen.exists():
            return []
        calls = [json.loads(line) for line in self._seen.read_text().splitlines()]
        assert all(told is True for told, _ in calls)
        return [[int(number) for number in numbers] for _, numbers in calls]

    def run(self, *options: str) -> int:
        place = ("--bucket", self.name, "--function", self.name, "--region", HOME)
        return redrive.main([*place, "--endpoint-url", self.cloud.endpoint, *options])

    def _variables(self, poison: str, fails: str) -> dict[str, str]:
        return {"SEEN": str(self._seen), "POISON": poison, "FAILS": fails}


@pytest.fixture
def place(cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    return Place(cloud, tmp_path)


def test_batches_go_in_the_order_of_their_shard_and_leave_the_bucket(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    for numbers in ((900, 901), (30,), (1000,)):
        place.keep(*numbers)
    assert place.run() == 0
    assert place.seen() == [[30], [900, 901], [1000]]
    assert place.kept() == set()
    told = capsys.readouterr().err
    assert "3 objects (4 records) redriven and deleted" in told
    assert "0 objects (0 records) left" in told


def test_a_shard_that_begins_earlier_goes_first(place: Place) -> None:
    place.keep(50, shard="a-child")
    place.keep(60, shard="a-child")
    place.keep(10, shard="parent")
    assert place.run() == 0
    assert place.seen() == [[10], [50], [60]]


def test_an_empty_bucket_is_done_at_once(place: Place) -> None:
    assert place.run() == 0
    assert place.seen() == []


@pytest.mark.parametrize("how", ["by error", "by report", "by nonsense"])
def test_a_shard_stops_at_its_first_failure_and_others_go_on(
    how: str, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.keep(1, shard="bad")
    stuck = {place.keep(2, 3, shard="bad"), place.keep(4, shard="bad")}
    place.keep(5, shard="good")
    place.fails(3, how)
    assert place.run() == 1
    assert place.kept() == stuck
    assert place.seen() == [[1], [2, 3], [5]]
    told = capsys.readouterr().err
    assert "bad stops here" in told
    assert "2 objects (2 records) redriven and deleted" in told
    assert "2 objects (3 records) left" in told
    place.fails(3, "never")
    assert place.run() == 0
    assert place.kept() == set()


def test_what_the_function_said_is_passed_on(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.keep(7)
    place.fails(7, "by error")
    place.run()
    assert 'the function failed: {"errorMessage": "poison"' in capsys.readouterr().err
    place.fails(7, "by report")
    place.run()
    assert "record 7 failed" in capsys.readouterr().err


def test_a_batch_too_large_for_one_call_goes_in_several_and_stays_when_one_fails(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redrive, "MOST_BYTES", 700)
    key = place.keep(1, 2, 3, 4, text="x" * 250)
    place.fails(4, "by report")
    assert place.run() == 1
    assert place.seen() == [[1, 2], [3, 4]]
    assert place.kept() == {key}
    place.fails(4, "never")
    assert place.run() == 0
    assert place.kept() == set()


def test_payloads_fill_the_room_there_is_and_no_more() -> None:
    records = [{"n": number, "text": "é" * number} for number in range(100)]
    whole = list(redrive.payloads(records, 400))
    assert all(len(payload) <= 400 for payload in whole)
    assert [r for payload in whole for r in json.loads(payload)["Records"]] == records
    exact = len(next(redrive.payloads(records[:5], 10_000)))
    assert len(list(redrive.payloads(records[:5], exact))) == 1
    assert len(list(redrive.payloads(records[:5], exact - 1))) == 2


def test_a_dry_run_calls_nothing_deletes_nothing_and_says_what_waits(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = {place.keep(1, 2), place.keep(3, shard="shard-2")}
    assert place.run("--dry-run") == 1
    assert (place.kept(), place.seen()) == (kept, [])
    told = capsys.readouterr().err
    assert "shard-1: 1 objects (2 records)" in told
    assert "2 objects (3 records) would be redriven (dry run)" in told


def test_what_is_to_be_kept_is_kept(place: Place) -> None:
    kept = {place.keep(1), place.keep(2)}
    assert place.run("--keep") == 0
    assert place.kept() == kept
    assert place.seen() == [[1], [2]]


@pytest.mark.parametrize(
    "body", ["no json", "[]", "{}", '{"DDBStreamBatchInfo": {"startSequenceNumber": "1"}}']
)
def test_an_object_that_cannot_be_read_is_left_and_holds_nothing_up(
    body: str, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.keep(1)
    unreadable = place.put(body)
    place.keep(2)
    assert place.run() == 1
    assert place.kept() == {unreadable}
    assert place.seen() == [[1], [2]]
    assert f"Left alone: {unreadable}" in capsys.readouterr().err


def test_objects_of_others_are_not_looked_at(place: Place) -> None:
    place.s3.put_object(Bucket=place.name, Key="aws/lambda/notes.txt", Body=b"mine")
    assert place.run() == 0
    assert place.kept() == {"aws/lambda/notes.txt"}


def test_two_runs_at_once_lose_nothing_and_both_end_well(place: Place) -> None:
    numbers = list(range(1, 13))
    for number in numbers:
        place.keep(number)
    with ThreadPoolExecutor(2) as executor:
        codes = list(executor.map(lambda _: place.run(), range(2)))
    assert codes == [0, 0]
    assert place.kept() == set()
    assert {number for call in place.seen() for number in call} == set(numbers)


@pytest.mark.parametrize("effect", ["before", "after"])
def test_killed_at_any_deletion_the_next_run_ends_the_same(
    effect: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete = redrive.Failures.delete

    def dies(self: redrive.Failures, key: str) -> None:
        if effect == "after":
            delete(self, key)
        raise Crash

    for number in (1, 2):
        place.keep(number)
    monkeypatch.setattr(redrive.Failures, "delete", dies)
    with pytest.raises(Crash):
        place.run()
    monkeypatch.setattr(redrive.Failures, "delete", delete)
    assert place.run() == 0
    assert place.kept() == set()
    again = [[1]] if effect == "before" else []
    assert place.seen() == [[1], *again, [2]]


@pytest.mark.parametrize("option", ["--bucket", "--function"])
def test_a_name_that_does_not_exist_stops_it_with_the_reason(
    option: str, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    key = place.keep(1)
    assert place.run(option, "no-such-thing") == 2
    told = capsys.readouterr().err
    assert "Stopped: " in told
    assert "goes on from here" in told
    assert place.kept() == {key}


def test_a_batch_that_a_mapping_gave_up_is_taken_by_the_mended_function(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    consumer = Consumer(cloud, tmp_path, destination="Bucket", MaximumRetryAttempts=0, BatchSize=1)
    bucket, function = consumer.ids["Bucket"], consumer.ids["Function"]
    s3 = cloud.client("s3")
    consumer.put("bad", poison="yes")
    until(lambda: s3.list_objects_v2(Bucket=bucket).get("Contents"))
    lambdas = cloud.client("lambda")
    found = lambdas.get_function_configuration(FunctionName=function)["Environment"]
    variables = {**found["Variables"], "FAILS": "never"}
    lambdas.update_function_configuration(
        FunctionName=function, Environment={"Variables": variables}
    )
    before = len(consumer.seen)
    place = ("--bucket", bucket, "--function", function, "--region", HOME)
    assert redrive.main([*place, "--endpoint-url", cloud.endpoint]) == 0
    assert consumer.seen[before:] == ["bad"]
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)
