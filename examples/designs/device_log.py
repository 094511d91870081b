"""Device log: what devices report, by device, state, day, operator and supervisor.

After the device status updates in AWS's documentation of DynamoDB; the list of a day, in shards, is
added to it.
"""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal

from tablewright.model import (
    BatchPut,
    Choice,
    Date,
    Entity,
    Expiry,
    Field,
    Fraction,
    Index,
    Key,
    Number,
    Put,
    Query,
    Scan,
    Shards,
    Table,
    Text,
    Timestamp,
    Update,
    java_hash,
)

State = Literal["NORMAL", "WARNING1", "WARNING2", "WARNING3"]


class Entry(
    Entity,
    key=Key("DEVICE#{device}", "{state}#{at}"),
    expires=Expiry("at", days=90),
    example={
        "device": "d1",
        "state": "WARNING1",
        "at": datetime(2026, 11, 17, 9, 30, tzinfo=UTC),
        "day": date(2026, 11, 17),
        "temperature": Decimal("-3.5"),
        "battery": Decimal("0.81"),
        "operator": "liz",
        "supervisor": "sue",
    },
):
    """What a device reported, who looks after it and, once it is escalated, who decides."""

    device: Field[str] = Text()
    state: Field[State] = Choice(State)
    at: Field[datetime] = Timestamp(resolution="s")
    day: Field[date] = Date()
    temperature: Field[Decimal] = Number()
    battery: Field[Decimal] = Fraction()
    operator: Field[str | None] = Text(default=None)
    supervisor: Field[str | None] = Text(default=None)


class DeviceLog(Table, pk="PK", sk="SK", ttl="ttl"):
    """Reports of devices, for ninety days."""

    by_time = Index(pk="PK", sk="at", local=True, keys={Entry: Key("DEVICE#{device}", "{at}")})
    by_operator = Index(
        pk="operator", sk="at", sparse=True, keys={Entry: Key("{operator}", "{at}")}
    )
    # Sorted as the table is, by its own sort key.
    by_supervisor = Index(
        pk="supervisor", sk="SK", sparse=True, keys={Entry: Key("{supervisor}", "{state}#{at}")}
    )
    # All devices of a day would be too much for one partition.
    by_day = Index(
        pk="DPK",
        sk="DSK",
        keys={
            Entry: Key(
                "DAY#{day}#{shard}",
                "{at}#{device}",
                shards=Shards(4, by="device", function=java_hash),
            )
        },
        projects=(Entry.temperature, Entry.battery),
    )

    report = Put(Entry, describes="Log a report.")
    report_many = BatchPut(Entry, describes="Log the reports that were held back.")
    change = Update(Entry, describes="Give a report to an operator, or escalate it.")
    of_device = Query(
        Entry,
        by_time,
        range=Entry.at,
        descending=True,
        consistent=True,
        describes="Reports of a device, newest first.",
    )
    in_state = Query(
        Entry, range=Entry.at, descending=True, describes="Reports of a device in one state."
    )
    of_operator = Query(
        Entry, by_operator, range=Entry.at, describes="Reports of an operator between two dates."
    )
    escalated = Query(
        Entry,
        by_supervisor,
        range=Entry.at,
        describes="What is escalated to a supervisor; in one state; in one state on a date.",
    )
    of_day = Query(
        Entry, by_day, range=Entry.at, describes="Reports of all devices on a day, in order."
    )
    export = Scan(Entry, describes="Everything, in segments side by side.")


def entry(device: str, state: State, at: datetime, **values: Any) -> Entry:
    """A report, with the day that it belongs to."""
    return Entry(device=device, state=state, at=at, day=at.date(), **values)
