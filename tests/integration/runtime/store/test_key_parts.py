"""Parts of keys: computed, reversed, flags, days, bytes."""

from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from tablewright.model import (
    Binary,
    Computed,
    Date,
    Delete,
    Entity,
    Field,
    Flag,
    Get,
    Index,
    Key,
    Put,
    Query,
    Reversed,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)
from tablewright.model.errors import InvalidRecord, InvalidValue
from tablewright.model.validation.design import check
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class Link(Entity, key=Key("LINK#{spread}#{code}", "LINK")):
    code: Field[str] = Text()
    made_at: Field[datetime] = Timestamp()
    clicks: Field[int] = Whole(digits=6, default=0)
    open: Field[bool] = Flag(default=True)
    day: Field[date] = Date()
    spread = Computed(lambda code: sha256(code.encode()).hexdigest()[:2], code)
    newest = Reversed(made_at)
    best = Reversed(clicks)


class Links(Table, pk="PK", sk="SK"):
    """Short links."""

    by_day = Index(pk="DPK", sk="DSK", keys={Link: Key("DAY#{day}#OPEN#{open}", "{newest}#{code}")})
    by_clicks = Index(pk="CPK", sk="CSK", keys={Link: Key("BEST", "{best}#{code}")})

    put = Put(Link, create=True)
    get = Get(Link)
    change = Update(Link)
    drop = Delete(Link)
    of_day = Query(Link, by_day)
    most_clicked = Query(Link, by_clicks)


NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
DAY = date(2026, 11, 17)


def link(code: str, minutes: int, clicks: int = 0) -> Link:
    return Link(code=code, made_at=NOON + timedelta(minutes=minutes), day=DAY, clicks=clicks)


@pytest.fixture
def links(dynamodb: Database) -> Store:
    check(Links)
    store = dynamodb.store(Links)
    for code, minutes, clicks in (("a", 1, 5), ("b", 3, 900), ("c", 2, 40)):
        store.put(Links.put, link(code, minutes, clicks))
    return store


def test_a_computed_part_is_never_given_and_always_there(links: Store) -> None:
    found = links.get(Links.get, code="a")
    assert found == link("a", 1, 5)
    assert found is not None
    assert found.spread == sha256(b"a").hexdigest()[:2]
    assert "spread" not in found
    with pytest.raises(InvalidRecord, match="spread is not a field of Link"):
        Link(**link("x", 1), spread="00")  # type: ignore[call-arg]
    removed = links.delete(Links.drop, code="a")
    assert removed == found
    assert links.get(Links.get, code="a") is None


def test_a_reversed_part_lists_the_newest_and_the_highest_first(links: Store) -> None:
    assert [one.code for one in links.each(Links.of_day, day=DAY, open=True)] == ["b", "c", "a"]
    assert [one.code for one in links.each(Links.most_clicked)] == ["b", "c", "a"]
    assert list(links.each(Links.of_day, day=DAY, open=False)) == []


def test_what_is_computed_follows_what_changes(links: Store) -> None:
    links.update(Links.change, {"code": "a"}, Link.clicks.add(1000))
    links.update(Links.change, {"code": "b"}, Link.open.set(False))
    assert [one.code for one in links.each(Links.most_clicked)] == ["a", "b", "c"]
    assert [one.code for one in links.each(Links.of_day, day=DAY, open=True)] == ["c", "a"]
    assert [one.code for one in links.each(Links.of_day, day=DAY, open=False)] == ["b"]
    with pytest.raises(TypeError, match="code cannot be changed: part of the key"):
        links.update(Links.change, {"code": "a"}, Link.code.set("z"))


def test_pages_go_on_from_a_computed_place(links: Store) -> None:
    page = links.query(Links.of_day, day=DAY, open=True, limit=2, caller="me")
    assert [one.code for one in page.items] == ["b", "c"]
    rest = links.query(Links.of_day, day=DAY, open=True, limit=2, caller="me", cursor=page.cursor)
    assert [one.code for one in rest.items] == ["a"]


def test_a_function_that_gives_no_text_is_refused() -> None:
    class Bad(Entity, key=Key("{empty}")):
        code: Field[str] = Text()
        empty = Computed(lambda code: "", code)

    class Badly(Table, pk="PK"):
        put = Put(Bad)

    with pytest.raises(InvalidRecord, match="empty must be computed as a text of 1 to 64"):
        Bad(code="x")


class Block(Entity, key=Key("{chain}", "{digest}")):
    chain: Field[bytes] = Binary(max_bytes=16)
    digest: Field[bytes] = Binary(max_bytes=64)
    height: Field[int] = Whole()


class Blocks(Table, pk="chain", sk="digest"):
    """Blocks by their digests."""

    put = Put(Block)
    get = Get(Block)
    change = Update(Block)
    of_chain = Query(Block, range=Block.digest)


CHAIN = b"\x00\xff"
DIGESTS = [b"\x00", b"\x10\x01", b"\x10\xff\xff", b"\x11", b"\xff"]


def test_bytes_are_keys_as_they_are(dynamodb: Database) -> None:
    check(Blocks)
    store = dynamodb.store(Blocks)
    for height, digest in enumerate(DIGESTS):
        store.put(Blocks.put, Block(chain=CHAIN, digest=digest, height=height))
    assert store.get(Blocks.get, chain=CHAIN, digest=b"\x11") == Block(
        chain=CHAIN, digest=b"\x11", height=3
    )
    assert store.update(Blocks.change, {"chain": CHAIN, "digest": b"\x11"}, {"height": 9})

    def found(**asked: Any) -> list[bytes]:
        return [one.digest for one in store.each(Blocks.of_chain, chain=CHAIN, **asked)]

    assert found() == DIGESTS
    assert found(since=b"\x10\x01", until=b"\x11") == DIGESTS[1:4]
    assert found(after=b"\x10\x01", before=b"\x11") == DIGESTS[2:3]
    assert found(begins_with=b"\x10") == DIGESTS[1:3]
    assert found(begins_with=b"\xff") == DIGESTS[4:]
    with pytest.raises(InvalidValue, match="begins_with must be bytes"):
        store.first(Blocks.of_chain, chain=CHAIN, begins_with="10")
    page = store.query(Blocks.of_chain, chain=CHAIN, limit=2, caller="me")
    rest = store.query(Blocks.of_chain, chain=CHAIN, caller="me", cursor=page.cursor)
    assert [one.digest for one in (*page.items, *rest.items)] == DIGESTS
