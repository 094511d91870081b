"""Dashboard API: decode, act, answer."""

from collections.abc import Callable
from functools import cache
from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.http.answers import answer, page_json, record_json, tagged
from lambdas.http.application import application, respond, routed
from lambdas.http.caller import subject_of
from lambdas.http.requests import choice, page_limit, parameters, whole_number
from lambdas.sentiment import contract
from lambdas.sentiment.contract import ApiEnvironment
from lambdas.sentiment.dashboard import DEFAULT_HOURS, MAX_HOURS, SHOWN, DashboardReader, Dashboards
from tablewright.catalog.sentiment.dashboard import Row
from tablewright.catalog.sentiment.items import SENTIMENTS, SOURCE_TYPES
from tablewright.model import InvalidValue

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
        page = dashboard.items(
            sentiment=_word(given, "sentiment", SENTIMENTS),
            tag=given.get("tag"),
            source_type=_word(given, "source_type", SOURCE_TYPES),
            since=_moment(given.get("since")),
            **_paging(given),
        )
        listed = [record_json(record) for record in page.items]
        shown = [{n: v for n, v in one.items() if n in _LABELS} for one in listed]
        return {"items": shown, "next_cursor": page.cursor}

    return _metered(read)


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


def _moment(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return str(Row.ingested_at.check(text))
    except InvalidValue as problem:
        raise InvalidValue("since", problem.reason) from None
