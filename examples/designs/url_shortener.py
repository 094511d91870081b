"""URL shortener: short links of owners that may expire, and how often each was followed.

After the URL shortener that AWS published as `amazon-api-gateway-url-shortener`; the counts of days
and countries, and the search for a link that there is already, are added to it.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256

from tablewright.model import (
    KEYS_ONLY,
    Collection,
    Computed,
    Date,
    Delete,
    Entity,
    Expiry,
    Field,
    Flag,
    Get,
    Index,
    Key,
    Put,
    Query,
    Table,
    Tally,
    Text,
    Timestamp,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime import Store


def _digest(url: str) -> str:
    return sha256(url.encode()).hexdigest()[:32]


class Link(
    Entity,
    key=Key("LINK#{code}", "LINK"),
    expires=Expiry("expires_at"),
    example={
        "code": "tbl42",
        "url": "https://example.com/tables",
        "owner": "ann",
        "made_at": datetime(2026, 11, 17, 9, tzinfo=UTC),
        "clicks": 2,
    },
):
    """A short link. It is followed while it is active, and until it expires."""

    code: Field[str] = Text(pattern="[0-9A-Za-z]{4,16}", form="4 to 16 letters and digits")
    url: Field[str] = Text(max_length=4000)
    owner: Field[str] = Text()
    made_at: Field[datetime] = Timestamp(resolution="ms")
    active: Field[bool] = Flag(default=True)
    expires_at: Field[datetime | None] = Timestamp(default=None, resolution="ms")
    clicks: Field[int] = Whole(default=0)
    # An address may be longer than a key, and holds what a key may not.
    digest = Computed(_digest, url)


class Clicks(
    Entity,
    key=Key("LINK#{code}", "DAY#{day}"),
    expires=Expiry("day", years=2),
    example={
        "code": "tbl42",
        "day": date(2026, 11, 17),
        "clicks": 2,
        "countries": {"FR": Decimal(1), "PT": Decimal(1)},
    },
):
    """How often a link was followed on a day, and from where. Days are kept for two years."""

    code: Field[str] = Text()
    day: Field[date] = Date()
    clicks: Field[int] = Whole()
    countries: Field[Mapping[str, Decimal] | None] = Tally(prefix="from:", default=None)


class UrlShortener(Table, pk="PK", sk="SK", ttl="ttl"):
    """Short links and their clicks."""

    by_owner = Index(
        pk="OPK",
        sk="OSK",
        keys={Link: Key("OWNER#{owner}#ACTIVE#{active}", "{made_at}#{code}")},
    )
    by_url = Index(pk="UPK", keys={Link: Key("URL#{digest}")}, projects=KEYS_ONLY)

    shorten = Put(Link, create=True, describes="Make a link whose code is free.")
    link = Get(Link, describes="A link.")
    change = Update(Link, describes="Count a click, or take a link out of use.")
    drop = Delete(Link, describes="Remove a link.")
    of_owner = Query(
        Link,
        by_owner,
        range=Link.made_at,
        descending=True,
        describes="Active, or inactive, links of an owner, newest first.",
    )
    of_url = Query(Link, by_url, hydrate=True, describes="The links that lead to an address.")
    count_click = Upsert(Clicks, describes="Count a click of a day.")
    clicks = Query(Clicks, range=Clicks.day, describes="Clicks of a link, day by day.")
    link_with_clicks = Collection(
        Link, Clicks, descending=True, describes="A link, and its days, newest first."
    )


def click(store: Store, code: str, country: str, at: datetime) -> str:
    """Where a link leads; counts that somebody follows it.

    Raises NotFound for a link that is not there or has expired, and Conflict for an inactive one.
    """
    active = Link.active == True  # noqa: E712 - a condition, not a comparison
    link = store.update(UrlShortener.change, {"code": code}, Link.clicks.add(1), when=active)
    store.upsert(
        UrlShortener.count_click,
        {"code": code, "day": at.date()},
        Clicks.clicks.add(1),
        Clicks.countries.at(country).add(1),
    )
    return link.url
