"""One run of each access pattern of the portal's events, in one partition a day or in many."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

from tablewright.catalog.portal.events import DAYS_KEPT, Event, Events, ShardedEvents, event_key
from tablewright.costs.measuring import Measuring
from tablewright.model import Design, Query, key_of
from tablewright.model.capacity import page_floor, read_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.cost_chapter import Kept, Scale, Use
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.store import Store

PAGE = 50
STORED = 400
# As many as one request of the application may bring.
BATCH = 100
SAYS = (
    "A small portal has ten thousand events a day, a large one a million; a burst of a thousand a "
    "second is as much as one partition takes. A hundred pages of events are looked at a day."
)
LEAVES_OUT = (
    f"A full table holds {DAYS_KEPT} days; expired events can stay a few days longer. Backups, "
    "the archive and contributor insights are not in these figures."
)
DAILY = {"small": 10_000, "large": 1_000_000}
# Far ahead, because the engine deletes what has expired.
_NOON = datetime(2099, 3, 4, 12, tzinfo=UTC)


def event(number: int) -> Event:
    """One of the stored events, a second after the one before it."""
    id = uuid7(_NOON + timedelta(seconds=number), number.to_bytes(10, "big"))
    return Event(**{**Event.__entity__.example, **event_key(id)})


def measure(measuring: Measuring) -> None:
    """Run each pattern of a variant on four hundred events of one user and day."""
    design, store = measuring.design, measuring.store()
    made = [event(number) for number in range(STORED)]
    store.create_many(Events.store_event, made)
    (entity,) = design.entity_list
    batch = [event(STORED + number) for number in range(BATCH)]
    measuring.run(
        "store_event",
        f"{BATCH} events",
        lambda: store.create_many(Events.store_event, batch),
        write=sum((write_floor(design, entity, one) for one in batch), Decimal()),
        many=BATCH,
    )
    keys = [key_of(one) for one in batch]
    measuring.run(
        "get_events",
        f"{BATCH} events",
        lambda: store.get_many(Events.get_events, keys),
        read=sum((read_floor([_bytes(design, one)], consistent=True) for one in batch), Decimal()),
        many=BATCH,
    )
    _lists(measuring, store, [*made, *batch])


def _lists(measuring: Measuring, store: Store, made: list[Event]) -> None:
    design = store.design
    day, user = {"date_bucket": made[0].date_bucket}, {"user_id": made[0].user_id}
    lists: tuple[tuple[Query[Event], Mapping[str, str | None]], ...] = (
        (Events.list_events_for_date, day),
        (Events.query_events_by_user, user),
    )
    for pattern, where in lists:
        work = partial(store.query, pattern, where, limit=PAGE, caller="meter")
        floor = page_floor(design, pattern, made, limit=PAGE)
        measuring.run(pattern.name, f"a page of {PAGE}", work, read=floor)


def _bytes(design: Design, record: Event) -> int:
    (entity,) = design.entity_list
    return item_bytes(design.attributes(entity, record))


def _scale(name: str, daily: int) -> Scale:
    return Scale(
        name,
        uses=(
            Use("store_event", f"{BATCH} events", 30 * daily),
            Use("list_events_for_date", f"a page of {PAGE}", 30 * 50),
            Use("query_events_by_user", f"a page of {PAGE}", 30 * 50),
        ),
        kept=(Kept("Event", dict(event(0)), DAYS_KEPT * daily),),
    )


def scales(events: type[Events]) -> tuple[Scale, ...]:
    """The same for each variant."""
    return tuple(_scale(name, daily) for name, daily in DAILY.items())


VARIANTS = (Events, ShardedEvents)
