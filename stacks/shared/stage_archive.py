"""Archive of a table of a stage: with the stage's settings, and with outputs for its commands."""

from collections.abc import Sequence

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.failed_events import FailedEvents
from stacks.shared.stage import Stage
from tablewright.constructs import Archive
from tablewright.constructs.tables.base import DesignTableBase
from tablewright.model.archive import EXPIRED
from tablewright.model.declaration import Entity


class StageArchive(Archive):
    """The archive of a system's table; its failed runs are kept in `failures`.

    Example::

        StageArchive(self, "Archive", stage=stage, table=sales, failures=failures,
                     alarm_topic=topic)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        table: DesignTableBase,
        failures: FailedEvents,
        entities: Sequence[type[Entity]] = (),
        takes: str = EXPIRED,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            table=table,
            entities=entities,
            takes=takes,
            window=Duration.seconds(stage.archive_window_seconds),
            give_up_after=stage.give_up_after,
            platform=stage.platform,
            protection=stage.protection,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            metrics_namespace=stage.metrics_namespace,
            alarm_topic=alarm_topic,
        )
        for function in self.scheduled:
            failures.keep_of(function.function, function.node.id)
        outputs = {
            "ArchiveBucket": self.bucket.bucket_name,
            "ArchiveFailuresBucket": self.consumer.failures.bucket_name,
            "TakeFunction": self.take.function.function_name,
            "CompactFunction": self.compact.function.function_name,
            "AthenaTable": f"{self.athena.database_name}.{self.athena.table_name}",
        }
        for name, value in outputs.items():
            CfnOutput(Stack.of(self), name, value=value)
