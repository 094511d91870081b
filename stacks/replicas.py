"""Replicas of systems that run at home only: watched where they are."""

from collections.abc import Sequence

from constructs import Construct

from stacks.operations import OperationsStack
from stacks.shared.replica_alarms import ReplicaAlarms
from stacks.shared.stage import Stage
from stacks.shared.stage_stack import StageStack
from tablewright.constructs import DesignTableBase


class ReplicasStack(StageStack):
    """Alarms on the replicas of tables in a region, told there.

    Example::

        ReplicasStack(app, stage=stage, operations=operations, tables=sales.tables,
                      region="us-west-2")
    """

    def __init__(
        self,
        scope: Construct,
        *,
        stage: Stage,
        operations: OperationsStack,
        tables: Sequence[DesignTableBase],
        region: str,
    ) -> None:
        super().__init__(scope, "replicas", stage=stage, region=region)
        for table in tables:
            topic = operations.alarm_topic
            ReplicaAlarms(self, table.design.id, stage=stage, table=table, topic=topic)
