"""Alarms on what ingestion counts: what it rejects, and sources that stop."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.sentiment.contract import ITEMS_REJECTED, SOURCE, SOURCE_ERRORS
from tablewright.constructs import PythonFunction
from tablewright.constructs.alarms.alarms import alarm


class IngestionAlarms(Construct):
    """One alarm on refused items, and one for each source that is polled.

    Example::

        IngestionAlarms(self, "IngestionAlarms", function=ingest, sources=["newsapi"],
                        period=Duration.minutes(15))
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        function: PythonFunction,
        sources: Sequence[str],
        period: Duration,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        alarm(
            self,
            "Rejected",
            metric=function.own_metric(ITEMS_REJECTED, period=period),
            threshold=1,
            describes="Items were refused; they are parked with the reason.",
            topic=topic,
        )
        for source in sources:
            alarm(
                self,
                f"{source}Stopped",
                metric=function.own_metric(SOURCE_ERRORS, period=period, by={SOURCE: source}),
                threshold=1,
                # Polls do not keep step with the clock, so that a period may be without one.
                periods=4,
                breaching=3,
                describes=f"{source} could not be read to its end, three polls of four.",
                topic=topic,
            )
