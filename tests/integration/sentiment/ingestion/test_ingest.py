"""The function that takes items in: from events and on a schedule, and what it says about it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from traceback import format_exception
from typing import Any

import pytest

from lambdas.sentiment.contract import IngestEnvironment
from lambdas.sentiment.handlers import ingest
from lambdas.sentiment.ingestion.item_ingestion import ItemIngestion
from lambdas.sentiment.sources import InvalidSetting
from tablewright.catalog.sentiment.items import items_table
from tablewright.model import InvalidRecord, InvalidValue
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import Throttled
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tests.integration.http import Context
from tests.integration.sentiment.conftest import ITEMS_TABLE, World
from tests.integration.sentiment.http import Http, Logs, metered, metrics
from tests.integration.sentiment.sources.newsapi_server import KEY, NewsApiServer, article
from tests.integration.sentiment.sources.server import Server, running

SCHEDULED = {"source": "aws.events", "detail-type": "Scheduled Event", "detail": {}}
PRIVATE = "My neighbour Ada is terribly ill"


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Logs:
    return Logs(monkeypatch)


def raw(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "source_id": f"reddit#post-{number}",
        "source_type": "reddit",
        "text": f"{PRIVATE}, number {number}",
        **changes,
    }


def stored(world: World) -> list[dict[str, Any]]:
    return [one for one in world.stored() if "status" in one]


@pytest.fixture(autouse=True)
def functions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    metered(monkeypatch)
    ingestion = world.ingestion()
    monkeypatch.setattr(ingest, "item_ingestion", lambda: ingestion)
    monkeypatch.setattr(ingest, "news_ingestion", lambda: world.news_ingestion())


def test_items_of_an_event_are_stored_as_of_now(world: World) -> None:
    before = iso_utc(datetime.now(UTC))
    answer = ingest.handler({"items": [raw(1), raw(2), raw(1)]}, Context())
    assert answer == {"stored": 2, "duplicates": 1, "rejected": 0}
    moments = {one["ingested_at"]["S"] for one in stored(world)}
    assert all(before <= moment <= iso_utc(datetime.now(UTC)) for moment in moments)
    assert len(world.inbox.messages) == 2


def test_items_of_earlier_keep_their_moment(world: World) -> None:
    earlier = "2025-11-16T14:30:15.000Z"
    ingest.handler({"items": [raw(1)], "ingested_at": earlier}, Context())
    (one,) = stored(world)
    assert one["ingested_at"] == {"S": earlier}


def test_items_that_would_be_gone_at_once_are_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(items_table(days=30), ITEMS_TABLE, world.edge, secrets=Secrets.in_clear())
    ingestion = world.ingestion()
    expiring = ItemIngestion(store, world.dashboard_store(), ingestion._requests, ingestion.watch)
    monkeypatch.setattr(ingest, "item_ingestion", lambda: expiring)
    now = datetime.now(UTC)
    event = {"items": [raw(1)], "ingested_at": iso_utc(now - timedelta(days=30))}
    with pytest.raises(InvalidValue, match="ingested_at must be less than 30 days ago"):
        ingest.handler(event, Context())
    assert world.stored() == []
    event["ingested_at"] = iso_utc(now - timedelta(days=29))
    assert ingest.handler(event, Context())["stored"] == 1
    moments = [iso_utc(now - timedelta(days=days)) for days in (30, 29)]
    items = [raw(number, ingested_at=moment) for number, moment in enumerate(moments, 2)]
    counts = ingest.handler({"items": items}, Context())
    assert counts == {"stored": 1, "duplicates": 0, "rejected": 1}
    assert sorted(one["ingested_at"]["S"] for one in stored(world)) == [moments[1]] * 2


def test_an_event_that_says_something_else_changes_nothing(world: World) -> None:
    future = iso_utc(datetime.now(UTC) + timedelta(minutes=5))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"items": [raw(1)], "ingested_at": "0001-01-01T00:00:00.000Z"}, "so that it can expire"),
        ({"items": [raw(1)], "ingested_at": future}, "ingested_at must not lie in the future"),
        ({"items": [raw(1)], "ingested_at": "today"}, "ingested_at must be a time in ISO 8601"),
        ({"items": [raw(1)], "ingested_at": 5}, "ingested_at must be a time in ISO 8601"),
        ({"items": [raw(1)], "ingested_at": "2025-11-16T10:00:00"}, "must name its time zone"),
        ({"items": {"1": raw(1)}}, "items must be a list"),
        ({"items": [raw(1)], "ingestedAt": "x"}, "event must have items and ingested_at only"),
        ({"news": [], "items_too": []}, "event must have news only"),
        ({"news": "many"}, "news must be a list"),
        ({}, "event must have items or news, or be an item, or one"),
        ({"Records": []}, "event must have items or news, or be an item, or one"),
    ]
    for event, reason in wrong:
        with pytest.raises(InvalidValue, match=reason):
            ingest.handler(event, Context())
    assert world.stored() == []


def test_fractions_of_an_event_are_stored_as_they_were_sent(world: World) -> None:
    # As Lambda parses events: with floats.
    event = json.loads(json.dumps({"items": [raw(1, metadata={"share": 0.1})]}))
    assert ingest.handler(event, Context())["stored"] == 1
    (one,) = stored(world)
    assert one["metadata"]["M"]["share"] == {"N": "0.1"}


def test_one_item_is_an_event_of_its_own(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    event = raw(1, sentiment="positive", score=0.1, model_version="v1.0.0")
    assert ingest.handler(event, Context()) == {"stored": 1, "duplicates": 0}
    (one,) = stored(world)
    assert (one["score"], one["status"]) == ({"N": "0.1"}, {"S": "analyzed"})
    assert ingest.handler(event, Context()) == {"stored": 0, "duplicates": 1}
    with pytest.raises(InvalidRecord, match="source_url must be an HTTPS address"):
        ingest.handler(raw(2, source_url="ftp://x"), Context())
    assert len(stored(world)) == 1


@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%SZ", "%Y%m%dT%H%M%S.000000+0000"])
def test_a_moment_of_ingestion_is_stored_in_one_form(world: World, form: str) -> None:
    moment = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    event = {"items": [raw(1)], "ingested_at": moment.strftime(form)}
    assert ingest.handler(event, Context())["stored"] == 1
    (one,) = stored(world)
    assert one["ingested_at"] == {"S": iso_utc(moment)}


def test_bad_items_are_parked_counted_and_logged_without_what_they_say(
    world: World, logs: Logs, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = [raw(2, source_url="ftp://x"), PRIVATE, raw(3, text=5, **{f"{PRIVATE}\n": PRIVATE})]
    moment = iso_utc(datetime.now(UTC))
    answer = ingest.handler({"items": [raw(1), *bad], "ingested_at": moment}, Context())
    assert answer == {"stored": 1, "duplicates": 0, "rejected": 3}
    today = datetime.fromisoformat(moment)
    assert len(world.dashboard(now=today).rejected(None).items) == 3
    told = [(one.get("source_id"), one["reason"]) for one in logs.of("refused")]
    fields = (
        "source_id, source_type, source_url, sentiment, score, model_version, matched_tags, "
        "metadata, ingested_at, status, text, text_snippet"
    )
    assert told == [
        ("reddit#post-2", "source_url must be an HTTPS address"),
        (None, "item must be an object"),
        ("reddit#post-3", f"item has a field that is not one of {fields}; text must be text"),
    ]
    (ingested,) = logs.of("ingested")
    assert ingested["counts"] == answer
    assert "neighbour" not in logs.text
    counted = metrics(capsys.readouterr().out)
    assert [(one["name"], one["values"]) for one in counted] == [
        ("ItemsStored", [1.0]),
        ("ItemsRejected", [3.0]),
    ]


def test_an_event_that_is_not_finished_is_counted_parked_and_sent_again(
    world: World, logs: Logs, capsys: pytest.CaptureFixture[str]
) -> None:
    world.inbox.refuses = {"reddit#post-2"}
    event = {"items": [raw(1), raw(2), PRIVATE, raw(3)]}
    with pytest.raises(Throttled):
        ingest.handler(event, Context())
    (ingested,) = logs.of("ingested")
    counts = {"stored": 3, "duplicates": 0, "rejected": 1, "unfinished": 1}
    assert ingested["counts"] == counts
    assert len(world.dashboard(now=datetime.now(UTC)).rejected(None).items) == 1
    world.inbox.refuses = set()
    answer = ingest.handler(event, Context())
    assert answer == {"stored": 0, "duplicates": 3, "rejected": 1}
    told = [json.loads(message)["source_id"] for message in world.inbox.messages]
    assert sorted(told) == [f"reddit#post-{n}" for n in (1, 2, 3)]
    counted = [one for one in metrics(capsys.readouterr().out) if one["name"] == "ItemsStored"]
    assert sum(sum(one["values"]) for one in counted) == len(stored(world)) == 3


def test_a_request_is_logged_without_its_text_and_its_token(
    world: World, logs: Logs, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = Http(world, monkeypatch)
    token = {"authorization": "Bearer e30.secret.sig"}
    claims = {"sub": "ada", "cognito:groups": "[writers]", "email": "ada@example.com"}
    batch = {"items": [raw(1), raw(2, text=None, source_url=PRIVATE)]}
    assert http("POST", "/items", batch, headers=token, claims=claims).status == 202
    (answered,) = logs.of("answered")
    assert (answered["method"], answered["path"], answered["status"]) == ("POST", "/items", 202)
    for secret in ("neighbour", "e30", "example.com"):
        assert secret not in logs.text


def test_an_unexpected_error_is_a_problem_and_logged_without_the_request(
    world: World, logs: Logs, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = Http(world, monkeypatch)
    monkeypatch.setattr(ingest, "item_ingestion", lambda: None)
    assert http("POST", "/items", {"items": [raw(1)]}).status == 500
    (entry,) = logs.of("unexpected error")
    assert entry["kind"] == "AttributeError"
    assert "neighbour" not in logs.text


class Secret:
    """What Secrets Manager has in it at the moment."""

    def __init__(self) -> None:
        self.text = json.dumps({"newsapi_api_key": KEY, "twitter_bearer_token": ""})

    def secret(self, arn: str) -> str:
        assert arn == "arn:of-the-secret"
        return self.text

    def is_active(self) -> bool:
        return True


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> Secret:
    made = Secret()
    names = dict.fromkeys(("items_table", "news_table", "dashboard_table", "topic_arn"), "")
    environment = IngestEnvironment(
        **names,
        watch_tags="[]",
        tickers="[]",
        sources='{"sources": []}',
        sources_secret_arn="arn:of-the-secret",
    )
    for name, value in environment.variables().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(ingest, "resources", lambda: made)
    return made


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, secret: Secret) -> Iterator[Server]:
    """A server that speaks NewsAPI's language, and is the one source that is polled."""
    with running() as server:
        settings = {"sources": ["newsapi"], "newsapi_url": server.url}
        monkeypatch.setenv("SOURCES", json.dumps(settings))
        server.application = NewsApiServer([article(n) for n in range(3)])
        yield server


