"""One run of each access pattern of the sentiment dashboard's table, as the functions run it."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from docs.scenarios.sentiment_items import TAGS
from lambdas.sentiment.dashboard import DashboardReader
from lambdas.sentiment.projector import Images, counted, implied
from tablewright.catalog.sentiment.dashboard import (
    Counted,
    Dashboard,
    Hour,
    Rejected,
    Row,
    TagRow,
)
from tablewright.catalog.sentiment.items import SENTIMENTS, SOURCE_TYPES, Item, Items
from tablewright.costs.measuring import NONE, Measuring
from tablewright.model import Entity, replaced
from tablewright.model.capacity import TRANSACTION_WRITES, read_floor, write_floor
from tablewright.model.fields.time import iso_utc
from tablewright.model.sizes import item_bytes
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.counters import Counters, Event
from tablewright.runtime.streams.projection import Projection

SECRETS = Secrets.in_clear()

PAGE = 20
STORED = 400
# What a stream brings together: at most, and in its window of ten thousand items an hour.
BATCH, WINDOW, WINDOW_SPAN = 100, 14, timedelta(seconds=5)
OF_A_WINDOW = f"{WINDOW} items of {WINDOW_SPAN.seconds} seconds, of three sources"
REFUSED = 25
# Far ahead, because the engine deletes what has expired; an hour before midnight, so that a day of
# counts is a day.
NOW = datetime(2099, 3, 4, 23, 30, tzinfo=UTC)


def item(number: int) -> Item:
    """An analysed item of five tags; each millisecond has another, the higher the older."""
    return Item(
        **{
            **Item.__entity__.example,
            "source_id": f"newsapi#bbc-news-ai-regulation-{number:010}",
            "ingested_at": iso_utc(NOW - timedelta(milliseconds=number)),
            "sentiment": SENTIMENTS[number % 3],
            "score": Decimal(number % 100).scaleb(-2),
            "matched_tags": TAGS,
        }
    )


def event(number: int, moment: datetime, source_type: str = "newsapi") -> Event:
    """What is counted of an item, ingested at this moment, that is analysed now."""
    taken = {"ingested_at": iso_utc(moment), "source_type": source_type}
    taken_in = replaced(item(number), **taken)
    image = Records(Items.__design__, Item.__entity__, secrets=SECRETS).to_item(taken_in)
    change = Change(
        {
            "eventID": f"{number:032x}",
            "dynamodb": {
                "SequenceNumber": str(number),
                "Keys": {name: image[name] for name in Item.__entity__.key.fields},
                "OldImage": {**image, "status": {"S": "pending"}},
                "NewImage": image,
            },
        }
    )
    images = Images(SECRETS)
    return counted(change, images.sound(change.old), images.analysed(change.new))


def measure(measuring: Measuring) -> None:
    """Fill the table with a day's items and counts, and run each pattern on it."""
    store, table = measuring.store(secrets=SECRETS), measuring.table_name
    projection = Projection(Dashboard, Dashboard.project_items, table, measuring, secrets=SECRETS)
    projection.apply(projection.rows(implied(item(number))) for number in range(STORED))
    _rows(measuring, projection)
    _counts(measuring, table)
    _refused(measuring, store)
    _lists(measuring, store)
    _hours(measuring, store)


def _rows(measuring: Measuring, projection: Projection) -> None:
    measuring.run(
        "project_items",
        "one item of five tags",
        lambda: projection.apply([projection.difference((), implied(item(STORED)))]),
        write=_floor(row(STORED)) + sum((_floor(tag_row(STORED, tag)) for tag in TAGS), NONE),
    )


def _counts(measuring: Measuring, table: str) -> None:
    counters = Counters(Dashboard, Dashboard.count_items, table, measuring)
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
    sizes = ([_bytes(one)] for one in _groups(known, of=events))
    return sum((read_floor(size, consistent=True) for size in sizes), NONE)


def _counting(events: Sequence[Event], known: Sequence[Event]) -> Decimal:
    """Write units of one transaction: each group with all of its events, and each counter."""
    groups = (_floor(one) for one in _groups([*known, *events], of=events))
    counters = {tuple(counter.items()) for one in events for counter, _ in one.sums}
    each = _floor(hour(23, "newsapi"))
    return TRANSACTION_WRITES * (sum(groups, NONE) + len(counters) * each)


