"""Items that are offered for ingestion: sound ones, or every reason against one."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tablewright.catalog.sentiment.dashboard import Row
from tablewright.catalog.sentiment.items import (
    ANALYZED,
    MAX_TEXT,
    PENDING,
    SETTLED,
    SNIPPET_LENGTH,
    UNKNOWN,
    Guard,
    Item,
)
from tablewright.catalog.sentiment.validation import exact_score, validate_timestamp
from tablewright.model import Expiry, InvalidRecord, InvalidValue, replaced
from tablewright.model.fields.time import iso_utc, utc_text

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")
_FOUND = ("sentiment", "score", "model_version")
_STATED = ("ingested_at", "status")
_GIVEN = ("source_id", "source_type", "source_url", *_FOUND, "matched_tags", "metadata")
# The whole text, or only its beginning.
TEXTS = ("text", "text_snippet")
ACCEPTED = (*_GIVEN, *_STATED, *TEXTS)
# In one request.
MAX_ITEMS = 100
_NAME = Item.__entity__.name
# Fields that a claim holds beside the text.
_CLAIMED = ("source_url", *_FOUND, "matched_tags", "metadata")


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
        held = {name: item[name] for name in _CLAIMED if item.get(name) is not None}
        if item.status == PENDING:
            held = {name: value for name, value in held.items() if value != UNKNOWN.get(name)}
        return Guard(**named, **held, text=self.text or None)


def offered(raw: Any, moment: str, kept: Expiry | None = None) -> Offered:
    """The item in what was offered, ingested at its own moment or at this one.

    An empty text or address is as good as none. An item with a sentiment is analyzed already,
    unless its status is pending: the published code stores such items with placeholders.
    Raises InvalidRecord.

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
    texts = {name: raw[name] for name in TEXTS if raw.get(name) is not None}
    problems += [
        InvalidValue(name, "must be text") for name, t in texts.items() if not isinstance(t, str)
    ]
    lines = (one_line(text) for text in texts.values() if isinstance(text, str))
    clean = next(filter(None, lines), "")
    given = {name: raw[name] for name in _GIVEN if raw.get(name) is not None}
    if given.get("source_url") == "":
        del given["source_url"]
    problems += _wrong_status(raw)
    if raw.get("ingested_at") is not None:
        try:
            moment = ingestion_moment(raw["ingested_at"], datetime.now(UTC), kept)
        except InvalidValue as problem:
            problems.append(problem)
    is_pending = "sentiment" not in given or raw.get("status") == PENDING
    if not is_pending and "model_version" not in given:
        reason = "is required with a sentiment: name the model that found it, such as v1.0.0"
        problems.append(InvalidValue("model_version", reason))
    try:
        values = _values(given, clean, problems)
        item = Item(**values, ingested_at=moment, status=PENDING if is_pending else ANALYZED)
    except InvalidRecord as error:
        raise InvalidRecord(_NAME, [*problems, *error.problems]) from None
    if item.source_id.partition("#")[0] != item.source_type:
        problems.append(InvalidValue("source_id", f"must begin with '{item.source_type}#'"))
    if problems:
        raise InvalidRecord(_NAME, problems)
    if is_pending and "sentiment" in given:
        item = replaced(item, sentiment=UNKNOWN["sentiment"], score=UNKNOWN["score"])
    return Offered(item, clean[:MAX_TEXT])


def _wrong_status(raw: Mapping[str, Any]) -> list[InvalidValue]:
    status = raw.get("status")
    if status not in (None, PENDING, ANALYZED):
        return [InvalidValue("status", f"must be {PENDING} or {ANALYZED}")]
    if status == ANALYZED and raw.get("sentiment") is None:
        return [InvalidValue("status", f"{ANALYZED} needs a sentiment")]
    return []


def _values(given: Mapping[str, Any], text: str, problems: list[InvalidValue]) -> dict[str, Any]:
    """The fields of an item; problems of its metadata are added to the others."""
    values = {**UNKNOWN, **given}
    values["score"] = exact_score(values["score"])
    if text:
        values["text_snippet"] = snippet(text)
    metadata = given.get("metadata")
    if isinstance(metadata, Mapping) and metadata.get("published_at") is not None:
        try:
            published = utc_text(metadata["published_at"])
        except ValueError as problem:
            problems.append(InvalidValue("metadata", f"has a published_at that {problem}"))
        else:
            values["metadata"] = {**metadata, "published_at": published}
    return values


def ingestion_moment(given: Any, now: datetime, kept: Expiry | None = None) -> str:
    """When items were ingested: now, or at a moment before whose items have not expired."""
    if given is None:
        return iso_utc(now)
    validate_timestamp(given, "ingested_at")
    moment = utc_text(given)
    expires = Row.__entity__.expires
    unfit = expires.refuses(moment) if expires else None
    if unfit:
        raise InvalidValue("ingested_at", unfit)
    if moment > iso_utc(now):
        raise InvalidValue("ingested_at", "must not lie in the future")
    if kept and kept.at(moment) <= now.timestamp():
        # They would be stored, and be gone.
        reason = f"must be less than {kept.days} days ago: older items are not kept"
        raise InvalidValue("ingested_at", reason)
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
        **UNKNOWN,
        **{name: guard[name] for name in _CLAIMED if guard.get(name) is not None},
        "ingested_at": guard.item_ingested_at,
        "status": ANALYZED if guard.sentiment else PENDING,
        "text_snippet": snippet(text) or None,
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
