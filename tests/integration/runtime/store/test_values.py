"""The outermost values that an entity accepts: the engine keeps them, and gives them back."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Binary,
    DateText,
    Entity,
    Expiry,
    Field,
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
from tablewright.testing import Database


class Thing(Entity, key=Key("{owner}", "{name}"), expires=Expiry("day", years=5, days=5)):
    owner: Field[str] = Text(max_length=2048)
    name: Field[str] = Text(max_length=2048)
    day: Field[str] = DateText()
    amount: Field[Decimal | None] = Number(default=None)
    content: Field[bytes | None] = Binary(max_bytes=1048576, default=None)
    counts: Field[Mapping[str, Decimal] | None] = Tally(prefix="n:", default=None)


class Things(Table, pk="owner", sk="name", ttl="ttl"):
    by_name = Index(pk="byName", sk="byOwner", keys={Thing: Key("NAME#{name}", "{owner}#{day}")})

    put = Put(Thing)
    get = Get(Thing)
    update = Update(Thing)


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
    dynamodb: Database, outermost: dict[str, Any]
) -> None:
    store = dynamodb.store(Things)
    stored = store.put(Things.put, Thing(**{**SMALL, **outermost}))
    (item,) = dynamodb.items()
    assert item["ttl"]["N"].isdigit()
    assert store.get(Things.get, owner=stored.owner, name=stored.name) == stored


def test_an_update_that_makes_an_item_too_large_says_so(dynamodb: Database) -> None:
    store = dynamodb.store(Things)
    store.put(Things.put, Thing(**SMALL, content=bytes(400_000)))
    key = {"owner": "ada", "name": "engine"}
    counts = {f"{number:0>1000}": 1 for number in range(20)}
    with pytest.raises(ItemTooLarge, match="maximum allowed size"):
        store.update(Things.update, key, {"counts": counts})
