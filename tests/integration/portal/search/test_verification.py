"""Verification of the search index: it finds what is wrong, whatever that is, and repairs it."""

from typing import Any

import pytest

from lambdas.portal.search.verification import Position, Verification
from tablewright.catalog.portal.search import ContentSearch, Posting
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.portal.fan_out.fan_out_world import CONTENT_TABLE, SEARCH_TABLE
from tests.integration.portal.search.test_index import IndexRoom

STRAY = Posting(initial="s", word="stray", rank="500", content_id="c1")


@pytest.fixture
def room(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> IndexRoom:
    made = IndexRoom(dynamodb, monkeypatch)
    for number in range(7):
        made.write(f"c{number}", title=f"Title {number}")
        made.over(made.edge).refresh(f"c{number}")
    return made


def wrong(room: IndexRoom, *, repair: bool = False, page: int = 100) -> list[str]:
    """The contents that are found to be wrong, by runs that are out of time at once."""
    store = Store(ContentSearch, SEARCH_TABLE, room.edge)
    verification = Verification(room.content, store, page=page)
    found, position = list[str](), Position()
    for _ in range(100):
        run = verification.run(position, repair=repair, in_time=lambda: False)
        found += run.wrong
        if run.after is None:
            return found
        position = run.after
    raise AssertionError("the verification does not end")


def damage(room: IndexRoom, kind: str) -> None:
    items = [one for one in room.items(SEARCH_TABLE) if "c1" in one["PK"]["S"] + one["SK"]["S"]]
    keys = [{name: one[name] for name in ("PK", "SK")} for one in items]

    def drop(some: list[dict[str, Any]]) -> None:
        for key in some:
            room.dynamo.call("DeleteItem", {"TableName": SEARCH_TABLE, "Key": key})

    if kind == "never indexed":
        drop(keys)
    elif kind == "a posting is missing":
        drop([key for key in keys if key["PK"]["S"] == "t"])
    elif kind == "the document is missing":
        drop([key for key in keys if key["SK"]["S"] == "document"])
    elif kind == "a posting is not listed":
        Store(ContentSearch, SEARCH_TABLE, room.edge).put(ContentSearch.put_posting, STRAY)
    elif kind == "the content is gone":
        key = {"content_id": {"S": "c1"}}
        room.dynamo.call("DeleteItem", {"TableName": CONTENT_TABLE, "Key": key})
    else:
        room.change(room.read("c1"), title="Changed, and nobody heard of it")


@pytest.mark.parametrize(
    "kind",
    [
        "never indexed",
        "a posting is missing",
        "the document is missing",
        "a posting is not listed",
        "the content is gone",
        "the title was changed",
    ],
)
def test_what_is_wrong_is_found_and_repaired(room: IndexRoom, kind: str) -> None:
    assert wrong(room, page=2) == []
    damage(room, kind)
    assert set(wrong(room, page=2)) == {"c1"}
    assert set(wrong(room, repair=True, page=3)) == {"c1"}
    assert wrong(room) == []
    assert room.postings() == room.implied()


def test_an_index_can_be_made_anew(room: IndexRoom) -> None:
    expected = room.postings()
    room.database.empty(SEARCH_TABLE)
    assert len(wrong(room, repair=True, page=3)) == 7
    assert room.postings() == expected
