"""Plans that are applied to tables in use, and undone."""

from __future__ import annotations

import time
from functools import partial

from tablewright.changes.backfill.backfill import UNSETTLED, Backfill, Contraction
from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.changes.backfill.verification import verify
from tablewright.changes.plan.applying import PlanProgress, Unfinished, apply, undo
from tablewright.changes.plan.live_table import LiveTable
from tablewright.changes.plan.plan import Plan
from tablewright.changes.plan.planning import NotInPlace, plan_steps
from tablewright.changes.plan.steps import Kind, Step
from tablewright.changes.plan.taken_attributes import taken_attributes
from tablewright.designs import describe
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tests.integration.changes.oracle.live import Trouble
from tests.unit.changes.oracle.changes import Pair


class Work:
    """Carries out the steps of a plan."""

    def __init__(self, pair: Pair, name: str, caller: Caller) -> None:
        self._old, self._new, self._was = pair.old.table, pair.new.table, pair.was
        self._name, self._caller = name, caller
        self._live = LiveTable(caller, name, wait=lambda _: time.sleep(0.01))

    @property
    def form(self) -> TableForm:
        return self._live.form

    def require_free_attributes(self) -> None:
        reasons = taken_attributes(
            self._new, self._old, self._name, self._caller, self.form, was=self._was
        )
        if reasons:
            raise Unfinished("\n".join(reasons))

    def update(self, goal: TableForm) -> None:
        self._live.update(goal)

    def backfill(self, progress: StateProgress) -> None:
        work = Backfill(
            self._new,
            self._old,
            self._name,
            self._caller,
            progress=progress,
            rate=None,
            was=self._was,
        )
        counts = work.run()
        if any(counts[outcome] for outcome in UNSETTLED):
            progress.restart()
            raise Unfinished(str(work.reasons))

    def verify(self) -> None:
        found = verify(self._new, self._name, self._caller, old=self._old, was=self._was)
        if not found.is_sound:
            raise Unfinished("\n".join(found.lines()))

    def remove_attributes(self, progress: StateProgress, *, of_new: bool = False) -> None:
        used, unused = (self._old, self._new) if of_new else (self._new, self._old)
        Contraction(used, unused, self._name, self._caller, progress=progress).run()


def change_in_place(trouble: Trouble, name: str) -> str:
    """Change a table as its verdict says, while it is used; gives how it ended."""
    pair = trouble.pair
    arn = trouble.create(pair.old, name, stream=False)
    old = trouble.version("old", pair.old, name)
    new = trouble.version("new", pair.new, name)
    trouble.write(old, times=6)
    trouble.check("before", old)
    try:
        steps = plan_steps(pair.new.table, pair.old.table, was=pair.was, remove_attributes=True)
    except NotInPlace:
        _refuse(trouble, name)
        return "refused"
    is_ordered = [s.name for s in steps if s.kind is Kind.RELEASE] == ["readers", "writers"]
    start = TableForm.of(pair.old.table.__design__)
    plan = Plan(describe(pair.old.table), describe(pair.new.table), start, tuple(steps), pair.was)
    released, writers, readers, is_undone = set[str](), [old], [old], trouble.rng.random() > 0.3
    readers_moved = False

    def work(caller: Caller, *, back: bool = False) -> Step | None:
        state = trouble.state(caller, arn, plan.id)
        state.acquire()
        progress, table = PlanProgress(state, 1), Work(pair, name, caller)
        say = {"say": lambda _: None}
        if back:
            undo(plan, table, progress, is_released=True, remove_attributes=True, **say)
            return None
        return apply(plan, table, progress, released=released, readers_moved=readers_moved, **say)

    while True:
        try:
            step = trouble.run(work, *writers)
        except Unfinished as problem:
            return f"unfinished: {problem}"
        trouble.check(f"before {step.says if step else 'the end'}", *readers)
        if step is None:
            break
        if not is_undone and not is_ordered and trouble.rng.random() < 0.5:
            is_undone, released, writers, readers = True, set(), [old], [old]
            trouble.run(partial(work, back=True), old)
            trouble.check("undone", old)
            continue
        if step.is_contract:
            readers_moved, readers, writers = True, [new], [new]
        elif step.name == "writers":
            trouble.write(old, new, times=4, is_blind=is_ordered)
            writers = [new]
            readers = [new] if is_ordered else [old]
        else:
            readers = [old, new]
        released.add(step.name)
        trouble.check(f"released {step.name}", *readers)
    trouble.write(new, times=4)
    trouble.check("done", new)
    return "in place"


def _refuse(trouble: Trouble, name: str) -> None:
    """A backfill that is run all the same only adds, and old code sees no difference."""
    pair, before = trouble.pair, trouble.items(name)
    if not pair.is_another_table:
        designs = pair.new.table, pair.old.table
        trouble.run(lambda caller: Backfill(*designs, name, caller, was=pair.was, rate=None).run())
    after = trouble.items(name)
    if before.keys() != after.keys():
        trouble.problems.append(f"items came or went: {before.keys() ^ after.keys()}")
    for key, item in before.items():
        if changed := {n: w for n, w in item.items() if after.get(key, {}).get(n) != w}:
            trouble.problems.append(f"{key} had {changed}")
    trouble.check("refused", trouble.version("old", pair.old, name))
