"""Apply a plan: carry it out on a live table, step by step.

    tablewright apply orders.plan.json --stage prod --dry-run
    tablewright apply orders.plan.json --stage prod
    tablewright apply orders.plan.json --stage prod --released writers

It stops where code must be released: whoever has done that says so by --released, and it goes on
from there. Stopped or killed at any moment, the same command goes on where it was. With a stage
that has a deploy command, updates of the table are made by that, so that its stack has them too:
{context} in it becomes the option of the CDK CLI that tells the constructs which step it is.

Exit code 0: the plan is carried out; 3: it waits for a release; 1: something must be looked at;
2: it could not go on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError
from tqdm import tqdm

from tablewright.changes.backfill.backfill import OUTCOMES, UNSETTLED, Backfill
from tablewright.changes.backfill.verification import verify
from tablewright.changes.plan.applying import Progress, Unfinished, Work, apply
from tablewright.changes.plan.live_table import Drifted, LiveTable
from tablewright.changes.plan.plan import InvalidPlan, Plan
from tablewright.changes.plan.report import plan_lines
from tablewright.commands.changes.live_table import add_secret_options, mark_of, secrets_of
from tablewright.commands.changes.stages import Stage, add_stage, told_stage
from tablewright.commands.named import table_design
from tablewright.commands.numbers import per_second, whole
from tablewright.designs.description.build import build_table
from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.description.node import printable
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.errors import StoreError
from tablewright.runtime.segments.progress import Progress as ItemProgress
from tablewright.runtime.segments.progress import ProgressMismatch

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

WAITS = 3
_CONTEXT = "tablewright:on-the-way"
_VARIABLE = "TABLEWRIGHT_CONTEXT"


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
    unknown = set(options.released) - {step.name for step in plan.steps}
    if unknown:
        known = ", ".join(step.name for step in plan.steps if step.name) or "none"
        missing = ", ".join(sorted(unknown))
        parser.error(printable(f"the plan has no release {missing}; it has: {known}"))
    try:
        options.region = stage.region
        named = options.design
        before = build_table(plan.before, *named) if plan.before else None
        designs = build_table(plan.after, *named), before
        work = _Work(designs, stage, options, secrets_of(parser, options, *designs))
        return _applied(options, plan, work)
    except InvalidDescription as error:
        parser.error(f"{options.plan}: {error}, by --design")
    except Unfinished as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        return 130
    except (BotoCoreError, Drifted, OSError, ProgressMismatch, StoreError, ValueError) as error:
        print(f"tablewright apply: {error}", file=sys.stderr)
        return 2


def _applied(options: argparse.Namespace, plan: Plan, work: Work) -> int:
    progress = Progress(plan, options.state or options.plan.with_suffix(".state.json"))
    if options.dry_run:
        left = plan.steps[progress.done :]
        print(f"{progress.done} of {len(plan.steps)} steps are done. What is left:")
        print("\n".join(plan_lines(left)))
        return 0
    waiting = apply(
        plan,
        work,
        progress,
        released=options.released,
        say=lambda text: print(printable(text), flush=True),
    )
    if waiting is None:
        print("The plan is carried out. tablewright lock notes it.")
        return 0
    print(printable(f"{progress.done + 1} of {len(plan.steps)}: {waiting.says}"))
    again = f"When that is done everywhere: the same command with --released {waiting.name}"
    print(printable(again))
    return WAITS


class _Work:
    """Carries out the steps on the table of a stage."""

    def __init__(
        self,
        designs: tuple[type[Table], type[Table] | None],
        stage: Stage,
        options: argparse.Namespace,
        secrets: Secrets | None,
    ) -> None:
        self._new, self._old = designs
        self._id = self._new.__design__.id
        self._stage = stage
        self._options = options
        self._secrets = secrets
        self._live = LiveTable(stage.caller, stage.table)

    @property
    def form(self) -> TableForm:
        return self._live.form

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

    def backfill(self) -> None:
        progress = ItemProgress.open(
            self._options.plan.with_suffix(".items.json"),
            f"{self._stage.table} {mark_of(self._new, self._old)}",
            self._options.segments,
        )
        backfill = Backfill(
            self._new,
            self._old,
            self._stage.table,
            self._stage.caller,
            rate=self._options.rate,
            progress=progress,
            secrets=self._secrets,
        )
        with tqdm(total=self._live.size[0] or None, unit="item") as bar:
            counts = backfill.run(bar)
        progress.finish()
        for outcome, words in OUTCOMES.items():
            if counts[outcome]:
                print(f"  {counts[outcome]:10,} {words}")
        if any(counts[outcome] for outcome in UNSETTLED):
            left = (f"  {one.number:,} {one.text}: {one.example}" for one in backfill.reasons)
            raise Unfinished("\n".join(("Some items were left; the plan waits:", *left)))

    def verify(self) -> None:
        found = verify(
            self._new,
            self._stage.table,
            self._stage.caller,
            rate=self._options.rate,
            segments=self._options.segments,
            secrets=self._secrets,
        )
        lines = list(found.lines())
        if not found.is_sound:
            raise Unfinished("\n".join(("Not everything is as the design writes it:", *lines)))
        print("\n".join(f"  {line}" for line in lines))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright apply",
        description="Carry out a plan on a live table, step by step.",
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
    parser.add_argument("--dry-run", action="store_true", help="show what is left, only")
    parser.add_argument(
        "--rate", type=per_second, help="units a second of backfills; without a limit"
    )
    parser.add_argument(
        "--segments", type=whole(1, 100), default=4, help="parallel scans (%(default)s)"
    )
    parser.add_argument("--state", type=Path, metavar="FILE", help="(PLAN.state.json)")
    return parser
