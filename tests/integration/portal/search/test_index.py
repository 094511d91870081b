"""The search index: what content implies, whatever is delivered, how often, and whatever fails."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from lambdas.portal.handlers import index_content
from lambdas.portal.search.index import ContentIndex, Listed, NotIndexed, implied, listed
from lambdas.portal.search.words import rank_of, weight_of, weights
from tablewright.catalog.portal.content import APPROVED, Content, ContentRegistry
from tablewright.catalog.portal.search import ContentSearch, Document, Posting
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.testing import Crash, Database, Fault, Faulty, survives_every_fault
from tests.integration.functions import TAKEN, Around
from tests.integration.portal.fan_out.fan_out_world import (
    CONTENT_TABLE,
    SEARCH_TABLE,
    FanOutWorld,
    content,
)

MANY = " ".join(f"word{number}" for number in range(150))


class IndexRoom(FanOutWorld):
    """Content, its stream and the index."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(database)
        self._patch = monkeypatch
        self.over(self.edge)

    def over(self, caller: Caller) -> ContentIndex:
        """The function begins anew, and calls AWS so."""
        store = Store(ContentSearch, SEARCH_TABLE, caller)
        made = ContentIndex(self.content_store(caller), store)
        self._patch.setattr(index_content, "index", lambda: made)
        return made

    def deliver(self, records: list[dict[str, Any]]) -> None:
        assert index_content.handler({"Records": records}, Around()) == TAKEN

    def postings(self) -> set[tuple[str, str, str]]:
        """Every posting of the index; each must be in its content's document, and none missing."""
        found = {(one.content_id, one.word, one.rank) for one in self._all(Posting)}
        said = {(one.content_id, *place) for one in self._all(Document) for place in listed(one)}
        assert said == found
        return found

    def implied(self) -> set[tuple[str, str, str]]:
        records = Records(ContentRegistry.__design__, Content.__entity__)
        contents = [records.to_record(item) for item in self.items(CONTENT_TABLE)]
        return {(one["content_id"], *place) for one in contents for place in implied(one)}

    def _all(self, entity: Any) -> list[Any]:
        store = Store(ContentSearch, SEARCH_TABLE, self.dynamo)
        patterns: dict[Any, Any] = {
            Posting: ContentSearch.scan_postings,
            Document: ContentSearch.scan_documents,
        }
        return list(store.scan(patterns[entity]))

    def lives(self) -> None:
        """Contents that are made, changed, approved, removed and made again."""
        first = self.write("c1", title="Data lake", tags=["demo"])
        self.write("c2", title="Warehouse")
        second = self.change(first, title="Data sea", summary=MANY)
        self.change(second, status=APPROVED)
        self.content.delete(ContentRegistry.delete_content, content_id="c2")
        self.write("c2", title="Lake house", tags=["lake"])
        gone = self.write("c3", title="Short lived")
        self.content.delete(ContentRegistry.delete_content, gone)


@pytest.fixture
def room(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> IndexRoom:
    return IndexRoom(dynamodb, monkeypatch)


def test_the_index_follows_what_happens_to_content(room: IndexRoom) -> None:
    room.lives()
    room.deliver(room.records())
    assert room.postings() == room.implied()
    assert {id for id, _, _ in room.postings()} == {"c1", "c2"}


def test_it_ends_the_same_in_any_order_and_however_often(room: IndexRoom) -> None:
    room.lives()
    records = room.records()
    shuffled = random.Random(7)
    for _ in range(5):
        room.database.empty(SEARCH_TABLE)
        some = [*records, *shuffled.choices(records, k=8)]
        shuffled.shuffle(some)
        for record in some:
            room.deliver([record])
        assert room.postings() == room.implied()


@pytest.mark.parametrize(
    "change",
    [
        lambda room: room.write("c1", title="New", tags=["demo"]),
        lambda room: room.change(_indexed(room), title="Changed title", summary=MANY),
        lambda room: room.content.delete(ContentRegistry.delete_content, _indexed(room)),
    ],
    ids=["created", "changed", "removed"],
)
def test_it_ends_the_same_whatever_fails(
    room: IndexRoom, change: Callable[[IndexRoom], Any]
) -> None:
    def fresh() -> Caller:
        for table in (CONTENT_TABLE, SEARCH_TABLE):
            room.database.empty(table)
        change(room)
        return room.edge

    def outcome() -> set[tuple[str, str, str]]:
        found = room.postings()
        assert found == room.implied()
        return found

    assert (
        len(survives_every_fault(lambda edge: room.over(edge).refresh("c1"), outcome, fresh=fresh))
        >= 3
    )


def test_who_dies_on_the_way_leaves_documents_that_say_what_there_is(room: IndexRoom) -> None:
    room.write("c1", summary=MANY)
    for at in range(2, 4):  # two reads, then transactions
        with pytest.raises(Crash):
            room.over(Faulty(room.edge, Fault(at, "crash before"))).refresh("c1")
        assert room.postings() < room.implied()
    assert room.over(room.edge).refresh("c1") > 0
    assert room.postings() == room.implied()


def test_what_was_read_before_a_change_is_not_written_after_it(room: IndexRoom) -> None:
    """One that was held up while another indexed what came later."""
    first = room.write("c1", title="Old words")
    room.over(room.edge).refresh("c1")
    second = room.change(first, title="Newer words")

    class HeldUp:
        """Others go on right before the first transaction."""

        todo = True

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "TransactWriteItems" and self.todo:
                self.todo = False
                room.change(second, title="Newest of all")
                ContentIndex(room.content, Store(ContentSearch, SEARCH_TABLE, room.edge)).refresh(
                    "c1"
                )
            return room.edge.call(operation, params)

    room.over(HeldUp()).refresh("c1")
    assert room.postings() == room.implied()
    assert {word for _, word, _ in room.postings()} >= {"newest", "of", "all"}


def test_content_that_never_holds_still_is_given_up_and_kept(room: IndexRoom) -> None:
    made = room.write("c1")

    class Restless:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            nonlocal made
            if operation == "TransactWriteItems":
                made = room.change(made, title=f"Title {made.version}")
            return room.edge.call(operation, params)

    with pytest.raises(NotIndexed):
        room.over(Restless()).refresh("c1")
    assert room.postings() == set()


def test_changes_that_are_not_of_words_read_and_write_nothing(room: IndexRoom) -> None:
    room.change(room.write("c1"), status=APPROVED)
    made, approved = room.records()
    room.deliver([made])
    counted = Faulty(room.edge)
    room.over(counted)
    room.deliver([approved])
    assert counted.calls == 0


def test_weights_survive_the_key() -> None:
    found = weights(content(title="a a b", summary="b b b", tags=["b", "c"]))
    assert found == {"a": 266, "b": 425, "c": 150}
    assert [weight_of(rank_of(weight)) for weight in found.values()] == list(found.values())
    assert Listed("a", "734") in implied(content(title="a a b"))


def _indexed(room: IndexRoom) -> Content:
    made = room.write("c1", title="Old title", summary="Old and new", tags=["demo"])
    room.over(room.edge).refresh("c1")
    return made
