"""A table made from its design."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypedDict, Unpack

from aws_cdk import Acknowledgment, CfnTag, Stack, Token, Validations
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import TableAlarms
from tablewright.constructs.protection import Protection
from tablewright.constructs.tables import grants, schema
from tablewright.constructs.tables.backup import TableBackup
from tablewright.constructs.tables.capacity import Capacity
from tablewright.model.patterns import Pattern
from tablewright.model.table import Table
from tablewright.model.validation.design import check


class TableOptions(TypedDict, total=False):
    """What every table can be given, whatever its design."""

    protection: Protection
    capacity: Capacity
    replicas: Sequence[str]
    encryption_key: kms.IKey
    replica_key_arns: Mapping[str, str]
    contributor_insights: bool
    alarm_topic: sns.ITopic | None
    tags: Mapping[str, str]


class DesignTable(Construct):
    """The table that a design describes, with its alarms and backups.

    A design that contradicts itself stops the synthesis. Access is granted by pattern.

    Example::

        orders = DesignTable(self, "Orders", design=ORDERS, table_name="orders-dev")
        orders.grant(function, ORDERS.put_order, ORDERS.customer_orders)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        design: Table,
        table_name: str,
        protection: Protection | None = None,
        capacity: Capacity | None = None,
        replicas: Sequence[str] = (),
        encryption_key: kms.IKey | None = None,
        replica_key_arns: Mapping[str, str] | None = None,
        contributor_insights: bool = True,
        alarm_topic: sns.ITopic | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        check(design)
        super().__init__(scope, id)
        self.design = design
        self.encryption_key = encryption_key
        self.replica_key_arns = dict(replica_key_arns or {})
        self.replica_regions = tuple(replicas)
        self._check_regions()
        self._replicas: dict[str, dynamodb.ITableV2] = {}
        protection = protection or Protection.protected()
        capacity = capacity or Capacity.on_demand()
        cfn_tags = [CfnTag(key=key, value=value) for key, value in (tags or {}).items()]
        self.table = dynamodb.TableV2(
            self,
            "Table",
            table_name=table_name,
            partition_key=schema.partition_key(design),
            sort_key=schema.sort_key(design),
            global_secondary_indexes=schema.indexes(design, capacity),
            time_to_live_attribute=design.ttl,
            dynamo_stream=schema.stream(design),
            billing=capacity.billing,
            warm_throughput=capacity.warm,
            encryption=self._encryption(),
            removal_policy=protection.removal_policy,
            deletion_protection=protection.deletion_protection,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=protection.recovery_days is not None,
                recovery_period_in_days=protection.recovery_days,
            ),
            # Only throttled keys: they tell hot partitions, and cost nothing while there are none.
            contributor_insights_specification=dynamodb.ContributorInsightsSpecification(
                enabled=contributor_insights,
                mode=dynamodb.ContributorInsightsMode.THROTTLED_KEYS
                if contributor_insights
                else None,
            ),
            # Tags are not inherited, unlike the rest of what a replica has.
            replicas=[dynamodb.ReplicaTableProps(region=r, tags=cfn_tags) for r in replicas],
            tags=cfn_tags,
        )
        _acknowledge(self.table, protection)
        TableAlarms(
            self, "Alarms", design=design, table_name=self.table.table_name, topic=alarm_topic
        )
        if protection.backups:
            TableBackup(self, "Backup", table=self.table, backups=protection.backups)

    @property
    def table_name(self) -> str:
        return self.table.table_name

    @property
    def table_arn(self) -> str:
        return self.table.table_arn

    def replica(self, region: str) -> dynamodb.ITableV2:
        """The table's replica in a region."""
        # TableV2 makes a new construct at each call, and fails at the second.
        if region not in self._replicas:
            self._replicas[region] = self.table.replica(region)
        return self._replicas[region]

    def grant(
        self,
        grantee: iam.IGrantable,
        *patterns: Pattern,
        tenant_tag: str | None = None,
        shared: bool = False,
        keys: Sequence[str] = (),
        replicas: bool = False,
        region: str | None = None,
    ) -> None:
        """Allow exactly what the patterns call, on exactly the table and indexes they name.

        With `tenant_tag`, only on the keys of the tenant in the principal's session tag of that
        name; with `shared`, only on keys that are no tenant's in particular; with `keys`, only on
        partition keys of these forms, such as ``newsapi#*``. With `replicas`, in the replicas'
        regions as well; with `region`, on the replica of that region alone.

        Example::

            sales.grant(function, SALES.category_sales)
            sales.grant(role, SALES.category_sales, tenant_tag="tenant")
        """
        regions = (region,) if region else (None, *(self.replica_regions if replicas else ()))
        grants.grant(
            self,
            grantee,
            patterns,
            tenant_tag=tenant_tag,
            shared=shared,
            keys=keys,
            regions=regions,
        )

    def _encryption(self) -> dynamodb.TableEncryptionV2:
        if self.encryption_key is None:
            return dynamodb.TableEncryptionV2.aws_managed_key()
        return dynamodb.TableEncryptionV2.customer_managed_key(
            self.encryption_key, self.replica_key_arns or None
        )

    def _check_regions(self) -> None:
        what = "replicas" if self.replica_regions else "its own encryption key"
        if not self.replica_regions and self.encryption_key is None:
            return
        stack = Stack.of(self)
        if Token.is_unresolved(stack.region):
            raise ValueError(
                f"table '{self.design.id}' has {what}, so its stack must say its own region: "
                "pass env=Environment(account=..., region=...) to the stack"
            )
        if not self.replica_regions:
            return
        if stack.region in self.replica_regions:
            raise ValueError(
                f"table '{self.design.id}' is itself in {stack.region}: "
                "leave that region out of its replicas"
            )
        if self.design.stream not in (None, "NEW_AND_OLD_IMAGES"):
            raise ValueError(
                f"table '{self.design.id}' streams {self.design.stream}, but a table with "
                "replicas must stream NEW_AND_OLD_IMAGES"
            )
        missing = [r for r in self.replica_regions if r not in self.replica_key_arns]
        if self.encryption_key is not None and missing:
            raise ValueError(
                f"table '{self.design.id}' has its own encryption key, so replica_key_arns must "
                f"name a key for {', '.join(missing)}"
            )


class StagedTable(DesignTable):
    """The table of one certain design, named after its `stage` unless a `table_name` is given.

    `design` may be a variant of the class's own; `TAGS` are given to every such table.
    """

    DESIGN: ClassVar[Table]
    TAGS: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: str | None = None,
        table_name: str | None = None,
        design: Table | None = None,
        **options: Unpack[TableOptions],
    ) -> None:
        if (stage is None) == (table_name is None):
            raise ValueError(f"{type(self).__name__} takes either a stage or a table_name")
        design = design or self.DESIGN
        name = table_name or design.name.format(stage=stage)
        options["tags"] = {**self.TAGS, **options.get("tags", {})}
        super().__init__(scope, id, design=design, table_name=name, **options)


def _acknowledge(table: dynamodb.TableV2, protection: Protection) -> None:
    reasons = {}
    if protection.recovery_days is None:
        reasons["Tablewright-PointInTimeRecovery"] = "Throw-away data that can be made again."
    if not protection.deletion_protection:
        reasons["Tablewright-DeletionProtection"] = (
            "Throw-away data: the table is meant to go with its stack."
            if protection.recovery_days is None
            else "The table is retained and recoverable, but may be deleted by hand."
        )
    for id, reason in reasons.items():
        Validations.of(table).acknowledge(Acknowledgment(id=id, reason=reason))
