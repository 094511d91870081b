"""Plans between random designs, applied on the engine beside readers and writers, with kills.

The oracle is a dict of the values that were written: an item must have every attribute that the old
design writes for its values until a contract step, and at the end all of the new design's too.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.changes import (
    UNSETTLED,
    Backfill,
    Kind,
    LiveTable,
    NotInPlace,
    Plan,
    Unfinished,
    apply,
    plan_steps,
    undo,
    verify,
)
from tablewright.changes.backfill.backfill import Contraction
from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.changes.plan.applying import PlanProgress
from tablewright.designs import describe
from tablewright.model import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.deployed_table import create_table
from tablewright.runtime.errors import NotFound
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.changes.random_designs import (
    CHANGES,
    TABLES,
    VALUES,
    Change,
    design,
    record,
)

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


class MemoryState:
    """The state of a migration that one process has alone."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def load(self) -> dict[str, Any]:
        return dict(self.values)

    def save(self, values: dict[str, Any]) -> None:
        self.values = dict(values)


class Work:
    """Carries out the steps of a plan on the engine."""

    def __init__(self, new: type[Table], old: type[Table], caller: Caller) -> None:
        self._new, self._old, self._caller = new, old, caller
        self._live = LiveTable(caller, NAME, wait=lambda _: time.sleep(0.01))

    @property
    def form(self) -> TableForm:
        self._live.settle()
        return self._live.form

    def require_free_attributes(self) -> None:
        """They are: `test_plan_apply` has those that are not."""

    def update(self, goal: TableForm) -> None:
        self._live.update(goal)

    def backfill(self, progress: StateProgress) -> None:
        work = Backfill(self._new, self._old, NAME, self._caller, progress=progress)
        counts = work.run()
        if any(counts[one] for one in UNSETTLED):
            raise Unfinished(f"{counts} {work.reasons}")

    def verify(self) -> None:
        found = verify(self._new, NAME, self._caller, old=self._old)
        if not found.is_sound:
            raise Unfinished("\n".join(found.lines()))

    def remove_attributes(self, progress: StateProgress, *, of_new: bool = False) -> None:
        pair = (self._old, self._new) if of_new else (self._new, self._old)
        Contraction(*pair, NAME, self._caller, progress=progress).run()


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


def has_what_it_writes(dynamodb: Database, table: type[Table], orders: list[Values]) -> bool:
    """True if every item is there with all that a design writes for it."""
    found = {(one["PK"]["S"], one["SK"]["S"]): one for one in dynamodb.items(NAME)}
    wanted = {(one["PK"]["S"], one["SK"]["S"]): one for one in (item(table, o) for o in orders)}
    assert found.keys() == wanted.keys()
    for key, one in wanted.items():
        assert {name: found[key].get(name) for name in one} == one
    return True


def plan_of(new: type[Table], old: type[Table], **options: Any) -> Plan:
    start = TableForm.of(old.__design__)
    return Plan(describe(old), describe(new), start, tuple(plan_steps(new, old, **options)))


