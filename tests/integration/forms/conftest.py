"""A form table, and submissions to put in it."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import Submission
from tablewright.catalog.forms.tenants import TenantShards
from tablewright.model import Entity, Epoch, Query
from tablewright.model.fields.time import iso_utc
from tablewright.model.time_ids import moment_of
from tablewright.runtime.aws import Caller
from tablewright.runtime.ids import uuid7
from tablewright.runtime.sharding.counts import ShardCounts
from tablewright.runtime.sharding.epochs import EpochCache, EpochTiming
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

E = TypeVar("E", bound=Entity)
ACME = {"tenant_id": "acme"}
NOON = datetime(2025, 1, 26, 12, tzinfo=UTC)


class Clock:
    """A clock that is set by hand."""

    def __init__(self, moment: datetime = NOON) -> None:
        self.moment = moment

    def __call__(self) -> float:
        return self.moment.timestamp()

    def pass_by(self, **span: float) -> datetime:
        self.moment += timedelta(**span)
        return self.moment


def submission(moment: datetime, number: int = 0, **changes: Any) -> Submission:
    """A submission of this moment, like no other with another number."""
    id = uuid7(moment, number.to_bytes(10, "big"))
    made = {"submission_id": id, "timestamp": moment_of(id), "updated_at": moment_of(id)}
    return Submission(**{**Submission.__entity__.example, **made, **changes})


def key_of(record: Mapping[str, Any]) -> dict[str, str]:
    """The key of the submission that a record is of."""
    return {name: record[name] for name in Submission.__entity__.key.fields}


def ids(records: Iterable[Mapping[str, Any]]) -> list[str]:
    return [record["submission_id"] for record in records]


def pages(
    store: Store, pattern: Query[E], where: Mapping[str, Any], limit: int, **asked: Any
) -> list[E]:
    """All records of a list, page by page."""
    return [r for page in each_page(store, pattern, where, limit, **asked) for r in page]


def each_page(
    store: Store, pattern: Query[E], where: Mapping[str, Any], limit: int, **asked: Any
) -> Iterator[list[E]]:
    cursor = None
    for _ in range(2000):
        page = store.query(pattern, where, limit=limit, cursor=cursor, **asked)
        assert len(page.items) <= limit
        yield page.items
        cursor = page.cursor
        if cursor is None:
            return
    raise AssertionError("the list does not end")


class FormTable:
    """A form table whose users have caches of their own and agree on a clock."""

    def __init__(
        self, database: Database, timing: EpochTiming | None = None, *, stream: bool = False
    ) -> None:
        database.table(Forms, stream=stream)
        self.database = database
        self.timing = timing or EpochTiming()
        self.clock = Clock()

    def store(self, caller: Caller | None = None) -> Store:
        cache = EpochCache(self.timing, clock=self.clock)
        return self.database.store(Forms, caller, epochs=cache)

    def counts(self, caller: Caller | None = None) -> ShardCounts[TenantShards]:
        return ShardCounts(
            self.store(caller),
            Forms.get_shards,
            Forms.begin_shards,
            Forms.append_shards,
            timing=self.timing,
            clock=self.clock,
        )

    def set_epochs(self, tenant: str, *epochs: tuple[datetime, int]) -> None:
        """Epochs as if they had been planned long ago."""
        stored = [{"from": iso_utc(at), "count": count} for at, count in epochs]
        self.store().put(Forms.begin_shards, TenantShards(tenant_id=tenant, shard_mapping=stored))


@pytest.fixture
def forms(dynamodb: Database, request: pytest.FixtureRequest) -> FormTable:
    """The table; with its stream in files that say that they are STREAMED."""
    return FormTable(dynamodb, stream=getattr(request.module, "STREAMED", False))


def epochs_in(counts: ShardCounts[TenantShards], tenant: str = "acme") -> list[Epoch]:
    return list(counts.of(tenant))
