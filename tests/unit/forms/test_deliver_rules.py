"""Waits, breakers, messages and answers: what is decided without asking anybody."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from lambdas.forms.delivery.attempts import Retries
from lambdas.forms.delivery.breaker import CLOSED, HALF_OPEN, OPEN, BreakerRules, state
from lambdas.forms.delivery.messages import (
    BadMessage,
    Created,
    Delivery,
    DeliveryQueue,
    read_message,
)
from lambdas.forms.delivery.submission_status import status_of
from lambdas.forms.destinations.connection import Answer
from lambdas.forms.destinations.webhook import outcome_of
from tablewright.catalog.forms.submissions import DeliveryAttempt
from tablewright.catalog.forms.tenants import Destination
from tablewright.model import replaced
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import Throttled
from tablewright.runtime.retry import Backoff

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
ID = "0194a211-7280-7abc-8def-0123456789ab"


def test_waits_lie_between_nothing_and_a_bound_that_doubles_up_to_what_the_queue_allows() -> None:
    retries = Retries()
    bounds = [retries.wait(attempt, 1.0) for attempt in range(1, 9)]
    assert bounds == [15, 30, 60, 120, 240, 480, 900, 900]
    assert [retries.wait(attempt, 0.0) for attempt in range(1, 9)] == [0] * 8
    assert retries.wait(9, 1.0) == 15


def test_patience_that_is_asked_for_is_given_as_far_as_it_can_be() -> None:
    assert Retries().wait(1, 0.5, asked=60) == 60
    assert Retries().wait(3, 1.0, asked=1) == 60
    assert Retries().wait(1, 0.5, asked=10_000) == 900


def test_a_series_has_eight_attempts_wherever_it_begins() -> None:
    retries = Retries()
    for begin in (1, 9, 17, 985):
        series = range(begin, begin + 8)
        assert [retries.is_last(number) for number in series] == [False] * 7 + [True]
        assert {retries.next_series(number) for number in series} == {begin + 8}


def test_a_breaker_is_open_until_its_moment_and_then_half_open() -> None:
    closed = Destination(**Destination.__entity__.example)
    until = replaced(closed, breaker_until=iso_utc(NOW))
    assert state(closed, NOW) == CLOSED
    assert state(until, NOW - timedelta(milliseconds=1)) == OPEN
    assert state(until, NOW) == HALF_OPEN


def test_pauses_double_with_every_failure_beyond_those_that_opened_it() -> None:
    rules = BreakerRules(3, timedelta(seconds=10), timedelta(minutes=1))
    pauses = [rules.pause(failures).total_seconds() for failures in range(8)]
    assert pauses == [0, 0, 0, 10, 20, 40, 60, 60]
    assert rules.pause(100_000) == timedelta(minutes=1)


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({}, "DELIVERED"),
        ({("crm", 1): "PENDING"}, "PENDING"),
        ({("crm", 1): "SUCCEEDED", ("archive", 1): "RETRYING"}, "PENDING"),
        ({("crm", 1): "FAILED", ("archive", 1): "PENDING"}, "PENDING"),
        ({("crm", 1): "FAILED", ("archive", 1): "SUCCEEDED"}, "FAILED"),
        ({("crm", 9): "SUCCEEDED", ("crm", 1): "FAILED"}, "DELIVERED"),
        ({("crm", 10): "FAILED", ("crm", 9): "RETRYING"}, "FAILED"),
        ({("crm", 1): "SUCCEEDED", ("crm", 9): "FAILED"}, "DELIVERED"),
        ({("crm", 1): "SUCCEEDED", ("crm", 9): "PENDING"}, "DELIVERED"),
    ],
)
def test_the_status_of_a_submission(statuses: dict[tuple[str, int], str], expected: str) -> None:
    attempts = [
        DeliveryAttempt(
            **{
                **DeliveryAttempt.__entity__.example,
                "destination_id": id,
                "attempt_num": number,
                "status": status,
            }
        )
        for (id, number), status in statuses.items()
    ]
    assert status_of(attempts) == expected


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_every_2xx_is_success(status: int) -> None:
    outcome = outcome_of(Answer(status, None), NOW)
    assert (outcome.error, outcome.response_status) == (None, status)


@pytest.mark.parametrize(
    ("status", "again", "disables"),
    [
        *((status, True, False) for status in (408, 425, 429, 500, 502, 503, 504, 599)),
        *((status, False, False) for status in (301, 302, 307, 400, 401, 403, 404, 422)),
        (410, False, True),
    ],
)
def test_what_other_answers_mean(status: int, again: bool, disables: bool) -> None:
    outcome = outcome_of(Answer(status, None), NOW)
    assert outcome.error == f"the destination answered {status}"
    assert (outcome.again, outcome.disables) == (again, disables)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("120", 120.0),
        ("9" * 40, 1e6),
        ("Sun, 26 Jan 2025 12:01:00 GMT", 60.0),
        ("Sun, 26 Jan 2025 11:00:00 GMT", 0.0),
        ("-5", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("1" * 65, None),
    ],
)
def test_when_to_come_back(said: str | None, seconds: float | None) -> None:
    assert outcome_of(Answer(503, said), NOW).wait == seconds
    assert outcome_of(Answer(400, said), NOW).wait is None


def delivery(**changes: object) -> str:
    asked = {"tenant_id": "acme", "submission_id": ID, "destination_id": "crm", "attempt": 2}
    return json.dumps({"deliver": {**asked, **changes}})


def test_both_kinds_of_messages_are_read() -> None:
    detail = {"tenant_id": "acme", "submission_id": ID, "form_id": "contact"}
    event = {"source": "tablewright.forms", "detail-type": "submission.created", "detail": detail}
    assert read_message(json.dumps(event), NOW) == Created("acme", ID)
    assert read_message(delivery(), NOW) == Delivery("acme", ID, "crm", 2, iso_utc(NOW))


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"deliver": "private"}',
        '{"source": "somebody.else", "detail-type": "submission.created", "detail": {}}',
        delivery(tenant_id="a#b"),
        delivery(tenant_id=None),
        delivery(submission_id="private"),
        delivery(attempt=0.5),
        delivery(attempt="1"),
        delivery(attempt=1000),
        delivery(attempt=-1),
        delivery(since="private"),
        delivery(private="private"),
    ],
)
def test_other_messages_are_refused_and_not_repeated(body: str) -> None:
    with pytest.raises(BadMessage) as refused:
        read_message(body, NOW)
    assert "private" not in str(refused.value)


def test_the_messages_of_a_tenant_are_a_group_of_their_own() -> None:
    queue = Picky(13)
    asked = [Delivery(tenant, ID, "crm", 1, iso_utc(NOW)) for tenant in ("acme", "globex")]
    DeliveryQueue(queue, "url").send(asked)
    assert queue.groups == ["acme", "globex"]


class Picky:
    """A queue that takes one message of each batch."""

    def __init__(self, most: int) -> None:
        self.taken: list[str] = []
        self.groups: list[str] = []
        self.most = most

    def call(self, operation: str, params: dict[str, list[dict[str, str]]]) -> dict[str, object]:
        first, *others = params["Entries"]
        if len(self.taken) == self.most:
            return {"Failed": params["Entries"]}
        self.taken.append(first["MessageBody"])
        self.groups.append(first["MessageGroupId"])
        return {"Successful": [first], "Failed": others}


def test_messages_are_sent_until_all_are_taken() -> None:
    asked = [Delivery("acme", ID, f"d{number}", 1, iso_utc(NOW)) for number in range(13)]
    queue = Picky(13)
    DeliveryQueue(queue, "url", backoff=Backoff(attempts=12, first=0)).send(asked)
    assert sorted(json.loads(one)["deliver"]["destination_id"] for one in queue.taken) == sorted(
        one.destination_id for one in asked
    )
    with pytest.raises(Throttled):
        DeliveryQueue(Picky(3), "url", backoff=Backoff(attempts=4, first=0)).send(asked)
