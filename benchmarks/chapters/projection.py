"""From the stream to the dashboard: ours beside the published stream processor, on one engine.

The published processor counts nothing, so ours is shown without counting as well. The engine takes
one write at a time, which is most of our time here; DynamoDB takes many side by side.

Both get the same records in the same batches, batch by batch in turn, so that a noisy moment hits
both alike; the median batch is what is reported. The items of a batch were ingested in one second,
as those of a poll are, but in milliseconds of their own, without which the published rows collide.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import boto3

from benchmarks.chapters import paper_processor
from lambdas.sentiment.dashboard import DashboardReader
from lambdas.sentiment.projector import Images, Projector, implied
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import SENTIMENTS, Item, Items
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client, client_config
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.meter import Meter
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.store.batches import put_request, write_all
from tablewright.runtime.store.records import Item as Wire
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.projection import Projection
from tablewright.runtime.transport import Transport
from tablewright.testing import FaithfulMeter
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.tables import create

SECRETS = Secrets.in_clear()
IMAGES = Images(SECRETS)

BATCHES, BATCH = 6, 100
DAY_ITEMS, PAGE = 10_000, 20
TAGS = ("AI", "climate", "economy", "europe", "health", "music", "regulation", "sport")
TAGS_EACH = 5
# Far ahead: the engine deletes what has expired.
NOON = datetime(2099, 3, 4, 12, tzinfo=UTC)

HIGHER, LOWER = "higher", "lower"

Record = dict[str, Any]


class Result(NamedTuple):
    """One number of both: the published design's and ours; `better` says which way it counts."""

    what: str
    paper: Decimal
    ours: Decimal
    better: str

    @property
    def ratio(self) -> Decimal:
        """How many times better ours is."""
        return self.ours / self.paper if self.better == HIGHER else self.paper / self.ours


def run() -> list[Result]:
    """Speed and cost of projecting, and cost of a page of what was projected."""
    with DynamoDbLocal() as engine:
        sides = _Sides(engine.endpoint, engine.credentials())
        return [*sides.speed(), sides.write_units(), sides.page_units()]


def record(number: int, moment: datetime) -> Record:
    """The stream's record of an item that has just been analysed."""
    item = Item(
        **{
            **Item.__entity__.example,
            "source_id": f"newsapi#article-{number:06}",
            "ingested_at": iso_utc(moment),
            "sentiment": SENTIMENTS[number % 3],
            "score": Decimal(number % 100).scaleb(-2),
            "matched_tags": {TAGS[(number + n) % len(TAGS)] for n in range(TAGS_EACH)},
        }
    )
    image = Records(Items.__design__, Item.__entity__, secrets=SECRETS).to_item(item)
    return {
        "eventID": f"{number:032x}",
        "eventName": "MODIFY",
        "dynamodb": {
            "SequenceNumber": f"{number:021}",
            "Keys": {name: image[name] for name in ("source_id", "ingested_at")},
            "OldImage": {**image, "status": {"S": "pending"}},
            "NewImage": image,
        },
    }


