"""Dashboard API: decode, act, answer."""

from collections.abc import Callable
from functools import cache
from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest
from lambdas.http.answers import answer, page_json, record_json, tagged
from lambdas.http.application import application, respond, routed
from lambdas.http.caller import subject_of
from lambdas.http.requests import choice, page_limit, parameters, whole_number
from lambdas.sentiment import contract
from lambdas.sentiment.contract import ApiEnvironment
from lambdas.sentiment.dashboard import (
    DEFAULT_HOURS,
    MAX_HOURS,
    SHOWN,
    DashboardReader,
    Dashboards,
    ItemList,
)
from tablewright.catalog.sentiment.dashboard import Row, TagRow
from tablewright.catalog.sentiment.items import SOURCE_TYPES
from tablewright.catalog.sentiment.validation import validate_sentiment, validate_timestamp
from tablewright.model.fields.time import utc_text

app = application()

# How long an answer may be shown before it is asked for again.
FRESH_SECONDS = 2

_LABELS = {field.label for field in SHOWN}


@cache
def dashboards() -> Dashboards:
    return Dashboards.of(ApiEnvironment.read())


if ApiEnvironment.is_set():
    dashboards()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.LIST_ITEMS)
def items() -> Response[str]:
    asked = ("sentiment", "tag", "source_type", "since", "limit", "cursor")
    given = parameters(app.current_event, asked)

    def read(dashboard: DashboardReader) -> dict[str, Any]:
        found = _listed(dashboard, given)
        listed = [record_json(record) for record in found]
        shown = [{n: v for n, v in one.items() if n in _LABELS} for one in listed]
        return {"items": shown, "next_cursor": found.cursor}

    return _metered(read)


def _listed(dashboard: DashboardReader, given: dict[str, str]) -> ItemList[Row] | ItemList[TagRow]:
    """Items with a tag, of a sentiment, or all."""
    sentiment, since = given.get("sentiment"), _since(given.get("since"))
    if sentiment is not None:
        validate_sentiment(sentiment)
    options: dict[str, Any] = {
        "source_type": _word(given, "source_type", SOURCE_TYPES),
        **_paging(given),
    }
    if "tag" in given:
        return dashboard.get_items_by_tag(given["tag"], sentiment=sentiment, since=since, **options)
    if sentiment is None:
        return dashboard.get_recent_items(since=since, **options)
    if since is not None:
        reason = "can be asked with a tag or alone: a sentiment's items come by score"
        raise InvalidRequest("since is not valid here.", [("since", reason)])
    return dashboard.get_items_by_sentiment(sentiment, **options)


@routed(app, contract.SUMMARY)
def summary() -> Response[str]:
    given = parameters(app.current_event, ("hours", "source_type"))
    hours = whole_number("hours", given.get("hours"), default=DEFAULT_HOURS, most=MAX_HOURS)
    source_type = _word(given, "source_type", SOURCE_TYPES)
    return _metered(lambda dashboard: dashboard.summary(hours=hours, source_type=source_type))


@routed(app, contract.REJECTED)
def rejected() -> Response[str]:
    given = parameters(app.current_event, ("day", "limit", "cursor"))

    def read(dashboard: DashboardReader) -> dict[str, Any]:
        page = dashboard.rejected(given.get("day"), **_paging(given))
        return page_json(page, cursor="next_cursor")

    return _metered(read)


@routed(app, contract.OPENAPI)
def openapi() -> Response[str]:
    from lambdas.sentiment.openapi import document  # only whoever asks for it pays for it

    return answer(document())


def _metered(work: Callable[[DashboardReader], dict[str, Any]]) -> Response[str]:
    """What the work answers and how old that may be; what it consumed where that may be shown."""
    dashboard, meter = dashboards().open()
    given = answer({**work(dashboard), "stale_seconds": dashboards().stale_seconds})
    given = tagged(given, app.current_event.headers.get("if-none-match"), seconds=FRESH_SECONDS)
    if dashboards().show_capacity:
        given.headers["X-Consumed-Read-Units"] = str(meter.read_units)
    return given


def _paging(given: dict[str, str]) -> dict[str, Any]:
    return {
        "limit": page_limit(given.get("limit")),
        "cursor": given.get("cursor"),
        "caller": subject_of(app.current_event),
    }


def _word(given: dict[str, str], name: str, allowed: tuple[str, ...]) -> str | None:
    return choice(name, given[name], allowed) if name in given else None


def _since(text: str | None) -> str | None:
    if text is None:
        return None
    validate_timestamp(text, "since")
    return utc_text(text)
