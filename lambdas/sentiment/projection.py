"""What the dashboard's table holds because of an item, and what is counted of it."""

from collections.abc import Iterator
from typing import Any

from tablewright.catalog.sentiment.dashboard import COUNTED_PARTS
from tablewright.catalog.sentiment.items import ANALYZED, ITEM, ITEMS
from tablewright.model import InvalidRecord, Record, uniform
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.counters import Event

_SHOWN = (
    "ingested_at",
    "source_id",
    "source_type",
    "sentiment",
    "score",
    "matched_tags",
    "text_snippet",
    "source_url",
)
_ITEMS = Records(ITEMS, ITEM)

Sum = tuple[Record, dict[str, Any]]


def analysed(image: Item | None) -> Record | None:
    """The item in an image, if it has been analysed; raises InvalidRecord for an unsound one."""
    if image is None or image.get("status", {}).get("S") != ANALYZED:
        return None
    return ITEM.check(_ITEMS.to_record(image))


def sound(image: Item | None) -> Record | None:
    """The same, but for an unsound one nothing: it could not be projected, nor counted."""
    try:
        return analysed(image)
    except InvalidRecord:
        return None


def implied(item: Record | None) -> Iterator[tuple[str, Record]]:
    """The rows of an analysed item: one of its day, and one for each tag."""
    if item is None:
        return
    shown = {name: item[name] for name in _SHOWN if name in item}
    shown["day"] = item["ingested_at"][:10]
    yield "Row", shown
    for tag in sorted(item.get("matched_tags", ())):
        yield "TagRow", {**shown, "tag": tag}


def counted(change: Change, old: Record | None, new: Record | None) -> Event:
    """What a change adds to the counts: the item as it is now, less what it was."""
    sums = [_sum(item, by) for item, by in ((old, -1), (new, 1)) if item]
    if old and new and _sum(old, 1) == _sum(new, 1):
        sums = []
    group = {
        "second": f"{change.key['ingested_at']['S'][:19]}.000Z",
        "part": str(uniform(change.id, COUNTED_PARTS)),
    }
    return Event(change.id, group, sums)


def _sum(item: Record, by: int) -> Sum:
    moment = item["ingested_at"]
    hour = {
        "day": moment[:10],
        "hour": f"{moment[:13]}:00:00.000Z",
        "source_type": item["source_type"],
    }
    return hour, {
        item["sentiment"]: by,
        "tags": dict.fromkeys(sorted(item.get("matched_tags", ())), by),
    }
