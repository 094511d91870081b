"""Records that cannot be counted, and what was given up and is delivered again."""

import io
import json
from copy import deepcopy
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from lambdas import stream as kept_records
from lambdas.forms.handlers import count_changes as count
from tablewright.catalog.forms.design import Forms
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError, TransactionCanceled, Unavailable
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.changes import Change
from tests.integration.forms.conftest import FormTable, key_of, submission
from tests.integration.forms.metrics.streaming import Stream, sequence
from tests.integration.forms.sharding.traffic import NIGHT, Traffic, begin, end
from tests.integration.http import Context
from tests.integration.sentiment.http import metered

STREAMED = True


@pytest.fixture
def store(forms: FormTable) -> Store:
    forms.clock.moment = NIGHT + timedelta(days=1)
    return forms.store()


@pytest.fixture
def stream(forms: FormTable) -> Stream:
    return Stream(forms)


def spoil(record: dict[str, Any], **image: Any) -> dict[str, Any]:
    spoiled = deepcopy(record)
    spoiled["dynamodb"]["NewImage"].update(image)
    return spoiled


@pytest.mark.parametrize("image", [{"timestamp": {"S": "soon"}}, {"form_id": {"M": {}}}])
def test_a_poison_record_is_kept_and_stops_none_of_its_neighbours(
    store: Store, stream: Stream, image: Any
) -> None:
    Traffic(store).send(9)
    records = stream.records()
    records[4] = spoil(records[4], **image)
    # Where it cannot be kept, it comes again with those behind it, which are not counted twice.
    assert stream.deliver(records) == [sequence(records[4])]
    for _ in range(2):
        assert stream.keep(records) == [sequence(records[4])]
        assert submitted(stream) == 2 * 8


def submitted(stream: Stream) -> int:
    """All submissions that are counted, by day and by hour."""
    return int(sum(one["submission_count"] for one in stream.counts().values()))


class Outgrown:
    """A table in which the counts of one tenant take nothing more."""

    def __init__(self, caller: Caller, error: StoreError) -> None:
        self._caller = caller
        self._error = error

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems" and "TENANT#full" in str(params):
            raise self._error
        return self._caller.call(operation, params)


def test_counts_that_take_nothing_more_stop_those_of_no_other_tenant(
    store: Store, stream: Stream
) -> None:
    for number, tenant in enumerate(("acme", "full", "globex")):
        store.put(Forms.put_submission, submission(NIGHT, number, tenant_id=tenant))
    records = stream.records()
    outgrown = Outgrown(stream.dynamo, TransactionCanceled(["ValidationError"]))
    assert stream.keep(records, outgrown) == [sequence(records[1])]
    assert submitted(stream) == 2 * 2
    assert stream.deliver(records) == []
    assert submitted(stream) == 2 * 3


def test_trouble_that_passes_is_nobody_s_fault_and_all_is_delivered_again(
    store: Store, stream: Stream
) -> None:
    Traffic(store).send(3)
    down = Outgrown(stream.dynamo, Unavailable("for a while"))
    store.put(Forms.put_submission, submission(NIGHT, 9, tenant_id="full"))
    with pytest.raises(Unavailable):
        stream.deliver(caller=down)
    assert stream.deliver() == []
    assert submitted(stream) == 2 * 4


def test_an_item_without_what_is_counted_is_poison(store: Store, stream: Stream) -> None:
    Traffic(store).send(1)
    (record,) = stream.records()
    del record["dynamodb"]["NewImage"]["form_id"]
    assert stream.deliver([record]) == [sequence(record)]
    assert stream.counts() == {}


def test_what_was_given_up_is_redriven_once(store: Store, stream: Stream) -> None:
    traffic = Traffic(store)
    made = traffic.send(6)
    traffic.deliver(made[2], "RETRYING", "FAILED")
    records = stream.records()
    stream.deliver(records[4:])
    for _ in range(2):
        assert stream.redrive(records[:5]) == []
    assert stream.counts() == traffic.expected


