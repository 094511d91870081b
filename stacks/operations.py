"""Alarm topic and budgets: where operators hear of trouble."""

from aws_cdk import Annotations
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.stage import Stage
from stacks.shared.stage_stack import StageStack
from tablewright.constructs import AccountAlarms, AlarmLevel, AlarmTopic, CostAlerts


class OperationsStack(StageStack):
    """The topic that all alarms are told to, and the budgets that tell costs to the same people.

    Example::

        operations = OperationsStack(app, stage=stage)
        SalesStack(app, stage=stage, operations=operations, identity=identity)
    """

    def __init__(self, scope: Construct, *, stage: Stage) -> None:
        super().__init__(scope, "operations", stage=stage)
        self.alarm_topic: sns.ITopic | None = None
        if stage.alarms is not AlarmLevel.NONE:
            self.alarm_topic = AlarmTopic(self, "Alarms", email=stage.alarm_email).topic
        AccountAlarms(self, "Account", topic=self.alarm_topic)
        if stage.alarm_email and stage.cost_limits:
            self._tell_costs(stage, stage.alarm_email)
        if stage.protection.deletion_protection and not stage.alarm_email:
            Annotations.of(self).add_warning_v2(
                "tablewright:alarmEmail",
                f"nobody is told of alarms in {stage.name}: "
                "set TABLEWRIGHT_ALARM_EMAIL or -c alarm_email=...",
            )

    def _tell_costs(self, stage: Stage, email: str) -> None:
        region = stage.environment.region
        if region is None or region in CostAlerts.REGIONS:
            CostAlerts(
                self,
                "Costs",
                limits=stage.cost_limits,
                email=[email],
                tag=("stage", stage.name),
            )
            return
        Annotations.of(self).add_warning_v2(
            "tablewright:costs",
            f"nobody is told what {stage.name} costs: CloudFormation makes no budgets in {region}; "
            "to leave them out knowingly, set TABLEWRIGHT_COST_LIMITS=none",
        )
