"""Alarm topic, budgets and cost recommendations: where operators hear of trouble."""

from collections.abc import Mapping

from aws_cdk import Annotations, CfnOutput, CfnWaitConditionHandle
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.cost_recommendations import CostRecommendations
from stacks.shared.stage import Stage
from stacks.shared.stage_stack import StageStack
from tablewright.constructs import (
    AccountAlarms,
    AlarmLevel,
    AlarmTopic,
    CostAlerts,
    DesignTableBase,
    Protection,
)


class OperationsStack(StageStack):
    """The topic that all alarms are told to, and the budgets that tell costs to the same people.

    In each region of a stage, because alarms tell topics of their own region only; the budgets,
    which are of the whole account, at home.

    Example::

        operations = OperationsStack(app, stage=stage)
        sales = SalesStack(app, stage=stage, operations=operations, identity=identity)
        operations.recommend(stage, {"sales": sales.tables[0]})
    """

    def __init__(self, scope: Construct, *, stage: Stage, region: str | None = None) -> None:
        super().__init__(scope, "operations", stage=stage, region=region)
        self.alarm_topic: sns.ITopic | None = None
        if stage.alarms is not AlarmLevel.NONE:
            self.alarm_topic = AlarmTopic(
                self,
                "Alarms",
                email=stage.alarm_email,
                encrypted=stage.protection != Protection.throw_away(),
            ).topic
        else:
            # CloudFormation refuses a stack without resources.
            CfnWaitConditionHandle(self, "NoAlarms")
        # Of the account, not of the stage: throttled functions ring by what they leave undone.
        if stage.alarms is AlarmLevel.ALL:
            AccountAlarms(self, "Account", topic=self.alarm_topic)
        if region:
            return
        if stage.alarm_email and stage.cost_limits:
            self._tell_costs(stage, stage.alarm_email)
        if stage.protection.deletion_protection and not stage.alarm_email:
            Annotations.of(self).add_warning_v2(
                "tablewright:alarmEmail",
                f"nobody is told of alarms in {stage.name}: "
                f"set alarm_email in stages/{stage.name}.toml",
            )

    def recommend(self, stage: Stage, tables: Mapping[str, DesignTableBase]) -> None:
        """Look every week at what these tables and all else of the stage cost, if that is asked."""
        if stage.recommended_from is None:
            return
        made = CostRecommendations(
            self,
            "Recommendations",
            stage=stage,
            tables=tables,
            told_from=stage.recommended_from,
            topic=self.alarm_topic,
        )
        CfnOutput(self, "ReportsBucket", value=made.bucket.bucket_name)
        CfnOutput(self, "RecommendFunction", value=made.function.function.function_name)
        CfnOutput(self, "FailedEvents", value=made.failures.queue.queue_arn)

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
            "to leave them out knowingly, set cost_limits = [] in the stage's file",
        )
