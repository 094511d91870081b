"""Financial news are stored once, with all their companies, and their analysis is asked for."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest

from lambdas.sentiment.analysis import HEALING, news_request
from lambdas.sentiment.handlers import ingest
from lambdas.sentiment.ingestion.news_ingestion import NewsIngestion
from lambdas.sentiment.ingestion.outcome import Outcome
from lambdas.sentiment.ingestion.polling import SourcePoll, poll
from lambdas.sentiment.sentiment_model import MODEL_VERSION
from lambdas.sentiment.sources import Web
from lambdas.sentiment.sources.finnhub import Finnhub
from lambdas.sentiment.sources.tiingo import Tiingo
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.healing.healing import Healing
from tablewright.runtime.messaging.topic import Topic
from tablewright.runtime.meter import Meter
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.batches import delete_request, write_all
from tablewright.runtime.transport import Transport
from tablewright.testing import Fault, Faulty, survives_every_fault
from tests.integration.http import Context
from tests.integration.sentiment.conftest import NEWS_TABLE, World
from tests.integration.sentiment.http import Logs, metered, metrics
from tests.integration.sentiment.moments import NOW
from tests.integration.sentiment.news import raw, seconds
from tests.integration.sentiment.sources import finnhub_server, tiingo_server
from tests.integration.sentiment.sources.finnhub_server import FinnhubServer
from tests.integration.sentiment.sources.server import running
from tests.integration.sentiment.sources.tiingo_server import TiingoServer

MOMENT = iso_utc(NOW)


def clear(world: World) -> None:
    keys = [{"source_id": {"S": id}} for id in world.stored_news()]
    requests = [delete_request(key) for key in keys]
    write_all(Transport(world.dynamo), NEWS_TABLE, requests)


def test_a_new_article_is_stored_and_its_analysis_asked_for(world: World) -> None:
    assert world.news_ingestion().ingest([raw(1)], MOMENT) == Outcome(1, 0, [])
    found = world.stored_news()["tiingo:1"]
    assert found == {**raw(1), "matched_tickers": ("XYZ",), "status": "pending"}
    (message,) = map(json.loads, world.inbox.messages)
    assert message == {
        "source_id": "tiingo:1",
        "source_type": "tiingo",
        "text_for_analysis": raw(1)["text_for_analysis"],
        "model_version": MODEL_VERSION,
        "matched_tickers": ["XYZ"],
        "timestamp": raw(1)["timestamp"],
    }


def test_a_known_article_is_read_once_and_nothing_else(world: World) -> None:
    batch = [raw(number) for number in range(100)]
    world.news_ingestion().ingest(batch, MOMENT)
    meter = Meter(world.edge)
    assert world.news_ingestion(meter).ingest(batch, MOMENT) == Outcome(0, 100, [])
    assert (meter.calls, int(meter.read_units), int(meter.write_units)) == (1, 50, 0)
    assert len(world.inbox.messages) == 100


def test_a_date_that_cannot_be_stored_is_refused_beside_sound_articles(world: World) -> None:
    batch = [raw(1), raw(2, timestamp="9999-12-31T23:59:59Z"), raw(3)]
    outcome = world.news_ingestion().ingest(batch, MOMENT)
    assert (outcome.stored, [one.position for one in outcome.rejected]) == (2, [1])


def test_an_article_that_is_dated_ahead_counts_as_of_its_arrival(world: World) -> None:
    """Healing finds it by that."""
    batch = [raw(1), raw(2, timestamp=seconds(NOW + timedelta(days=400))), raw(3)]
    assert world.news_ingestion().ingest(batch, MOMENT) == Outcome(3, 0, [])
    assert world.stored_news()["tiingo:2"].timestamp == seconds(NOW)
    topic = Topic(world.edge, "arn:topic")
    world.inbox.messages.clear()
    healing = Healing(world.news(), topic, HEALING, request=news_request)
    healed = healing.run(NOW + timedelta(hours=1, seconds=1))
    assert healed.republished == 3


def test_an_article_that_cannot_be_written_stops_no_other(world: World) -> None:
    failing = Faulty(world.edge, Fault(2, "refused"))
    outcome = world.news_ingestion(failing).ingest([raw(n) for n in range(3)], MOMENT)
    assert (outcome.stored, len(outcome.failures)) == (2, 1)
    assert len(world.inbox.messages) == 2
    again = world.news_ingestion().ingest([raw(n) for n in range(3)], MOMENT)
    assert (again.stored, again.duplicates) == (1, 2)


def test_the_companies_of_one_article_are_put_together(world: World) -> None:
    """In one batch, and from one poll to the next."""
    batch = [raw(1, matched_tickers=["B"]), raw(1, matched_tickers=["A", "B"])]
    assert world.news_ingestion().ingest(batch, MOMENT) == Outcome(1, 1, [])
    assert world.stored_news()["tiingo:1"].matched_tickers == ("B", "A")
    world.news_ingestion().ingest([raw(1, matched_tickers=["C", "A"])], MOMENT)
    assert world.stored_news()["tiingo:1"].matched_tickers == ("B", "A", "C")
    assert len(world.inbox.messages) == 1


def test_eight_racing_writers_leave_one_article_with_every_company(world: World) -> None:
    together = Barrier(8)

    def write(number: int) -> int:
        together.wait()
        mine = [raw(n, matched_tickers=[f"T{number}"]) for n in range(20)]
        return world.news_ingestion().ingest(mine, MOMENT).stored

    with ThreadPoolExecutor(8) as writers:
        stored = sum(writers.map(write, range(8)))
    found = world.stored_news()
    assert stored == len(found) == len(world.inbox.messages) == 20
    everybody = {f"T{number}" for number in range(8)}
    assert {frozenset(one.matched_tickers) for one in found.values()} == {frozenset(everybody)}


def test_what_is_older_than_what_is_kept_is_passed_over(world: World) -> None:
    old = seconds(NOW - timedelta(days=30))
    batch = [raw(1, timestamp=old), raw(2)]
    assert world.news_ingestion().ingest(batch, MOMENT) == Outcome(1, 0, [], expired=1)
    assert list(world.stored_news()) == ["tiingo:2"]


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"source_id": "tiingo#1"}, "source_id", "must be a source, ':' and an id"),
        ({"source_id": "finnhub:1"}, "source_id", "must begin with 'tiingo:'"),
        ({"source_type": "newsapi"}, "source_type", "must be one of tiingo, finnhub"),
        ({"timestamp": "2025-12-19T20:14:12"}, "timestamp", "must name its time zone"),
        ({"timestamp": "yesterday"}, "timestamp", "must be a time in ISO 8601"),
        ({"timestamp": 5}, "timestamp", "must be a time in ISO 8601"),
        ({"timestamp": None}, "timestamp", "is required"),
        ({"text_for_analysis": " \n"}, "text_for_analysis", "is required"),
        ({"text_for_analysis": 5}, "text_for_analysis", "must be text"),
        ({"matched_tickers": "XYZ"}, "matched_tickers", "must be a list of texts"),
        ({"metadata": []}, "metadata", "must be an object"),
        ({"sentiment": "positive"}, "sentiment", "is not one of"),
    ],
)
def test_what_is_unsound_is_refused_with_the_reason_and_the_rest_goes_on(
    world: World, changes: dict[str, Any], field: str, reason: str
) -> None:
    outcome = world.news_ingestion().ingest([raw(1, **changes), raw(2)], MOMENT)
    assert outcome.stored == 1
    (refused,) = outcome.rejected
    assert [(f, r[: len(reason)]) for f, r in refused.problems] == [(field, reason)]
    assert list(world.stored_news()) == ["tiingo:2"]


def test_a_long_text_is_cut_and_put_into_one_line(world: World) -> None:
    world.news_ingestion().ingest([raw(1, text_for_analysis="a\r\nb\x00" + "c" * 6000)], MOMENT)
    text = world.stored_news()["tiingo:1"].text_for_analysis
    assert (text[:6], len(text)) == ("a b cc", 5000)


def test_a_topic_that_takes_nothing_leaves_articles_that_healing_will_find(world: World) -> None:
    class Refusing:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation != "PublishBatch":
                return world.edge.call(operation, params)
            return {"Failed": [{"Id": e["Id"]} for e in params["PublishBatchRequestEntries"]]}

    edge = Refusing()
    ingestion = NewsIngestion(
        world.news(edge),
        world.dashboard_store(edge),
        type(world.news_ingestion()._requests)(edge, "arn", backoff=Backoff(attempts=1)),
    )
    assert ingestion.ingest([raw(1)], MOMENT).stored == 1
    assert world.stored_news()["tiingo:1"].status == "pending"


def test_ingestion_of_news_ends_the_same_whatever_fails_on_the_way(world: World) -> None:
    """An article that is stored may not be asked for: that is what healing is for."""
    batch = [raw(1, matched_tickers=["A"]), raw(2)]
    known = raw(1, matched_tickers=["B"])

    def fresh() -> Any:
        clear(world)
        world.news_ingestion().ingest([known], MOMENT)
        world.inbox.messages.clear()
        return world.edge

    def work(caller: Any) -> None:
        for failure in world.news_ingestion(caller).ingest(batch, MOMENT).failures:
            raise failure

    # Reading, the companies, the article, the request.
    assert len(survives_every_fault(work, world.stored_news, fresh=fresh)) == 4


def test_both_sources_are_polled_for_the_tickers(world: World) -> None:
    with running() as tiingo, running() as finnhub:
        published = "2099-03-04T10:00:00.021000Z"
        tiingo.application = TiingoServer([tiingo_server.article(1, publishedDate=published)])
        at = int(NOW.timestamp()) - 60
        about = finnhub_server.news(1, datetime=at)
        finnhub.application = FinnhubServer(
            {"AAPL": [about], "MSFT": [{**about, "related": "MSFT"}]}
        )
        web = Web(now=lambda: NOW)
        ingestion = world.news_ingestion()
        wanted = [
            SourcePoll(source, ["AAPL,MSFT"], ingestion)
            for source in (
                Tiingo(web, tiingo_server.TOKEN, url=tiingo.url),
                Finnhub(web, finnhub_server.TOKEN, url=finnhub.url),
            )
        ]
        polled = list(poll(wanted, deadline=NOW + timedelta(minutes=1), now=lambda: NOW))
    assert [(one.outcome.stored, one.error) for one in polled] == [(1, None), (1, None)]
    found = world.stored_news()
    one, other = found["tiingo:81000001"], found["finnhub:137000001"]
    assert one.timestamp == "2099-03-04T10:00:00Z"
    assert one.matched_tickers == ("AAPL", "MSFT")
    assert (one.metadata or {})["source_url"].startswith("https://")
    assert other.text_for_analysis == "Headline 1 Summary 1"
    assert other.matched_tickers == ("AAPL", "MSFT")


def test_the_function_takes_news_from_an_event(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    metered(monkeypatch)
    logs = Logs(monkeypatch)
    monkeypatch.setattr(ingest, "news_ingestion", lambda: world.news_ingestion())
    event = {"news": [raw(1), raw(1), raw(2, source_type="rss"), "nonsense"]}
    answer = ingest.handler(event, Context())
    assert answer == {"stored": 1, "duplicates": 1, "rejected": 2}
    assert list(world.stored_news()) == ["tiingo:1"]
    assert [one.get("source_id") for one in logs.of("refused")] == ["tiingo:2", None]
    assert "great success" not in logs.text
    counted = [(one["name"], one["values"]) for one in metrics(capsys.readouterr().out)]
    assert counted == [("ItemsStored", [1.0]), ("ItemsRejected", [2.0])]
