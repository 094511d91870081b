"""Records of the form table as its patterns are measured with them, and how large they are."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.forms.metrics import COUNTED, DAILY, DAY
from tablewright.model import Entity, Record
from tablewright.model.capacity import write_floor
from tablewright.model.fields.scalars import timestamp
from tablewright.model.sizes import item_bytes
from tablewright.model.time_ids import moment_of
from tablewright.pages.metering import TRANSACTION_WRITES
from tablewright.runtime.ids import uuid7
from tablewright.runtime.streams.counters import Event

STORED = 200
SHARDS = 10
ONE, TEN = "acme", "globex"
# Far ahead, because the engine deletes what has expired.
NOW = datetime(2099, 3, 4, 14, 30, tzinfo=UTC)
# A form of two kilobytes, compressed.
PAYLOAD = bytes(range(175)) * 4
EPOCHS = [{"from": timestamp(NOW - timedelta(days=1)), "count": SHARDS}]


def submission(number: int, tenant: str = ONE) -> Record:
    """A submission of two kilobytes; each second has another, the higher the newer."""
    id = uuid7(NOW - timedelta(seconds=STORED - number), number.to_bytes(10, "big"))
    return like(
        "Submission",
        tenant_id=tenant,
        submission_id=id,
        timestamp=moment_of(id),
        updated_at=moment_of(id),
        payload=PAYLOAD,
        payload_bytes=2050,
        payload_encoding="zlib",
    )


def attempt(number: int, tenant: str = ONE) -> Record:
    """A failed attempt to deliver the submission of that number."""
    made = submission(number, tenant)
    moment = timestamp(NOW - timedelta(seconds=STORED - number - 2))
    same = {name: made[name] for name in ("tenant_id", "submission_id")}
    return like("DeliveryAttempt", **same, timestamp=moment, next_attempt_at=moment)


def like(entity: str, **changes: Any) -> Record:
    return FORMS.entities[entity].check({**FORMS.entities[entity].example, **changes})


def event(number: int, period: str) -> Event:
    """A submission to be counted."""
    place = {"date": "2099-03-04"} if period == DAY else {"datetime": "2099-03-04-14"}
    # Another second for the first, so that each run has a group of its own.
    second = f"2099-03-04T14:30:{0 if number == 1 else 1:02}Z"
    return Event(
        f"{number:032x}",
        {"tenant_id": ONE, "period": period, "second": second, "part": "0"},
        [({"tenant_id": ONE, **place}, {"submission_count": 1, "form_stats": {"contact": 1}})],
    )


def counting(entity: Entity, events: Sequence[Event]) -> Decimal:
    """Write units of one transaction: the group with its events, the counter, its index entry."""
    group = {**events[0].group, "events": {event.id for event in events}}
    counter = {**events[0].sums[0][0], "submission_count": Decimal(1)}
    place = write_floor(FORMS, entity, {**counter, "form_stats": {"contact": Decimal(1)}})
    indexed = Decimal(len(entity.indexed))
    marked = write_floor(FORMS, COUNTED, group)
    return TRANSACTION_WRITES * (marked + place - indexed) + indexed


def metrics(entity: Entity, tenant: str = ONE, **key: str) -> Record:
    day = {"date": "2099-03-04"} if entity is DAILY else {}
    return entity.check({**entity.example, "tenant_id": tenant, **day, **key})


def key_of(entity: str, record: Record) -> Record:
    return {name: record[name] for name in FORMS.entities[entity].key.fields}


def bytes_of(entity: Entity, record: Record) -> int:
    return item_bytes(FORMS.attributes(entity, entity.check(record)))


def entry_bytes(pattern: str, record: Record) -> int:
    """The size of what a list reads of a record."""
    asked = FORMS.patterns[pattern]
    entity = FORMS.entity(asked)
    attributes = FORMS.attributes(entity, entity.check(record))
    if asked.index:
        attributes = FORMS.projected(entity, attributes, FORMS.indexes[asked.index]) or {}
    return item_bytes(attributes)