def _records(first: int, count: int) -> list[Record]:
    numbers = range(first, first + count)
    return [
        record(n, NOON + timedelta(seconds=n // BATCH, milliseconds=n % BATCH)) for n in numbers
    ]


class _Sides:
    """Both ways of working, each on a table of its own with the same keys and indexes."""

    def __init__(self, endpoint: str, credentials: Mapping[str, Any]) -> None:
        where = {"endpoint_url": endpoint, "region_name": "eu-west-1", **credentials}
        client = boto3.client("dynamodb", config=client_config(), **where)
        self._dynamo = Boto3Client(client)
        for table in ("paper", "rows", "ours"):
            create(client, Dashboard, table)
        self._projection = Projection(
            Dashboard, Dashboard.project_items, "rows", self._dynamo, secrets=SECRETS
        )
        self._paper = boto3.resource("dynamodb", **where).Table("paper")

    def speed(self) -> Iterator[Result]:
        works: dict[str, Callable[[list[Record]], Any]] = {
            "paper": lambda batch: paper_processor.process(batch, self._paper),
            "rows": self._rows_alone,
            "ours": lambda batch: projector.project(batch, _unsound),
        }
        projector = self._projector(self._dynamo)
        wall: dict[str, list[float]] = {name: [] for name in works}
        cpu: dict[str, list[float]] = {name: [] for name in works}
        for number in range(BATCHES + 1):
            batch = _records(number * BATCH, BATCH)
            for name, work in works.items():
                start = perf_counter(), process_time()
                work(batch)
                wall[name].append(perf_counter() - start[0])
                cpu[name].append(process_time() - start[1])

        def typical(seconds: list[float]) -> Decimal:
            # The first batch opens connections and warms the engine.
            return Decimal(median(seconds[1:])) / BATCH

        paper = typical(wall["paper"])
        for what, name in (("records a second, rows alone", "rows"), ("with counts", "ours")):
            yield Result(what, 1 / paper, 1 / typical(wall[name]), HIGHER)
        theirs, mine = (1000 * typical(cpu[name]) for name in ("paper", "ours"))
        yield Result("CPU a record, ms, with counts", theirs, mine, LOWER)

    def _rows_alone(self, batch: list[Record]) -> None:
        changes = map(Change, batch)
        self._projection.apply(
            self._projection.difference(
                implied(IMAGES.sound(c.old)), implied(IMAGES.analysed(c.new))
            )
            for c in changes
        )

    def write_units(self) -> Result:
        batch = _records((BATCHES + 1) * BATCH, BATCH)
        paper, ours = FaithfulMeter(self._dynamo), FaithfulMeter(self._dynamo)
        for row in _paper_rows(batch):
            paper.call("PutItem", {"TableName": "paper", "Item": row})
        self._projector(ours).project(batch, _unsound)
        return Result(
            "write units a record", paper.write_units / BATCH, ours.write_units / BATCH, LOWER
        )

    def page_units(self) -> Result:
        """Read units of the newest items of a full day, each item once."""
        day = _records(2_000_000, DAY_ITEMS)
        requests = [put_request(row) for row in _paper_rows(day)]
        write_all(Transport(self._dynamo), "paper", requests)
        projector = self._projector(self._dynamo)
        for at in range(0, DAY_ITEMS, BATCH):
            projector.project(day[at : at + BATCH], _unsound)
        return Result("read units a page", self._paper_page(), self._our_page(), LOWER)

    def _paper_page(self) -> Decimal:
        """At its best: one query that knows how many copies of each item it must pass over."""
        meter = Meter(self._dynamo)
        found = meter.call(
            "Query",
            {
                "TableName": "paper",
                "KeyConditionExpression": "#day = :day",
                "ExpressionAttributeNames": {"#day": Dashboard.__design__.pk},
                "ExpressionAttributeValues": {":day": {"S": NOON.date().isoformat()}},
                "ScanIndexForward": False,
                "Limit": PAGE * (1 + TAGS_EACH),
            },
        )
        assert len({row["source_id"]["S"] for row in found["Items"]}) == PAGE  # noqa: S101
        return meter.read_units

    def _our_page(self) -> Decimal:
        meter = Meter(self._dynamo)
        cursors = Cursors(KeyRing([b"b" * 32]))
        dashboard = DashboardReader(
            Store(Dashboard, "ours", meter, cursors=cursors, secrets=SECRETS),
            NOON + timedelta(hours=11),
        )
        page = dashboard.get_recent_items(PAGE, caller="bench")
        assert len({row.source_id for row in page}) == PAGE  # noqa: S101
        return meter.read_units

    @staticmethod
    def _projector(caller: Caller) -> Projector:
        return Projector(
            caller,
            dashboard_table="ours",
            items_table="none",
            dashboard_secrets=SECRETS,
            items_secrets=SECRETS,
        )


def _paper_rows(records: Iterable[Record]) -> Iterator[Wire]:
    for one in records:
        for row in paper_processor.rows(one["dynamodb"]["NewImage"], NOON):
            yield {name: encode(value) for name, value in row.items()}


def _unsound(change: Change, error: Exception) -> None:
    raise error
