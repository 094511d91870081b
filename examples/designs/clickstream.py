"""Clickstream: page views of many sites in as many shards as each site needs, counted by hour.

After the write sharding in AWS's documentation of DynamoDB. A site has one shard until more are
asked for, and what was stored before stays where it is. A view is counted once, however often it is
told of.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from tablewright.model import (
    IN_KEY,
    BatchCreate,
    Count,
    Entity,
    EpochList,
    EpochShards,
    Expiry,
    Field,
    Get,
    HourText,
    Index,
    Key,
    Number,
    Put,
    Query,
    SetOf,
    Table,
    Tally,
    Text,
    TimeId,
    TimestampText,
    Update,
)
from tablewright.runtime import Counters, Event, ShardCounts, Store, uuid7

_EXAMPLE = {"site": "example.com", "hour": "2025-11-17-08"}
_VIEW = "019a90f1-2c00-7abc-8def-0123456789ab"


class Site(
    Entity,
    key=Key("SITE#{site}", "SITE"),
    example={
        "site": "example.com",
        "shards": [{"from": "2025-11-01T00:00:00.000Z", "count": 4}],
    },
):
    """How many shards a site has, since when; without it there is one."""

    site: Field[str] = Text(IN_KEY)
    shards: Field[Sequence[Mapping[str, Any]]] = EpochList()


class View(
    Entity,
    key=Key(
        "SITE#{site}#{shard}",
        "VIEW#{view_id}",
        shards=EpochShards(by="view_id", whose="site", dated="at"),
    ),
    expires=Expiry("at", days=30),
    example={
        "site": "example.com",
        "view_id": _VIEW,
        "at": "2025-11-17T08:31:55.904Z",
        "path": "/tables",
        "country": "FR",
    },
):
    """Somebody has looked at a page."""

    site: Field[str] = Text(IN_KEY)
    view_id: Field[str] = TimeId(IN_KEY)
    at: Field[str] = TimestampText(resolution="ms")
    path: Field[str] = Text(max_length=1000)
    country: Field[str] = Text(max_length=2)


class Hour(
    Entity,
    key=Key("SITE#{site}#HOURS", "HOUR#{hour}"),
    example={**_EXAMPLE, "views": Decimal(2), "countries": {"FR": Decimal(2)}},
):
    """How often a site was looked at in an hour, and from where."""

    site: Field[str] = Text(IN_KEY)
    hour: Field[str] = HourText(IN_KEY)
    views: Field[Decimal | None] = Number(default=None)
    countries: Field[Mapping[str, Decimal] | None] = Tally(prefix="from:", default=None)


class Counted(
    Entity,
    key=Key("SITE#{site}#COUNTED", "HOUR#{hour}"),
    expires=Expiry("hour", days=2),
    example={**_EXAMPLE, "views": {_VIEW}},
):
    """Which views of an hour have been counted."""

    site: Field[str] = Text(IN_KEY)
    hour: Field[str] = HourText(IN_KEY)
    views: Field[set[str] | None] = SetOf(Text(), max_items=10_000, default=None)


_SHARDS = Get(Site, consistent=True, describes="How many shards a site has.")


class Clickstream(
    Table, pk="PK", sk="SK", ttl="ttl", stream="NEW_IMAGE", tenant="site", epochs=_SHARDS
):
    """Page views of sites that are kept apart, and their counts."""

    by_path = Index(
        pk="PPK",
        sk="PSK",
        keys={View: Key("SITE#{site}#PATH#{path}", "{at}#{view_id}")},
        projects=(View.country,),
    )

    site_shards = _SHARDS
    begin_shards = Put(Site, create=True, describes="Give a site more than one shard.")
    change_shards = Update(Site, describes="Give a site more shards, or fewer.")
    record = BatchCreate(View, describes="Store views, each once.")
    view = Get(View, describes="A view, whatever shard it is in.")
    views = Query(View, descending=True, describes="Views of a site, newest first.")
    of_path = Query(
        View, by_path, range=View.at, descending=True, describes="Views of a page, newest first."
    )
    count = Count(Hour, marker=Counted, describes="Count views by hour, each once.")
    hours = Query(Hour, range=Hour.hour, describes="How often a site was looked at, by hour.")


def view(site: str, at: datetime, path: str, country: str) -> View:
    """A view, with an id that tells when it was."""
    moment = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return View(site=site, view_id=uuid7(at), at=moment, path=path, country=country)


def count(counters: Counters, views: Iterable[View]) -> int:
    """Count views that were not counted before; gives how many those were."""
    return counters.add(_counted(one) for one in views)


def _counted(view: View) -> Event:
    hour = {"site": view.site, "hour": view.at[:13].replace("T", "-")}
    adds = {"views": 1, "countries": {view.country: 1}}
    return Event(view.view_id, hour, [(hour, adds)])


def spread(store: Store, site: str, shards: int) -> None:
    """Let the views of a site have so many shards, from some minutes on."""
    patterns = Clickstream.site_shards, Clickstream.begin_shards, Clickstream.change_shards
    ShardCounts(store, *patterns).change(site, shards)
