"""Changes that DynamoDB carries out: of sums, sets, lists and parts, and conditions on them."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Change,
    Condition,
    Delete,
    Document,
    Entity,
    Field,
    Get,
    Index,
    InvalidRecord,
    Key,
    ListOf,
    Money,
    Number,
    Put,
    Query,
    SetOf,
    Table,
    Text,
    Update,
    Whole,
)
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Post(Entity, key=Key("POST#{id}", "POST")):
    id: Field[str] = Text()
    title: Field[str] = Text()
    likes: Field[int] = Whole(default=0)
    score: Field[Decimal] = Number(default=Decimal(0))
    price: Field[Decimal | None] = Money(default=None)
    tags: Field[set[str] | None] = SetOf(Text(), default=None)
    lines: Field[tuple[str, ...]] = ListOf(Text(), default=())
    about: Field[Mapping[str, Any] | None] = Document(default=None)
    rank: Field[int] = Whole(digits=6, default=0)


class Posts(Table, pk="PK", sk="SK"):
    by_rank = Index(pk="RPK", sk="RSK", keys={Post: Key("ALL", "RANK#{rank}#{id}")})

    put = Put(Post)
    get = Get(Post, consistent=True)
    change = Update(Post)
    remove = Delete(Post)
    ranked = Query(Post, by_rank, range=Post.rank, descending=True)


POST = Post(
    id="1",
    title="On tables",
    score=Decimal("1.5"),
    tags={"a", "b"},
    lines=("one",),
    about={"city": "Paris", "seen": [1, 2]},
)


@pytest.fixture(scope="module")
def dynamodb(module_dynamodb: Database) -> Database:
    module_dynamodb.table(Posts)
    return module_dynamodb


@pytest.fixture
def posts(dynamodb: Database) -> Store:
    store = dynamodb.store(Posts)
    store.put(Posts.put, POST)
    return store


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        ([Post.likes.add(2)], {"likes": 2}),
        ([Post.score.add(Decimal("-0.5"))], {"score": Decimal(1)}),
        ([Post.likes.add(1), Post.title.set("New")], {"likes": 1, "title": "New"}),
        ([Post.tags.add({"c"})], {"tags": {"a", "b", "c"}}),
        ([Post.tags.subtract({"a"})], {"tags": {"b"}}),
        ([Post.tags.subtract({"a", "b"})], {"tags": None}),
        ([Post.tags.set(set())], {"tags": None}),
        ([Post.lines.append("two", "three")], {"lines": ("one", "two", "three")}),
        ([Post.title.set_if_missing("Other")], {"title": "On tables"}),
        ([Post.price.set_if_missing(Decimal(5))], {"price": Decimal("5.00")}),
        ([Post.about.at("city").set("Rome")], {"about": {"city": "Rome", "seen": [1, 2]}}),
        ([Post.about.at("seen", 1).remove()], {"about": {"city": "Paris", "seen": [1]}}),
        ([Post.about.remove()], {"about": None}),
        ([Post.rank.add(7)], {"rank": 7}),
        ([Post.rank.set(3), Post.likes.add(1)], {"rank": 3, "likes": 1}),
    ],
)
def test_a_change_does_what_it_says(
    posts: Store, changes: list[Change], after: dict[str, Any]
) -> None:
    updated = posts.update(Posts.change, POST, *changes)
    stored = posts.get(Posts.get, id="1")
    assert stored == updated
    assert {name: updated.get(name) for name in after} == after
    untouched = {n: v for n, v in POST.items() if n not in after}
    assert {name: updated.get(name) for name in untouched} == untouched


def test_what_is_derived_follows_a_sum(posts: Store) -> None:
    for _ in range(3):
        posts.update(Posts.change, POST, Post.rank.add(5))
    (found,) = posts.each(Posts.ranked, since=15)
    assert found.rank == 15


def test_sums_of_many_at_once_are_exact(posts: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: posts.update(Posts.change, POST, Post.likes.add(1)), range(80)))
    after = posts.get(Posts.get, id="1")
    assert after is not None
    assert after.likes == 80


class Meanwhile:
    """Lets something happen just before the update that writes what is derived from a rank."""

    def __init__(self, database: Database, happens: Callable[[], Any]) -> None:
        self._dynamo = database.caller
        self._happens: Callable[[], Any] | None = happens

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem" and self._happens:
            happens, self._happens = self._happens, None
            happens()
        return self._dynamo.call(operation, params)


@pytest.mark.parametrize(
    ("theirs", "ours", "after"),
    [
        (Post.likes.add(10), Post.likes.add(1), {"likes": 11}),
        (Post.tags.add({"x"}), Post.tags.subtract({"a"}), {"tags": {"b", "x"}}),
        (Post.lines.append("two"), Post.lines.append("three"), {"lines": ("one", "two", "three")}),
        (Post.price.set(Decimal(5)), Post.price.set_if_missing(Decimal(1)), {"price": Decimal(5)}),
        (Post.title.set("New"), Post.likes.add(1), {"title": "New", "likes": 1}),
    ],
)
def test_nothing_is_lost_that_others_add_beside_a_change_of_what_is_derived(
    posts: Store, dynamodb: Database, theirs: Change, ours: Change, after: dict[str, Any]
) -> None:
    meanwhile = Meanwhile(dynamodb, lambda: posts.update(Posts.change, POST, theirs))
    dynamodb.store(Posts, meanwhile).update(Posts.change, POST, Post.rank.set(3), ours)
    stored = posts.get(Posts.get, id="1")
    assert stored is not None
    assert {name: stored.get(name) for name in after} == after
    assert stored.rank == 3


CONDITIONS: list[tuple[Condition, bool]] = [
    (Post.score > 1, True),
    (Post.score >= Decimal("1.5"), True),
    (Post.score < 1, False),
    (Post.score <= Decimal("1.5"), True),
    (Post.title != "On tables", False),
    (Post.price != Decimal(3), True),
    (Post.score.between(Decimal(1), Decimal(2)), True),
    (Post.title.is_in("x", "On tables"), True),
    (Post.title.begins_with("On"), True),
    (Post.title.begins_with("on"), False),
    (Post.title.contains("tab"), True),
    (Post.tags.contains("a"), True),
    (Post.lines.contains("two"), False),
    (Post.price.exists(), False),
    (Post.price.is_missing(), True),
    (Post.tags.size() == 2, True),
    (Post.title.size() > 20, False),
    (Post.tags.is_of_type("SS"), True),
    (Post.about.at("city") == "Paris", True),
    (Post.about.at("seen", 0) == 1, True),
    (Post.about.at("nothing").exists(), False),
    ((Post.score > 1) & (Post.title == "x"), False),
    ((Post.score > 1) | (Post.title == "x"), True),
    (~(Post.title == "x"), True),
    (~((Post.score > 1) & Post.price.is_missing()), False),
]


@pytest.mark.parametrize("number", range(len(CONDITIONS)))
def test_a_condition_holds_as_it_reads(posts: Store, number: int) -> None:
    """The same of an update, of a removal, of a filter and of a record here."""
    condition, holds = CONDITIONS[number]
    found = list(posts.each(Posts.ranked, where=condition))
    assert bool(found) is holds
    if holds:
        posts.update(Posts.change, POST, Post.likes.add(1), when=condition)
        posts.delete(Posts.remove, id="1", when=condition)
        assert posts.get(Posts.get, id="1") is None
        return
    with pytest.raises(Conflict):
        posts.update(Posts.change, POST, Post.likes.add(1), when=condition)
    with pytest.raises(Conflict):
        posts.delete(Posts.remove, id="1", when=condition)
    assert posts.get(Posts.get, id="1") == POST


def test_nothing_is_added_to_what_is_not_there(posts: Store) -> None:
    with pytest.raises(NotFound):
        posts.update(Posts.change, {"id": "2"}, Post.likes.add(1))
    assert posts.get(Posts.get, id="2") is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Post.title.set(""), "title must have 1 to 256 characters"),
        (Post.title.remove(), "title is required"),
        (Post.likes.set(-1), "likes must be a whole number"),
        (Post.title.add(1), "title can be added to only as a number or a set"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused(posts: Store, change: Change, reason: str) -> None:
    with pytest.raises(InvalidRecord, match=reason):
        posts.update(Posts.change, POST, change)
    assert posts.get(Posts.get, id="1") == POST


def test_fields_of_the_key_and_of_other_entities_are_refused(posts: Store) -> None:
    class Other(Entity, key=Key("{x}")):
        x: Field[str] = Text()
        colour: Field[str] = Text()

    with pytest.raises(TypeError, match="id cannot be changed: part of the key"):
        posts.update(Posts.change, POST, Post.id.set("2"))
    with pytest.raises(TypeError, match="is not a field of Post"):
        posts.update(Posts.change, POST, Other.colour.set("red"))
    with pytest.raises(TypeError, match="is not a field of Post"):
        posts.update(Posts.change, POST, Post.likes.add(1), when=Other.colour == "red")