def test_what_the_sources_have_on_the_tags_is_taken_in(
    world: World, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ingest.handler(SCHEDULED, Context())
    assert first == {"newsapi": {"stored": 3, "duplicates": 0, "rejected": 0}}
    again = ingest.handler(SCHEDULED, Context())
    assert again == {"newsapi": {"stored": 0, "duplicates": 3, "rejected": 0}}
    assert len(stored(world)) == len(world.inbox.messages) == 3
    tags = '"AI" OR "climate" OR "economy" OR "health" OR "sport" OR "music"'
    assert [request.parameters["q"] for request in server.requests] == [tags, tags]
    counted = [(m["name"], m["values"]) for m in metrics(capsys.readouterr().out)]
    assert counted == [("ItemsStored", [3.0])]


def test_a_source_that_stops_is_counted_by_name_and_logged_without_its_key(
    world: World,
    server: Server,
    secret: Secret,
    logs: Logs,
    capsys: pytest.CaptureFixture[str],
) -> None:
    secret.text = json.dumps({"newsapi_api_key": "an-expired-key"})
    answer = ingest.handler(SCHEDULED, Context())
    assert answer == {"newsapi": {"stored": 0, "duplicates": 0, "rejected": 0}}
    (entry,) = logs.of("a source stopped")
    assert entry["source"] == "newsapi"
    assert entry["reason"] == "127.0.0.1/v2/everything refused the credentials with status 401"
    assert "expired-key" not in logs.text
    counted = {one["name"]: one for one in metrics(capsys.readouterr().out)}
    assert counted["SourceErrors"]["values"] == [1.0]
    by = [{"service": "sentiment"}, {"source": "newsapi"}]
    assert counted["SourceErrors"]["dimensions"] == by


def test_what_is_no_item_is_parked_and_counted(
    world: World, server: Server, logs: Logs, capsys: pytest.CaptureFixture[str]
) -> None:
    untold = article(1, url=None, title=PRIVATE)
    server.application = NewsApiServer([untold, article(2), article(3, url="http://x.com/3")])
    answer = ingest.handler(SCHEDULED, Context())
    assert answer == {"newsapi": {"stored": 1, "duplicates": 0, "rejected": 2}}
    assert sorted(one["reason"] for one in logs.of("refused")) == [
        "entry has no url, which its id is made of",
        "source_url must be an HTTPS address",
    ]
    parked = world.dashboard(now=datetime.now(UTC)).rejected(None).items
    assert {one.source for one in parked} == {"newsapi"}
    assert len(parked) == 2
    assert "neighbour" not in logs.text
    assert ("ItemsRejected", [2.0]) in [
        (one["name"], one["values"]) for one in metrics(capsys.readouterr().out)
    ]


def test_without_sources_there_is_nothing_to_do(
    world: World,
    secret: Secret,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SOURCES", '{"sources": []}')
    assert ingest.handler(SCHEDULED, Context()) == {}
    assert metrics(capsys.readouterr().out) == []
    assert world.stored() == []


def test_a_source_gets_polled_as_soon_as_its_key_is_in_the_secret(
    server: Server, secret: Secret, logs: Logs
) -> None:
    with_key, secret.text = secret.text, json.dumps({"newsapi_api_key": ""})
    assert ingest.handler(SCHEDULED, Context()) == {}
    assert logs.of("sources without credentials")[0]["sources"] == ["newsapi"]
    assert server.requests == []
    secret.text = with_key
    assert ingest.handler(SCHEDULED, Context())["newsapi"]["stored"] == 3


def test_a_secret_of_another_form_is_refused_without_being_repeated(
    server: Server, secret: Secret
) -> None:
    for text in ("hunter2", '["hunter2"]', '{"newsapi_api_key": 2}', '{"a": "hunter2"'):
        secret.text = text
        with pytest.raises(InvalidSetting, match="must be a JSON object of texts") as refused:
            ingest.handler(SCHEDULED, Context())
        assert "hunter2" not in "".join(format_exception(refused.value))
