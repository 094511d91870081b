"""Backups of a table by AWS Backup: they outlive the table and point-in-time recovery."""

from typing import cast

from aws_cdk import Acknowledgment, Duration, Names, Stack, Validations
from aws_cdk import aws_backup as backup
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.protection import KEPT, Backups
from tablewright.constructs.service_principals import own_account_service
from tablewright.constructs.vended_logs import stack_id

# As many characters as AWS Backup takes, and what a stack's id leaves of them.
_MOST, _LEFT = 50, 37
_ROLE = "BackupRole"


class TableBackup(Construct):
    """A vault of its own with daily copies of the table, and monthly ones if they are asked for.

    An alarm fires when no copy was completed for two days, whatever the reason. The tables of a
    stack share the role by which AWS Backup reads them.

    Example::

        TableBackup(self, "Backup", table=table,
                    backups=Backups(daily_days=35, monthly_days=365))
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: dynamodb.ITable,
        backups: Backups,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        vault = backup.BackupVault(
            self,
            "Vault",
            # It outlives its stack, and must not be in the way of the next one's.
            backup_vault_name=f"{_name(self, _LEFT)}-{stack_id(self)}",
            removal_policy=KEPT,
            block_recovery_point_deletion=True,
        )
        rules = [_rule("Daily", hour="3", day="*", days=backups.daily_days)]
        if backups.monthly_days:
            rules.append(_rule("Monthly", hour="5", day="1", days=backups.monthly_days))
        plan = backup.BackupPlan(
            self,
            "Plan",
            backup_plan_name=_name(self, _MOST),
            backup_vault=vault,
            backup_plan_rules=rules,
        )
        plan.add_selection(
            "Tables",
            role=_role(self),
            resources=[backup.BackupResource.from_dynamo_db_table(table)],
        )
        alarm(
            self,
            "BackupMissing",
            metric=cloudwatch.Metric(
                namespace="AWS/Backup",
                metric_name="NumberOfBackupJobsCompleted",
                dimensions_map={"BackupVaultName": vault.backup_vault_name},
                statistic="Sum",
                period=Duration.days(1),
            ),
            threshold=1,
            periods=2,
            describes="No copy of the table was completed for two days.",
            topic=topic,
            essential=True,
            absence=True,
        )


def _role(scope: Construct) -> iam.IRole:
    """The role of AWS Backup, one for each stack."""
    stack = Stack.of(scope)
    if (existing := stack.node.try_find_child(_ROLE)) is not None:
        return cast("iam.Role", existing)
    role = iam.Role(
        stack,
        _ROLE,
        assumed_by=own_account_service(stack, "backup"),
        managed_policies=[
            iam.ManagedPolicy.from_aws_managed_policy_name(
                "service-role/AWSBackupServiceRolePolicyForBackup"
            )
        ],
    )
    Validations.of(role).acknowledge(
        Acknowledgment(
            id="AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/"
            "service-role/AWSBackupServiceRolePolicyForBackup]",
            reason="The policy that AWS Backup maintains for its own service role.",
        )
    )
    return role


def _name(scope: Construct, length: int) -> str:
    return Names.unique_resource_name(scope, max_length=length, separator="-")


def _rule(name: str, *, hour: str, day: str, days: int) -> backup.BackupPlanRule:
    return backup.BackupPlanRule(
        rule_name=name,
        schedule_expression=events.Schedule.cron(hour=hour, minute="0", day=day),
        start_window=Duration.hours(1),
        completion_window=Duration.hours(6),
        delete_after=Duration.days(days),
    )
