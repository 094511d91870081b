"""A form table, and submissions to put in it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.forms.submissions import SUBMISSION
from tablewright.model import Epoch, Pattern, Record
from tablewright.model.fields.scalars import timestamp
from tablewright.model.time_ids import moment_of
from tablewright.runtime.aws import Caller
from tablewright.runtime.ids import uuid7
from tablewright.runtime.sharding.counts import ShardCounts
from tablewright.runtime.sharding.epochs import EpochCache, EpochTiming
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database

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


def submission(moment: datetime, number: int = 0, **changes: Any) -> Record:
    """A submission of this moment, like no other with another number."""
    id = uuid7(moment, number.to_bytes(10, "big"))
    made = {"submission_id": id, "timestamp": moment_of(id), "updated_at": moment_of(id)}
    return SUBMISSION.check({**SUBMISSION.example, **made, **changes})


def key_of(record: Record) -> Record:
    return {name: record[name] for name in SUBMISSION.key.fields}


def ids(records: list[Record]) -> list[str]:
    return [record["submission_id"] for record in records]


def pages(store: Store, pattern: Pattern, where: Record, limit: int, **asked: Any) -> list[Record]:
    """All records of a list, page by page."""
    return [r for page in each_page(store, pattern, where, limit, **asked) for r in page]


def each_page(
    store: Store, pattern: Pattern, where: Record, limit: int, **asked: Any
) -> Iterator[list[Record]]:
    cursor = None
    for _ in range(2000):
        page = store.query(pattern, where, limit=limit, cursor=cursor, **asked)
        assert len(page.items) <= limit
        yield page.items
        cursor = page.cursor
        if cursor is None:
            return
    raise AssertionError("the list does not end")


class Forms:
    """A form table whose users have caches of their own and agree on a clock."""

    def __init__(
        self, database: Database, timing: EpochTiming | None = None, *, stream: bool = False
    ) -> None:
        database.create(FORMS, stream=stream)
        self.database = database
        self.timing = timing or EpochTiming()
        self.clock = Clock()

    def store(self, caller: Caller | None = None) -> Store:
        cache = EpochCache(self.timing, clock=self.clock)
        return self.database.store(FORMS, caller, epochs=cache)

    def counts(self, caller: Caller | None = None) -> ShardCounts:
        return ShardCounts(
            self.store(caller),
            FORMS.get_shards,
            FORMS.begin_shards,
            FORMS.append_shards,
            timing=self.timing,
            clock=self.clock,
        )

    def set_epochs(self, tenant: str, *epochs: tuple[datetime, int]) -> None:
        """Epochs as if they had been planned long ago."""
        stored = [{"from": timestamp(at), "count": count} for at, count in epochs]
        record = {"tenant_id": tenant, "shard_mapping": stored}
        self.store().put(FORMS.begin_shards, record)


@pytest.fixture
def forms(database: Database, request: pytest.FixtureRequest) -> Forms:
    """The table; with its stream in files that say that they are STREAMED."""
    return Forms(database, stream=getattr(request.module, "STREAMED", False))


def epochs_in(counts: ShardCounts, tenant: str = "acme") -> list[Epoch]:
    return list(counts.of(tenant))
