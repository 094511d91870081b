"""One run of each access pattern of the sentiment dashboard's table, as the functions run it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, cast

from docs.scenarios.sentiment_items import TAGS
from lambdas.sentiment.dashboard import Dashboard
from lambdas.sentiment.projector import analysed, counted, implied, sound
from tablewright.catalog.sentiment.dashboard import (
    COUNTED,
    DASHBOARD,
    HOUR,
    REJECTED,
    ROW,
    TAG_ROW,
)
from tablewright.catalog.sentiment.items import ITEM, ITEMS, SENTIMENTS, SOURCE_TYPES
from tablewright.model import Entity, Record
from tablewright.model.capacity import page_floor, read_floor, write_floor
from tablewright.model.fields.scalars import timestamp
from tablewright.model.patterns import BatchWrite, Count
from tablewright.model.sizes import item_bytes
from tablewright.pages.metering import NONE, TRANSACTION_WRITES, Measurement, Measuring
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.counters import Counters, Event
from tablewright.runtime.streams.projection import Projection

PAGE = 20
STORED = 400
# What a stream brings together: at most, and in its window of ten thousand items an hour.
BATCH, WINDOW, WINDOW_SPAN = 100, 14, timedelta(seconds=5)
OF_A_WINDOW = f"{WINDOW} items of {WINDOW_SPAN.seconds} seconds, of three sources"
REFUSED = 25
# Far ahead, because the engine deletes what has expired; an hour before midnight, so that a day of
# counts is a day.
NOW = datetime(2099, 3, 4, 23, 30, tzinfo=UTC)
ANY: dict[str, Any] = dict.fromkeys(("sentiment", "tag", "source_type", "since"))


def item(number: int) -> Record:
    """An analysed item of five tags; each millisecond has another, the higher the older."""
    return ITEM.check(
        {
            **ITEM.example,
            "source_id": f"newsapi#bbc-news-ai-regulation-{number:010}",
            "ingested_at": timestamp(NOW - timedelta(milliseconds=number)),
            "sentiment": SENTIMENTS[number % 3],
            "score": Decimal(number % 100).scaleb(-2),
            "matched_tags": TAGS,
        }
    )


def event(number: int, moment: datetime, source_type: str = "newsapi") -> Event:
    """What is counted of an item, ingested at this moment, that is analysed now."""
    taken = {"ingested_at": timestamp(moment), "source_type": source_type}
    image = Records(ITEMS, ITEM).to_item({**item(number), **taken})
    change = Change(
        {
            "eventID": f"{number:032x}",
            "dynamodb": {
                "SequenceNumber": str(number),
                "Keys": {name: image[name] for name in ITEM.key.fields},
                "OldImage": {**image, "status": {"S": "pending"}},
                "NewImage": image,
            },
        }
    )
    return counted(change, sound(change.old), analysed(change.new))


def measure(caller: Caller, table: str) -> list[Measurement]:
    """Fill the table with a day's items and counts, and run each pattern on it."""
    measuring = Measuring(caller)
    cursors = Cursors(lambda: KeyRing([b"m" * 32]))
    store = Store(DASHBOARD, table, measuring.meter, cursors=cursors)
    pattern = cast(BatchWrite, DASHBOARD.project_items)
    projection = Projection(DASHBOARD, pattern, table, measuring.meter)
    projection.apply(projection.rows(implied(item(number))) for number in range(STORED))
    _rows(measuring, projection)
    _counts(measuring, table)
    _refused(measuring, store)
    _lists(measuring, store)
    _hours(measuring, store, caller, table)
    return measuring.found


def _rows(measuring: Measuring, projection: Projection) -> None:
    measuring.run(
        "project_items",
        "one item of five tags",
        lambda: projection.apply([projection.difference((), implied(item(STORED)))]),
        write=write_floor(DASHBOARD, ROW, row(STORED))
        + sum((write_floor(DASHBOARD, TAG_ROW, row(STORED, tag)) for tag in TAGS), NONE),
    )


def _counts(measuring: Measuring, table: str) -> None:
    pattern = cast(Count, DASHBOARD.count_items)
    counters = Counters(DASHBOARD, pattern, table, measuring.meter)
    begin, second = NOW.replace(minute=1), NOW.replace(minute=2)
    spread = [
        event(20_000 + n, begin + WINDOW_SPAN * n / WINDOW, SOURCE_TYPES[n % 3])
        for n in range(WINDOW)
    ]
    together = [event(30_000 + n, second) for n in range(BATCH)]
    known: list[Event] = []
    for what, events in (
        ("one item", [event(10_000, NOW)]),
        (OF_A_WINDOW, spread),
        (f"{BATCH} items that were taken in together", together),
        ("one item more of these", [event(40_000, second)]),
    ):
        measuring.run(
            "count_items",
            what,
            partial(counters.add, events),
            read=_looks(events, known),
            write=_counting(events, known),
            many=len(events),
        )
        known += events


