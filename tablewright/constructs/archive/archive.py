"""Archive of a table: what expires, or what is new, in files that Athena reads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.missed_runs import missed_runs_alarm
from tablewright.constructs.archive.athena_table import AthenaTable
from tablewright.constructs.functions.bundling import LIBRARY_SOURCES, PythonCode
from tablewright.constructs.functions.dependencies import LAMBDA, Platform
from tablewright.constructs.functions.function import PythonFunction
from tablewright.constructs.private_bucket import private_bucket
from tablewright.constructs.protection import KEPT, Protection
from tablewright.constructs.streams.consumer import StreamConsumer
from tablewright.constructs.tables.base import DesignTableBase
from tablewright.constructs.wildcards import acknowledge_wildcard
from tablewright.model.archive import EXPIRED, ArchivePlan, stream_filters
from tablewright.model.declaration import Entity
from tablewright.model.old_items import OlderThan, Sweep

_REQUIREMENTS = Path(__file__).parent / "requirements.txt"
_HANDLERS = "tablewright.runtime.archive.handlers"
# All variables of a function together may have 4 KB.
_MOST_PLAN = 3000
_INCOMING, _FILES, _DAYS = "incoming/*", "files/*", "days/*"


class Archive(Construct):
    """Keeps what a table with a stream loses by expiry, each item once, in Parquet files by day.

    The day is that of the field by which an item expires. What people delete is not taken. With
    `takes="inserted"` it is everything that is new, from the day on which the archive is made.
    `entities` are those to archive, by default all that expire. What has no expiry of its own is
    given one every night when it is `older_than` so many days.

    A function puts what the stream brings into the bucket; every night another makes of it the
    files of each day, and Athena's table shows them. After `infrequent_after` and `glacier_after`
    they are stored more cheaply, and can be read at any time all the same. Nothing deletes them.

    Keep the failed runs of its `scheduled` functions. Archive a table with replicas in one region
    only.

    Example::

        archive = Archive(self, "Archive", table=sales)
        CfnOutput(self, "ArchiveBucket", value=archive.bucket.bucket_name)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        entities: Sequence[type[Entity]] = (),
        takes: str = EXPIRED,
        older_than: OlderThan[Any] | None = None,
        since: str = "2020-01-01",
        window: Duration | None = None,
        give_up_after: Duration | None = None,
        infrequent_after: Duration | None = None,
        glacier_after: Duration | None = None,
        platform: Platform = LAMBDA,
        protection: Protection | None = None,
        log_retention: logs.RetentionDays = logs.RetentionDays.ONE_MONTH,
        log_removal: RemovalPolicy = KEPT,
        metrics_namespace: str = "Tablewright",
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        design = table.design
        names = [entity.__entity__.name for entity in entities]
        if older_than and not names:
            names = sorted({older_than.entity, *(e.name for e in design.entity_list if e.expires)})
        replicated = bool(table.replica_regions)
        sweep = older_than.sweep(design) if older_than else None
        by = sweep.field if sweep else None
        plan = ArchivePlan.of(design, names, takes=takes, replicated=replicated, by=by)
        _check(plan, design.id, design.stream)
        protection = protection or Protection.protected()
        window = window or Duration.minutes(5)
        self.bucket: s3.Bucket = private_bucket(
            self,
            "Bucket",
            protection=protection,
            rules=[
                _cheaper(infrequent_after or Duration.days(30), glacier_after or Duration.days(90))
            ],
        )
        self.athena = AthenaTable(
            self, "Athena", bucket=self.bucket, name=design.id, plan=plan, since=since
        )
        self._system = design.id
        self._environment = {
            "ARCHIVE_BUCKET": self.bucket.bucket_name,
            "ARCHIVE_PLAN": plan.to_json(),
        }
        self._code = PythonCode(
            sources=LIBRARY_SOURCES,
            requirements=_REQUIREMENTS,
            services=("dynamodb", "lambda", "s3"),
            platform=platform,
        )
        self._logs = (log_retention, log_removal)
        self._namespace = metrics_namespace
        self._topic = alarm_topic
        self.take = self._function("Take", "take_items", Duration.minutes(1))
        self._allow(self.take, "s3:PutObject", _INCOMING)
        self.consumer = StreamConsumer(
            self,
            "Stream",
            table=table,
            function=self.take.function,
            batch_size=1000,
            window=window,
            give_up_after=give_up_after,
            filters=stream_filters(design, names, takes=takes, replicated=replicated),
            # Records wait for the window; nobody waits for them.
            iterator_age=Duration.seconds(3600 + window.to_seconds()),
            alarm_topic=alarm_topic,
            protection=protection,
        )
        self.compact = self._compaction()
        self.scheduled: list[PythonFunction] = [self.compact]
        if older_than and sweep:
            self.scheduled.append(self._sweeping(table, older_than, sweep))

    def _compaction(self) -> PythonFunction:
        compact = self._function("Compact", "compact_days", Duration.minutes(15), memory_mb=1769)
        self._allow(compact, "s3:GetObject", _INCOMING, _FILES, _DAYS)
        self._allow(compact, "s3:PutObject", _FILES, _DAYS)
        self._allow(compact, "s3:DeleteObject", _INCOMING, _FILES)
        iam.Grant.add_to_principal(
            grantee=compact.role, actions=["s3:ListBucket"], resource_arns=[self.bucket.bucket_arn]
        ).assert_success()
        compact.let_go_on()
        self._nightly("Nightly", compact, minute="30")
        return compact

    def _sweeping(
        self, table: DesignTableBase, older_than: OlderThan[Any], sweep: Sweep
    ) -> PythonFunction:
        expire = self._function("Expire", "expire_items", Duration.minutes(15))
        expire.add_environment(
            {"ARCHIVE_TABLE": table.table_name, "ARCHIVE_SWEEP": sweep.to_json()}
        )
        table.grant(expire.function, older_than.scan, older_than.update)
        expire.let_go_on()
        self._nightly("Sweeping", expire, minute="10")
        return expire

    def _nightly(self, id: str, function: PythonFunction, *, minute: str) -> None:
        events.Rule(
            self,
            id,
            schedule=events.Schedule.cron(hour="0", minute=minute),
            # Handed over once: the next run finds what this one missed.
            targets=[targets.LambdaFunction(function.function, retry_attempts=0)],
        )
        day = Duration.days(1)
        runs = function.function.metric_invocations(period=day)
        missed_runs_alarm(self, runs=runs, every=day, topic=self._topic, id=f"{id}NotRun")

    def _function(
        self, id: str, module: str, timeout: Duration, *, memory_mb: int = 512
    ) -> PythonFunction:
        retention, removal = self._logs
        return PythonFunction(
            self,
            id,
            system=self._system,
            handler=f"{_HANDLERS}.{module}.handler",
            code=self._code,
            environment=self._environment,
            memory_mb=memory_mb,
            timeout=timeout,
            metrics_namespace=self._namespace,
            log_retention=retention,
            log_removal=removal,
            alarm_topic=self._topic,
        )

    def _allow(self, function: PythonFunction, action: str, *objects: str) -> None:
        for name in objects:
            arn = self.bucket.arn_for_objects(name)
            iam.Grant.add_to_principal(
                grantee=function.role, actions=[action], resource_arns=[arn]
            ).assert_success()
            acknowledge_wildcard(
                function.role, arn, reason="An object is named after its day and what is in it."
            )


def _check(plan: ArchivePlan, id: str, stream: str | None) -> None:
    needed = ("NEW_AND_OLD_IMAGES", "OLD_IMAGE" if plan.takes == EXPIRED else "NEW_IMAGE")
    if stream not in needed:
        raise ValueError(
            f"the stream of table design '{id}' must have what is archived: declare "
            f'stream="{needed[0]}" or stream="{needed[1]}"'
        )
    if len(plan.to_json()) > _MOST_PLAN:
        raise ValueError(
            f"table design '{id}' has too many fields for one archive: name fewer entities"
        )


def _cheaper(infrequent: Duration, glacier: Duration) -> s3.LifecycleRule:
    # Athena reads both as it does the first class; it passes over what Glacier must restore first.
    classes = (
        (s3.StorageClass.INFREQUENT_ACCESS, infrequent),
        (s3.StorageClass.GLACIER_INSTANT_RETRIEVAL, glacier),
    )
    return s3.LifecycleRule(
        prefix="files/",
        transitions=[
            s3.Transition(storage_class=kind, transition_after=after) for kind, after in classes
        ],
    )
