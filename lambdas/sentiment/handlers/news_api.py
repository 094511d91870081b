"""API of financial news: lists, and a stream of what arrives.

Python functions cannot stream their answers, and one that waits keeps its concurrency from others.
So the stream is asked for piece by piece: an answer has what there is, and ends. A client of
server-sent events comes back by itself, after the time that the answer names, with the id of the
last event that it got.
"""

from functools import cache
from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest
from lambdas.http.answers import answer, tagged, to_json
from lambdas.http.application import application, respond, routed
from lambdas.http.caller import subject_of
from lambdas.http.requests import choice, page_limit, parameters
from lambdas.sentiment import contract
from lambdas.sentiment.contract import NewsApiEnvironment
from lambdas.sentiment.news import LAST_EVENT_ID, NewsReader, shown
from tablewright.catalog.sentiment.items import SENTIMENTS

app = application()

# What a client waits before it comes back: as long as the page between its other requests.
RETRY_MS = 5000
# How long a list may be shown before it is asked for again.
FRESH_SECONDS = 2


@cache
def news() -> NewsReader:
    return NewsReader.of(NewsApiEnvironment.read())


if NewsApiEnvironment.is_set():
    news()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.LIST_NEWS)
def list_news() -> Response[str]:
    given = parameters(app.current_event, ("sentiment", "limit", "cursor"))
    if "sentiment" not in given:
        reason = f"is required: one of {', '.join(SENTIMENTS)}"
        raise InvalidRequest("sentiment is not valid.", [("sentiment", reason)])
    page = news().page(
        choice("sentiment", given["sentiment"], SENTIMENTS),
        limit=page_limit(given.get("limit")),
        cursor=given.get("cursor"),
        caller=subject_of(app.current_event),
    )
    known = app.current_event.headers.get("if-none-match")
    listed = {"items": [shown(item) for item in page.items], "next_cursor": page.cursor}
    return tagged(answer(listed), known, seconds=FRESH_SECONDS)


@routed(app, contract.NEWS_EVENTS)
def news_events() -> Response[str]:
    asked = parameters(app.current_event, ("sentiment",)).get("sentiment")
    sentiment = choice("sentiment", asked, SENTIMENTS) if asked is not None else None
    last_id = app.current_event.headers.get(LAST_EVENT_ID.lower())
    event = news().arrived(subject_of(app.current_event), sentiment, last_id)
    lines = [f"retry: {RETRY_MS}", f"id: {event.id}"]
    if event.items or not last_id:
        items = [shown(item) for item in event.items]
        lines += ["event: news", f"data: {to_json({'items': items})}"]
    body = "\n".join([*lines, "", ""])
    headers: dict[str, Any] = {"Cache-Control": "no-store"}
    return Response(200, content_type="text/event-stream", body=body, headers=headers)
