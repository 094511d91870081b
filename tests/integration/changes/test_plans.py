"""Plans between random designs, carried out on the engine with writers, faults and kills."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.changes import (
    UNSETTLED,
    Backfill,
    Drifted,
    Kind,
    LiveTable,
    NotInPlace,
    Plan,
    Unfinished,
    apply,
    plan_steps,
    verify,
)
from tablewright.changes.plan.applying import Progress
from tablewright.designs import describe
from tablewright.model import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.deployed_table import create_table
from tablewright.runtime.errors import NotFound, StoreError
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.changes.random_designs import TABLES, VALUES, record

NAME = "orders"
Values = dict[str, Any]


class Write(NamedTuple):
    """Something that new code does."""

    verb: str
    values: Values


WRITES = st.builds(Write, st.sampled_from(("put", "change", "delete")), VALUES)


class Killed(BaseException):
    """The process is gone."""


class Interrupted:
    """A caller with others beside it: before a call something may happen, or be the end.

    Others come while items are read and written: DynamoDB Local fails while it makes an index.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.begin({}, 0)

    def begin(self, acts: dict[int, Callable[[], object]], kill: int) -> None:
        self.acts = acts
        self._items, self._calls, self._kill = 0, 0, kill

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        if self._calls == self._kill:
            raise Killed
        if not operation.endswith(("Table", "TimeToLive", "Backups")):
            self._items += 1
            if act := self.acts.pop(self._items, None):
                act()
        return self._caller.call(operation, params)


class Work:
    """Carries out the steps of a plan on the engine."""

    def __init__(self, new: type[Table], old: type[Table], caller: Caller) -> None:
        self._new, self._old, self._caller = new, old, caller
        self._live = LiveTable(caller, NAME, wait=lambda _: time.sleep(0.01))

    @property
    def form(self) -> TableForm:
        return self._live.form

    def update(self, goal: TableForm) -> None:
        self._live.update(goal)

    def backfill(self) -> None:
        counts = Backfill(self._new, self._old, NAME, self._caller, segments=1).run()
        if any(counts[one] for one in UNSETTLED):
            raise Unfinished(str(counts))

    def verify(self) -> None:
        found = verify(self._new, NAME, self._caller)
        if not found.is_sound:
            raise Unfinished("\n".join(found.lines()))


@contextmanager
def live(dynamodb: Database, table: type[Table], orders: list[Values]) -> Iterator[None]:
    create_table(dynamodb.caller, table.__design__, NAME, protected=False, recovery=False)
    try:
        store = dynamodb.store(table, table=NAME)
        for one in orders:
            store.put(table.put, record(table.__design__, one))  # type: ignore[attr-defined]
        yield
    finally:
        dynamodb.clear()


def item(table: type[Table], values: Values) -> dict[str, Any]:
    design = table.__design__
    return Records(design, design.entities["Order"]).to_item(record(design, values))


def by_id(orders: list[Values]) -> dict[tuple[str, str], Values]:
    return {(one["customer"], one["id"]): one for one in orders}


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    old=TABLES,
    new=TABLES,
    orders=st.lists(VALUES, max_size=6),
    later=st.lists(WRITES, max_size=3),
    moments=st.lists(st.integers(1, 60), min_size=4, max_size=4, unique=True),
)
def test_a_plan_ends_with_the_table_that_the_new_design_would_have_written(
    dynamodb: Database,
    old: type[Table],
    new: type[Table],
    orders: list[Values],
    later: list[Write],
    moments: list[int],
) -> None:
    plan = Plan(describe(old), describe(new), tuple(plan_steps(new, old)))
    with live(dynamodb, old, orders), TemporaryDirectory() as folder:
        caller = Interrupted(dynamodb.caller)
        written = by_id(orders)
        writing = [partial(_write, dynamodb.store(new, table=NAME), written, w) for w in later]
        released: set[str] = set()
        while True:
            progress = Progress(plan, Path(folder, "state.json"))
            try:
                at = apply(
                    plan, Work(new, old, caller), progress, released=released, say=lambda _: None
                )
            except Killed:
                continue
            if at is None:
                break
            released.add(at.name)
            if at.name == "writers":
                # From here on new code writes, and the backfill beside it is killed.
                caller.begin(dict(zip(moments, writing, strict=False)), moments[-1])
        for late in caller.acts.values():
            late()
        _is_written_anew(dynamodb, new, list(written.values()))


def _write(store: Store, written: dict[tuple[str, str], Values], write: Write) -> None:
    """What new code does beside a backfill: it puts, changes or deletes an order."""
    table, values = store.design, write.values
    key = {"customer": values["customer"], "id": values["id"]}
    patterns: Any = table.patterns
    if write.verb == "put":
        store.put(patterns["put"], record(table, values))
        written[key["customer"], key["id"]] = values
    elif write.verb == "delete":
        store.delete(patterns["delete"], key)
        written.pop((key["customer"], key["id"]), None)
    elif (key["customer"], key["id"]) in written:
        store.update(patterns["change"], key, {"day": values["day"], "note": values["note"]})
        written[key["customer"], key["id"]] |= {"day": values["day"], "note": values["note"]}
    else:
        with pytest.raises(NotFound):
            store.update(patterns["change"], key, {"day": values["day"]})


def _is_written_anew(dynamodb: Database, new: type[Table], orders: list[Values]) -> None:
    assert LiveTable(dynamodb.caller, NAME).form == TableForm.of(new.__design__)
    found = {(one["PK"]["S"], one["SK"]["S"]): one for one in dynamodb.items(NAME)}
    anew = {(one["PK"]["S"], one["SK"]["S"]): one for one in (item(new, o) for o in orders)}
    assert found == anew
    assert verify(new, NAME, dynamodb.caller).is_sound


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=TABLES, new=TABLES)
def test_a_change_that_dynamodb_refuses_at_once_has_several_steps(
    dynamodb: Database, old: type[Table], new: type[Table]
) -> None:
    with live(dynamodb, old, []):
        try:
            # Both with the expiry of now, which another call is for.
            goal = TableForm.of(new.__design__)._replace(ttl=old.__design__.ttl)
            LiveTable(dynamodb.caller, NAME, wait=lambda _: time.sleep(0.01)).update(goal)
            refused = False
        except (Drifted, StoreError):
            refused = True
    with suppress(NotInPlace):
        assert not refused or len(plan_steps(new, old)) > 1


def test_nothing_is_planned_between_designs_that_mean_the_same() -> None:
    @given(table=TABLES)
    def holds(table: type[Table]) -> None:
        assert plan_steps(table, table) == []

    holds()


def test_random_plans_have_steps_of_every_kind() -> None:
    seen: set[Kind] = set()

    @settings(max_examples=50)
    @given(old=TABLES, new=TABLES)
    def collect(old: type[Table], new: type[Table]) -> None:
        seen.update(step.kind for step in plan_steps(new, old))

    collect()
    assert seen == set(Kind)