def applied(
    plan: Plan,
    work: Work,
    state: MemoryState,
    at_release: Callable[[str], None] = lambda name: None,
) -> None:
    """Apply a plan to its end: each release at once, and again after each kill."""
    released: set[str] = set()
    moved = False
    while True:
        try:
            waiting = apply(
                plan,
                work,
                PlanProgress(state, 1),  # type: ignore[arg-type]
                released=released,
                readers_moved=moved,
                say=lambda _: None,
            )
        except Killed:
            continue
        if waiting is None:
            return
        if waiting.is_contract:
            moved = True
        else:
            released.add(waiting.name)
            at_release(waiting.name)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    change=CHANGES,
    orders=st.lists(VALUES, max_size=6),
    later=st.lists(WRITES, max_size=3),
    moments=st.lists(st.integers(1, 60), min_size=4, max_size=4, unique=True),
)
def test_additions_and_contraction_end_with_what_the_new_design_writes(
    dynamodb: Database,
    change: Change,
    orders: list[Values],
    later: list[Write],
    moments: list[int],
) -> None:
    old, new, last = design(change.old), design(change.added), design(change.contracted)
    with live(dynamodb, old, orders):
        caller = Interrupted(dynamodb.caller)
        written = by_id(orders)
        store = dynamodb.store(new, table=NAME)
        writing = [partial(_write, store, written, write) for write in later]

        def at_release(name: str) -> None:
            assert has_what_it_writes(dynamodb, old, list(written.values()))
            if name == "writers":
                # From here on new code writes, and the backfill beside it is killed.
                caller.begin(dict(zip(moments, writing, strict=False)), moments[-1])

        applied(plan_of(new, old), Work(new, old, caller), MemoryState(), at_release)
        for late in caller.acts.values():
            late()
        caller.begin({}, 0)
        values = list(written.values())
        assert has_what_it_writes(dynamodb, old, values), "old code reads all until contract"
        assert has_what_it_writes(dynamodb, new, values)
        assert LiveTable(dynamodb.caller, NAME).form == TableForm.of(new.__design__)
        assert verify(new, NAME, dynamodb.caller, old=old).is_sound

        caller.begin({}, moments[-1])
        plan = plan_of(last, new, remove_attributes=True)
        applied(plan, Work(last, new, caller), MemoryState())
        caller.begin({}, 0)
        assert has_what_it_writes(dynamodb, last, values)
        assert LiveTable(dynamodb.caller, NAME).form == TableForm.of(last.__design__)
        if change.removed and values:
            known = set().union(*(item(last, one) for one in values))
            assert set().union(*dynamodb.items(NAME)) == known, "nothing else is left"


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    change=CHANGES,
    orders=st.lists(VALUES, max_size=6),
    steps=st.integers(0, 6),
    kill=st.integers(1, 60),
)
def test_undo_leads_back_from_every_step(
    dynamodb: Database, change: Change, orders: list[Values], steps: int, kill: int
) -> None:
    old, new = design(change.old), design(change.added)
    with live(dynamodb, old, orders):
        before = sorted(dynamodb.items(NAME), key=str)
        caller = Interrupted(dynamodb.caller)
        plan, work, state = plan_of(new, old), Work(new, old, caller), MemoryState()
        part = replace(plan, steps=plan.steps[:steps])
        applied(part, work, state)
        # Stopped in the midst of the next step.
        caller.begin({}, kill)
        with suppress(Killed):
            released = {step.name for step in plan.steps[steps : steps + 1]}
            apply(
                replace(plan, steps=plan.steps[: steps + 1]),
                work,
                PlanProgress(state, 1),  # type: ignore[arg-type]
                released=released,
                say=lambda _: None,
            )
        caller.begin({}, 0)
        progress = PlanProgress(state, 1)  # type: ignore[arg-type]
        options = {"is_released": True, "remove_attributes": True}
        assert undo(plan, work, progress, say=lambda _: None, **options)
        assert sorted(dynamodb.items(NAME), key=str) == before
        assert LiveTable(dynamodb.caller, NAME).form == TableForm.of(old.__design__)
        assert state.values.get("done", 0) == 0


def _write(store: Store, written: dict[tuple[str, str], Values], write: Write) -> None:
    """A write of new code beside a backfill: it puts, changes or deletes an order."""
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


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=TABLES, new=TABLES, orders=st.lists(VALUES, min_size=1, max_size=6))
def test_a_plan_between_any_two_designs_is_refused_or_keeps_what_old_code_reads(
    dynamodb: Database, old: type[Table], new: type[Table], orders: list[Values]
) -> None:
    with live(dynamodb, old, orders):
        written = list(by_id(orders).values())
        with suppress(NotInPlace):
            plan = plan_of(new, old)
            applied(plan, Work(new, old, dynamodb.caller), MemoryState())
            assert verify(new, NAME, dynamodb.caller, old=old).is_sound
        # Refused or not, whatever the pair: a backfill changes nothing that items have.
        Backfill(new, old, NAME, dynamodb.caller).run()
        assert has_what_it_writes(dynamodb, old, written)


def test_nothing_is_planned_between_designs_that_mean_the_same() -> None:
    @given(table=TABLES)
    def holds(table: type[Table]) -> None:
        assert plan_steps(table, table) == []

    holds()


def test_random_plans_have_steps_of_every_kind() -> None:
    seen: set[Kind] = set()

    @settings(max_examples=50)
    @given(change=CHANGES)
    def collect(change: Change) -> None:
        old, new, last = design(change.old), design(change.added), design(change.contracted)
        for pair in ((new, old), (last, new)):
            seen.update(step.kind for step in plan_steps(*pair, remove_attributes=True))

    collect()
    assert seen == set(Kind)
