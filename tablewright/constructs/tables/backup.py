"""Backups of a table by AWS Backup: they outlive the table and point-in-time recovery."""

from aws_cdk import Acknowledgment, Duration, Names, Validations
from aws_cdk import aws_backup as backup
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.protection import KEPT, Backups
from tablewright.constructs.vended_logs import stack_id

# As many characters as AWS Backup takes, and what a stack's id leaves of them.
_MOST, _LEFT = 50, 37


class TableBackup(Construct):
    """A vault of its own with daily copies of the table, and monthly ones if they are asked for.

    An alarm fires when no copy was completed for two days, whatever the reason.

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
        selection = plan.add_selection(
            "Tables", resources=[backup.BackupResource.from_dynamo_db_table(table)]
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
        Validations.of(selection).acknowledge(
            Acknowledgment(
                id="AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/"
                "service-role/AWSBackupServiceRolePolicyForBackup]",
                reason="The policy that AWS Backup maintains for its own service role.",
            )
        )


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
