"""The ordered merge, against a plain sort."""

from collections import Counter
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.runtime.store.merge import Fetch, ShardReader, ordered, shard_limit
from tablewright.runtime.transport import Transport

shards = st.lists(st.lists(st.integers(0, 20), max_size=15), min_size=1, max_size=6)


class Nowhere:
    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


TRANSPORT = Transport(Nowhere())


def paged(entries: list[int], size: int, fetched: Counter[str], shard: str) -> Fetch[int]:
    """A shard that gives its entries in pages, as DynamoDB does: a full page says there is more."""

    def fetch(start: int | None) -> tuple[list[int], int | None]:
        begin = start or 0
        page = entries[begin : begin + size]
        fetched[shard] += 1
        return page, begin + size if len(page) == size else None

    return fetch


def readers(contents: list[list[int]], size: int, fetched: Counter[str]) -> list[ShardReader[int]]:
    return [
        ShardReader(str(n), paged(entries, size, fetched, str(n)))
        for n, entries in enumerate(contents)
    ]


@given(shards, st.integers(1, 7), st.booleans(), st.booleans())
def test_the_merge_is_a_sort_by_key_then_shard(
    contents: list[list[int]], size: int, descending: bool, whole: bool
) -> None:
    sorted_shards = [sorted(entries, reverse=descending) for entries in contents]
    every = [(str(n), entry) for n, entries in enumerate(sorted_shards) for entry in entries]
    expected = sorted(every, key=lambda pair: pair[1], reverse=descending)  # stable
    merged = ordered(
        readers(sorted_shards, size, Counter()),
        lambda entry: entry,
        descending=descending,
        transport=TRANSPORT,
        whole=whole,
    )
    assert list(merged) == expected


def test_only_a_shard_that_runs_dry_is_read_again() -> None:
    fetched: Counter[str] = Counter()
    contents = [list(range(100)), list(range(1000, 1100)), list(range(2000, 2100))]
    merged = ordered(readers(contents, 5, fetched), lambda entry: entry)
    assert [entry for _, entry in islice(merged, 12)] == list(range(12))
    assert fetched == {"0": 3, "1": 1, "2": 1}


def test_a_full_page_costs_no_read_beyond_itself() -> None:
    fetched: Counter[str] = Counter()
    merged = ordered(readers([list(range(10))], 5, fetched), lambda entry: entry)
    assert len(list(islice(merged, 5))) == 5
    assert fetched == {"0": 1}


@pytest.mark.parametrize(
    ("wanted", "shards", "entry_bytes", "limit"),
    [
        (20, 1, 1024, 20),  # one partition: exactly the page
        (20, 10, 1024, 4),  # an even share is 2, a read unit holds 4
        (50, 10, 1024, 8),  # a share of 5 takes two read units
        (20, 10, 200, 7),  # a unit holds 20, but hardly any shard has more than 7 of a page
        (1, 10, 5000, 1),
        (100, 10, 5000, 10),
    ],
)
def test_each_shard_is_read_in_whole_units_or_in_what_is_enough(
    wanted: int, shards: int, entry_bytes: int, limit: int
) -> None:
    assert shard_limit(wanted, shards, entry_bytes) == limit
