"""What an item costs on its way, and what it does not; the tables' pages have all figures."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sentiment.analysis import ITEM_KIND, Analysis, Request
from lambdas.sentiment.sentiment_model import Model
from tablewright.catalog.sentiment.dashboard import COUNTED_PARTS
from tablewright.catalog.sentiment.items import CLAIMED, Guard, Item, Items
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.testing import FaithfulMeter
from tests.integration.sentiment.conftest import World, item
from tests.integration.sentiment.moments import NOW

MOMENT = iso_utc(NOW)
TAGS = {"AI", "climate", "economy", "health", "sport"}


def raw(number: int) -> dict[str, Any]:
    source_id = f"twitter#tweet-{number}"
    return {"source_id": source_id, "source_type": "twitter", "text": "AI is a fine thing"}


@pytest.fixture
def meter(world: World) -> FaithfulMeter:
    return FaithfulMeter(world.edge)


def consumed(meter: FaithfulMeter) -> tuple[Decimal, Decimal]:
    """Read and write units."""
    return meter.read_units, meter.write_units


def units(*, read: str, write: str) -> tuple[Decimal, Decimal]:
    return Decimal(read), Decimal(write)


def project(world: World, caller: Caller, records: Sequence[Item]) -> None:
    before = len(world.stream())
    world.put(*records)
    world.project(world.stream()[before:], caller)


def test_a_known_duplicate_costs_half_a_read_and_no_write(
    world: World, meter: FaithfulMeter
) -> None:
    batch = [raw(number) for number in range(100)]
    world.ingestion().ingest(batch, MOMENT)
    world.ingestion(meter).ingest(batch, iso_utc(NOW + timedelta(hours=1)))
    assert meter.calls == 1
    assert consumed(meter) == units(read="50", write="0")


def test_a_new_item_costs_three_writes_and_half_a_read(world: World, meter: FaithfulMeter) -> None:
    world.ingestion(meter).ingest([raw(1)], MOMENT)
    assert consumed(meter) == units(read="0.5", write="3")


def test_an_analysis_costs_one_write_and_no_read(world: World, meter: FaithfulMeter) -> None:
    world.ingestion().ingest([raw(1)], MOMENT)
    key = {"source_id": "twitter#tweet-1", "ingested_at": MOMENT}
    request = Request(ITEM_KIND, key, "what a wonderful day")
    Analysis([world.items(meter)], Model()).carry_out(request)
    assert consumed(meter) == units(read="0", write="1")


def test_whoever_finishes_another_s_claim_claims_nothing(
    world: World, meter: FaithfulMeter
) -> None:
    guard = Guard(source_id="twitter#tweet-1", item_ingested_at=MOMENT, state=CLAIMED)
    world.items().put(Items.claim_source, guard)
    world.ingestion(meter).ingest([raw(1)], MOMENT)
    assert consumed(meter) == units(read="0.5", write="2")


def test_a_row_costs_two_units_whatever_list_it_is_of(world: World, meter: FaithfulMeter) -> None:
    project(world, meter, [item(1, matched_tags=TAGS)])
    rows, counts = 1 + len(TAGS), 2 * 2
    assert meter.write_units == 2 * rows + counts
    assert dict(meter.written) == {"table": rows + counts, "by_sentiment": 1, "by_tag": len(TAGS)}


def test_a_batch_that_was_taken_in_together_is_counted_for_a_fraction_of_a_unit_each(
    world: World, meter: FaithfulMeter
) -> None:
    project(world, meter, [item(number, matched_tags={"AI"}) for number in range(100)])
    rows, remembered, counter = 2 * 2 * 100, 2 * COUNTED_PARTS, 2
    assert meter.read_units == COUNTED_PARTS
    # The engine's ids are random, so that one part or another may be above a kilobyte.
    counting = meter.write_units - rows - counter
    assert remembered <= counting <= 2 * remembered


def test_a_replay_is_found_out_by_reading_its_groups(world: World, meter: FaithfulMeter) -> None:
    project(world, world.edge, [item(number, matched_tags={"AI"}) for number in range(100)])
    world.project(world.stream(), meter)
    # Rows are put again, which index entries that stay the same do not cost; nothing is counted.
    assert dict(meter.written) == {"table": 2 * 100}
    assert meter.read_units == COUNTED_PARTS


def test_a_change_of_what_is_not_shown_costs_nothing(world: World, meter: FaithfulMeter) -> None:
    project(world, world.edge, [item(1)])
    project(world, meter, [item(1, metadata={"author": "somebody else"})])
    assert meter.calls == 0


def test_a_removed_tag_costs_its_row_and_those_that_named_it(
    world: World, meter: FaithfulMeter
) -> None:
    project(world, world.edge, [item(1, matched_tags={"AI", "sport", "music"})])
    project(world, meter, [item(1, matched_tags={"AI", "sport"})])
    assert meter.write_units == 2 * (1 + 3) + 2 * 2


def test_a_summary_costs_the_same_however_many_items_there_are(
    world: World, meter: FaithfulMeter
) -> None:
    def asked() -> Decimal:
        meter.reset()
        world.dashboard(meter).summary(hours=1, source_type=None)
        return meter.read_units

    project(world, world.edge, [item(1)])
    of_one = asked()
    project(world, world.edge, [item(number) for number in range(2, 300)])
    assert asked() == of_one == Decimal("0.5")
