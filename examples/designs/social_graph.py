"""Social graph: who follows whom, posts and likes with their counts, and a timeline.

After the social network in AWS's documentation of DynamoDB. A follower is counted in the very
transaction in which somebody begins to follow, so that the counts are right whatever fails.
"""

from datetime import UTC, datetime

from tablewright.model import (
    BatchPut,
    Delete,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Name,
    Prose,
    Put,
    Query,
    Table,
    Text,
    TimeId,
    Timestamp,
    Update,
    Whole,
)
from tablewright.runtime import Store

_POST = "019a90f1-2c00-7abc-8def-0123456789ab"
_NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)


class User(
    Entity,
    key=Key("USER#{user}", "USER"),
    example={"user": "ann", "name": "Ann Archer", "followers": 1},
):
    """Somebody, and how many follow, are followed and have been posted."""

    user: Field[str] = Text()
    name: Field[str] = Name()
    followers: Field[int] = Whole(default=0)
    following: Field[int] = Whole(default=0)
    posts: Field[int] = Whole(default=0)


class Follow(
    Entity,
    key=Key("USER#{follower}", "FOLLOWS#{followed}"),
    example={"follower": "bob", "followed": "ann", "since": _NOON},
):
    """Somebody follows somebody."""

    follower: Field[str] = Text()
    followed: Field[str] = Text()
    since: Field[datetime] = Timestamp(resolution="ms")


class Post(
    Entity,
    key=Key("POST#{post_id}", "POST"),
    example={"post_id": _POST, "author": "ann", "text": "Hello!", "likes": 1},
):
    """A post, and how often it was liked and seen."""

    post_id: Field[str] = TimeId()
    author: Field[str] = Text()
    text: Field[str] = Prose(max_length=500)
    likes: Field[int] = Whole(default=0)
    views: Field[int] = Whole(default=0)


class Like(
    Entity,
    key=Key("POST#{post_id}", "LIKE#{user}"),
    example={"post_id": _POST, "user": "bob"},
):
    """Somebody likes a post."""

    post_id: Field[str] = TimeId()
    user: Field[str] = Text()


class TimelineEntry(
    Entity,
    key=Key("TIMELINE#{reader}", "{post_id}"),
    expires=Expiry("posted_at", days=30),
    example={
        "reader": "bob",
        "post_id": _POST,
        "author": "ann",
        "text": "Hello!",
        "posted_at": _NOON,
    },
):
    """A post as one of the author's followers reads it, for a month."""

    reader: Field[str] = Text()
    post_id: Field[str] = TimeId()
    author: Field[str] = Text("by")  # with an `author` it would be among the author's posts
    text: Field[str] = Prose(max_length=500)
    posted_at: Field[datetime] = Timestamp(resolution="ms")


class SocialGraph(Table, pk="PK", sk="SK", ttl="ttl"):
    """Users, whom they follow, what they post, like and read."""

    followers_of = Index(pk="followed", sk="since", keys={Follow: Key("{followed}", "{since}")})
    by_author = Index(pk="author", sk="post_id", keys={Post: Key("{author}", "{post_id}")})

    sign_up = Put(User, create=True, describes="Make a user.")
    user = Get(User, describes="A user with the counts.")
    change_user = Update(User, describes="Count followers, followed and posts.")
    begin_to_follow = Put(Follow, create=True, describes="Follow somebody.")
    stop_to_follow = Delete(Follow, describes="Follow somebody no longer.")
    follows = Get(Follow, describes="Whether somebody follows somebody.")
    following = Query(Follow, describes="Whom a user follows.")
    followers = Query(
        Follow, followers_of, descending=True, describes="Who follows a user, newest first."
    )
    publish = Put(Post, create=True, describes="Publish a post.")
    post = Get(Post, describes="A post with its likes.")
    change_post = Update(Post, describes="Count likes and views.")
    posts = Query(Post, by_author, descending=True, describes="Posts of a user, newest first.")
    put_like = Put(Like, create=True, describes="Like a post.")
    drop_like = Delete(Like, describes="Like a post no longer.")
    likes = Query(Like, describes="Who likes a post.")
    deliver = BatchPut(TimelineEntry, describes="Put a post on the timelines of followers.")
    timeline = Query(TimelineEntry, descending=True, describes="A user's timeline, newest first.")


def follow(store: Store, follower: str, followed: str, since: datetime) -> None:
    """Follow somebody, once."""
    edge = Follow(follower=follower, followed=followed, since=since)
    store.transact_write(
        store.to_put(SocialGraph.begin_to_follow, edge),
        store.to_update(SocialGraph.change_user, {"user": follower}, User.following.add(1)),
        store.to_update(SocialGraph.change_user, {"user": followed}, User.followers.add(1)),
    )


def unfollow(store: Store, follower: str, followed: str) -> None:
    """Follow somebody no longer; raises TransactionRefused for who did not."""
    edge = {"follower": follower, "followed": followed}
    store.transact_write(
        store.to_delete(SocialGraph.stop_to_follow, edge, missing_ok=False),
        store.to_update(SocialGraph.change_user, {"user": follower}, User.following.add(-1)),
        store.to_update(SocialGraph.change_user, {"user": followed}, User.followers.add(-1)),
    )


def relationship(store: Store, one: str, other: str) -> tuple[bool, bool]:
    """Whether one follows the other and is followed, at one moment."""
    there, back = store.transact_get(
        store.to_get(SocialGraph.follows, follower=one, followed=other),
        store.to_get(SocialGraph.follows, follower=other, followed=one),
    )
    return there is not None, back is not None


def like(store: Store, user: str, post_id: str) -> None:
    """Like a post, once."""
    store.transact_write(
        store.to_put(SocialGraph.put_like, Like(post_id=post_id, user=user)),
        store.to_update(SocialGraph.change_post, {"post_id": post_id}, Post.likes.add(1)),
    )


def unlike(store: Store, user: str, post_id: str) -> None:
    """Like a post no longer; raises TransactionRefused for who did not."""
    given = Like(post_id=post_id, user=user)
    store.transact_write(
        store.to_delete(SocialGraph.drop_like, given, missing_ok=False),
        store.to_update(SocialGraph.change_post, {"post_id": post_id}, Post.likes.add(-1)),
    )


def publish(store: Store, post: Post) -> None:
    """Publish a post, and count it, once."""
    store.transact_write(
        store.to_put(SocialGraph.publish, post),
        store.to_update(SocialGraph.change_user, {"user": post.author}, User.posts.add(1)),
    )


def deliver(store: Store, post: Post, at: datetime) -> int:
    """Put a post on the timelines of all followers; gives how many they are.

    Repeating it changes nothing, so whoever reads the table's stream can do it.
    """
    entries = [
        TimelineEntry(
            reader=one.follower,
            post_id=post.post_id,
            author=post.author,
            text=post.text,
            posted_at=at,
        )
        for one in store.each(SocialGraph.followers, followed=post.author)
    ]
    return store.put_many(SocialGraph.deliver, entries)
