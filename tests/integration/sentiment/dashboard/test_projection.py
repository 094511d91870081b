"""The dashboard's table is what the items say, however the stream brings it."""

import random
from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from tablewright.catalog.sentiment.items import ANALYZED, PENDING, Item
from tablewright.runtime.streams.changes import Change
from tablewright.testing import survives_every_fault
from tests.integration.sentiment.conftest import ITEMS_TABLE, World, item
from tests.integration.sentiment.moments import NOW, TODAY


def expected(items: Iterable[Item]) -> dict[str, set[tuple[str, str]]]:
    """Which items stand in the day's list and in each tag's."""
    found: dict[str, set[tuple[str, str]]] = {}
    for one in items:
        shown = (one.source_id, one.sentiment)
        for place in (one.ingested_at[:10], *(f"tag {t}" for t in one.matched_tags or ())):
            found.setdefault(place, set()).add(shown)
    return found


def shown(world: World) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for row in world.rows():
        if row["day_partition"]["S"].startswith("counts|"):
            continue
        place = f"tag {row['tag']['S']}" if "tag" in row else row["day_partition"]["S"]
        found.setdefault(place, set()).add((row["source_id"]["S"], row["sentiment"]["S"]))
    return found


def counts(world: World) -> dict[str, int]:
    """All counters of all hours, zeros left out."""
    totals: dict[str, int] = {}
    for row in world.rows():
        if row["day_partition"]["S"].startswith("counts|"):
            for name, value in row.items():
                if "N" in value and name != "expires_at" and int(value["N"]):
                    totals[name] = totals.get(name, 0) + int(value["N"])
    return totals


