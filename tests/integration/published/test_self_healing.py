"""The published data model "Self-Healing Ingestion", section by section, against DynamoDB Local."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lambdas.sentiment.analysis import HEALING, Analysis, Request, news_request
from lambdas.sentiment.contract import news_table_name
from lambdas.sentiment.handlers import heal_news
from lambdas.sentiment.ingestion.news_ingestion import NewsIngestion
from lambdas.sentiment.sentiment_model import MODEL_VERSION, Model
from tablewright.catalog.news.design import News, NewsItem
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.healing.healing import Healing, Rules
from tablewright.runtime.healing.parked import Parked
from tablewright.runtime.messaging.topic import Topic
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.http import Context
from tests.integration.sentiment.http import Logs, metered, metrics

# Far ahead, because DynamoDB Local deletes expired items.
NOW = datetime(2099, 12, 20, 9, tzinfo=UTC)
TABLE = news_table_name("dev")
MESSAGE_EXAMPLE = """{
  "source_id": "finnhub:137825212",
  "source_type": "finnhub",
  "text_for_analysis": "Company XYZ reports record earnings...",
  "model_version": "v1.0.0",
  "matched_tickers": ["XYZ"],
  "timestamp": "2025-12-19T20:14:12Z"
}"""


def published_item(number: int = 137825212, **changes: Any) -> dict[str, Any]:
    """A pending item as the published code writes it, without the optional metadata."""
    moment = changes.pop("moment", NOW - timedelta(hours=12))
    return {
        "source_id": {"S": f"finnhub:{number}"},
        "timestamp": {"S": moment.strftime("%Y-%m-%dT%H:%M:%SZ")},
        "status": {"S": "pending"},
        "source_type": {"S": "finnhub"},
        "text_for_analysis": {"S": "Company XYZ reports record earnings, a great success."},
        "matched_tickers": {"L": [{"S": "XYZ"}]},
        "ttl_timestamp": {"N": str(int((moment + timedelta(days=30)).timestamp()))},
        **changes,
    }


class Sns:
    """A topic that records each PublishBatch call, and refuses the ids that it is given."""

    def __init__(self) -> None:
        self.calls: list[list[dict[str, Any]]] = []
        self.refused: set[str] = set()

    @property
    def entries(self) -> list[dict[str, Any]]:
        return [entry for call in self.calls for entry in call]

    @property
    def ids(self) -> list[str]:
        return [json.loads(entry["Message"])["source_id"] for entry in self.entries]

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "PublishBatch"
        entries = params["PublishBatchRequestEntries"]
        failed = [e for e in entries if json.loads(e["Message"])["source_id"] in self.refused]
        self.calls.append([entry for entry in entries if entry not in failed])
        return {"Failed": [{"Id": entry["Id"]} for entry in failed], "Successful": []}


class SelfHealingSystem:
    """The published table and topic, with the code that ingests, heals and analyzes."""

    def __init__(self, database: Database) -> None:
        self.dynamodb = database.caller
        self.database = database
        self.sns = Sns()
        self.topic = Topic(self.sns, "arn:aws:sns:us-east-1:111122223333:topic")
        self.store = Store(News, TABLE, self.dynamodb)
        self.healing = Healing(self.store, self.topic, HEALING, request=news_request)

    def put(self, *items: dict[str, Any]) -> None:
        for item in items:
            self.dynamodb.call("PutItem", {"TableName": TABLE, "Item": item})

    def ingest(self, *articles: dict[str, Any]) -> None:
        ingestion = NewsIngestion(self.store, self.store, self.topic)
        outcome = ingestion.ingest(articles, iso_utc(NOW))
        assert (outcome.stored, outcome.rejected) == (len(articles), [])

    def analyze(self, message: str) -> None:
        Analysis([self.store], Model(), now=lambda: NOW).carry_out(Request.parse(message))

    def items(self) -> dict[str, dict[str, Any]]:
        return {item["source_id"]["S"]: item for item in self.database.items(TABLE)}

    def query(self, **params: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.dynamodb.call("Query", {"TableName": TABLE, **params})[
            "Items"
        ]
        return found

    def index(self, name: str) -> dict[str, Any]:
        table = self.dynamodb.call("DescribeTable", {"TableName": TABLE})["Table"]
        (found,) = (one for one in table["GlobalSecondaryIndexes"] if one["IndexName"] == name)
        keys = {key["KeyType"]: key["AttributeName"] for key in found["KeySchema"]}
        return {"keys": keys, "projection": found["Projection"]["ProjectionType"]}


@pytest.fixture
def system(dynamodb: Database) -> SelfHealingSystem:
    dynamodb.table(News, TABLE)
    return SelfHealingSystem(dynamodb)


def article(**changes: Any) -> dict[str, Any]:
    """An article as a source offers it."""
    return {
        "source_id": "finnhub:137825212",
        "source_type": "finnhub",
        "timestamp": "2099-12-19T20:14:12Z",
        "text_for_analysis": "Company XYZ reports record earnings...",
        "matched_tickers": ["XYZ"],
        **changes,
    }


# Section: SentimentItem


def test_the_table_is_named_by_its_environment() -> None:
    assert news_table_name("prod") == "prod-sentiment-items"


def test_ingestion_stores_the_published_attributes(system: SelfHealingSystem) -> None:
    system.ingest(article(metadata={"publisher": "Example Wire"}))
    published = datetime(2099, 12, 19, 20, 14, 12, tzinfo=UTC)
    assert system.items()["finnhub:137825212"] == {
        "source_id": {"S": "finnhub:137825212"},
        "timestamp": {"S": "2099-12-19T20:14:12Z"},
        "status": {"S": "pending"},
        "source_type": {"S": "finnhub"},
        "text_for_analysis": {"S": "Company XYZ reports record earnings..."},
        "matched_tickers": {"L": [{"S": "XYZ"}]},
        "ttl_timestamp": {"N": str(int((published + timedelta(days=30)).timestamp()))},
        "metadata": {"M": {"publisher": {"S": "Example Wire"}}},
    }


@pytest.mark.parametrize(
    "given",
    [
        "2099-12-19T20:14:12Z",
        "2099-12-19T20:14:12.345Z",
        "2099-12-19T20:14:12.345678+00:00",
        "2099-12-19T21:14:12+01:00",
        "20991219T201412Z",
    ],
)
def test_every_iso_8601_form_is_stored_as_published(given: str, system: SelfHealingSystem) -> None:
    system.ingest(article(timestamp=given))
    (item,) = system.items().values()
    assert item["timestamp"] == {"S": "2099-12-19T20:14:12Z"}


@pytest.mark.parametrize("source_id", ["tiingo:91144751", "finnhub:a/b+c?d=e f#g"])
def test_every_article_id_is_stored(source_id: str, system: SelfHealingSystem) -> None:
    system.ingest(article(source_id=source_id, source_type=source_id.partition(":")[0]))
    assert list(system.items()) == [source_id]


def test_a_published_item_is_read_without_its_optional_attributes(
    system: SelfHealingSystem,
) -> None:
    system.put(published_item())
    item = system.store.get(News.get_news, source_id="finnhub:137825212")
    assert isinstance(item, NewsItem)
    assert (item.timestamp, item.status) == ("2099-12-19T21:00:00Z", "pending")
    assert (item.matched_tickers, item.metadata, item.sentiment) == (("XYZ",), None, None)


def test_a_published_item_is_not_stored_again(system: SelfHealingSystem) -> None:
    system.put(published_item())
    ingestion = NewsIngestion(system.store, system.store, system.topic)
    assert ingestion.ingest([article()], iso_utc(NOW)).duplicates == 1
    assert system.items() == {"finnhub:137825212": published_item()}
    assert system.sns.entries == []


# Section: State Transitions


def test_a_pending_item_is_republished_and_becomes_analyzed(system: SelfHealingSystem) -> None:
    system.put(published_item())
    system.healing.run(NOW)
    (entry,) = system.sns.entries
    system.analyze(entry["Message"])
    item = system.items()["finnhub:137825212"]
    assert (item["status"], item["sentiment"]) == ({"S": "analyzed"}, {"S": "positive"})
    unchanged = {**published_item(), "status": {"S": "analyzed"}}
    assert {name: item[name] for name in unchanged} == unchanged


@pytest.mark.parametrize("timestamp", ["2099-12-19T20:14:12.345678+00:00", "2099-12-19T20:14Z"])
def test_items_with_other_forms_of_time_are_healed_too(
    timestamp: str, system: SelfHealingSystem
) -> None:
    system.put(published_item(timestamp={"S": timestamp}))
    assert system.healing.run(NOW).republished == 1
    system.analyze(system.sns.entries[0]["Message"])
    assert system.items()["finnhub:137825212"]["status"] == {"S": "analyzed"}


# Section: by_status


def test_by_status_has_the_published_keys_and_projection(system: SelfHealingSystem) -> None:
    assert system.index("by_status") == {
        "keys": {"HASH": "status", "RANGE": "timestamp"},
        "projection": "KEYS_ONLY",
    }


def test_by_status_finds_the_keys_of_items_older_than_an_hour(system: SelfHealingSystem) -> None:
    young = published_item(2, moment=NOW - timedelta(minutes=59))
    system.put(published_item(1), young, published_item(3, status={"S": "analyzed"}))
    # `status` is a reserved word, so the published expression needs a second name.
    found = system.query(
        IndexName="by_status",
        KeyConditionExpression="#status = :status AND #ts < :threshold",
        ExpressionAttributeNames={"#status": "status", "#ts": "timestamp"},
        ExpressionAttributeValues={
            ":status": {"S": "pending"},
            ":threshold": {"S": iso_utc(NOW - timedelta(hours=1))},
        },
        Limit=100,
    )
    keys = ("source_id", "status", "timestamp")
    assert found == [{name: published_item(1)[name] for name in keys}]


# Section: by_sentiment


def test_by_sentiment_has_the_published_keys_and_projection(system: SelfHealingSystem) -> None:
    assert system.index("by_sentiment") == {
        "keys": {"HASH": "sentiment", "RANGE": "timestamp"},
        "projection": "ALL",
    }


def test_by_sentiment_returns_whole_items(system: SelfHealingSystem) -> None:
    system.ingest(article(text_for_analysis="A great success."))
    system.analyze(system.sns.entries[0]["Message"])
    found = system.query(
        IndexName="by_sentiment",
        KeyConditionExpression="sentiment = :sentiment",
        ExpressionAttributeValues={":sentiment": {"S": "positive"}},
    )
    assert found == list(system.items().values())
    assert found[0]["text_for_analysis"] == {"S": "A great success."}


# Section: Analysis Request (SNS)


def test_the_message_is_as_published(system: SelfHealingSystem) -> None:
    published = json.loads(MESSAGE_EXAMPLE)
    item = NewsItem(
        **{name: value for name, value in published.items() if name != "model_version"},
        status="pending",
    )
    system.topic.offer([news_request(item)])
    (entry,) = system.sns.entries
    message = json.loads(entry["Message"])
    assert list(message) == list(published)
    assert message == {**published, "model_version": MODEL_VERSION}
    assert entry["MessageAttributes"] == {
        "source_type": {"DataType": "String", "StringValue": "finnhub"}
    }


def test_the_published_message_is_analyzed(system: SelfHealingSystem) -> None:
    system.put(published_item())
    system.analyze(MESSAGE_EXAMPLE)
    item = system.items()["finnhub:137825212"]
    assert (item["status"], item["model_version"]) == ({"S": "analyzed"}, {"S": MODEL_VERSION})


@pytest.fixture
def run_handler(system: SelfHealingSystem, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The Lambda handler on the system, with the published rules."""
    metered(monkeypatch)

    class Home:
        def is_active(self) -> bool:
            return True

    monkeypatch.setattr(heal_news, "rules", Rules)
    monkeypatch.setattr(heal_news, "healing", lambda: system.healing)
    monkeypatch.setattr(heal_news, "parked", lambda: Parked(system.store, HEALING))
    monkeypatch.setattr(heal_news, "resources", Home)
    return lambda: heal_news.handler({}, Context())


