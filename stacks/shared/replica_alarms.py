"""Alarms on a table's replica, in the replica's own region."""

from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.stage import Stage
from tablewright.constructs import DesignTableBase, TableAlarms


class ReplicaAlarms(Construct):
    """Throttles and errors of a replica: an alarm sees the metrics of its own region only.

    Of the stage's own level, where all else of a region that stands by has essential alarms only.

    Example::

        ReplicaAlarms(self, "Sales", stage=stage, table=sales.table, topic=operations.alarm_topic)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        table: DesignTableBase,
        topic: sns.ITopic | None,
    ) -> None:
        super().__init__(scope, id)
        stage.alarms.apply_to(self)
        TableAlarms(self, "Alarms", design=table.design, table_name=table.table_name, topic=topic)
