"""Takes items in: on a schedule from their sources, from an event, or by HTTP."""

import json
import os
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest, listed
from lambdas.http.answers import answer
from lambdas.http.application import application, respond
from lambdas.http.caller import require_group
from lambdas.http.requests import json_body
from lambdas.metrics import count
from lambdas.sentiment import items
from lambdas.sentiment.ingestion import Ingestion
from lambdas.sentiment.news import articles
from lambdas.sentiment.news.ingestion import NewsIngestion
from lambdas.sentiment.outcome import Outcome, Refused
from lambdas.sentiment.polling import Intake, Wanted, poll
from lambdas.sentiment.resources import Resources, setting
from lambdas.sentiment.sources import Found, InvalidSetting, Source, Web, from_settings, queries
from tablewright.catalog.news.design import SOURCE_TYPES as NEWS_SOURCES
from tablewright.catalog.sentiment.dashboard import ROW
from tablewright.catalog.sentiment.items import ITEM
from tablewright.model import InvalidValue
from tablewright.model.fields.scalars import timestamp
from tablewright.runtime.deadline import in_time

logger = Logger()
app = application()

WRITERS = "writers"
MAX_ITEMS = 100
# In place of a field: the item as a whole is at fault.
_WHOLE = "item"
_FIELDS = {*items.ACCEPTED, *articles.ACCEPTED, _WHOLE}
# Kept of a function's time for storing what was read last.
_RESERVE = timedelta(seconds=15)


@cache
def resources() -> Resources:
    return Resources.from_environment()


@cache
def ingestion() -> Ingestion:
    made = resources()
    return Ingestion(made.items(), made.dashboard(), made.requests(), made.watch())


@cache
def news_ingestion() -> NewsIngestion:
    made = resources()
    return NewsIngestion(made.news(), made.dashboard(), made.requests())


if "TOPIC_ARN" in os.environ:
    ingestion()  # while the function starts, when Lambda gives it the most CPU


def sources() -> list[Source]:
    """The sources that have credentials; the others are named in the log."""
    # Read for each poll: keys that were put into the secret a minute ago are in use.
    secret = resources().secret(os.environ["SOURCES_SECRET_ARN"])
    found = _opened(os.environ["SOURCES"], secret)
    if found.left_out:
        logger.warning("sources without credentials", sources=found.left_out)
    return found.sources


@lru_cache(maxsize=1)
def _opened(settings: str, secret: str) -> Found:
    """Kept while neither changes: sources remember their limits and their tokens."""
    try:
        secrets = json.loads(secret)
    except ValueError:
        secrets = None
    if not isinstance(secrets, dict) or not all(isinstance(one, str) for one in secrets.values()):
        raise InvalidSetting("the secret of the sources must be a JSON object of texts")
    return from_settings(json.loads(settings), secrets, Web())


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    if "requestContext" in event:
        return respond(app, event, context)
    if "items" in event:
        return _take_items(event)
    if "news" in event:
        return _take_news(event)
    if event.get("detail-type") == "Scheduled Event":
        return _poll(context)
    raise InvalidValue("event", "must have items or news, or be one of a schedule")


@app.post("/items")
def post_items() -> Response[str]:
    require_group(app.current_event, WRITERS)
    body = json_body(app.current_event)
    batch = body["items"] if isinstance(body, dict) and set(body) == {"items"} else None
    if not isinstance(batch, list) or not 1 <= len(batch) <= MAX_ITEMS:
        reason = f"must be a list of 1 to {MAX_ITEMS} items, and nothing beside it"
        raise InvalidRequest("The body is not valid.", [("/items", reason)])
    outcome = _take(ingestion(), batch, timestamp(datetime.now(UTC)))
    counts = _log(outcome, "http")
    # What was refused is told to who sent it: nothing for an operator to look after.
    _raise_failure(outcome)
    wrong = [
        (f"/items/{one.position}" + ("" if field == _WHOLE else f"/{field}"), reason)
        for one in outcome.refused
        for field, reason in one.problems
    ]
    if len(outcome.refused) == len(batch):
        raise InvalidRequest("None of the items is valid.", wrong)
    return answer({**counts, "rejected": listed(wrong)}, 202)


