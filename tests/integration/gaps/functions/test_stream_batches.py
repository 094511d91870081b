"""What is left of a batch after an invocation, case by case."""

import json
from typing import Any

import pytest

from local.gaps.functions.stream_batches import RETRIES_EXHAUSTED, TOO_OLD, Batch, Settings, remains

NOW = 1_000.0
FAILED = {"error": True}


def _batch(*names: str, retries: int = 0) -> Batch:
    records = tuple(
        {"dynamodb": {"SequenceNumber": name, "ApproximateCreationDateTime": NOW - 60}}
        for name in names
    )
    return Batch(
        records=records,
        positions=tuple(range(10, 10 + len(names))),
        end=10 + len(names) + 5,
        retries=retries,
    )


def _settings(**mapping: Any) -> Settings:
    return Settings.of({"FunctionResponseTypes": ["ReportBatchItemFailures"], **mapping})


def _report(*identifiers: Any) -> dict[str, Any]:
    failures = [{"itemIdentifier": identifier} for identifier in identifiers]
    return {"body": {"batchItemFailures": failures}}


def _names(*batches: Batch) -> list[str]:
    return ["".join(each["dynamodb"]["SequenceNumber"] for each in b.records) for b in batches]


@pytest.mark.parametrize(
    "result",
    [
        {"body": None},
        {"body": "done"},
        {"body": {}},
        {"body": {"batchItemFailures": []}},
        {"body": {"batchItemFailures": None}},
    ],
)
def test_an_answer_without_failures_finishes_the_batch(result: dict[str, Any]) -> None:
    left = remains(_batch("a", "b"), result, _settings(), NOW)
    assert (left.todo, left.given_up) == ((), None)


def test_the_first_of_several_reported_failures_counts() -> None:
    left = remains(_batch("a", "b", "c", "d"), _report("d", "b"), _settings(), NOW)
    assert _names(*left.todo) == ["bcd"]
    assert left.todo[0].start == 11


def test_a_report_as_text_is_read() -> None:
    result = {"body": json.dumps(_report("b")["body"])}
    assert _names(*remains(_batch("a", "b"), result, _settings(), NOW).todo) == ["b"]


@pytest.mark.parametrize("identifier", ["", None, "unknown"])
def test_a_report_of_no_record_of_the_batch_fails_all_of_it(identifier: Any) -> None:
    left = remains(_batch("a", "b"), _report(identifier), _settings(), NOW)
    assert _names(*left.todo) == ["ab"]


def test_a_report_that_was_not_asked_for_is_ignored() -> None:
    left = remains(_batch("a"), _report("a"), Settings.of({}), NOW)
    assert (left.todo, left.given_up) == ((), None)


def test_a_split_leaves_no_record_out_and_is_no_retry() -> None:
    settings = _settings(BisectBatchOnFunctionError="true", MaximumRetryAttempts=0)
    first, second = remains(_batch("a", "b", "c"), FAILED, settings, NOW).todo
    assert _names(first, second) == ["a", "bc"]
    assert (first.end, second.start, second.end) == (11, 11, 18)
    assert first.retries == second.retries == 0


def test_a_batch_is_given_up_once_its_retries_are_used() -> None:
    settings = _settings(MaximumRetryAttempts=2)
    (again,) = remains(_batch("a", retries=1), FAILED, settings, NOW).todo
    assert again.retries == 2
    left = remains(again, FAILED, settings, NOW)
    assert (left.todo, left.reason) == ((), RETRIES_EXHAUSTED)


def test_without_a_limit_nothing_is_given_up() -> None:
    left = remains(_batch("a", retries=10_000), FAILED, _settings(), NOW)
    assert left.given_up is None
    assert _names(*left.todo) == ["a"]


@pytest.mark.parametrize(("age", "given_up"), [(59, True), (61, False), (-1, False)])
def test_a_failing_batch_that_is_too_old_is_given_up(age: int, given_up: bool) -> None:
    left = remains(_batch("a"), FAILED, _settings(MaximumRecordAgeInSeconds=age), NOW)
    assert (left.reason == TOO_OLD) == given_up
    assert bool(left.todo) != given_up
