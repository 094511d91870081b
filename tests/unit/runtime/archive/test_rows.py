"""What an archive takes of a stream, by which day, and how it is written."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.model.archive import INSERTED, ArchivePlan
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.archive.rows import exact, image_of, mark
from tablewright.runtime.streams.changes import Change
from tests.unit.runtime.archive.archive_world import (
    DAY,
    EXPIRED_AT,
    PLAN,
    World,
    insertion,
    note,
    removal,
)

REPLICATED = PLAN._replace(replicated=True)
OF_INSERTIONS = PLAN._replace(takes=INSERTED)
PERSON = {"type": "AssumedRole", "principalId": "AROA:ada"}


def taken(record: dict[str, Any], plan: ArchivePlan = PLAN) -> bool:
    return image_of(Change(record), plan) is not None


def test_what_dynamodb_deletes_is_taken_and_what_people_delete_is_not() -> None:
    assert taken(removal(note(1), 1))
    assert not taken(removal(note(1), 1, None))
    assert not taken(removal(note(1), 1, PERSON))


def test_with_replicas_a_deletion_without_author_is_told_by_the_item_s_expiry() -> None:
    """Of what was deleted in another region the stream does not say by whom."""
    assert taken(removal(note(1), 1, None), REPLICATED)
    ends = {"N": str(int(EXPIRED_AT.timestamp()) + 1)}
    assert not taken(removal({**note(1), "ttl": ends}, 1, None), REPLICATED)
    assert not taken(removal({**note(1), "ttl": {"S": "soon"}}, 1, None), REPLICATED)


def test_changes_and_insertions_are_no_deletions() -> None:
    changed = removal(note(1), 1)
    changed["dynamodb"]["NewImage"] = note(1)
    assert not taken({**changed, "eventName": "MODIFY"})
    assert not taken(insertion(note(1), 1))


def test_an_archive_of_insertions_takes_what_is_new_and_not_what_comes_back() -> None:
    assert taken(insertion(note(1), 1), OF_INSERTIONS)
    assert not taken(insertion({**note(1), RESTORED_FROM: {"S": "copy"}}, 1), OF_INSERTIONS)
    assert not taken(removal(note(1), 1), OF_INSERTIONS)


def test_what_was_put_back_is_taken_again_only_if_it_was_changed() -> None:
    back = {**note(1), "ttl": {"N": "1"}}
    back[RESTORED_FROM] = mark(note(1), "ttl")
    assert not taken(removal(back, 1))
    assert taken(removal({**back, "reads": {"N": "77"}}, 1))
    assert taken(removal({**note(1), RESTORED_FROM: {"S": "copy"}}, 1)), "from a backup, once"


def test_an_item_without_a_readable_day_is_in_that_of_its_deletion() -> None:
    world = World()
    odd: list[Callable[[dict[str, Any]], Any]] = [
        lambda item: item.pop("at"),
        lambda item: item.update(at={"S": "yesterday"}),
        lambda item: item.update(at={"N": "5"}),
    ]
    for number, spoil in enumerate(odd):
        item = note(number)
        spoil(item)
        world.take([removal(item, number)])
    world.take([removal(note(9), 9)])
    world.compact()
    assert len(world.items(f"{EXPIRED_AT:%Y-%m-%d}")) == 3
    assert world.items(DAY) == [note(9)]


@pytest.mark.parametrize(
    "value",
    [
        {"SS": ["b", "a"]},
        {"NS": ["2", "10"]},
        {"BS": ["AQ==", "AA=="]},
        {"M": {"z": {"L": [{"SS": ["b", "a"]}, {"NULL": True}]}, "a": {"BOOL": False}}},
        {"N": "0.12345678901234567890123456789012345678"},
        {"B": "AAH/"},
        {"S": "line\nbreak, \"quotes\", 'more', \u2028 and \U0001f600"},
    ],
)
def test_every_value_is_read_as_it_was_written(value: dict[str, Any]) -> None:
    world = World()
    item = {**note(1), "more": value, "unknown#name": value}
    world.take([removal(item, 1)])
    world.compact()
    (found,) = world.items()
    assert exact(found) == exact(item)


def test_bytes_are_the_same_as_lambda_and_boto3_pass_them() -> None:
    assert exact({"a": {"B": b"\x00\x01\xff"}}) == exact({"a": {"B": "AAH/"}})
    assert exact({"a": {"BS": [b"b", b"a"]}}) == exact({"a": {"BS": ["YQ==", "Yg=="]}})
