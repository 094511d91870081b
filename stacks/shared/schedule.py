"""Runs of functions by the clock."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.failed_events import FailedEvents
from tablewright.constructs import PythonFunction
from tablewright.constructs.alarms.missed_runs import missed_runs_alarm


class Schedule(Construct):
    """Runs a function by the clock; a run that failed three times is kept in `failures`.

    An alarm fires when runs do not begin. With a cron expression the caller makes it; of what runs
    once a week there is none, since CloudWatch looks no further back.

    Example::

        Schedule(self, "Cleaning", Duration.days(1), function=clean, failures=failures, topic=topic)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        when: events.Schedule | Duration,
        *,
        function: PythonFunction,
        failures: FailedEvents,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        if isinstance(when, Duration):
            runs = function.function.metric_invocations(period=when)
            missed_runs_alarm(self, runs=runs, every=when, topic=topic)
            when = events.Schedule.rate(when)
        events.Rule(
            self,
            "Default",
            schedule=when,
            # Handed over once: the next run finds what this one missed.
            targets=[targets.LambdaFunction(function.function, retry_attempts=0)],
        )
        failures.keep_of(function.function, id)