def test_an_unsound_submission_is_counted_by_a_redrive_when_it_was_corrected(
    store: Store, stream: Stream
) -> None:
    traffic = Traffic(store)
    (made,) = traffic.send(1)
    (record,) = stream.records()
    poison = spoil(record, form_id={"M": {}})
    _set(stream, poison, form_id={"M": {}})
    assert stream.redrive([poison]) == [sequence(poison)]
    assert stream.counts() == {}
    _set(stream, poison, form_id={"S": made["form_id"]})
    for _ in range(2):
        assert stream.redrive([poison]) == []
    assert stream.counts() == traffic.expected


def test_an_unsound_outcome_that_was_corrected_counts_once(store: Store, stream: Stream) -> None:
    key = begin(store, submission(NIGHT), "crm", 1, NIGHT)
    end(store, key, "RETRYING", NIGHT)
    first = stream.records()[-1]
    _set(stream, first, timestamp={"S": "soon"})
    poison = stream.records()[-1]
    assert stream.deliver([first]) == []
    assert stream.deliver([poison]) == [sequence(poison)]
    assert stream.redrive([poison]) == [sequence(poison)]
    _set(stream, first, timestamp={"S": "2099-03-05T00:00:00.000Z"}, status={"S": "SUCCEEDED"})
    correction = stream.records()[-1]
    for _ in range(2):
        assert stream.deliver([correction]) == []
        assert stream.redrive([poison]) == []
    days = {period: one for (_, period), one in stream.counts().items() if len(period) == 10}
    assert days["2099-03-04"]["error_count"] == 0
    assert days["2099-03-05"]["delivery_count"] == 1


def test_a_redrive_of_an_unsound_item_that_is_gone_counts_nothing(
    store: Store, stream: Stream
) -> None:
    (made,) = Traffic(store).send(1)
    (record,) = stream.records()
    store.delete(Forms.delete_submission, key_of(made))
    assert stream.redrive([spoil(record, form_id={"M": {}})]) == []
    assert stream.counts() == {}


def test_the_function_answers_for_batches_and_redrives(
    store: Store, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(count, "consumer", stream.consumer)
    metered(monkeypatch)
    kept: list[Change] = []
    monkeypatch.setattr(kept_records, "failed_records", lambda: SimpleNamespace(keep=kept.append))
    logs = io.StringIO()
    monkeypatch.setattr(count.logger.registered_handler, "stream", logs)
    traffic = Traffic(store)
    traffic.send(4)
    records = stream.records()
    poison = spoil(records[2], timestamp={"S": "soon"})
    answer = count.handler({"Records": [*records[:2], poison, records[3]]}, Context())
    assert answer == {"batchItemFailures": []}
    assert [one.sequence for one in kept] == [sequence(poison)]
    again = count.handler({"Records": [poison], "redrive": True}, Context())
    assert again == {"batchItemFailures": []}  # its item is sound by now
    assert count.handler({"Records": records, "redrive": True}, Context()) == {
        "batchItemFailures": []
    }
    assert stream.counts() == traffic.expected
    said = [json.loads(line) for line in logs.getvalue().splitlines()]
    assert [one["message"] for one in said] == [
        *("a record cannot be counted or forgotten", "counted", "counted", "counted")
    ]
    assert said[0]["key"]["SK"] == poison["dynamodb"]["Keys"]["SK"]["S"]
    assert "timestamp must be a UTC time" in said[0]["reason"]
    payload = poison["dynamodb"]["NewImage"]["data"]["B"]
    assert payload[:20] not in logs.getvalue()
    assert "Ada" not in logs.getvalue()


def _set(stream: Stream, record: dict[str, Any], **attributes: Any) -> None:
    """Change an item past the store, as only another program would."""
    names = {f"#{name}": name for name in attributes}
    values = {f":{name}": wire for name, wire in attributes.items()}
    sets = ", ".join(f"#{name} = :{name}" for name in attributes)
    stream.dynamo.call(
        "UpdateItem",
        {
            "TableName": "forms",
            "Key": record["dynamodb"]["Keys"],
            "UpdateExpression": f"SET {sets}",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        },
    )
