"""Numbers by names that are not known beforehand: each is changed and asked for by its name."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Condition,
    Entity,
    Expiry,
    Field,
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
from tablewright.model.validation.design import check
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.conftest import TODAY


class Page(Entity, key=Key("PAGE#{page}", "PAGE"), expires=Expiry("until")):
    page: Field[str] = Text()
    rank: Field[int] = Whole(default=0)
    countries: Field[Mapping[str, Decimal] | None] = Tally(prefix="from:", default=None)
    until: Field[datetime | None] = Timestamp(default=None)


class Pages(Table, pk="PK", sk="SK", ttl="ttl"):
    """Pages, and where their readers come from."""

    by_rank = Index(pk="RPK", sk="RSK", keys={Page: Key("ALL", "{rank}#{page}")})

    put = Put(Page)
    page = Get(Page)
    change = Update(Page)
    count = Upsert(Page)
    ranked = Query(Page, by_rank)


HOME = {"page": "home"}
COUNTED = Page(page="home", countries={"FR": Decimal(2), "PT": Decimal(1)})


@pytest.fixture
def store(dynamodb: Database) -> Store:
    check(Pages)
    return dynamodb.store(Pages)


def counts(store: Store) -> dict[str, int]:
    page = store.get(Pages.page, HOME)
    assert page is not None
    return {name: int(count) for name, count in (page.countries or {}).items()}


def test_names_are_added_to_one_by_one(store: Store) -> None:
    for country in ("FR", "PT", "FR", "a.b#c"):
        store.upsert(Pages.count, HOME, {"rank": 0}, Page.countries.at(country).add(1))
    assert counts(store) == {"FR": 2, "PT": 1, "a.b#c": 1}
    store.update(
        Pages.change, HOME, Page.countries.at("PT").set(7), Page.countries.at("FR").remove()
    )
    assert counts(store) == {"PT": 7, "a.b#c": 1}


def test_sums_of_many_at_once_are_exact(store: Store) -> None:
    store.put(Pages.put, Page(page="home"))

    def add(number: int) -> None:
        store.update(Pages.change, HOME, Page.countries.at(("FR", "PT")[number % 2]).add(1))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(40)))
    assert counts(store) == {"FR": 20, "PT": 20}


def test_a_name_is_added_to_with_what_is_derived_from_other_fields(store: Store) -> None:
    store.put(Pages.put, COUNTED)
    store.update(Pages.change, HOME, Page.rank.set(5), Page.countries.at("FR").add(1))
    (found,) = store.each(Pages.ranked)
    assert found.rank == 5
    assert counts(store) == {"FR": 3, "PT": 1}
    store.update(Pages.change, HOME, Page.rank.set(6), Page.countries.at("PT").remove())
    assert counts(store) == {"FR": 3}


def test_a_tally_that_has_expired_begins_anew(store: Store) -> None:
    past, ahead = TODAY - timedelta(days=1), TODAY + timedelta(days=1)
    store.put(Pages.put, Page(**{**COUNTED, "until": past}))
    store.upsert(Pages.count, HOME, {"rank": 0, "until": ahead}, Page.countries.at("PT").add(1))
    assert counts(store) == {"PT": 1}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Page.countries.at("FR") > 1, True),
        (Page.countries.at("FR") > 2, False),
        (Page.countries.at("DE").exists(), False),
        (Page.countries.at("DE").is_missing() & (Page.countries.at("PT") == 1), True),
    ],
)
def test_a_condition_is_about_one_name(store: Store, condition: Condition, holds: bool) -> None:
    store.put(Pages.put, COUNTED)
    assert bool(list(store.each(Pages.ranked, where=condition))) is holds
    if holds:
        store.update(Pages.change, HOME, Page.countries.at("FR").add(1), when=condition)
        assert counts(store)["FR"] == 3
        return
    with pytest.raises(Conflict):
        store.update(Pages.change, HOME, Page.countries.at("FR").add(1), when=condition)


@pytest.mark.parametrize("amount", [1, {"FR": 1}])
def test_no_tally_is_added_to_as_a_whole(store: Store, amount: Any) -> None:
    store.put(Pages.put, COUNTED)
    with pytest.raises(TypeError, match=r"countries(\.add: amount must| can only be set)"):
        store.update(Pages.change, HOME, Page.countries.add(amount))
    assert counts(store) == {"FR": 2, "PT": 1}
