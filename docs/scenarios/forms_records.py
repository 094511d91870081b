"""Records of the form table as its patterns are measured with them, and how large they are."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DAY, Counted, DailyMetrics
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.model import Entity, EntityModel, key_of
from tablewright.model.capacity import TRANSACTION_WRITES, write_floor
from tablewright.model.fields.time import iso_utc
from tablewright.model.sharding.epochs import UNDIVIDED, Epochs, read_epochs
from tablewright.model.sizes import item_bytes
from tablewright.model.time_ids import moment_of
from tablewright.runtime.ids import uuid7
from tablewright.runtime.streams.counters import Event

E = TypeVar("E", bound=Entity)
DESIGN = Forms.__design__
STORED = 200
SHARDS = 10
ONE, TEN = "acme", "globex"
# Far ahead, because the engine deletes what has expired.
NOW = datetime(2099, 3, 4, 14, 30, tzinfo=UTC)
# A form of two kilobytes, compressed.
PAYLOAD = bytes(range(175)) * 4
RATIO = (Decimal(len(PAYLOAD)) / 2050).quantize(Decimal("0.0001"))
EPOCHS = [{"from": iso_utc(NOW - timedelta(days=1)), "count": SHARDS}]


class TenantEpochs:
    """The epochs of both tenants, as they are stored."""

    def latest(self) -> int:
        return UNDIVIDED.latest()

    def known(self, whose: str, upto: int) -> Epochs:
        return read_epochs(EPOCHS) if whose == TEN else UNDIVIDED.known(whose, upto)


def submission(number: int, tenant: str = ONE) -> Submission:
    """A submission of two kilobytes; each second has another, the higher the newer."""
    id = uuid7(NOW - timedelta(seconds=STORED - number), number.to_bytes(10, "big"))
    return like(
        Submission,
        tenant_id=tenant,
        submission_id=id,
        timestamp=moment_of(id),
        updated_at=moment_of(id),
        data=PAYLOAD,
        original_size=2050,
        compressed=True,
        compression_algorithm="zlib",
        compression_ratio=RATIO,
    )


def attempt(number: int, tenant: str = ONE) -> DeliveryAttempt:
    """A failed attempt to deliver the submission of that number."""
    moment = iso_utc(NOW - timedelta(seconds=STORED - number - 2))
    same = key_of(submission(number, tenant))
    return like(DeliveryAttempt, **same, timestamp=moment, next_attempt_at=moment)


def like(kind: type[E], **changes: Any) -> E:
    return kind(**{**kind.__entity__.example, **changes})


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


def counting(entity: EntityModel, events: Sequence[Event]) -> Decimal:
    """Write units of one transaction: the group with its events, the counter, its index entry."""
    group = {**events[0].group, "events": {event.id for event in events}}
    counter = {**events[0].sums[0][0], "submission_count": Decimal(1)}
    place = write_floor(DESIGN, entity, {**counter, "form_stats": {"contact": Decimal(1)}})
    indexed = Decimal(len(entity.indexed))
    marked = write_floor(DESIGN, Counted.__entity__, group)
    return TRANSACTION_WRITES * (marked + place - indexed) + indexed


def metrics(kind: type[E], tenant: str = ONE, **key: str) -> E:
    day = {"date": "2099-03-04"} if kind is DailyMetrics else {}
    return like(kind, tenant_id=tenant, **{**day, **key})


def bytes_of(record: Entity) -> int:
    return item_bytes(DESIGN.attributes(record.__entity__, record))
