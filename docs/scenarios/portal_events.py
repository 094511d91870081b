"""One run of each access pattern of the portal's events, in one partition a day or in many."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

from tablewright.catalog.portal.events import DAYS_KEPT, EVENTS, SHARDED_EVENTS, event_key
from tablewright.model import Record, Shards, Table
from tablewright.model.capacity import page_floor, read_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.cost_chapter import Kept, Scale, Use
from tablewright.pages.metering import Measurement, Measuring
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.store import Store

PAGE = 50
STORED = 400
# As many as one request of the application may bring.
BATCH = 100
SAYS = (
    "A small portal has ten thousand events a day, a large one a million; a burst of a thousand a "
    "second is as much as one partition takes. Each day is exported once, and a hundred pages of "
    "events are looked at."
)
LEAVES_OUT = (
    f"A full table holds {DAYS_KEPT} days; expired events can stay a few days longer. Backups, "
    "what is exported and contributor insights are not in these figures."
)
# Far ahead, because the engine deletes what has expired.
_NOON = datetime(2099, 3, 4, 12, tzinfo=UTC)


def event(design: Table, number: int) -> Record:
    """One of the stored events, a second after the one before it."""
    (entity,) = design.entity_list
    id = uuid7(_NOON + timedelta(seconds=number), number.to_bytes(10, "big"))
    return entity.check({**entity.example, **event_key(id)})


def measure(design: Table) -> Callable[[Caller, str], list[Measurement]]:
    """Run each pattern of this variant on four hundred events of one user and day."""
    return partial(_measure, design)


def _measure(design: Table, caller: Caller, table: str) -> list[Measurement]:
    measuring = Measuring(caller, design)
    cursors = Cursors(lambda: KeyRing([b"m" * 32]))
    store = Store(design, table, measuring.meter, cursors=cursors)
    made = [event(design, number) for number in range(STORED)]
    store.create_many(design.put_events, made)
    (entity,) = design.entity_list
    batch = [event(design, STORED + number) for number in range(BATCH)]
    measuring.run(
        "put_events",
        f"{BATCH} events",
        lambda: store.create_many(design.put_events, batch),
        write=sum((write_floor(design, entity, one) for one in batch), Decimal()),
        many=BATCH,
    )
    keys = [{name: one[name] for name in entity.key.fields} for one in batch]
    measuring.run(
        "get_events",
        f"{BATCH} events",
        lambda: store.get_many(design.get_events, keys),
        read=sum((read_floor([_bytes(design, one)], consistent=True) for one in batch), Decimal()),
        many=BATCH,
    )
    _lists(measuring, store, [*made, *batch])
    return measuring.found


def _lists(measuring: Measuring, store: Store, made: list[Record]) -> None:
    design = store.design
    sizes = [_bytes(design, one) for one in made]
    for name, where, shards in (
        ("events_of_day", {"date_bucket": made[0]["date_bucket"]}, _shards(design)),
        ("events_of_user", {"user_id": made[0]["user_id"]}, 1),
    ):
        work = partial(store.query, design.patterns[name], where, limit=PAGE, caller="meter")
        floor = page_floor(sizes[:PAGE], shards)
        measuring.run(name, f"a page of {PAGE}", work, read=floor)
    each = store.each(design.exported_events, {"date_bucket": made[0]["date_bucket"]})
    measuring.run(
        "exported_events",
        f"{len(made)} events of a day",
        lambda: list(each),
        read=read_floor(sizes, consistent=True),
        many=len(made),
    )


def _shards(design: Table) -> int:
    shards = design.key_of(design.events_of_day).shards
    return shards.count if isinstance(shards, Shards) else 1


def _bytes(design: Table, record: Record) -> int:
    (entity,) = design.entity_list
    return item_bytes(design.attributes(entity, record))


def _scale(design: Table, name: str, daily: int) -> Scale:
    exported = f"{STORED + BATCH} events of a day"
    return Scale(
        name,
        uses=(
            Use("put_events", f"{BATCH} events", 30 * daily),
            Use("events_of_day", f"a page of {PAGE}", 30 * 50),
            Use("events_of_user", f"a page of {PAGE}", 30 * 50),
            Use("exported_events", exported, 30 * daily),
        ),
        kept=(Kept("Event", event(design, 0), DAYS_KEPT * daily),),
    )


def scales(design: Table) -> tuple[Scale, ...]:
    return (_scale(design, "small", 10_000), _scale(design, "large", 1_000_000))


VARIANTS = (EVENTS, SHARDED_EVENTS)
