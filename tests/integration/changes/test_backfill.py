"""Backfill: every item becomes what the new design writes, and nothing else happens."""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.changes.backfill.backfill import Backfill
from tablewright.changes.backfill.refusals import NotBackfillable
from tablewright.model import Entity, Expiry, Field, Key, Put, Table, Tally, Text
from tablewright.model.sizes import ITEM_BYTES, item_bytes
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.store.attribute_values import decode
from tablewright.testing import Database
from tests.integration.changes.designs import (
    EVERY,
    NAME,
    Before,
    Expiring,
    Indexed,
    Line,
    Merged,
    Moved,
    Order,
    fill,
    in_order,
    item_of,
    items_of,
    line,
    order,
    records,
    stored,
)


def backfill(
    database: Database, new: type[Table], old: type[Table] | None = Before, **options: Any
) -> Counter[str]:
    return Backfill(new, old, NAME, database.caller, segments=2, **options).run()


@pytest.mark.parametrize("new", EVERY)
def test_every_item_becomes_what_the_new_design_writes(
    dynamodb: Database, new: type[Table]
) -> None:
    some = records(40)
    fill(dynamodb, new, Before, some)
    counts = backfill(dynamodb, new)
    assert stored(dynamodb) == items_of(new, some)
    changed = [one for one in some if item_of(new, one) != item_of(Before, one)]
    assert counts["moved" if new is Moved else "rewritten"] == len(changed)
    assert backfill(dynamodb, new) == Counter(unchanged=40)


def test_a_dry_run_counts_and_writes_nothing(dynamodb: Database) -> None:
    some = records(9)
    fill(dynamodb, Moved, Before, some)
    assert backfill(dynamodb, Moved, dry_run=True) == Counter(moved=6, unchanged=3)
    assert stored(dynamodb) == items_of(Before, some)


def test_what_the_new_code_has_written_already_wins(dynamodb: Database) -> None:
    fill(dynamodb, Moved, Before, [order(1), order(2)])
    newer = order(1, note="written by new code")
    dynamodb.store(Moved, table=NAME).put(Moved.place, newer)
    assert backfill(dynamodb, Moved) == Counter(superseded=1, moved=1, unchanged=1)
    assert stored(dynamodb) == items_of(Moved, [newer, order(2)])


def test_of_two_items_that_would_have_one_key_none_is_lost(dynamodb: Database) -> None:
    lines = [Line(order_id="o1", product=name) for name in ("apple", "pear", "plum")]
    fill(dynamodb, Merged, Before, lines)
    work = Backfill(Merged, Before, NAME, dynamodb.caller)
    counts = work.run()
    assert counts["moved"] == 1
    assert counts["not rederivable"] == 2
    (reason,) = work.reasons
    assert reason.text == "Line: another item has its new key"
    assert reason.example.startswith("PK ORDER#o1, SK LINE#")
    assert {item["product"]["S"] for item in stored(dynamodb)} == {"apple", "pear", "plum"}


def test_what_cannot_be_rederived_is_left_counted_and_told_with_an_example(
    dynamodb: Database,
) -> None:
    fill(dynamodb, Indexed, Before, [order(1)])
    alien = {"PK": {"S": "SOMETHING"}, "SK": {"S": "ELSE"}}
    without = {n: w for n, w in item_of(Before, order(2)).items() if n != "customer"}
    dynamodb.write([alien, without, {**alien, "SK": {"S": "MORE"}}], NAME)
    work = Backfill(Indexed, Before, NAME, dynamodb.caller, segments=1)
    assert work.run() == Counter({"rewritten": 1, "not rederivable": 3})
    told = {one.text: (one.number, one.example) for one in work.reasons}
    assert told["Order: customer is required"] == (1, "PK ORDER#o2, SK ORDER")
    assert told["of no entity of the design"][0] == 2
    assert alien in stored(dynamodb)
    assert without in stored(dynamodb)


def test_an_item_that_dynamodb_refuses_is_left_and_told(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, [order(1)])
    # Beside which there is no room for the new attributes.
    item = item_of(Before, order(2))
    size = item_bytes({name: decode(wire) for name, wire in item.items()})
    large = {**item, "more": {"S": "x" * (ITEM_BYTES - size - 5)}}
    dynamodb.write([large], NAME)
    work = Backfill(Indexed, Before, NAME, dynamodb.caller)
    assert work.run() == Counter(rewritten=1, refused=1)
    assert "size" in work.reasons[0].text
    assert large in stored(dynamodb)