def recent(count: int) -> list[dict[str, Any]]:
    """Items that are stale by the clock of the handler."""
    now = datetime.now(UTC)
    return [published_item(number, moment=now - timedelta(hours=2)) for number in range(count)]


# Section: Self-Healing Log Entry


def test_the_log_entry_is_as_published(
    system: SelfHealingSystem, run_handler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = Logs(monkeypatch)
    system.put(*recent(5))
    run_handler()
    (entry,) = logs.of("Self-healing completed")
    assert (entry["level"], entry["message"]) == ("INFO", "Self-healing completed")
    extra = entry["extra"]
    assert (extra["stale_items_found"], extra["items_republished"]) == (5, 5)
    assert extra["threshold_hours"] == 1
    assert isinstance(extra["execution_time_ms"], float)
    assert extra["execution_time_ms"] == round(extra["execution_time_ms"], 2)


# Section: Stale Item Detection


@pytest.mark.parametrize(
    ("changes", "stale"),
    [
        ({"moment": NOW - timedelta(hours=1, seconds=1)}, True),
        ({"moment": NOW - timedelta(hours=1)}, False),
        ({"status": {"S": "analyzed"}}, False),
        ({"sentiment": {"S": "neutral"}}, False),
    ],
)
def test_an_item_is_stale_if_all_three_conditions_hold(
    changes: dict[str, Any], stale: bool, system: SelfHealingSystem
) -> None:
    system.put(published_item(**changes))
    assert system.healing.run(NOW).found == stale
    assert len(system.sns.entries) == stale


# Section: Republishing Rules


def test_a_run_republishes_the_oldest_hundred_in_calls_of_ten(system: SelfHealingSystem) -> None:
    old = NOW - timedelta(days=1)
    system.put(*(published_item(n, moment=old - timedelta(seconds=n)) for n in range(103)))
    assert system.healing.run(NOW).republished == 100
    assert system.sns.ids == [f"finnhub:{n}" for n in range(102, 2, -1)]
    assert [len(call) for call in system.sns.calls] == [10] * 10
    assert system.healing.run(NOW).republished == 3


def test_a_message_that_fails_is_logged_and_stops_no_other(
    system: SelfHealingSystem, run_handler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = Logs(monkeypatch)
    system.put(*recent(12))
    system.sns.refused = {"finnhub:4"}
    run_handler()
    assert sorted({*system.sns.ids}) == sorted(f"finnhub:{n}" for n in range(12) if n != 4)
    (entry,) = logs.of("Self-healing completed")
    assert entry["extra"]["items_republished"] == 11
    assert logs.of("not healed as planned")[0]["count"] == 1


# Section: Access Patterns Summary


def test_an_item_is_read_by_its_source_id_after_the_index(system: SelfHealingSystem) -> None:
    system.put(published_item())
    (key,) = system.store.each(News.pending_news, status="pending")
    assert key.source_id == "finnhub:137825212"
    item = system.store.get(News.get_news, source_id=key.source_id)
    assert item is not None
    assert item.text_for_analysis.startswith("Company XYZ")


# Section: CloudWatch Metrics


@pytest.mark.parametrize("stale", [0, 3])
def test_every_run_writes_the_three_metrics(
    stale: int,
    system: SelfHealingSystem,
    run_handler: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    system.put(*recent(stale))
    run_handler()
    printed = capsys.readouterr().out
    written = {metric["name"]: metric["values"] for metric in metrics(printed)}
    assert written.keys() == {
        "SelfHealingItemsFound",
        "SelfHealingItemsRepublished",
        "SelfHealingExecutionTime",
    }
    assert written["SelfHealingItemsFound"] == [stale]
    assert written["SelfHealingItemsRepublished"] == [stale]
    assert written["SelfHealingExecutionTime"][0] > 0
    units = {
        one["Name"]: one["Unit"]
        for line in printed.splitlines()
        for group in json.loads(line)["_aws"]["CloudWatchMetrics"]
        for one in group["Metrics"]
    }
    assert set(units.values()) == {"Count", "Milliseconds"}
    assert units["SelfHealingExecutionTime"] == "Milliseconds"
