"""Event archive: events of days that are over, as files that Athena reads."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.portal.contract import EVENT_DAYS_MISSING, EXPORT_PREFIX, ExportEnvironment
from stacks.shared.failed_events import FailedEvents
from stacks.shared.schedule import Schedule
from stacks.shared.stage import Stage
from stacks.shared.system_function import PortalFunction
from stacks.shared.wildcards import acknowledge_wildcard
from tablewright.catalog.portal.constructs import EventsTable
from tablewright.catalog.portal.events import Events
from tablewright.constructs.alarms.alarms import alarm
from tablewright.constructs.private_bucket import private_bucket


class EventArchive(Construct):
    """A bucket, and the function that puts a day's events there once the day is closed.

    Example::

        EventArchive(self, "Archive", stage=stage, table=events, failures=failures,
                     alarm_topic=topic)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        table: EventsTable,
        failures: FailedEvents,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        self.bucket = private_bucket(
            self,
            "Bucket",
            protection=stage.protection,
            keep_versions=True,
        )
        environment = ExportEnvironment(
            events_table=table.table_name,
            event_shards=str(table.shards) if table.shards else None,
            export_bucket=self.bucket.bucket_name,
        )
        self.export = PortalFunction(
            self,
            "Export",
            "handlers.export_events",
            stage=stage,
            environment=environment.variables(),
            timeout=Duration.minutes(15),
            alarm_topic=alarm_topic,
        )
        table.grant(self.export.function, Events.exported_events)
        self._let_write()
        self.export.let_go_on()
        Schedule(
            self,
            "Schedule",
            # A day is closed an hour after the last event of it can come.
            events.Schedule.cron(hour="2", minute="0"),
            function=self.export,
            failures=failures,
        )
        self._watch(alarm_topic)

    def _let_write(self) -> None:
        objects = self.bucket.arn_for_objects(f"{EXPORT_PREFIX}*")
        listed = self.bucket.bucket_arn
        for action, resource in (("s3:PutObject", objects), ("s3:ListBucket", listed)):
            iam.Grant.add_to_principal(
                grantee=self.export.role, actions=[action], resource_arns=[resource]
            ).assert_success()
        acknowledge_wildcard(
            self.export.role, objects, reason="An object is named after its day and part."
        )

    def _watch(self, topic: sns.ITopic | None) -> None:
        alarm(
            self,
            "DaysMissing",
            metric=self.export.own_metric(
                EVENT_DAYS_MISSING, period=Duration.days(1), statistic="Maximum"
            ),
            threshold=2,
            periods=2,
            breaching=2,
            describes="Days of events are not exported; the table forgets them after 90 days.",
            topic=topic,
            essential=True,
        )
