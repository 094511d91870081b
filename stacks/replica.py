"""What watches a replica: alarms see only the metrics of their own region."""

from aws_cdk import Environment, Stack
from constructs import Construct

from stacks.stage import Stage
from tablewright.constructs import AlarmTopic, TableAlarms
from tablewright.designs.sentiment_items import ITEMS


class ReplicaStack(Stack):
    """Alarms on the write table's replica in a region, told there.

    Example::

        ReplicaStack(app, stage=stage, region="us-west-2")
    """

    def __init__(self, scope: Construct, *, stage: Stage, region: str) -> None:
        super().__init__(
            scope,
            stage.stack_name(f"replica-{region}"),
            env=Environment(account=stage.environment.account, region=region),
        )
        alarms = AlarmTopic(self, "Alarms", email=stage.alarm_email)
        TableAlarms(
            self,
            "Items",
            design=ITEMS,
            table_name=ITEMS.name.format(stage=stage.name),
            topic=alarms.topic,
        )
