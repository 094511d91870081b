"""Runs of functions by the clock."""

from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from constructs import Construct

from stacks.shared.failed_events import FailedEvents
from tablewright.constructs import PythonFunction


class Schedule(Construct):
    """Runs a function by the clock; a run that failed three times is kept in `failures`.

    Example::

        Schedule(self, "Cleaning", events.Schedule.rate(Duration.days(1)), function=clean,
                 failures=failures)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        when: events.Schedule,
        *,
        function: PythonFunction,
        failures: FailedEvents,
    ) -> None:
        super().__init__(scope, id)
        events.Rule(
            self,
            "Default",
            schedule=when,
            # Handed over once: the next run finds what this one missed.
            targets=[targets.LambdaFunction(function.function, retry_attempts=0)],
        )
        failures.keep_of(function.function, id)
