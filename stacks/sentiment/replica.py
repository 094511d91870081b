"""Replica watch: alarms see only the metrics of their own region."""

from constructs import Construct

from lambdas.sentiment.contract import items_table_name
from stacks.shared.stage import Stage
from stacks.shared.stage_stack import StageStack
from tablewright.catalog.sentiment.items import Items
from tablewright.constructs import AlarmTopic, TableAlarms


class ReplicaStack(StageStack):
    """Alarms on the write table's replica in a region, sent there.

    Example::

        ReplicaStack(app, stage=stage, region="us-west-2")
    """

    def __init__(self, scope: Construct, *, stage: Stage, region: str) -> None:
        super().__init__(scope, f"replica-{region}", stage=stage, region=region)
        alarms = AlarmTopic(self, "Alarms", email=stage.alarm_email)
        TableAlarms(
            self,
            "Items",
            design=Items.__design__,
            table_name=items_table_name(stage.name),
            topic=alarms.topic,
        )
