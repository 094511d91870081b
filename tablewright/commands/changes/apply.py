"""Apply a plan to a live table, step by step.

    tablewright apply orders.plan.json --stage prod --dry-run
    tablewright apply orders.plan.json --stage prod
    tablewright apply orders.plan.json --stage prod --released writers
    tablewright apply orders.plan.json --stage prod --undo

It stops where code must be released, and goes on when --released confirms the release. It stops
again before it removes what old code reads, until --readers-moved. Stopped or killed at any moment,
the same command goes on where it was: progress is kept in a control table, by table and plan. Until
something is removed, --undo takes the steps back. With a stage that has a deploy command, updates
of the table are made by that, so that its stack has them too: {context} in it becomes the option of
the CDK CLI that tells the constructs which step it is.

Exit code 0: the plan is applied, or undone; 3: it waits for a person; 1: something must be looked
at; 2: it could not go on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError
from tqdm import tqdm

from tablewright.changes.backfill.backfill import OUTCOMES, UNSETTLED, Backfill, Contraction
from tablewright.changes.backfill.pace import DEFAULT_RATE
from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.changes.backfill.verification import verify
from tablewright.changes.plan.applying import PlanProgress, Unfinished, apply, undo
from tablewright.changes.plan.live_table import Drifted, LiveTable
from tablewright.changes.plan.plan import InvalidPlan, Plan
from tablewright.changes.plan.report import plan_lines
from tablewright.changes.plan.taken_attributes import taken_attributes
from tablewright.changes.state import LeaseHeld
from tablewright.commands.changes.live_table import add_secret_options, secrets_of
from tablewright.commands.changes.migration_state import add_state_options, held, state_of
from tablewright.commands.changes.progress_bar import progress_bar
from tablewright.commands.changes.stages import Stage, add_stage, told_stage
from tablewright.commands.named import table_design
from tablewright.commands.numbers import per_second, whole
from tablewright.designs.description.build import build_table
from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.description.node import printable
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.errors import StoreError

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

WAITS = 3
_CONTEXT = "tablewright:on-the-way"
_VARIABLE = "TABLEWRIGHT_CONTEXT"
_BEFORE = "before"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        plan = Plan.from_file(options.plan)
    except InvalidPlan as error:
        parser.error(str(error))
    stage = told_stage(parser, options, plan.after["id"])
    if stage is None:
        parser.error("say which table: --stage STAGE, or --table NAME")
    known = [_BEFORE] if options.undo else [step.name for step in plan.steps if step.name]
    if unknown := sorted(set(options.released) - set(known)):
        names = ", ".join(known) or "none"
        parser.error(printable(f"the plan has no release {', '.join(unknown)}; it has: {names}"))
    try:
        options.region = stage.region
        named = options.design
        before = build_table(plan.before, *named) if plan.before else None
        designs = build_table(plan.after, *named), before
        work = _Work(plan, designs, stage, options, secrets_of(parser, options, *designs))
        return _applied(options, plan, stage, work)
    except InvalidDescription as error:
        parser.error(f"{options.plan}: {error}, by --design")
    except Unfinished as error:
        print(printable(str(error)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        return 130
    except (BotoCoreError, Drifted, LeaseHeld, OSError, StoreError, ValueError) as error:
        print(f"tablewright apply: {error}", file=sys.stderr)
        return 2


def _applied(options: argparse.Namespace, plan: Plan, stage: Stage, work: _Work) -> int:
    state = state_of(stage.caller, stage.table, f"plan {plan.id}", options.control_table)
    if options.dry_run:
        done = PlanProgress(state).done
        print(f"{done} of {len(plan.steps)} steps are done. The remaining steps:")
        print("\n".join(plan_lines(plan.steps[done:])))
        return 0
    with held(state):
        progress = PlanProgress(state, options.segments)
        if options.undo:
            return _undone(options, plan, work, progress)
        waiting = apply(
            plan,
            work,
            progress,
            released=options.released,
            readers_moved=options.readers_moved,
            say=_say,
        )
    if waiting is None:
        print("The plan is applied. `tablewright lock` writes the new design to the lock.")
        return 0
    _say(f"{progress.done + 1} of {len(plan.steps)}: {waiting.says}")
    if waiting.is_contract:
        _say("When no code of the old design runs: the same command with --readers-moved")
    else:
        _say(f"When that is done everywhere: the same command with --released {waiting.name}")
    return WAITS


def _undone(options: argparse.Namespace, plan: Plan, work: _Work, progress: PlanProgress) -> int:
    if undo(
        plan,
        work,
        progress,
        is_released=_BEFORE in options.released,
        remove_attributes=options.remove_attributes,
        say=_say,
    ):
        print("The plan is undone.")
        return 0
    _say(
        "Release the code of the old design. When that is done everywhere: the same command with "
        f"--released {_BEFORE}"
    )
    return WAITS


def _say(text: str) -> None:
    print(printable(text), flush=True)


class _Work:
    """Carries out the steps on the table of a stage."""

    def __init__(
        self,
        plan: Plan,
        designs: tuple[type[Table], type[Table] | None],
        stage: Stage,
        options: argparse.Namespace,
        secrets: Secrets | None,
    ) -> None:
        self._new, self._old = designs
        self._was = plan.was
        self._id = self._new.__design__.id
        self._stage = stage
        self._options = options
        self._secrets = secrets
        self._live = LiveTable(stage.caller, stage.table)

    @property
    def form(self) -> TableForm:
        self._live.settle()
        return self._live.form

    def require_free_attributes(self) -> None:
        reasons = taken_attributes(
            self._new,
            self._old,
            self._stage.table,
            self._stage.caller,
            self.form,
            secrets=self._secrets,
            was=self._was,
        )
        if reasons:
            raise Unfinished("\n".join(reasons))

    def update(self, goal: TableForm) -> None:
        now = self.form
        if self._stage.deploy and now != goal:
            off = {"ttl_off": now.ttl} if now.ttl and not goal.ttl else {}
            context = f"{_CONTEXT}={json.dumps({self._id: goal.to_json() | off})}"
            # A shell runs nothing that a variable holds, however the command quotes it.
            command = self._stage.deploy.replace("{context}", f'-c "${_VARIABLE}"')
            env = {**os.environ, _VARIABLE: context}
            ended = subprocess.run(command, shell=True, env=env, check=False)  # noqa: S602 - the user's own
            if ended.returncode:
                raise Drifted(f"'{self._stage.deploy}' ended with code {ended.returncode}")
        self._live.update(goal)

    def backfill(self, progress: StateProgress) -> None:
        work = Backfill(
            self._new,
            self._old,
            self._stage.table,
            self._stage.caller,
            rate=self._options.rate,
            progress=progress,
            secrets=self._secrets,
            was=self._was,
        )
        self._run(work, progress)

    def remove_attributes(self, progress: StateProgress, *, of_new: bool = False) -> None:
        if self._old is None:
            raise Unfinished("the plan does not have the old design: nothing can be removed by it")
        used, unused = (self._old, self._new) if of_new else (self._new, self._old)
        work = Contraction(
            used,
            unused,
            self._stage.table,
            self._stage.caller,
            rate=self._options.rate,
            progress=progress,
        )
        self._run(work, progress)

    def _run(self, work: Backfill, progress: StateProgress) -> None:
        with progress_bar(self._live.size[0], progress, self._stage.region) as bar:
            counts: Counter[str] = work.run(bar)
        for outcome, words in OUTCOMES.items():
            if counts[outcome]:
                print(f"  {counts[outcome]:10,} {words}")
        print(f"  {bar.text}")
        left = [one for one in work.reasons if one.outcome in UNSETTLED]
        if left or any(counts[outcome] for outcome in UNSETTLED):
            # The next run looks at all items again.
            progress.restart()
            lines = (f"  {one.number:,} {one.text}: {one.example}" for one in left)
            raise Unfinished("\n".join(("Some items were left, and the plan waits:", *lines)))

    def verify(self) -> None:
        with tqdm(unit="item") as bar:
            found = verify(
                self._new,
                self._stage.table,
                self._stage.caller,
                old=self._old,
                was=self._was,
                rate=self._options.rate,
                segments=self._options.segments,
                secrets=self._secrets,
                bar=bar,
            )
        lines = list(found.lines())
        if not found.is_sound:
            raise Unfinished("\n".join(("Items or indexes differ, and the plan waits:", *lines)))
        print("\n".join(f"  {line}" for line in lines))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright apply",
        description="Apply a plan to a live table, step by step.",
        epilog="For example: tablewright apply orders.plan.json --stage prod --released writers",
    )
    parser.add_argument("plan", type=Path, metavar="PLAN", help="that tablewright plan wrote")
    parser.add_argument(
        "--design",
        type=table_design,
        action="append",
        default=[],
        metavar="DESIGN",
        help="as package.module:Name, a design with the functions of its own that the plan names",
    )
    add_stage(parser)
    add_secret_options(parser)
    parser.add_argument(
        "--released",
        action="append",
        default=[],
        metavar="NAME",
        help="a release of the plan that is done everywhere",
    )
    parser.add_argument(
        "--readers-moved",
        action="store_true",
        help="no code of the old design runs, so what it alone reads may be removed",
    )
    parser.add_argument(
        "--undo", action="store_true", help="take the steps back; until something is removed"
    )
    parser.add_argument(
        "--remove-attributes",
        action="store_true",
        help="with --undo, also remove the attributes that the backfill added",
    )
    parser.add_argument("--dry-run", action="store_true", help="show the remaining steps, only")
    parser.add_argument(
        "--rate",
        type=per_second,
        default=DEFAULT_RATE,
        help="capacity units a second, of reads and of writes each (%(default)g)",
    )
    parser.add_argument(
        "--segments", type=whole(1, 100), default=4, help="parallel scans (%(default)s)"
    )
    add_state_options(parser)
    return parser
