"""The functions behind the queue and the stream: what they do with batches, and what they say."""

import json
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest

from lambdas import stream
from lambdas.sentiment.analysis import Analysis
from lambdas.sentiment.handlers import analyse, project_items
from lambdas.sentiment.sentiment_model import Model
from tablewright.catalog.sentiment.items import Items
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled
from tablewright.runtime.streams.changes import Change
from tablewright.testing import Fault, Faulty
from tablewright.testing.injector import Kind
from tests.integration.http import Context
from tests.integration.sentiment.conftest import World, item
from tests.integration.sentiment.http import Logs, metered, metrics
from tests.integration.sentiment.moments import NOW

PRIVATE = "My neighbour Ada is terribly ill"


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Logs:
    return Logs(monkeypatch)


def raw(number: int) -> dict[str, Any]:
    return {
        "source_id": f"reddit#post-{number}",
        "source_type": "reddit",
        "text": f"{PRIVATE}, number {number}",
    }


def stored(world: World) -> list[dict[str, Any]]:
    return [one for one in world.stored() if "status" in one]


@pytest.fixture
def messages(world: World, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    use(world, monkeypatch)
    world.ingestion().ingest([raw(n) for n in range(3)], iso_utc(NOW))
    return [
        {"messageId": f"message-{number}", "body": body}
        for number, body in enumerate(world.inbox.messages)
    ]


def use(world: World, monkeypatch: pytest.MonkeyPatch, caller: Any = None) -> None:
    analysis = Analysis([world.items(caller), world.news(caller)], Model())
    monkeypatch.setattr(analyse, "analysis", lambda: analysis)


def test_messages_delivered_twice_are_recorded_once(
    world: World, messages: list[dict[str, Any]], logs: Logs
) -> None:
    assert analyse.handler({"Records": messages}, Context()) == {"batchItemFailures": []}
    assert {one["status"]["S"] for one in stored(world)} == {"analyzed"}
    assert {one["sentiment"]["S"] for one in stored(world)} == {"negative"}
    before = world.stored()
    assert analyse.handler({"Records": messages}, Context()) == {"batchItemFailures": []}
    assert world.stored() == before
    assert [one["source_id"] for one in logs.of("analysed")] == [
        json.loads(message["body"])["source_id"] for message in messages
    ] * 2
    assert "neighbour" not in logs.text


def test_a_bad_message_fails_by_itself(
    world: World, messages: list[dict[str, Any]], logs: Logs
) -> None:
    bad = [
        {"messageId": "no-json", "body": PRIVATE},
        {"messageId": "no-request", "body": json.dumps({"text_for_analysis": PRIVATE})},
        {"messageId": "no-key", "body": json.dumps(
            {"source_id": "x y", "ingested_at": "now", "text_for_analysis": PRIVATE}
        )},
    ]  # fmt: skip
    answer = analyse.handler({"Records": [*bad, *messages]}, Context())
    assert [one["itemIdentifier"] for one in answer["batchItemFailures"]] == [
        "no-json",
        "no-request",
        "no-key",
    ]
    assert {one["status"]["S"] for one in stored(world)} == {"analyzed"}
    assert [one["message_id"] for one in logs.of("not analysed")] == [
        "no-json",
        "no-request",
        "no-key",
    ]
    assert "neighbour" not in logs.text


def test_a_call_that_was_not_answered_is_made_once_more(
    world: World, messages: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    use(world, monkeypatch, Faulty(world.edge, Fault(1, "refused")))
    assert analyse.handler({"Records": messages}, Context()) == {"batchItemFailures": []}
    assert {one["status"]["S"] for one in stored(world)} == {"analyzed"}


@pytest.mark.parametrize(("kind", "times"), [("throttled", 1), ("refused", 2)])
def test_a_message_that_the_store_could_not_take_is_delivered_again(
    world: World,
    messages: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    kind: Kind,
    times: int,
) -> None:
    edge: Caller = world.edge
    for _ in range(times):
        edge = Faulty(edge, Fault(1, kind))
    use(world, monkeypatch, edge)
    answer = analyse.handler({"Records": messages}, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-1"}]}
    assert sorted(one["status"]["S"] for one in stored(world)) == [
        "analyzed",
        "analyzed",
        "pending",
    ]
    analyse.handler({"Records": messages[1:2]}, Context())
    assert {one["status"]["S"] for one in stored(world)} == {"analyzed"}


def test_a_text_that_the_model_fails_on_takes_no_other_with_it(
    world: World, messages: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Model):
        def _compound(self, text: str) -> Any:
            if "number 1" in text:
                raise ZeroDivisionError
            return super()._compound(text)

    analysis = Analysis([world.items()], Failing())
    monkeypatch.setattr(analyse, "analysis", lambda: analysis)
    (failed,) = analyse.handler({"Records": messages}, Context())["batchItemFailures"]
    body = next(m["body"] for m in messages if m["messageId"] == failed["itemIdentifier"])
    assert "number 1" in body


@pytest.fixture(autouse=True)
def projector(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made = world.projector()
    monkeypatch.setattr(project_items, "projector", lambda: made)


def shown(world: World) -> dict[str, str]:
    rows = [row for row in world.rows() if "tag" not in row and "sentiment" in row]
    return {row["source_id"]["S"]: row["sentiment"]["S"] for row in rows}


def test_records_of_the_stream_become_rows_however_often_they_come(world: World) -> None:
    world.put(*(item(n) for n in range(3)))
    records = world.stream()
    assert project_items.handler({"Records": records}, Context()) == {"batchItemFailures": []}
    before = world.rows()
    assert len(shown(world)) == 3
    project_items.handler({"Records": records}, Context())
    assert world.rows() == before


def test_a_bad_record_is_kept_counted_and_logged_by_its_key_alone(
    world: World,
    logs: Logs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    metered(monkeypatch)
    kept: list[Change] = []
    monkeypatch.setattr(stream, "failed_records", lambda: SimpleNamespace(keep=kept.append))
    world.put(*(item(n, text_snippet=PRIVATE) for n in range(3)))
    records = deepcopy(world.stream())
    records[1]["dynamodb"]["NewImage"]["sentiment"] = {"S": PRIVATE}
    assert project_items.handler({"Records": records}, Context()) == {"batchItemFailures": []}
    assert [change.record for change in kept] == [records[1]]
    assert sorted(shown(world)) == ["newsapi#article-00000", "newsapi#article-00002"]
    counted = metrics(capsys.readouterr().out)
    assert [(one["name"], one["values"]) for one in counted] == [("RecordsKept", [1.0])]
    (entry,) = logs.of("a record cannot be projected")
    bad = records[1]["dynamodb"]["SequenceNumber"]
    assert (entry["source_id"], entry["sequence"]) == ("newsapi#article-00001", bad)
    assert "sentiment must be one of" in entry["reason"]
    assert "neighbour" not in logs.text


def test_a_bad_record_that_is_redriven_is_reported_and_not_kept_again(world: World) -> None:
    world.put(*(item(n) for n in range(2)))
    world.spoil(item(1))
    records = world.stream()
    answer = project_items.handler({"redrive": True, "Records": records[2:]}, Context())
    bad = records[2]["dynamodb"]["SequenceNumber"]
    assert answer == {"batchItemFailures": [{"itemIdentifier": bad}]}


def test_a_batch_that_the_table_did_not_take_fails_whole_and_goes_through_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.put(item(1))
    records = world.stream()
    busy = world.projector(Faulty(world.edge, Fault(1, "throttled")))
    monkeypatch.setattr(project_items, "projector", lambda: busy)
    with pytest.raises(Throttled):
        project_items.handler({"Records": records}, Context())
    assert project_items.handler({"Records": records}, Context()) == {"batchItemFailures": []}
    assert list(shown(world)) == ["newsapi#article-00001"]


def test_records_of_a_redrive_bring_nothing_back_that_has_changed_since(
    world: World, logs: Logs
) -> None:
    world.put(item(1, sentiment="positive"), item(2))
    given_up = world.stream()
    world.put(item(1, sentiment="negative"))
    world.remove(item(2))
    project_items.handler({"Records": world.stream()[2:]}, Context())
    event = {"redrive": True, "Records": given_up}
    assert project_items.handler(event, Context()) == {"batchItemFailures": []}
    assert shown(world) == {"newsapi#article-00001": "negative"}
    assert [one["redrive"] for one in logs.of("projected")] == [False, True]
    key = {name: item(1)[name] for name in ("source_id", "ingested_at")}
    assert world.items().get(Items.get_item, key) is not None
