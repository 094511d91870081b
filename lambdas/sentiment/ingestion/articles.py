"""Articles as the sources offer them: a news item, or every reason to refuse it."""

from collections.abc import Mapping
from typing import Any

from lambdas.sentiment.ingestion.items import one_line
from tablewright.catalog.news.design import MAX_TEXT, NewsItem
from tablewright.catalog.sentiment.items import PENDING
from tablewright.model import InvalidRecord, InvalidValue, replaced
from tablewright.model.fields.time import utc_text

ACCEPTED = (
    "source_id",
    "source_type",
    "timestamp",
    "text_for_analysis",
    "matched_tickers",
    "metadata",
)
_NAME = NewsItem.__entity__.name


def article(raw: Any, moment: str) -> NewsItem:
    """The pending item of an article that was offered at a moment; raises InvalidRecord.

    Its timestamp may have any form of ISO 8601 with a time zone, and is stored in seconds of UTC. A
    timestamp after the moment is replaced by the moment, so that healing finds the item in time.

    >>> raw = {"source_id": "tiingo:1", "source_type": "tiingo", "matched_tickers": ["XYZ"],
    ...        "timestamp": "2025-12-19T20:14:12Z", "text_for_analysis": "XYZ earns more."}
    >>> article(raw, "2025-12-19T20:15:00.000Z").status
    'pending'
    >>> article(raw, "2025-12-19T18:00:00.000Z").timestamp
    '2025-12-19T18:00:00Z'
    """
    if not isinstance(raw, Mapping):
        raise InvalidRecord(_NAME, [InvalidValue("item", "must be an object")])
    problems = [
        InvalidValue(str(name), f"is not one of {', '.join(ACCEPTED)}")
        for name in raw
        if name not in ACCEPTED
    ]
    given = {name: raw[name] for name in ACCEPTED if raw.get(name) is not None}
    if "timestamp" in given:
        try:
            given["timestamp"] = utc_seconds(given["timestamp"])
        except ValueError as error:
            problems.append(InvalidValue("timestamp", str(error)))
            given["timestamp"] = utc_seconds(moment)  # so that it is refused once
    text = given.get("text_for_analysis")
    if isinstance(text, str):
        # Nothing is left of a text without words, and that is refused as missing.
        given["text_for_analysis"] = one_line(text)[:MAX_TEXT] or None
    try:
        item = NewsItem(**given, status=PENDING)
    except InvalidRecord as error:
        raise InvalidRecord(_NAME, [*problems, *error.problems]) from None
    if item.source_id.partition(":")[0] != item.source_type:
        problems.append(InvalidValue("source_id", f"must begin with '{item.source_type}:'"))
    if problems:
        raise InvalidRecord(_NAME, problems)
    return replaced(item, timestamp=min(item.timestamp, utc_seconds(moment)))


def utc_seconds(time: str) -> str:
    """A time in ISO 8601 in the published form, with seconds of UTC; raises ValueError.

    >>> utc_seconds("2025-12-19T21:14:12.345+01:00")
    '2025-12-19T20:14:12Z'
    """
    return f"{utc_text(time)[:19]}Z"
