"""Healing of a table on a schedule: items that wait for work that was lost are asked for again."""

from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.alarms.missed_runs import missed_runs_alarm
from tablewright.constructs.queues.work_queue import WorkQueue
from tablewright.constructs.tables.base import DesignTableBase
from tablewright.model.healing import ITEMS_FAILED, ITEMS_FOUND, ITEMS_PARKED, HealingPlan

_RUNS = 4


class SelfHealing(Construct):
    """Runs a function that heals a table, allows it what its plan calls for, and watches it.

    An item is stale when it has waited for `threshold`; a run asks for the oldest `batch` of them.
    After an attempt an item is left alone for `pause`, after each further one for twice as long;
    after `attempts` of them it is parked. The function finds these rules by
    `Rules.from_environment()`, runs `Healing`, and reports by the metrics `SelfHealingItemsFound`,
    `SelfHealingItemsRepublished`, `SelfHealingItemsFailed`, `SelfHealingItemsParked` (all that are
    parked now) and `SelfHealingExecutionTime` in `namespace`, with the dimension `service`. Zeros
    may be left out.

    Example::

        SelfHealing(self, "Healing", table=news, plan=news_healing(), function=heal.function,
                    requests=analysis, service="sentiment")
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        plan: HealingPlan[Any],
        function: lambda_.Function,
        requests: WorkQueue,
        service: str,
        namespace: str = "Tablewright",
        every: Duration | None = None,
        threshold: Duration | None = None,
        batch: int = 100,
        pause: Duration | None = None,
        attempts: int = 5,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        every = every or Duration.minutes(15)
        threshold = threshold or Duration.hours(1)
        pause = pause or Duration.hours(1)
        _check(table, plan, every=every, batch=batch, attempts=attempts)
        super().__init__(scope, id)
        rules = {
            "THRESHOLD_SECONDS": threshold.to_seconds(),
            "BATCH": batch,
            "PAUSE_SECONDS": pause.to_seconds(),
            "ATTEMPTS": attempts,
        }
        for name, value in rules.items():
            function.add_environment(f"HEALING_{name}", str(int(value)))
        table.grant(function, plan.waiting, plan.read, plan.mark)
        requests.grant_publish(function)
        self.rule = events.Rule(
            self,
            "Schedule",
            schedule=events.Schedule.rate(every),
            # Handed over once: the next run finds what this one missed.
            targets=[targets.LambdaFunction(function, retry_attempts=0)],
        )
        self._every = every
        self._topic = alarm_topic
        self._dimensions = {"service": service}
        self._namespace = namespace
        runs = function.metric_invocations(period=every)
        missed_runs_alarm(self, runs=runs, every=every, topic=alarm_topic)
        self._watch(batch)

    def _watch(self, batch: int) -> None:
        alarm(
            self,
            "Parked",
            metric=self._metric(ITEMS_PARKED),
            threshold=1,
            describes="Items are parked: they were asked for as often as allowed, in vain.",
            topic=self._topic,
            essential=True,
        )
        alarm(
            self,
            "Failing",
            metric=self._metric(ITEMS_FAILED),
            threshold=1,
            periods=_RUNS,
            breaching=3,
            describes="Stale items could not be asked for, three runs of four.",
            topic=self._topic,
        )
        # A run finds no more than its batch, so a backlog beyond that grows without being seen.
        # A function may write nothing when it finds nothing.
        growing = cloudwatch.MathExpression(
            expression=f"IF(FILL(found, 0) >= {batch} OR DIFF(FILL(found, 0)) > 0, 1, 0)",
            using_metrics={"found": self._metric(ITEMS_FOUND)},
            label="Stale items increase",
            period=self._every,
        )
        alarm(
            self,
            "Backlog",
            metric=growing,
            threshold=1,
            periods=_RUNS,
            describes=f"Stale items increase, or fill whole runs, {_RUNS} runs in a row.",
            topic=self._topic,
        )

    def _metric(self, name: str) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace=self._namespace,
            metric_name=name,
            dimensions_map=self._dimensions,
            statistic="Maximum",
            period=self._every,
        )


def _check(
    table: DesignTableBase, plan: HealingPlan[Any], *, every: Duration, batch: int, attempts: int
) -> None:
    if plan.design is not table.design:
        raise ValueError(
            f"the plan is for another design than that of the table: pass the plan of "
            f"'{table.design.id}' and the same variant of it"
        )
    problems = plan.problems()
    if problems:
        raise ValueError(f"table '{table.design.id}' cannot be healed: {'; '.join(problems)}")
    if every.to_seconds() < 60 or every.to_seconds() % 60:
        raise ValueError("healing runs every so many whole minutes, as alarms are counted by them")
    if batch < 1 or attempts < 1:
        raise ValueError("a run asks for at least one item, and for each at least once")