def _looks(events: Sequence[Event], known: Sequence[Event]) -> Decimal:
    """Read units of looking up which events of their groups have been counted."""
    sizes = ([_bytes(COUNTED, one)] for one in _groups(known, of=events))
    return sum((read_floor(size, consistent=True) for size in sizes), NONE)


def _counting(events: Sequence[Event], known: Sequence[Event]) -> Decimal:
    """Write units of one transaction: each group with all of its events, and each counter."""
    groups = (write_floor(DASHBOARD, COUNTED, one) for one in _groups([*known, *events], of=events))
    counters = {tuple(counter.items()) for one in events for counter, _ in one.sums}
    each = write_floor(DASHBOARD, HOUR, hour(23, "newsapi"))
    return TRANSACTION_WRITES * (sum(groups, NONE) + len(counters) * each)


def _groups(events: Sequence[Event], *, of: Sequence[Event]) -> list[Record]:
    """The groups of some events, each with those of all events that are in it."""
    members: dict[tuple[Any, ...], set[str]] = {tuple(one.group.items()): set() for one in of}
    for one in events:
        if tuple(one.group.items()) in members:
            members[tuple(one.group.items())].add(one.id)
    return [{**dict(group), "events": ids} for group, ids in members.items()]


def _refused(measuring: Measuring, store: Store) -> None:
    day = NOW.date().isoformat()
    refused = [
        REJECTED.check({**REJECTED.example, "day": day, "digest": f"{number:032x}"})
        for number in range(REFUSED)
    ]
    measuring.run(
        "put_rejected",
        f"{REFUSED} refused items",
        lambda: store.put_many(DASHBOARD.put_rejected, refused),
        write=sum((write_floor(DASHBOARD, REJECTED, one) for one in refused), NONE),
        many=REFUSED,
    )
    measuring.run(
        "rejected_items",
        f"a page of {PAGE}",
        lambda: Dashboard(store, NOW).rejected(day, limit=PAGE, caller="meter"),
        read=page_floor([_bytes(REJECTED, one) for one in refused[:PAGE]], 1),
    )


def _lists(measuring: Measuring, store: Store) -> None:
    def page(name: str, what: str, asked: dict[str, Any], read: Decimal, now: datetime) -> None:
        dashboard = Dashboard(store, now)
        work = partial(dashboard.items, **{**ANY, **asked}, limit=PAGE, caller="meter")
        measuring.run(name, what, work, read=read)

    rows = page_floor([_bytes(ROW, row(number)) for number in range(PAGE)], 1)
    tag_rows = page_floor([_bytes(TAG_ROW, row(number, "AI")) for number in range(PAGE)], 1)
    whole, midnight = f"a page of {PAGE}", NOW + timedelta(minutes=31)
    page("recent_items", whole, {}, rows, NOW)
    # The new day has to be asked before the old one is.
    empty = read_floor([])
    page("recent_items", f"{whole}, just after midnight", {}, rows + empty, midnight)
    page("items_by_sentiment", whole, {"sentiment": "positive"}, rows, NOW)
    page("items_by_tag", whole, {"tag": "AI"}, tag_rows, NOW)


def hour(number: int, source: str) -> Record:
    """What was counted of a source in an hour of the day."""
    day = NOW.date().isoformat()
    return HOUR.check(
        {
            "day": day,
            "hour": f"{day}T{number:02}:00:00.000Z",
            "source_type": source,
            **dict.fromkeys(SENTIMENTS, Decimal(100 + number)),
            "tags": dict.fromkeys(TAGS, Decimal(100 + number)),
        }
    )


def _hours(measuring: Measuring, store: Store, caller: Caller, table: str) -> None:
    counts = [hour(number, source) for number in range(24) for source in SOURCE_TYPES]
    for one in counts:
        item = Records(DASHBOARD, HOUR).to_item(one)
        caller.call("PutItem", {"TableName": table, "Item": item})
    measuring.run(
        "hourly_counts",
        f"{len(SOURCE_TYPES)} sources over 24 hours",
        lambda: Dashboard(store, NOW).summary(hours=24, source_type=None),
        read=page_floor([_bytes(HOUR, one) for one in counts], 1),
    )


def row(number: int, tag: str | None = None) -> Record:
    """The row that an item has in its day's list, or in a tag's."""
    hidden = ("metadata", "model_version", "status")
    shown = {name: value for name, value in item(number).items() if name not in hidden}
    shown["day"] = shown["ingested_at"][:10]
    return {**shown, "tag": tag} if tag else shown


def _bytes(entity: Entity, record: Record) -> int:
    return item_bytes(DASHBOARD.attributes(entity, record))
