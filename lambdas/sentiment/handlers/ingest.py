"""Ingestion of items and news: on a schedule from their sources, from an event, or by HTTP."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest, listed, log_text
from lambdas.http.answers import answer
from lambdas.http.application import application, respond, routed
from lambdas.http.bodies import batch_of
from lambdas.http.caller import require_group
from lambdas.http.requests import json_body
from lambdas.metrics import count
from lambdas.sentiment import contract
from lambdas.sentiment.contract import ITEMS_REJECTED, SOURCE, SOURCE_ERRORS, IngestEnvironment
from lambdas.sentiment.ingestion.item_ingestion import ItemIngestion
from lambdas.sentiment.ingestion.items import MAX_ITEMS, ingestion_moment
from lambdas.sentiment.ingestion.news_ingestion import NewsIngestion
from lambdas.sentiment.ingestion.outcome import Outcome
from lambdas.sentiment.ingestion.polling import Ingestion, SourcePoll, poll
from lambdas.sentiment.ingestion.watch_tags import Watch
from lambdas.sentiment.resources import Resources
from lambdas.sentiment.sources import Source, open_sources, queries
from tablewright.catalog.news.design import SOURCE_TYPES as NEWS_SOURCES
from tablewright.model import InvalidValue
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.deadline import in_time

logger = Logger()
app = application()

ITEMS_STORED = "ItemsStored"
# Kept of a function's time for storing what was read last.
_RESERVE = timedelta(seconds=15)


@cache
def resources() -> Resources[IngestEnvironment]:
    return Resources.of(IngestEnvironment.read())


@cache
def item_ingestion() -> ItemIngestion:
    made = resources()
    watch = Watch(json.loads(made.environment.watch_tags))
    items = made.items(made.items_secrets())
    return ItemIngestion(items, made.dashboard(), made.analysis_requests(), watch)


@cache
def news_ingestion() -> NewsIngestion:
    made = resources()
    return NewsIngestion(made.active_news(), made.dashboard(), made.analysis_requests())


if IngestEnvironment.is_set():
    item_ingestion()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    if "requestContext" in event:
        return respond(app, event, context)
    now = datetime.now(UTC)
    if "items" in event:
        if set(event) - {"items", "ingested_at"}:
            raise InvalidValue("event", "must have items and ingested_at only")
        ingestion = item_ingestion()
        moment = ingestion_moment(event.get("ingested_at"), now, ingestion.expires)
        return _ingest_event(ingestion, event["items"], "items", moment)
    if "news" in event:
        if set(event) != {"news"}:
            raise InvalidValue("event", "must have news only")
        return _ingest_event(news_ingestion(), event["news"], "news", iso_utc(now))
    if "source_id" in event:
        stored = item_ingestion().insert_item_if_new(_exact(event))
        count({ITEMS_STORED: int(stored)})
        return {"stored": int(stored), "duplicates": int(not stored)}
    if event.get("detail-type") == "Scheduled Event":
        if not resources().is_active():
            logger.info("another region polls")
            return {}
        return _poll(now + timedelta(milliseconds=context.get_remaining_time_in_millis()))
    raise InvalidValue("event", "must have items or news, or be an item, or one of a schedule")


@routed(app, contract.ADD_ITEMS)
def add_items() -> Response[str]:
    require_group(app.current_event, contract.WRITERS)
    batch = batch_of(json_body(app.current_event), "items", "source_id", MAX_ITEMS)
    outcome = _ingest(item_ingestion(), batch, iso_utc(datetime.now(UTC)))
    counts = _log(outcome, "http")
    # What was rejected is in the answer: nothing for an operator to look after.
    outcome.raise_failure()
    wrong = [error for one in outcome.rejected for error in one.pointers("/items")]
    if len(outcome.rejected) == len(batch):
        raise InvalidRequest("None of the items is valid.", wrong)
    return answer({**counts, "rejected": listed(wrong)}, 202)


def _ingest_event(ingestion: Ingestion, given: Any, name: str, moment: str) -> dict[str, int]:
    """A batch in an event: ``{"items": [...]}``, with "ingested_at" for those of earlier."""
    batch = _exact(given)
    if not isinstance(batch, list):
        raise InvalidValue(name, "must be a list")
    outcome = _ingest(ingestion, batch, moment)
    counts = _log(outcome, "event")
    ingestion.put_rejected(outcome.rejected, moment)
    count({ITEMS_REJECTED: len(outcome.rejected)})
    outcome.raise_failure()
    return counts


def _exact(given: Any) -> Any:
    """An event's value with the numbers that were sent, of which Lambda has made floats."""
    return json.loads(json.dumps(given), parse_float=Decimal)


def _ingest(ingestion: Ingestion, batch: list[Any], moment: str) -> Outcome:
    outcome = ingestion.ingest(batch, moment)
    # At once: what fails after this is sent again, and finds them stored.
    count({ITEMS_STORED: outcome.stored})
    return outcome.discreet()


def _poll(end: datetime) -> dict[str, dict[str, int]]:
    """Everything that the configured sources have on the watch tags and the tickers."""
    polls = [_source_poll(source) for source in sources()]
    totals = {}
    for one in poll(polls, deadline=end - _RESERVE, now=lambda: datetime.now(UTC)):
        count({ITEMS_STORED: one.outcome.stored, ITEMS_REJECTED: len(one.outcome.rejected)})
        totals[one.source_type] = _log(one.outcome, one.source_type)
        if one.error:
            logger.error("a source stopped", source=one.source_type, reason=log_text(one.error))
            count({SOURCE_ERRORS: 1}, **{SOURCE: one.source_type})
    return totals


def sources() -> list[Source]:
    """The sources that have credentials; the others are named in the log."""
    environment = IngestEnvironment.read()
    # Read for each poll: keys that were put into the secret a minute ago are in use.
    secret = resources().secret(environment.sources_secret_arn)
    found = open_sources(environment.sources, secret)
    if found.left_out:
        logger.warning("sources without credentials", sources=found.left_out)
    return found.sources


def _source_poll(source: Source) -> SourcePoll:
    if source.source_type in NEWS_SOURCES:
        tickers = json.loads(IngestEnvironment.read().tickers)
        return SourcePoll(source, [",".join(tickers)], news_ingestion())
    return SourcePoll(source, queries(item_ingestion().watch.tags), item_ingestion())


def _log(outcome: Outcome, source: str) -> dict[str, int]:
    for one in outcome.rejected:
        logger.warning("refused", source=one.source, source_id=one.source_id, reason=one.reason)
    counts = outcome.counts()
    logger.info("ingested", source=source, counts=counts)
    return counts
