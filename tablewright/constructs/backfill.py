"""Backfill of a table on a schedule, for one that takes hours: carried on until it is done."""

from pathlib import Path

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Validations
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from constructs import Construct

import tablewright
from tablewright.changes.backfill.scheduled.checkpoints import Checkpoints
from tablewright.changes.backfill.scheduled.plan import CALLS, ITEMS_LEFT, PLAN, BackfillPlan
from tablewright.changes.plan.planning import require_in_place
from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.functions.bundling import LIBRARY_SOURCES, PythonCode, Source
from tablewright.constructs.functions.dependencies import LAMBDA, Platform
from tablewright.constructs.functions.function import PythonFunction
from tablewright.constructs.protection import KEPT, Protection
from tablewright.constructs.tables.base import DesignTableBase
from tablewright.constructs.tables.grants import grant_calls
from tablewright.constructs.tables.table import DesignTable
from tablewright.designs.description.build import build_table
from tablewright.model.declaration import Table

_LIBRARY = Path(tablewright.__file__).parent
_HANDLER = "tablewright.changes.backfill.scheduled.handler.handler"
_LONGEST_RUN = Duration.minutes(15)
_DAY_MINUTES = 24 * 60

_SOURCES = (
    *LIBRARY_SOURCES,
    Source(_LIBRARY / "changes" / "__init__.py", "tablewright/changes/__init__.py"),
    Source(
        _LIBRARY / "changes" / "backfill",
        "tablewright/changes/backfill",
        without=("differing.py", "estimate.py", "item_check.py", "sums.py", "verification.py"),
    ),
    Source(
        _LIBRARY / "changes" / "compatibility" / "__init__.py",
        "tablewright/changes/compatibility/__init__.py",
    ),
    Source(
        _LIBRARY / "changes" / "compatibility" / "mapping.py",
        "tablewright/changes/compatibility/mapping.py",
    ),
    Source(_LIBRARY / "designs" / "__init__.py", "tablewright/designs/__init__.py"),
    Source(_LIBRARY / "designs" / "description", "tablewright/designs/description"),
)


class Backfill(Construct):
    """Adds what the items of a table lack that the design `before` wrote: a function that runs
    `every` so many minutes goes on where it was until it is done.

    `rate` limits capacity units a second, of reads and of writes each. How far it is stands in a
    table of its own, so that a run may end at any moment. Once it is done, a run reads that and
    nothing else: take the construct out with a later deployment. When either design changes it
    begins again, and with another number of `run` it goes through the table once more.

    Each run writes one line of JSON to its log, with the number of items by outcome. The metric
    `BackfillItemsLeft`, with the dimension `service`, counts those that were left as they are, and
    an alarm tells of them: `tablewright backfill --dry-run` says which and why. Secret fields, and
    functions of one's own in a design, need the command. A table with replicas is backfilled in its
    own region.

    Example::

        Backfill(self, "Backfill", table=orders, before=OrdersBefore, rate=200,
                 every=Duration.minutes(5))
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        before: type[Table] | None = None,
        rate: float = 100,
        every: Duration | None = None,
        run: int = 1,
        platform: Platform = LAMBDA,
        log_retention: logs.RetentionDays = logs.RetentionDays.ONE_MONTH,
        log_removal: RemovalPolicy = KEPT,
        metrics_namespace: str = "Tablewright",
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        every = every or Duration.minutes(5)
        _check(rate, every)
        old = before.__design__ if before else None
        plan = BackfillPlan.of(table.design, old, rate=rate, run=run)
        if before:
            require_in_place(build_table(plan.new), before)
        super().__init__(scope, id)
        self.checkpoints = DesignTable(
            self,
            "Checkpoints",
            design=Checkpoints,
            # Without them the backfill begins again, which changes nothing.
            protection=Protection.throw_away(),
            alarm_topic=alarm_topic,
        )
        # No longer than until the next one: runs side by side would do the same work.
        timeout = Duration.seconds(min(every.to_seconds(), _LONGEST_RUN.to_seconds()))
        self.function = PythonFunction(
            self,
            "Run",
            system=table.design.id,
            handler=_HANDLER,
            code=PythonCode(sources=_SOURCES, platform=platform, texts={PLAN: plan.to_json()}),
            environment={
                "BACKFILL_TABLE": table.table_name,
                "BACKFILL_CHECKPOINTS": self.checkpoints.table_name,
            },
            memory_mb=512,
            timeout=timeout,
            # It uses the time it has: only a run that Lambda stops is slow.
            slow=timeout,
            metrics_namespace=metrics_namespace,
            log_retention=log_retention,
            log_removal=log_removal,
            alarm_topic=alarm_topic,
        )
        grant_calls(table, self.function.function, *CALLS)
        self.checkpoints.grant(self.function.function, Checkpoints.checkpoint, Checkpoints.keep)
        self.rule = self._schedule(every)
        alarm(
            self,
            "Left",
            metric=self.function.own_metric(ITEMS_LEFT, period=every, statistic="Maximum"),
            threshold=1,
            describes=f"The backfill of {table.design.id} leaves items that somebody must look at.",
            topic=alarm_topic,
            essential=True,
        )

    def _schedule(self, every: Duration) -> events.Rule:
        rule = events.Rule(
            self,
            "Schedule",
            schedule=events.Schedule.rate(every),
            # Handed over once: the next run does what this one missed.
            targets=[targets.LambdaFunction(self.function.function, retry_attempts=0)],
        )
        Validations.of(rule).acknowledge(
            Acknowledgment(
                id="Tablewright-KeptEvents",
                reason="The event of a run says nothing: the next run goes on where it failed.",
            )
        )
        return rule


def _check(rate: float, every: Duration) -> None:
    if rate < 1:
        raise ValueError("a backfill has a rate of at least one capacity unit a second")
    minutes, rest = divmod(every.to_seconds(), 60)
    if rest or not 1 <= minutes <= _DAY_MINUTES:
        raise ValueError("a backfill runs every so many whole minutes, at the most of a day")
