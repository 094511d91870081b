"""Sessions: tokens that expire, and all sessions of a user.

After the session store in Alex DeBrie's *The DynamoDB Book*. Here the table keeps digests of tokens
in place of the tokens, so that whoever reads it cannot sign in with what is there.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from tablewright.model import (
    BatchDelete,
    Binary,
    Delete,
    Document,
    Entity,
    EpochTimestamp,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
    Update,
)
from tablewright.runtime import Store


class Session(
    Entity,
    key=Key("{digest}"),
    expires=Expiry("expires_at"),
    example={
        "digest": sha256(b"a token").digest(),
        "user": "ann",
        "signed_in_at": datetime(2026, 11, 17, 9, tzinfo=UTC),
        "expires_at": datetime(2026, 11, 24, 9, tzinfo=UTC),
        "browser": {"name": "Firefox", "os": "Linux"},
    },
):
    """A browser in which somebody has signed in."""

    digest: Field[bytes] = Binary(max_bytes=32)
    user: Field[str] = Text()
    signed_in_at: Field[datetime] = Timestamp(resolution="ms")
    expires_at: Field[datetime] = EpochTimestamp()  # what DynamoDB removes sessions by
    browser: Field[Mapping[str, Any] | None] = Document(default=None)


class Sessions(Table, pk="digest", ttl="expires_at"):
    """Sessions by token and by user."""

    by_user = Index(
        pk="user",
        sk="signed_in_at",
        keys={Session: Key("{user}", "{signed_in_at}")},
        projects=(Session.expires_at, Session.browser),
    )

    sign_in = Put(Session, create=True, describes="Begin a session, unless its token is in use.")
    session = Get(Session, consistent=True, describes="Whose token it is, unless it has expired.")
    ended = Get(Session, expired=True, describes="The same, expired or not.")
    prolong = Update(Session, describes="Let a session last longer.")
    sign_out = Delete(Session, describes="End a session.")
    end_many = BatchDelete(Session, describes="End any number of sessions.")
    of_user = Query(
        Session,
        by_user,
        range=Session.signed_in_at,
        descending=True,
        describes="Where a user is signed in, newest first.",
    )
    sign_ins = Query(
        Session,
        by_user,
        range=Session.signed_in_at,
        descending=True,
        expired=True,
        describes="When a user has signed in, expired sessions that are still there included.",
    )


def digest_of(token: str) -> bytes:
    """What the table knows of a token."""
    return sha256(token.encode()).digest()


def prolong(store: Store, token: str, until: datetime) -> Session:
    """Let a session last until then; raises Conflict where it lasts longer already."""
    key = {"digest": digest_of(token)}
    later = Session.expires_at.set(until)
    return store.update(Sessions.prolong, key, later, when=Session.expires_at < until)


def sign_out_everywhere(store: Store, user: str) -> int:
    """End all sessions of a user; gives how many there were."""
    sessions = list(store.each(Sessions.of_user, user=user))
    store.delete_many(Sessions.end_many, sessions)
    return len(sessions)
