"""OpenAPI document of the dashboard and the news; field types come from the table designs.

The files of the page are left out: a browser finds them by itself.
"""

from lambdas.contract import Route
from lambdas.http import openapi
from lambdas.http.openapi import (
    Json,
    json_of,
    list_of,
    object_of,
    one_or_more,
    only,
    operation,
    or_null,
    page_of,
    paging,
    paths_of,
    query,
    ref,
)
from lambdas.sentiment import contract, news
from lambdas.sentiment.dashboard import DEFAULT_HOURS, MAX_HOURS, SHOWN
from lambdas.sentiment.ingestion.items import ACCEPTED, MAX_ITEMS, TEXTS
from lambdas.sentiment.news import LAST_EVENT_ID
from tablewright.catalog.sentiment.dashboard import Rejected, Row, TagRow
from tablewright.catalog.sentiment.items import ANALYZED, PENDING, SENTIMENTS, Item

_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}
_STALE = {
    "stale_seconds": {
        "type": "integer",
        "minimum": 0,
        "description": "How much older than the table the answer may be",
    }
}
_NUMBERS = {sentiment: {"type": "integer"} for sentiment in SENTIMENTS}
_SOURCE = Row.source_type.schema()
_MOMENT = Row.ingested_at.schema()
_ANY_MOMENT = {
    "type": "string",
    "format": "date-time",
    "description": "ISO 8601 with a time zone",
}
_SENTIMENT = query("sentiment", Row.sentiment.schema())
_REJECTED = Rejected.__entity__.fields
# What every analysed article has.
_NEWS_NEEDED = [f.label for f in news.SHOWN if not f.optional or f.name in news.FOUND]


def document() -> Json:
    return openapi.document(
        "Sentiment dashboard", paths_of(contract.ROUTES, _operations()), _schemas()
    )


def _operations() -> dict[Route, Json]:
    return {
        contract.LIST_ITEMS: {
            **_kept("items", "Analysed items of the last days, newest first", "ItemPage"),
            "description": "Those of a sentiment, asked without a tag, come day by day with "
            "the surest first, and cannot be asked by `since`.",
            "parameters": [
                _SENTIMENT,
                query("tag", TagRow.tag.schema()),
                query("source_type", _SOURCE),
                query("since", _ANY_MOMENT),
                *paging(),
            ],
        },
        contract.ADD_ITEMS: operation(
            "add_items",
            f"Hand in items for analysis; for members of the group '{contract.WRITERS}'",
            {202: json_of("Taken")},
            body="NewItems",
        ),
        contract.SUMMARY: {
            **_kept("summary", "Sentiments, tags and their course over hours", "Summary"),
            "parameters": [query("hours", _hours()), query("source_type", _SOURCE)],
        },
        contract.REJECTED: {
            **_kept("rejected", "What sources gave that is no item", "RejectedPage"),
            "parameters": [
                {
                    **query("day", Rejected.day.schema()),
                    "description": "When absent: today, in UTC",
                },
                *paging(),
            ],
        },
        contract.LIST_NEWS: {
            **_kept("news", "Financial news of a sentiment, newest first", "NewsPage"),
            "parameters": [{**_SENTIMENT, "required": True}, *paging()],
        },
        contract.NEWS_EVENTS: _events(),
        contract.PAGE_CONFIG: {**_kept("config", "Where to sign in", "Config"), "security": []},
        contract.OPENAPI: openapi.this_document(),
    }


def _schemas() -> Json:
    return {
        "Item": object_of(SHOWN, [field.label for field in SHOWN if not field.optional]),
        "ItemPage": _page_of("Item"),
        "NewItem": _new_item(),
        "NewItems": one_or_more("items", "NewItem", MAX_ITEMS),
        "Taken": only(
            {
                "stored": _COUNT,
                "duplicates": _COUNT,
                "rejected": list_of(only({"pointer": _TEXT, "detail": _TEXT})),
            }
        ),
        "News": object_of(news.SHOWN, _NEWS_NEEDED),
        "NewsPage": page_of(ref("News"), cursor="next_cursor"),
        "Rejected": object_of(_REJECTED, [field.label for field in _REJECTED]),
        "RejectedPage": _page_of("Rejected"),
        "Summary": only(
            {
                "since": _MOMENT,
                "until": _MOMENT,
                "distribution": only(_NUMBERS),
                "tags": list_of(only({"tag": TagRow.tag.schema(), "count": _COUNT})),
                "hours": list_of(only({"hour": _MOMENT, **_NUMBERS})),
                **_STALE,
            }
        ),
        "Config": only(
            {
                "stage": _TEXT,
                "signIn": only(
                    {
                        "url": {"type": "string", "format": "uri"},
                        "clientId": _TEXT,
                        "userPoolId": _TEXT,
                        "password": {"type": "boolean"},
                    }
                ),
                "refreshSeconds": _COUNT,
            }
        ),
    }


def _events() -> Json:
    held = "What has arrived since a client was here; `retry` says when to come back. An event has "
    told = 'data like {"items": [News, ...]}, in the order in which they were analysed, and an id '
    back = f"by which a client that comes back goes on, as {LAST_EVENT_ID}."
    content = {"text/event-stream": {"schema": _TEXT}}
    id = {"name": LAST_EVENT_ID, "in": "header", "schema": _TEXT}
    return {
        **operation("news_events", "Financial news as they arrive", {200: content}),
        "description": held + told + back,
        "parameters": [_SENTIMENT, id],
    }


def _page_of(schema: str) -> Json:
    return only({**page_of(ref(schema), cursor="next_cursor")["properties"], **_STALE})


def _new_item() -> Json:
    known = Item.__entity__.by_name
    required = ["source_id", "source_type"]
    shape = object_of([known[name] for name in ACCEPTED if name in known], required)
    fields = shape["properties"]
    fields |= {name: dict(_TEXT) for name in TEXTS}
    address = fields["source_url"]
    fields["source_url"] = {**address, "minLength": 0, "pattern": f"^$|{address['pattern']}"}
    for name in fields.keys() - set(required):
        fields[name] = or_null(fields[name])
    fields["source_id"]["description"] = "Begins with the source type"
    fields["sentiment"]["description"] = (
        f"Found by the sender: the item is not analyzed again, unless its status is {PENDING}"
    )
    fields["ingested_at"] = or_null(_ANY_MOMENT)
    fields["ingested_at"]["description"] = "ISO 8601 with a time zone, not in the future. Or now"
    fields["metadata"]["properties"] = {"published_at": or_null(_ANY_MOMENT)}
    found = {"properties": {"sentiment": _TEXT}, "required": ["sentiment"]}
    named = {"properties": {"model_version": _TEXT}, "required": ["model_version"]}
    pending = {"properties": {"status": {"const": PENDING}}, "required": ["status"]}
    analyzed = {"properties": {"status": {"const": ANALYZED}}, "required": ["status"]}
    return {
        **shape,
        "allOf": [
            {"if": {**found, "not": pending}, "then": named},
            {"if": analyzed, "then": found},
        ],
    }


def _kept(name: str, summary: str, schema: str) -> Json:
    """An operation whose answers have a tag, by which they need not be sent twice."""
    return operation(name, summary, {200: json_of(schema), 304: None})


def _hours() -> Json:
    return {"type": "integer", "minimum": 1, "maximum": MAX_HOURS, "default": DEFAULT_HOURS}