def test_counts_of_any_name_are_not_moved(dynamodb: Database) -> None:
    class Stats(Entity, key=Key("STATS#{day}", "STATS")):
        day: Field[str] = Text()
        hits: Field[Mapping[str, Decimal]] = Tally(prefix="hits_")

    class Old(Table, pk="PK", sk="SK"):
        put = Put(Stats)

    class New(Old, keys={Stats: Key("S#{day}", "STATS")}):
        pass

    fill(dynamodb, New, Old, [Stats(day="monday", hits={"a": Decimal(1)})])
    assert backfill(dynamodb, New, Old) == Counter({"not rederivable": 1})


def test_nothing_is_moved_unless_an_earlier_design_is_named(dynamodb: Database) -> None:
    fill(dynamodb, Before, Before, [order(1)])
    odd = {**item_of(Before, order(2)), "PK": {"S": "ORDER#o3"}}
    dynamodb.write([odd], NAME)
    work = Backfill(Before, None, NAME, dynamodb.caller)
    assert work.run() == Counter({"unchanged": 1, "not rederivable": 1})
    assert work.reasons[0].text == "Order has another key than follows from its fields"
    assert odd in stored(dynamodb)


def test_expiry_alone_is_written_and_a_later_one_is_kept(dynamodb: Database) -> None:
    class Both(Indexed, expires={Order: Expiry("placed_at", days=30)}):
        pass

    fill(dynamodb, Expiring, Before, [order(1), order(2), line(3)])
    later = {**item_of(Before, order(4)), "ttl": {"N": "9999999999"}}
    odd = {**item_of(Before, order(5)), "ttl": {"S": "tomorrow"}}
    dynamodb.write([later, odd], NAME)
    counts = backfill(dynamodb, Both, only_expiry=True, keep_later=True)
    assert counts == Counter({"rewritten": 2, "unchanged": 2, "not rederivable": 1})
    there = stored(dynamodb)
    assert [one for one in there if one in (later, odd)] == [later, odd]
    assert {**item_of(Before, order(1)), "ttl": item_of(Expiring, order(1))["ttl"]} in there
    assert backfill(dynamodb, Expiring) == Counter(rewritten=2, unchanged=3)
    assert item_of(Expiring, order(4)) in stored(dynamodb), "not kept unless that is asked for"


def test_designs_that_no_backfill_can_follow_are_refused(dynamodb: Database) -> None:
    class Elsewhere(Table, pk="id", sk="SK"):
        place = Put(Order)

    with pytest.raises(NotBackfillable, match="never change"):
        backfill(dynamodb, Elsewhere, Before)
    with pytest.raises(NotBackfillable, match="no ttl"):
        backfill(dynamodb, Elsewhere, None, only_expiry=True)


def test_progress_counts_over_runs_and_ends_with_its_file(
    dynamodb: Database, tmp_path: Path
) -> None:
    fill(dynamodb, Indexed, Before, records(6))
    dynamodb.write([{"PK": {"S": "SOMETHING"}, "SK": {"S": "ELSE"}}], NAME)
    file = tmp_path / "progress.json"
    Backfill(Indexed, Before, NAME, dynamodb.caller, progress=Progress(file, NAME, 1)).run()
    again = Progress.open(file, NAME, 1)
    work = Backfill(Indexed, Before, NAME, dynamodb.caller, progress=again)
    assert work.run() == Counter({"rewritten": 6, "not rederivable": 1})
    assert work.reasons[0].example == "PK SOMETHING, SK ELSE"


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    new=st.sampled_from(EVERY),
    written=st.dictionaries(
        st.integers(0, 30), st.tuples(st.booleans(), st.text("abc", max_size=5)), max_size=8
    ),
)
def test_any_mixture_of_old_and_new_items_ends_as_new_ones(
    dynamodb: Database, new: type[Table], written: dict[int, tuple[bool, str]]
) -> None:
    table = f"{NAME}-{new.__name__}"
    dynamodb.table(new, table)
    dynamodb.empty(table)
    some = {number: order(number, note=note or None) for number, (_, note) in written.items()}
    by = {number: new if is_new else Before for number, (is_new, _) in written.items()}
    dynamodb.write([item_of(by[number], one) for number, one in some.items()], table)
    Backfill(new, Before, table, dynamodb.caller, segments=1).run()
    assert sorted(dynamodb.items(table), key=in_order) == items_of(new, some.values())