def counted(items: Iterable[Item]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for one in items:
        for name in (one.sentiment, *(f"tag:{tag}" for tag in one.matched_tags or ())):
            totals[name] = totals.get(name, 0) + 1
    return totals


def test_an_item_is_one_row_of_its_day_and_one_of_each_tag(world: World) -> None:
    items = [item(n) for n in range(40)]
    world.put(*items)
    assert world.project() == {"batchItemFailures": []}
    assert shown(world) == expected(items)
    assert counts(world) == counted(items)
    assert len([row for row in world.rows() if "tag" not in row]) == 41  # and one counter


def test_a_pending_item_is_not_shown(world: World) -> None:
    world.put(item(1, status=PENDING))
    assert world.stream() == []
    assert world.project() == {"batchItemFailures": []}
    assert world.rows() == []


def test_two_sources_in_one_millisecond_both_stand(world: World) -> None:
    items = [item(1), item(2)]
    assert items[0].ingested_at == items[1].ingested_at
    world.put(*items)
    world.project()
    assert shown(world) == expected(items)


def test_an_item_without_tags_has_its_row_and_no_set(world: World) -> None:
    world.put(item(1, matched_tags=None))
    world.project()
    (row,) = [row for row in world.rows() if "sentiment" in row]
    assert "matched_tags" not in row


def test_a_removed_tag_takes_its_row_along(world: World) -> None:
    before, after = item(1, matched_tags={"AI", "sport"}), item(1, matched_tags={"AI"})
    world.put(before, after)
    world.project()
    assert shown(world) == expected([after])
    assert counts(world) == counted([after])


def test_a_corrected_sentiment_moves_the_row(world: World) -> None:
    before = item(1, sentiment="positive", score=Decimal("0.9"))
    after = item(1, sentiment="negative", score=Decimal("0.8"))
    world.put(before)
    world.project()
    world.put(after)
    world.project()
    assert shown(world) == expected([after])
    assert counts(world) == counted([after])
    assert world.dashboard().get_items_by_sentiment("positive") == []


def test_an_item_that_is_set_back_to_pending_disappears(world: World) -> None:
    world.put(item(1), item(1, status=PENDING))
    world.project()
    assert shown(world) == {}
    assert counts(world) == {}


def test_a_removed_item_leaves_nothing(world: World) -> None:
    items = [item(1), item(2)]
    world.put(*items)
    world.project()
    world.remove(items[0])
    world.project()
    assert shown(world) == expected(items[1:])
    assert counts(world) == counted(items[1:])


def test_an_item_that_expires_changes_no_row_and_no_count(world: World) -> None:
    """Rows and counts are kept for a shorter time: they are gone, and are not to come back."""
    items = [item(1), item(2)]
    world.put(*items)
    world.project()
    before = (shown(world), counts(world))
    world.remove(items[0])
    gone = world.stream()[-1]
    made = int(gone["dynamodb"]["ApproximateCreationDateTime"].timestamp())
    for ends, projected in ((made, before), (made + 60, None)):
        gone["dynamodb"]["OldImage"]["expires_at"] = {"N": str(ends)}
        for work in (world.projector().project, world.projector().redrive):
            assert work([gone], lambda *_: False) == {"batchItemFailures": []}
        assert projected is None or (shown(world), counts(world)) == projected
    assert shown(world) == expected(items[1:]), "what is deleted before its time is taken out"


def history(world: World, seed: int, changes_made: int = 80) -> list[Item]:
    """A random life of some items; gives those that are left, as they are."""
    chance = random.Random(seed)
    alive: dict[str, Item] = {}
    for _ in range(changes_made):
        number = chance.randrange(changes_made // 5)
        changes: dict[str, Any] = {
            "sentiment": chance.choice(("positive", "neutral", "negative")),
            "matched_tags": set(chance.sample(["AI", "sport", "music", "C#"], chance.randrange(4))),
            "ingested_at": f"2099-03-0{1 + number % 3}T12:00:00.000Z",
        }
        one = item(number, **changes)
        if chance.random() < 0.15 and one.source_id in alive:
            world.remove(alive.pop(one.source_id))
        else:
            world.put(one)
            alive[one.source_id] = one
    return list(alive.values())


@pytest.mark.parametrize("seed", range(3))
def test_a_replay_of_the_whole_stream_into_a_filled_table_changes_nothing(
    world: World, seed: int
) -> None:
    alive = history(world, seed)
    records = world.stream()
    world.project(records)
    once = world.database.items("dashboard")
    assert shown(world) == expected(alive)
    assert counts(world) == counted(alive)
    world.project(records)
    assert world.database.items("dashboard") == once
    for batch in _batches(records, 7):
        world.project(batch)
        world.project(batch)
    assert world.database.items("dashboard") == once


def test_the_order_between_shards_does_not_matter(world: World) -> None:
    """Shards set items apart: records of one item are in order, those of different ones not."""
    alive = history(world, 7)
    records = world.stream()
    world.project(records)
    world.clear_dashboard()
    shards: dict[int, list[dict[str, Any]]] = {}
    for record in records:
        source = record["dynamodb"]["Keys"]["source_id"]["S"]
        shards.setdefault(int(source[-2:]) % 4, []).append(record)
    for shard in reversed(shards.values()):
        world.project(shard)
    assert shown(world) == expected(alive)
    assert counts(world) == counted(alive)


def test_a_poison_record_stops_its_batch_and_is_reported(world: World) -> None:
    items = [item(n) for n in range(9)]
    world.put(*items)
    records = world.stream()
    records[4]["dynamodb"]["NewImage"]["score"] = {"S": "very"}
    answer = world.project(records)
    assert answer == {
        "batchItemFailures": [{"itemIdentifier": records[4]["dynamodb"]["SequenceNumber"]}]
    }
    assert shown(world) == expected(items[:4])
    assert counts(world) == counted(items[:4])


def test_a_record_that_was_given_up_is_redriven_without_undoing_what_came_after(
    world: World,
) -> None:
    first = item(1, sentiment="positive", matched_tags={"AI", "sport"})
    second = item(1, sentiment="negative", matched_tags={"AI", "music"})
    world.put(first)
    world.put(second)
    given_up, later = world.stream()
    world.project([later])
    answer = world.projector().redrive([given_up], lambda *_: None)
    assert answer == {"batchItemFailures": []}
    assert shown(world) == expected([second])
    assert counts(world) == counted([second])
    world.projector().redrive([given_up], lambda *_: None)
    assert counts(world) == counted([second])


def test_an_unsound_item_that_was_corrected_is_projected_and_its_record_redriven(
    world: World,
) -> None:
    sound = item(1, sentiment="positive", matched_tags={"AI", "sport"})
    corrected = item(1, sentiment="negative", matched_tags={"AI"})
    world.put(sound)
    world.spoil(sound)
    world.put(corrected)
    first, spoiled, last = world.stream()
    world.project([first])
    assert world.project([spoiled])["batchItemFailures"]
    world.project([last])
    assert world.projector().redrive([spoiled], lambda *_: None) == {"batchItemFailures": []}
    assert shown(world) == expected([corrected])
    assert counts(world) == counted([corrected])


def test_a_redrive_is_refused_as_long_as_the_item_is_unsound(world: World) -> None:
    sound = item(1)
    world.put(sound)
    world.spoil(sound)
    _, spoiled = world.stream()
    answer = world.projector().redrive([spoiled], lambda *_: None)
    sequence = spoiled["dynamodb"]["SequenceNumber"]
    assert answer == {"batchItemFailures": [{"itemIdentifier": sequence}]}
    world.remove(sound)
    assert world.projector().redrive([spoiled], lambda *_: None) == {"batchItemFailures": []}
    assert shown(world) == {}


def test_redrive_of_an_item_with_an_unsound_key_succeeds_once_it_is_removed(world: World) -> None:
    unsound = {"source_id": "no such form", "ingested_at": item(1).ingested_at}
    keyed = {name: {"S": value} for name, value in unsound.items()}
    status = {"status": {"S": ANALYZED}}
    world.dynamo.call("PutItem", {"TableName": ITEMS_TABLE, "Item": {**keyed, **status}})
    (spoiled,) = world.stream()
    assert world.projector().redrive([spoiled], lambda *_: None)["batchItemFailures"]
    world.remove(unsound)
    assert world.projector().redrive([spoiled], lambda *_: None) == {"batchItemFailures": []}


def test_a_redrive_that_races_the_stream_ends_as_the_item_is(world: World) -> None:
    first = item(1, sentiment="positive", matched_tags={"AI", "sport"})
    second = item(1, sentiment="negative", matched_tags={"music"})
    world.put(first)
    (given_up,) = world.stream()

    class Meanwhile:
        """Between the redrive's look at the item and its write, the item changes and the stream
        is projected."""

        def __init__(self) -> None:
            self.done = False

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "BatchWriteItem" and not self.done:
                self.done = True
                world.put(second)
                world.project(world.stream()[1:])
            return world.dynamo.call(operation, params)

    world.projector(Meanwhile()).redrive([given_up], lambda *_: None)
    assert shown(world) == expected([second])
    assert counts(world) == counted([second])


def test_projecting_ends_the_same_whatever_fails_on_the_way(world: World) -> None:
    alive = history(world, 1, changes_made=30)
    records = world.stream()

    def fresh() -> Any:
        world.clear_dashboard()
        return world.dynamo

    def work(caller: Any) -> None:
        world.project(records[:20], caller)
        world.project(records[20:], caller)

    calls = survives_every_fault(work, lambda: world.database.items("dashboard"), fresh=fresh)
    assert len(calls) == 6
    assert shown(world) == expected(alive)


def test_redriving_ends_the_same_whatever_fails_on_the_way(world: World) -> None:
    history(world, 2, changes_made=30)
    records = world.stream()[::8]

    def fresh() -> Any:
        world.clear_dashboard()
        return world.dynamo

    def work(caller: Any) -> None:
        world.projector(caller).redrive(records, lambda *_: None)

    assert (
        len(survives_every_fault(work, lambda: world.database.items("dashboard"), fresh=fresh)) > 5
    )


def test_an_item_is_shown_whose_tags_have_no_room_in_the_counts_of_its_hour(world: World) -> None:
    full = {
        "day_partition": {"S": f"counts|{TODAY}"},
        "ingested_at": {"S": f"{TODAY}T14:00:00.000Z|newsapi"},
        "filling": {"S": "x" * (400 * 1024 - 180)},
    }
    world.dynamo.call("PutItem", {"TableName": "dashboard", "Item": full})
    world.put(item(1, matched_tags={"y" * 50, "z" * 50}))
    given_up: list[str] = []

    def keep(change: Change, error: Exception) -> bool:
        given_up.append(change.sequence)
        return True

    answer = world.projector().project(world.stream(), keep)
    assert answer == {"batchItemFailures": []}
    assert len(given_up) == 1
    assert [one.source_id for one in world.dashboard().get_recent_items()] == [item(1).source_id]


def test_what_is_projected_does_not_depend_on_when(world: World) -> None:
    world.put(item(1))
    world.project()
    (row,) = [row for row in world.rows() if row["day_partition"]["S"] == TODAY]
    assert int(row["expires_at"]["N"]) == int((NOW + timedelta(days=7)).timestamp())


def _batches(records: list[dict[str, Any]], size: int) -> list[list[dict[str, Any]]]:
    cuts = [*range(0, len(records), size), len(records)]
    return [records[start:end] for start, end in pairwise(cuts)]


def test_an_item_that_comes_back_from_a_backup_is_shown_and_counted_as_before(
    world: World,
) -> None:
    items = [item(n) for n in range(3)]
    world.put(*items)
    backup = world.stored()
    world.remove(items[0])
    (lost,) = (one for one in backup if one not in world.stored())
    marked = {**lost, "restored_from": {"S": "backup"}}
    world.dynamo.call("PutItem", {"TableName": "items", "Item": marked})
    world.project()
    assert shown(world) == expected(items)
    assert counts(world) == counted(items)
