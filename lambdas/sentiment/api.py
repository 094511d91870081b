"""The dashboard's API: decode, act, answer."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.http.answers import answer, page_json, tagged
from lambdas.http.application import application, respond
from lambdas.http.caller import subject_of
from lambdas.http.requests import choice, page_limit, parameters, whole_number
from lambdas.sentiment.dashboard import MAX_HOURS, Dashboard
from lambdas.sentiment.resources import Resources
from tablewright.catalog.sentiment.dashboard import DASHBOARD, REJECTED, ROW
from tablewright.catalog.sentiment.items import SENTIMENTS, SOURCE_TYPES
from tablewright.model import InvalidValue
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

app = application()

# What is told of an item: the same in all lists, whichever row it was found by.
SHOWN = tuple(field for field in ROW.fields if field.name != "day")
DEFAULT_HOURS = 24
# How long an answer may be shown before it is asked for again.
FRESH_SECONDS = 2
# What an accelerator in front of the table may add to that.
ACCELERATED_SECONDS = 300


class Access:
    """Opens the dashboard for one request, on a meter of its own."""

    def __init__(
        self,
        table_name: str,
        caller: Caller,
        cursors: Cursors,
        *,
        stale_seconds: int = 0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        **options: Any,
    ) -> None:
        self._table_name = table_name
        self._caller = caller
        self._cursors = cursors
        self._options = options
        self.stale_seconds = stale_seconds
        self.now = now

    @classmethod
    def from_environment(cls) -> "Access":
        resources = Resources.from_environment()
        endpoint = os.environ.get("DAX_ENDPOINT")
        return cls(
            os.environ["DASHBOARD_TABLE"],
            resources.accelerated(endpoint) if endpoint else resources.here,
            Cursors(SecretKeys(resources.secrets, os.environ["CURSOR_SECRET_ARN"])),
            stale_seconds=ACCELERATED_SECONDS if endpoint else 0,
            executor=resources.executor,
        )

    def open(self) -> tuple[Dashboard, Meter]:
        meter = Meter(self._caller)
        store = Store(DASHBOARD, self._table_name, meter, cursors=self._cursors, **self._options)
        return Dashboard(store, self.now()), meter


@cache
def access() -> Access:
    return Access.from_environment()


if "CURSOR_SECRET_ARN" in os.environ:
    access()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@app.get("/items")
def items() -> Response[str]:
    asked = ("sentiment", "tag", "source_type", "since", "limit", "cursor")
    given = parameters(app.current_event, asked)

    def read(dashboard: Dashboard) -> dict[str, Any]:
        page = dashboard.items(
            sentiment=_word(given, "sentiment", SENTIMENTS),
            tag=given.get("tag"),
            source_type=_word(given, "source_type", SOURCE_TYPES),
            since=_moment(given.get("since")),
            **_paging(given),
        )
        names = {field.name for field in SHOWN}
        shown = [{n: v for n, v in record.items() if n in names} for record in page.items]
        return page_json(ROW, Page(shown, page.cursor), cursor="next_cursor")

    return _metered(read)


@app.get("/summary")
def summary() -> Response[str]:
    given = parameters(app.current_event, ("hours", "source_type"))
    hours = whole_number("hours", given.get("hours"), default=DEFAULT_HOURS, most=MAX_HOURS)
    source_type = _word(given, "source_type", SOURCE_TYPES)
    return _metered(lambda dashboard: dashboard.summary(hours=hours, source_type=source_type))


@app.get("/rejected")
def rejected() -> Response[str]:
    given = parameters(app.current_event, ("day", "limit", "cursor"))

    def read(dashboard: Dashboard) -> dict[str, Any]:
        page = dashboard.rejected(given.get("day"), **_paging(given))
        return page_json(REJECTED, page, cursor="next_cursor")

    return _metered(read)


@app.get("/openapi.json")
def openapi() -> Response[str]:
    from lambdas.sentiment.openapi import document  # only whoever asks for it pays for it

    return answer(document())


def _metered(work: Callable[[Dashboard], dict[str, Any]]) -> Response[str]:
    """What the work answers and how old that may be; what it consumed where that may be shown."""
    dashboard, meter = access().open()
    given = answer({**work(dashboard), "stale_seconds": access().stale_seconds})
    given = tagged(given, app.current_event.headers.get("if-none-match"), seconds=FRESH_SECONDS)
    if os.environ.get("SHOW_CAPACITY"):
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
        return str(ROW.by_name["ingested_at"].check(text))
    except InvalidValue as problem:
        raise InvalidValue("since", problem.reason) from None
