"""Lists of the portal's content: the cost of a page when there is very much of it.

All content is of one status and about one product, so that both lists are as long as can be.
``python -m benchmarks.chapters.portal_lists`` stores 100,000, which takes a minute or two.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from time import perf_counter
from typing import NamedTuple

import boto3

from tablewright.catalog.portal.content import APPROVED, Content, ContentRegistry
from tablewright.model import Query
from tablewright.model.capacity import read_floor
from tablewright.model.fields.time import iso_utc
from tablewright.model.sizes import item_bytes
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client, client_config
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.batches import put_request, write_all
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.tables import create

STORED, PAGE = 100_000, 50
PRODUCT = {"product_suite": "Data", "product_concept": "Warehouse"}
LISTS: tuple[tuple[Query[Content], dict[str, str]], ...] = (
    (ContentRegistry.list_content_by_status, {"status": APPROVED}),
    (ContentRegistry.list_content_by_product, PRODUCT),
)
_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)


class Cost(NamedTuple):
    """Read units of a page of a list, beside the least that its entries allow."""

    what: str
    units: Decimal
    floor: Decimal


def content(number: int) -> Content:
    """Small content; each was changed a second after the one before it."""
    changed = iso_utc(_BEGIN + timedelta(seconds=number))
    return Content(
        content_id=f"content-{number:06}",
        status=APPROVED,
        title=f"Content {number:06}",
        summary="What to say to a customer who already has a warehouse.",
        owner_user_id="owner",
        tags=("demo",),
        version="1",
        created_at=changed,
        last_updated=changed,
        product_suite=PRODUCT["product_suite"],
        product_concept=PRODUCT["product_concept"],
    )


def fill(caller: Caller, table: str, number: int) -> None:
    records = Records(ContentRegistry.__design__, Content.__entity__)
    requests = [put_request(records.to_item(content(n))) for n in range(number)]
    write_all(Transport(caller), table, requests)


def pages(caller: Caller, table: str, stored: int) -> Iterator[Cost]:
    """The first page and the second one of each list."""
    meter = Meter(caller)
    cursors = Cursors(KeyRing([b"b" * 32]))
    store = Store(ContentRegistry, table, meter, cursors=cursors)
    for pattern, where in LISTS:
        cursor = None
        for number, which in enumerate(("first", "second")):
            meter.reset()
            page = store.query(pattern, where, limit=PAGE, cursor=cursor, caller="bench")
            cursor = page.cursor
            newest = stored - number * PAGE
            shown = [content(n) for n in range(newest - 1, newest - 1 - PAGE, -1)]
            if [one.content_id for one in page.items] != [one.content_id for one in shown]:
                raise RuntimeError(
                    f"{which} page of {pattern.name} is not of the content that is newest"
                )
            yield Cost(f"{pattern.name}, {which} page", meter.read_units, _floor(pattern, shown))


def _floor(pattern: Query[Content], shown: list[Content]) -> Decimal:
    design, entity = ContentRegistry.__design__, Content.__entity__
    index = design.indexes[pattern.index or ""]
    stored = (design.attributes(entity, one) for one in shown)
    entries = (design.projected(entity, one, index) or {} for one in stored)
    return read_floor(map(item_bytes, entries))


def main() -> None:
    with DynamoDbLocal() as engine:
        client = boto3.client(
            "dynamodb",
            endpoint_url=engine.endpoint,
            region_name="eu-west-1",
            config=client_config(),
            **engine.credentials(),
        )
        table = create(client, ContentRegistry, "content")
        begun = perf_counter()
        fill(Boto3Client(client), table, STORED)
        took = perf_counter() - begun
        print(f"stored {STORED:,} in {took:.0f} s; a page of {PAGE}:\n")  # noqa: T201
        for cost in pages(Boto3Client(client), table, STORED):
            said = f"  {cost.what:36}{cost.units:6} read units, at the least {cost.floor}"
            print(said)  # noqa: T201


if __name__ == "__main__":
    main()
