"""Backups of a table by AWS Backup: they outlive the table and point-in-time recovery."""

from aws_cdk import Acknowledgment, Duration, Fn, Names, Stack, Validations
from aws_cdk import aws_backup as backup
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from constructs import Construct

from tablewright.constructs.protection import KEPT, Backups

# As many characters as AWS Backup takes, and what a stack's id leaves of them.
_MOST, _LEFT = 50, 37


class TableBackup(Construct):
    """A vault of its own with daily copies of the table, and monthly ones if they are asked for.

    Example::

        TableBackup(self, "Backup", table=table,
                    backups=Backups(daily_days=35, monthly_days=365))
    """

    def __init__(
        self, scope: Construct, id: str, *, table: dynamodb.ITable, backups: Backups
    ) -> None:
        super().__init__(scope, id)
        vault = backup.BackupVault(
            self,
            "Vault",
            # It outlives its stack, and must not be in the way of the next one's.
            backup_vault_name=f"{_name(self, _LEFT)}-{_stack_id(self)}",
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
        Validations.of(selection).acknowledge(
            Acknowledgment(
                id="AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/"
                "service-role/AWSBackupServiceRolePolicyForBackup]",
                reason="The policy that AWS Backup maintains for its own service role.",
            )
        )


def _name(scope: Construct, length: int) -> str:
    return Names.unique_resource_name(scope, max_length=length, separator="-")


def _stack_id(scope: Construct) -> str:
    """The end of the id that CloudFormation gives to a stack each time that it is made."""
    return Fn.select(4, Fn.split("-", Fn.select(2, Fn.split("/", Stack.of(scope).stack_id))))


def _rule(name: str, *, hour: str, day: str, days: int) -> backup.BackupPlanRule:
    return backup.BackupPlanRule(
        rule_name=name,
        schedule_expression=events.Schedule.cron(hour=hour, minute="0", day=day),
        start_window=Duration.hours(1),
        completion_window=Duration.hours(6),
        delete_after=Duration.days(days),
    )
