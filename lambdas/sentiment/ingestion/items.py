"""Items that are offered for ingestion: sound ones, or every reason against one."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tablewright.catalog.sentiment.dashboard import Row
from tablewright.catalog.sentiment.items import (
    MAX_TEXT,
    PENDING,
    SETTLED,
    SNIPPET_LENGTH,
    UNKNOWN,
    Guard,
    Item,
)
from tablewright.model import InvalidRecord, InvalidValue
from tablewright.model.fields.time import iso_utc

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")
_GIVEN = ("source_id", "source_type", "source_url", "matched_tags", "metadata")
ACCEPTED = (*_GIVEN, "text")
# In one request.
MAX_ITEMS = 100
_NAME = Item.__entity__.name
# What a claim holds of an item beside its text.
_CLAIMED = ("source_url", "matched_tags", "metadata")


class Offered:
    """A sound item and the text that it is to be judged by."""

    __slots__ = ("item", "text")

    def __init__(self, item: Item, text: str) -> None:
        self.item = item
        self.text = text

    def guard(self, state: str) -> Guard:
        """The guard of the item's source: while it is claimed, with all that was offered."""
        item = self.item
        named: dict[str, Any] = {
            "source_id": item.source_id,
            "item_ingested_at": item.ingested_at,
            "state": state,
        }
        if state == SETTLED:
            return Guard(**named)
        held = {name: item[name] for name in _CLAIMED if item.get(name)}
        return Guard(**named, **held, text=self.text)


def offered(raw: Any, moment: str) -> Offered:
    """The item in what was offered, ingested at this moment; raises InvalidRecord.

    >>> raw = {"source_id": "reddit#post-1", "source_type": "reddit", "text": "So good!"}
    >>> offered(raw, "2025-11-16T14:30:00.000Z").item.status
    'pending'
    """
    if not isinstance(raw, Mapping):
        raise InvalidRecord(_NAME, [InvalidValue("item", "must be an object")])
    problems = [
        InvalidValue(str(name), f"is not one of {', '.join(ACCEPTED)}")
        for name in raw
        if name not in ACCEPTED
    ]
    text = raw.get("text")
    clean = one_line(text) if isinstance(text, str) else ""
    if text is None:
        problems.append(InvalidValue("text", "is required"))
    elif not clean:
        reason = "must not be blank" if isinstance(text, str) else "must be text"
        problems.append(InvalidValue("text", reason))
    given = {name: raw[name] for name in _GIVEN if raw.get(name) is not None}
    values = {**given, **UNKNOWN, "ingested_at": moment, "status": PENDING}
    if clean:
        values["text_snippet"] = snippet(clean)
    try:
        item = Item(**values)
    except InvalidRecord as error:
        raise InvalidRecord(_NAME, [*problems, *error.problems]) from None
    if item.source_id.partition("#")[0] != item.source_type:
        problems.append(InvalidValue("source_id", f"must begin with '{item.source_type}#'"))
    if problems:
        raise InvalidRecord(_NAME, problems)
    return Offered(item, clean[:MAX_TEXT])


def ingestion_moment(given: Any, now: datetime) -> str:
    """When items were ingested: now, or at a moment before that the dashboard still shows."""
    if given is None:
        return iso_utc(now)
    moment = str(Item.ingested_at.check(given))
    expires = Row.__entity__.expires
    unfit = expires.refuses(moment) if expires else None
    if unfit:
        raise InvalidValue("ingested_at", unfit)
    if moment > iso_utc(now):
        raise InvalidValue("ingested_at", "must not lie in the future")
    return moment


def claimed(guard: Guard) -> Offered:
    """What was offered when a source was claimed.

    >>> first = offered(
    ...     {"source_id": "reddit#post-1", "source_type": "reddit", "text": "So good!"},
    ...     "2025-11-16T14:30:00.000Z",
    ... )
    >>> claimed(first.guard("claimed")).item == first.item
    True
    """
    text = guard.text or ""
    item: dict[str, Any] = {
        "source_id": guard.source_id,
        "source_type": guard.source_id.partition("#")[0],
        **{name: guard[name] for name in _CLAIMED if name in guard},
        **UNKNOWN,
        "ingested_at": guard.item_ingested_at,
        "status": PENDING,
        "text_snippet": snippet(text),
    }
    return Offered(Item(**item), text)


def snippet(text: str) -> str:
    """The beginning of a text, ended at a word where there is one to end at."""
    if len(text) <= SNIPPET_LENGTH:
        return text
    cut = text[: SNIPPET_LENGTH - 1]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > SNIPPET_LENGTH // 2 else cut) + "…"


def one_line(text: str) -> str:
    """Text in one line, without control characters and lone surrogates."""
    encodable = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _BREAKS.sub(" ", encodable).strip()
