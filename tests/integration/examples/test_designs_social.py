"""Followers, posts and likes: lists have their own, and counts are right whatever fails."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from examples.designs.social_graph import (
    Post,
    SocialGraph,
    TimelineEntry,
    User,
    deliver,
    follow,
    like,
    publish,
    relationship,
    unfollow,
    unlike,
)
from tablewright.runtime import Store, TransactionRefused, uuid7
from tablewright.testing import Database
from tests.integration.conftest import TODAY

HOUR = timedelta(hours=1)


def post(number: int, author: str = "ann") -> Post:
    at = TODAY + number * HOUR
    return Post(post_id=uuid7(at, bytes(10)), author=author, text=f"Post {number}")


@pytest.fixture
def graph(dynamodb: Database) -> Store:
    store = dynamodb.store(SocialGraph)
    for name in ("ann", "anna", "bob", "cid"):
        store.put(SocialGraph.sign_up, User(user=name, name=name))
    for hours, (one, other) in enumerate((("bob", "ann"), ("cid", "ann"), ("bob", "anna"))):
        follow(store, one, other, TODAY + hours * HOUR)
    return store


def counts(store: Store, name: str) -> tuple[int, int]:
    user = store.get(SocialGraph.user, user=name)
    assert user is not None
    return user.followers, user.following


def test_followers_and_followed_are_listed_and_counted(graph: Store) -> None:
    followers = graph.each(SocialGraph.followers, followed="ann")
    assert [one.follower for one in followers] == ["cid", "bob"]
    followed = graph.each(SocialGraph.following, follower="bob")
    assert [one.followed for one in followed] == ["ann", "anna"]
    assert [counts(graph, name) for name in ("ann", "anna", "bob")] == [(2, 0), (1, 0), (0, 2)]
    assert relationship(graph, "bob", "ann") == (True, False)
    follow(graph, "ann", "bob", TODAY)
    assert relationship(graph, "ann", "bob") == (True, True)


def test_nobody_follows_twice_nor_stops_twice_nor_follows_nobody(graph: Store) -> None:
    with pytest.raises(TransactionRefused):
        follow(graph, "bob", "ann", TODAY)
    with pytest.raises(TransactionRefused):
        follow(graph, "bob", "nobody", TODAY)
    unfollow(graph, "bob", "ann")
    with pytest.raises(TransactionRefused) as refused:
        unfollow(graph, "bob", "ann")
    assert list(refused.value.problems) == [0]
    assert [counts(graph, name) for name in ("ann", "anna", "bob")] == [(1, 0), (1, 0), (0, 1)]


def test_of_eight_requests_to_stop_one_is_counted(graph: Store) -> None:
    def attempt(_: int) -> bool:
        try:
            unfollow(graph, "cid", "ann")
            return True
        except TransactionRefused:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 1
    assert (counts(graph, "ann"), counts(graph, "cid")) == ((1, 0), (0, 0))


def test_posts_are_listed_by_author_and_put_on_timelines(graph: Store) -> None:
    posts = [post(1), post(2), post(3, "anna")]
    for one in posts:
        publish(graph, one)
    delivered = [deliver(graph, one, TODAY + n * HOUR) for n, one in enumerate(posts, 1)]
    assert deliver(graph, posts[0], TODAY + HOUR) == delivered[0]
    assert delivered == [2, 2, 1]
    assert list(graph.each(SocialGraph.posts, author="ann")) == [posts[1], posts[0]]
    timeline = [one.text for one in graph.each(SocialGraph.timeline, reader="bob")]
    assert timeline == ["Post 3", "Post 2", "Post 1"]
    assert [one.text for one in graph.each(SocialGraph.timeline, reader="cid")] == [
        "Post 2",
        "Post 1",
    ]
    ann = graph.get(SocialGraph.user, user="ann")
    assert ann is not None
    assert ann.posts == 2


def test_a_timeline_forgets_after_a_month(graph: Store) -> None:
    entries = [
        TimelineEntry(
            reader="bob",
            post_id=uuid7(TODAY - days * timedelta(days=1), bytes(10)),
            author="ann",
            text=f"{days} days ago",
            posted_at=TODAY - timedelta(days=days),
        )
        for days in (29, 30, 31)
    ]
    graph.put_many(SocialGraph.deliver, entries)
    found = graph.each(SocialGraph.timeline, reader="bob")
    assert [one.text for one in found] == ["29 days ago"]


def test_likes_are_listed_and_counted_once_each(graph: Store) -> None:
    one, other = post(1), post(2)
    for each in (one, other):
        graph.put(SocialGraph.publish, each)

    def attempt(number: int) -> bool:
        try:
            like(graph, ("bob", "cid")[number % 2], one.post_id)
            return True
        except TransactionRefused:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 2
    like(graph, "bob", other.post_id)
    liked = graph.get(SocialGraph.post, post_id=one.post_id)
    assert liked is not None
    assert liked.likes == 2
    assert [each.user for each in graph.each(SocialGraph.likes, post_id=one.post_id)] == [
        "bob",
        "cid",
    ]
    with pytest.raises(TransactionRefused):
        like(graph, "ann", post(9).post_id)
    unlike(graph, "bob", one.post_id)
    with pytest.raises(TransactionRefused):
        unlike(graph, "bob", one.post_id)
    liked = graph.get(SocialGraph.post, post_id=one.post_id)
    assert liked is not None
    assert liked.likes == graph.count(SocialGraph.likes, post_id=one.post_id) == 1


def test_views_of_many_at_once_are_all_counted(graph: Store) -> None:
    one = graph.put(SocialGraph.publish, post(1))
    with ThreadPoolExecutor(8) as threads:
        seen = Post.views.add(1)
        list(threads.map(lambda _: graph.update(SocialGraph.change_post, one, seen), range(24)))
    before = graph.update(SocialGraph.change_post, one, Post.views.set(0), returning="old")
    assert before.views == 24
