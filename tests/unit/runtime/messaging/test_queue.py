"""A queue takes messages in batches, and not always all of them."""

from typing import Any

import pytest

from tablewright.runtime.errors import Throttled
from tablewright.runtime.messaging.queue import LONGEST_DELAY, Queue
from tablewright.runtime.retry import Backoff


class Sqs:
    """Takes so many of each batch; the rest is refused as SQS does it."""

    def __init__(self, takes: int = 10) -> None:
        self.takes = takes
        self.batches: list[list[dict[str, Any]]] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "SendMessageBatch"
        entries = params["Entries"]
        self.batches.append(entries[: self.takes])
        refused = [{"Id": entry["Id"], "SenderFault": False} for entry in entries[self.takes :]]
        return {"Successful": [], **({"Failed": refused} if refused else {})}

    @property
    def bodies(self) -> list[str]:
        return [entry["MessageBody"] for batch in self.batches for entry in batch]


BODIES = [f"message {number}" for number in range(23)]
EAGER = Backoff(attempts=4, first=0)


def test_ten_messages_go_at_a_time() -> None:
    sqs = Sqs()
    Queue(sqs, "url").send(BODIES)
    assert [len(batch) for batch in sqs.batches] == [10, 10, 3]
    assert sqs.bodies == BODIES


def test_a_batch_is_no_heavier_than_the_queue_takes() -> None:
    sqs = Sqs()
    heavy = ["é" * 50_000] * 5
    Queue(sqs, "url").send(heavy)
    assert [len(batch) for batch in sqs.batches] == [2, 2, 1]


def test_what_is_refused_is_sent_again_and_nothing_else() -> None:
    sqs = Sqs(takes=3)
    Queue(sqs, "url", backoff=EAGER).send(BODIES)
    assert sorted(sqs.bodies) == sorted(BODIES)


def test_messages_that_are_never_taken_are_an_error() -> None:
    with pytest.raises(Throttled, match="10 of 10 messages were not taken"):
        Queue(Sqs(takes=0), "url", backoff=EAGER).send(BODIES)


@pytest.mark.parametrize(
    ("seconds", "delay"), [(0, 0), (-5, 0), (0.2, 1), (60, 60), (1e6, LONGEST_DELAY)]
)
def test_a_delay_is_what_the_queue_can_do(seconds: float, delay: int) -> None:
    sqs = Sqs()
    Queue(sqs, "url").send(["later"], seconds)
    assert sqs.batches[0][0]["DelaySeconds"] == delay


def test_nothing_to_send_is_no_call() -> None:
    sqs = Sqs()
    Queue(sqs, "url").send([])
    assert sqs.batches == []
