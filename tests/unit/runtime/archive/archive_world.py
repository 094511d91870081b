"""Notes that expire, what their stream says of it, and an archive of them in memory."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tablewright.model import (
    Document,
    Entity,
    Expiry,
    Field,
    Flag,
    Get,
    Key,
    Money,
    Number,
    Put,
    SetOf,
    Table,
    Text,
    Timestamp,
    Whole,
)
from tablewright.model.archive import ArchivePlan
from tablewright.runtime.archive.compaction import Compacted, Compaction
from tablewright.runtime.archive.intake import Intake
from tablewright.runtime.archive.objects import Objects
from tablewright.runtime.archive.reader import ArchiveReader
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import from_response
from tablewright.runtime.store.records import Item, Records
from tests.integration.cloud import Cloud, Refused

BUCKET = "archive"
WRITTEN = datetime(2026, 1, 31, 10, tzinfo=UTC)
EXPIRED_AT = WRITTEN + timedelta(days=30, hours=5)
TONIGHT = datetime(2026, 3, 3, tzinfo=UTC)
DAY = "2026-01-31"
BY_DYNAMODB = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


class Note(Entity, key=Key("NOTE#{id}", "NOTE"), expires=Expiry("at", days=30)):
    id: Field[str] = Text()
    at: Field[datetime] = Timestamp()
    price: Field[Decimal | None] = Money(default=None)
    score: Field[Decimal | None] = Number(default=None)
    reads: Field[int | None] = Whole(default=None)
    done: Field[bool | None] = Flag(default=None)
    tags: Field[set[str] | None] = SetOf(Text(), default=None)
    more: Field[Any] = Document(default=None)


class Notes(Table, pk="PK", sk="SK", ttl="ttl", stream="NEW_AND_OLD_IMAGES"):
    """Notes of a month."""

    put_note = Put(Note)
    get_note = Get(Note)


PLAN = ArchivePlan.of(Notes.__design__)


def note(number: int, **changes: Any) -> Item:
    """A note as it is stored."""
    made = Note(**{"id": f"n{number}", "at": WRITTEN, "reads": number, **changes})
    return Records(Notes.__design__, Note.__entity__).to_item(made)


def removal(item: Item, sequence: int, by: dict[str, str] | None = BY_DYNAMODB) -> dict[str, Any]:
    """The record of the stream that says that an item was deleted."""
    change = {
        "Keys": {name: item[name] for name in ("PK", "SK") if name in item},
        "OldImage": item,
        "SequenceNumber": str(sequence),
        "ApproximateCreationDateTime": EXPIRED_AT.timestamp(),
    }
    author = {"userIdentity": by} if by else {}
    return {"eventID": f"e{sequence}", "eventName": "REMOVE", "dynamodb": change, **author}


def insertion(item: Item, sequence: int) -> dict[str, Any]:
    """The record of the stream that says that an item is new."""
    record = removal(item, sequence, None)
    record["dynamodb"]["NewImage"] = record["dynamodb"].pop("OldImage")
    return {**record, "eventName": "INSERT"}


def removals(numbers: Iterable[int]) -> list[dict[str, Any]]:
    return [removal(note(number), 10**21 + number) for number in numbers]


class Typed:
    """The cloud behind a seam with typed errors, as `Client` has it."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._cloud.call(operation, params)
        except Refused as refused:
            raise from_response(operation, refused.response) from None


class World:
    """A bucket, and what an archive's functions do with it; `sizes` are those of its files."""

    def __init__(self, plan: ArchivePlan = PLAN, **sizes: int) -> None:
        self.cloud = Cloud()
        self.cloud.listed = 2  # so that lists have pages
        self.cloud.now = lambda: EXPIRED_AT
        self.edge: Caller = Typed(self.cloud)
        self.plan = plan
        self.sizes = sizes

    def empty(self) -> Caller:
        self.cloud.objects.clear()
        return self.edge

    def take(self, records: list[dict[str, Any]], edge: Caller | None = None) -> None:
        answer = Intake(Objects(edge or self.edge, BUCKET), self.plan).take(records)
        assert answer == {"batchItemFailures": []}

    def compaction(self, edge: Caller | None = None) -> Compaction:
        return Compaction(Objects(edge or self.edge, BUCKET), self.plan, **self.sizes)

    def compact(self, edge: Caller | None = None, at: datetime = TONIGHT) -> list[Compacted]:
        compaction = self.compaction(edge)
        return [compaction.run(day, until=at, now=at) for day in compaction.days()]

    @property
    def names(self) -> list[str]:
        return sorted(name for _, name in self.cloud.objects)

    def objects(self) -> dict[str, bytes]:
        """Everything that is in the bucket."""
        return {name: one["Body"] for (_, name), one in self.cloud.objects.items()}

    def items(self, day: str = DAY) -> list[Item]:
        return list(ArchiveReader(self.edge, BUCKET).items(day))
