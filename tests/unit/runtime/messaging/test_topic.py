"""A topic takes messages in batches, not always all of them, and one that fails stops no other."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.runtime.errors import StoreError, Throttled, Unavailable
from tablewright.runtime.messaging.topic import Message, TooLarge, Topic
from tablewright.runtime.retry import Backoff

EAGER = Backoff(attempts=3, first=0)
LIMIT = 256 * 1024
MESSAGES = [Message(f"message {number}") for number in range(35)]


class Sns:
    """Keeps what it takes; `fails` says what becomes of a call, by its number and its texts."""

    def __init__(self, fails: Callable[[int, list[str]], list[str]] = lambda *_: []) -> None:
        self._fails = fails
        self.calls = 0
        self.taken: list[str] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "PublishBatch"
        entries = params["PublishBatchRequestEntries"]
        assert 1 <= len(entries) <= 10
        self.calls += 1
        failed = self._fails(self.calls, [entry["Message"] for entry in entries])
        self.taken += [entry["Message"] for entry in entries if entry["Message"] not in failed]
        refused = [{"Id": entry["Id"]} for entry in entries if entry["Message"] in failed]
        return {"Successful": [], **({"Failed": refused} if refused else {})}


def raising(error: StoreError, *calls: int) -> Callable[[int, list[str]], list[str]]:
    def fails(number: int, _: list[str]) -> list[str]:
        if number in calls:
            raise error
        return []

    return fails


def offered(sns: Sns, messages: list[Message] = MESSAGES) -> list[StoreError | None]:
    return Topic(sns, "arn", backoff=EAGER).offer(messages)


def test_ten_messages_go_at_a_time_in_their_order() -> None:
    sns = Sns()
    assert offered(sns) == [None] * 35
    assert (sns.calls, sns.taken) == (4, [message.text for message in MESSAGES])


def test_a_batch_is_no_heavier_than_the_topic_takes() -> None:
    sns = Sns()
    assert offered(sns, [Message("é" * 50_000)] * 5) == [None] * 5
    assert sns.calls == 3


def test_what_is_refused_is_offered_again_and_nothing_else() -> None:
    sns = Sns(lambda call, _: ["message 3"] if call == 1 else [])
    assert offered(sns) == [None] * 35
    assert sorted(sns.taken) == sorted(message.text for message in MESSAGES)


def test_what_is_refused_for_ever_is_told_by_its_place() -> None:
    failures = offered(Sns(lambda *_: ["message 3", "message 17"]))
    assert [at for at, failure in enumerate(failures) if failure] == [3, 17]


def test_a_call_without_an_answer_fails_its_own_messages_alone() -> None:
    """And they are not offered again: they may have been taken."""
    sns = Sns(raising(Unavailable("gone"), 2))
    failures = offered(sns)
    assert [type(failure) for failure in failures[10:20]] == [Unavailable] * 10
    assert len(sns.taken) == 25
    assert sns.calls == 4


def test_a_throttled_call_is_made_again() -> None:
    sns = Sns(raising(Throttled("slower"), 2, 3))
    assert offered(sns) == [None] * 35


def test_a_topic_that_does_not_answer_is_left_alone_after_three_calls() -> None:
    sns = Sns(raising(Unavailable("gone"), *range(1, 100)))
    failures = offered(sns)
    assert sns.calls == 3
    assert [type(failure) for failure in failures] == [Unavailable] * 30 + [Throttled] * 5


def test_a_batch_that_is_refused_as_a_whole_is_offered_one_by_one() -> None:
    def fails(_: int, texts: list[str]) -> list[str]:
        if "message 3" in texts:
            raise StoreError("PublishBatch: InvalidParameter: no")
        return []

    sns = Sns(fails)
    failures = offered(sns)
    assert [at for at, failure in enumerate(failures) if failure] == [3]
    assert len(sns.taken) == 34


@pytest.mark.parametrize("size", [LIMIT + 1, 10 * LIMIT])
def test_a_message_that_is_too_large_is_told_so_and_not_offered(size: int) -> None:
    sns = Sns()
    first, second, third = offered(sns, [Message("before"), Message("x" * size), Message("after")])
    assert (first, third) == (None, None)
    assert isinstance(second, TooLarge)
    assert sns.taken == ["before", "after"]


def test_attributes_weigh_as_well() -> None:
    name, value = "source_type", "tiingo"
    weight = len(name) + len(value) + len("String")
    fits = Message("x" * (LIMIT - weight), {name: value})
    assert offered(Sns(), [fits]) == [None]
    (failure,) = offered(Sns(), [Message(fits.text + "x", {name: value})])
    assert isinstance(failure, TooLarge)