def _groups(events: Sequence[Event], *, of: Sequence[Event]) -> list[Counted]:
    """The groups of some events, each with those of all events that are in it."""
    members: dict[tuple[Any, ...], set[str]] = {tuple(one.group.items()): set() for one in of}
    for one in events:
        if tuple(one.group.items()) in members:
            members[tuple(one.group.items())].add(one.id)
    return [Counted(**dict(group), events=ids) for group, ids in members.items()]


def _refused(measuring: Measuring, store: Store) -> None:
    day = NOW.date().isoformat()
    refused = [
        Rejected(**{**Rejected.__entity__.example, "day": day, "digest": f"{number:032x}"})
        for number in range(REFUSED)
    ]
    measuring.run(
        "put_rejected",
        f"{REFUSED} refused items",
        lambda: store.put_many(Dashboard.put_rejected, refused),
        write=sum((_floor(one) for one in refused), NONE),
        many=REFUSED,
    )
    measuring.run(
        "rejected_items",
        f"a page of {PAGE}",
        lambda: DashboardReader(store, NOW).rejected(day, limit=PAGE, caller="meter"),
        read=read_floor([_bytes(one) for one in refused[:PAGE]]),
    )


def _lists(measuring: Measuring, store: Store) -> None:
    def page(name: str, what: str, list_items: Callable[..., Any], read: Decimal) -> None:
        measuring.run(name, what, partial(list_items, limit=PAGE, caller="meter"), read=read)

    rows = read_floor([_bytes(row(number)) for number in range(PAGE)])
    tag_rows = read_floor([_bytes(tag_row(number, "AI")) for number in range(PAGE)])
    whole, today = f"a page of {PAGE}", DashboardReader(store, NOW)
    tomorrow = DashboardReader(store, NOW + timedelta(minutes=31))
    page("recent_items", whole, today.get_recent_items, rows)
    # The new day has to be asked before the old one is.
    after_midnight = f"{whole}, just after midnight"
    page("recent_items", after_midnight, tomorrow.get_recent_items, rows + read_floor([]))
    page("items_by_sentiment", whole, partial(today.get_items_by_sentiment, "positive"), rows)
    page("items_by_tag", whole, partial(today.get_items_by_tag, "AI"), tag_rows)


def hour(number: int, source: str) -> Hour:
    """What was counted of a source in an hour of the day."""
    day = NOW.date().isoformat()
    counts: dict[str, Any] = dict.fromkeys(SENTIMENTS, Decimal(100 + number))
    return Hour(
        day=day,
        hour=f"{day}T{number:02}:00:00.000Z",
        source_type=source,
        tags=dict.fromkeys(TAGS, Decimal(100 + number)),
        **counts,
    )


def _hours(measuring: Measuring, store: Store) -> None:
    counts = [hour(number, source) for number in range(24) for source in SOURCE_TYPES]
    for one in counts:
        item = Records(Dashboard.__design__, Hour.__entity__).to_item(one)
        measuring.caller.call("PutItem", {"TableName": store.table_name, "Item": item})
    measuring.run(
        "hourly_counts",
        f"{len(SOURCE_TYPES)} sources over 24 hours",
        lambda: DashboardReader(store, NOW).summary(hours=24, source_type=None),
        read=read_floor([_bytes(one) for one in counts]),
    )


def row(number: int) -> Row:
    """The row that an item has in its day's list."""
    return Row(**_shown(number))


def tag_row(number: int, tag: str) -> TagRow:
    """The row that an item has in a tag's list."""
    return TagRow(**_shown(number), tag=tag)


def _shown(number: int) -> dict[str, Any]:
    hidden = ("metadata", "model_version", "status")
    shown = {name: value for name, value in item(number).items() if name not in hidden}
    return {**shown, "day": shown["ingested_at"][:10]}


def _bytes(record: Entity) -> int:
    return item_bytes(Dashboard.__design__.attributes(record.__entity__, record))


def _floor(record: Entity) -> Decimal:
    return write_floor(Dashboard.__design__, record.__entity__, record)
