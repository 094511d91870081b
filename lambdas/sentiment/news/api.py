"""The API of financial news: lists, and a stream of what arrives.

Python functions cannot stream their answers, and one that waits keeps its concurrency from others.
So the stream is asked for piece by piece: an answer has what there is, and ends. A client of
server-sent events comes back by itself, after the time that it is told, with the id of the last
event that it got.
"""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest
from lambdas.http.answers import answer, page_json, record_json, tagged, to_json
from lambdas.http.application import application, respond
from lambdas.http.caller import subject_of
from lambdas.http.requests import choice, page_limit, parameters
from lambdas.sentiment.news.arrivals import Arrivals, Place, first, following
from lambdas.sentiment.news.articles import ARTICLE
from lambdas.sentiment.resources import Resources
from tablewright.catalog.news.design import NEWS
from tablewright.catalog.sentiment.items import SENTIMENTS
from tablewright.model.healing import healing_fields
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.errors import CursorError
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

app = application()

LAST_EVENT_ID = "Last-Event-ID"
# What a client waits before it comes back: as long as the page between its other requests.
RETRY_MS = 5000
# How long a list may be shown before it is asked for again.
FRESH_SECONDS = 2
# The work of healing is nobody else's business, and all that is shown is analysed.
_HIDDEN = {field.name for field in healing_fields()} | {"status"}
FOUND = ("sentiment", "score", "model_version", "analyzed_at")
SHOWN = tuple(field for field in ARTICLE.fields if field.name not in _HIDDEN)


class Access:
    """What requests are answered from."""

    def __init__(
        self,
        store: Store,
        cursors: Cursors,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.store = store
        self.cursors = cursors
        self.now = now

    @classmethod
    def from_environment(cls) -> "Access":
        resources = Resources.from_environment()
        cursors = Cursors(SecretKeys(resources.secrets, os.environ["CURSOR_SECRET_ARN"]))
        return cls(resources.news(cursors=cursors), cursors)


@cache
def access() -> Access:
    return Access.from_environment()


if "NEWS_TABLE" in os.environ:
    access()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@app.get("/news")
def news() -> Response[str]:
    given = parameters(app.current_event, ("sentiment", "limit", "cursor"))
    if "sentiment" not in given:
        reason = f"is required: one of {', '.join(SENTIMENTS)}"
        raise InvalidRequest("sentiment is not valid.", [("sentiment", reason)])
    page = access().store.query(
        NEWS.news_by_sentiment,
        {"sentiment": choice("sentiment", given["sentiment"], SENTIMENTS)},
        limit=page_limit(given.get("limit")),
        cursor=given.get("cursor"),
        caller=subject_of(app.current_event),
    )
    listed = Page([_shown(item) for item in page.items], page.cursor)
    given_out = answer(page_json(ARTICLE, listed, cursor="next_cursor"))
    known = app.current_event.headers.get("if-none-match")
    return tagged(given_out, known, seconds=FRESH_SECONDS)


@app.get("/news/events")
def events() -> Response[str]:
    given = parameters(app.current_event, ("sentiment",))
    asked = given.get("sentiment")
    sentiment = choice("sentiment", asked, SENTIMENTS) if asked is not None else None
    caller = subject_of(app.current_event)
    place = _place(app.current_event.headers, caller, sentiment)
    found = _found(sentiment, place)
    # Also without news: a client that comes back with it does not look at the same again.
    id = access().cursors.issue(caller, *_question(sentiment), found.place.position())
    lines = [f"retry: {RETRY_MS}", f"id: {id}"]
    if place is None or found.items:
        items = [record_json(ARTICLE, _shown(item)) for item in found.items]
        lines += ["event: news", f"data: {to_json({'items': items})}"]
    body = "\n".join([*lines, "", ""])
    headers: dict[str, Any] = {"Cache-Control": "no-store"}
    return Response(200, content_type="text/event-stream", body=body, headers=headers)


def _found(sentiment: str | None, place: Place | None) -> Arrivals:
    given = access()
    if place is None:
        return first(given.store, sentiment, given.now())
    return following(given.store, sentiment, place, given.now())


def _place(headers: Mapping[str, str], caller: str, sentiment: str | None) -> Place | None:
    id = headers.get(LAST_EVENT_ID.lower())
    if not id:
        return None
    try:
        return Place.at(access().cursors.open(id, caller, *_question(sentiment)))
    except CursorError as error:
        detail = f"{LAST_EVENT_ID} is not valid: begin again without it."
        raise InvalidRequest(detail, [(LAST_EVENT_ID, str(error))]) from None


def _question(sentiment: str | None) -> tuple[str, dict[str, Any]]:
    return NEWS.arrived_news.name, {"sentiment": sentiment}


def _shown(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in _HIDDEN}
