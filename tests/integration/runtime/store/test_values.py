"""The outermost values that an entity accepts: the engine keeps them, and gives them back."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Binary,
    Date,
    Entity,
    Expiry,
    Get,
    Index,
    Key,
    Number,
    Put,
    Table,
    Tally,
    Text,
    Update,
)
from tablewright.runtime.errors import ItemTooLarge
from tests.integration.conftest import Database

THING = Entity(
    "Thing",
    key=Key("{owner}", "{name}"),
    indexed={"by_name": Key("NAME#{name}", "{owner}#{day}")},
    fields=(
        Text("owner", max_length=2048),
        Text("name", max_length=2048),
        Date("day"),
        Number("amount", optional=True),
        Binary("content", optional=True, max_bytes=1024 * 1024),
        Tally("counts", prefix="n:"),
    ),
    expires=Expiry("day", years=5, days=5),
)
THINGS = Table(
    "things",
    pk="owner",
    sk="name",
    ttl="ttl",
    entities=(THING,),
    indexes=(Index("by_name", pk="byName", sk="byOwner"),),
    patterns=(Put("put", "Thing"), Get("get", "Thing"), Update("update", "Thing")),
)
SMALL: dict[str, Any] = {"owner": "ada", "name": "engine", "day": "2025-01-01"}


@pytest.mark.parametrize(
    "outermost",
    [
        {"amount": Decimal("9.9999999999999999999999999999999999999E+125")},
        {"amount": Decimal("-9.9999999999999999999999999999999999999E+125")},
        {"amount": Decimal("1E-130")},
        {"amount": Decimal("0." + "0" * 90 + "1" * 38)},
        {"amount": 10**125},
        {"amount": Decimal("-0.00")},
        {"name": "😀" * 256},
        {"owner": "é" * 506},
        {"day": "2099-12-31"},
        {"content": bytes(405_000)},
        {"counts": {"x" * 1024: 1, "": 2}},
    ],
    ids=lambda values: next(iter(values)),
)
def test_what_is_accepted_at_the_limit_is_kept(
    database: Database, outermost: dict[str, Any]
) -> None:
    database.create(THINGS)
    store = database.store(THINGS)
    stored = store.put(THINGS.put, {**SMALL, **outermost})
    (item,) = database.items()
    assert item["ttl"]["N"].isdigit()
    key = {"owner": stored["owner"], "name": stored["name"]}
    assert store.get(THINGS.get, key) == stored


def test_an_update_that_makes_an_item_too_large_says_so(database: Database) -> None:
    database.create(THINGS)
    store = database.store(THINGS)
    store.put(THINGS.put, {**SMALL, "content": bytes(400_000)})
    key = {"owner": "ada", "name": "engine"}
    counts = {f"{number:0>1000}": 1 for number in range(20)}
    with pytest.raises(ItemTooLarge, match="maximum allowed size"):
        store.update(THINGS.update, key, {"counts": counts})