def _take_items(event: dict[str, Any]) -> dict[str, int]:
    """Items in an event: ``{"items": [...]}``, with "ingested_at" for those of earlier."""
    if set(event) - {"items", "ingested_at"}:
        raise InvalidValue("event", "must have items and ingested_at only")
    moment = _moment(event.get("ingested_at"))
    return _take_listed(ingestion(), event, "items", moment)


def _take_news(event: dict[str, Any]) -> dict[str, int]:
    """Financial news in an event: ``{"news": [...]}``."""
    if set(event) != {"news"}:
        raise InvalidValue("event", "must have news only")
    return _take_listed(news_ingestion(), event, "news", _moment(None))


def _take_listed(intake: Intake, event: dict[str, Any], name: str, moment: str) -> dict[str, int]:
    # Lambda has made floats of the event's numbers; their texts are what was sent.
    batch = json.loads(json.dumps(event[name]), parse_float=Decimal)
    if not isinstance(batch, list):
        raise InvalidValue(name, "must be a list")
    outcome = _take(intake, batch, moment)
    counts = _log(outcome, "event")
    intake.park(outcome.refused, moment)
    count({"ItemsRejected": len(outcome.refused)})
    _raise_failure(outcome)
    return counts


def _poll(context: Any) -> dict[str, dict[str, int]]:
    """Everything that the configured sources have on the watch tags and the tickers."""
    remaining = timedelta(milliseconds=context.get_remaining_time_in_millis())
    polled = poll(
        [_wanted(source) for source in sources()],
        deadline=datetime.now(UTC) + remaining - _RESERVE,
        now=lambda: datetime.now(UTC),
    )
    totals = {}
    for one in polled:
        count({"ItemsStored": one.outcome.stored, "ItemsRejected": len(one.outcome.refused)})
        totals[one.source_type] = _log(one.outcome, one.source_type)
        if one.error:
            logger.error("a source stopped", source=one.source_type, reason=str(one.error))
            count({"SourceErrors": 1}, source=one.source_type)
    return totals


def _wanted(source: Source) -> Wanted:
    if source.source_type in NEWS_SOURCES:
        return Wanted(source, [",".join(setting("TICKERS"))], news_ingestion())
    return Wanted(source, queries(ingestion().watch.tags), ingestion())


def _moment(given: Any) -> str:
    now = timestamp(datetime.now(UTC))
    if given is None:
        return now
    moment = str(ITEM.by_name["ingested_at"].check(given))
    unfit = ROW.expires.refuses(moment) if ROW.expires else None  # on the dashboard
    if unfit:
        raise InvalidValue("ingested_at", unfit)
    if moment > now:
        raise InvalidValue("ingested_at", "must not lie in the future")
    return moment


def _raise_failure(outcome: Outcome) -> None:
    """Let whoever sent a batch send it again when some of it is not finished."""
    if outcome.failures:
        raise outcome.failures[0]


def _log(outcome: Outcome, source: str) -> dict[str, int]:
    for one in outcome.refused:
        logger.warning("refused", source=one.source, source_id=_id_of(one), reason=one.reason)
    counts = {
        "stored": outcome.stored,
        "duplicates": outcome.duplicates,
        "rejected": len(outcome.refused),
        **({"expired": outcome.expired} if outcome.expired else {}),
        **({"unfinished": len(outcome.failures)} if outcome.failures else {}),
    }
    logger.info("ingested", source=source, counts=counts)
    return counts


def _take(intake: Intake, batch: list[Any], moment: str) -> Outcome:
    """Take a batch in and count it; of what is refused, only the names of our own fields are told.

    Any other name is text that somebody made up, of any length and content.
    """
    outcome = intake.take(batch, moment)
    # At once: what fails after this is sent again, and finds them stored.
    count({"ItemsStored": outcome.stored})
    return outcome._replace(refused=[_discreet(one) for one in outcome.refused])


def _discreet(one: Refused) -> Refused:
    told = (
        (field, reason) if field in _FIELDS else (_WHOLE, f"has a field that {reason}")
        for field, reason in one.problems
    )
    return one._replace(problems=tuple(dict.fromkeys(told)))


def _id_of(one: Refused) -> str | None:
    """The id of an item, if it has one: all of it that may be written into a log."""
    given = one.raw.get("source_id") if isinstance(one.raw, dict) else None
    fields = (ITEM.by_name["source_id"], articles.ARTICLE.by_name["source_id"])
    known = isinstance(given, str) and any(field.accepts_text(given) for field in fields)
    return given if known else None
