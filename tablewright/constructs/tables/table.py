"""A table made from its design."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from aws_cdk import Acknowledgment, CfnResource, CfnTag, Duration, Stack, Token, Validations
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import TableAlarms
from tablewright.constructs.alarms.level import AlarmLevel
from tablewright.constructs.protection import Protection
from tablewright.constructs.tables import schema
from tablewright.constructs.tables.backup import TableBackup
from tablewright.constructs.tables.base import DesignTableBase, ExistingTable
from tablewright.constructs.tables.capacity import Capacity
from tablewright.constructs.tables.replication_alarms import ReplicationAlarms
from tablewright.constructs.tables.strong_consistency import refusals
from tablewright.model.declaration import Table
from tablewright.model.table import Design
from tablewright.model.validation.design import check


class TableOptions(TypedDict, total=False):
    """What every table can be given, whatever its design."""

    table_name: str | None
    protection: Protection
    capacity: Capacity
    replicas: Sequence[str]
    strong_consistency: bool
    witness_region: str | None
    encryption_key: kms.IKey
    replica_key_arns: Mapping[str, str]
    replication_latency: Duration
    contributor_insights: dynamodb.ContributorInsightsMode | None
    alarm_topic: sns.ITopic | None
    tags: Mapping[str, str]


class DesignTable(DesignTableBase):
    """The table that a design describes, with its alarms and backups.

    `AlarmLevel` sets its alarms. Without a level, a throw-away table has none, and another table
    has alarms on throttling, missing backups and replicas that lag, but none on system errors.
    A design that contradicts itself stops the synthesis. Access is granted by pattern. Without a
    `table_name` CloudFormation gives it one. Each of its `replicas` has an alarm on how far it
    lags: by five seconds, or by `replication_latency`. `contributor_insights` shows the keys that
    are throttled, or all keys; CloudWatch charges for its rules by the month, of each index and
    replica. While a plan changes the table (`tablewright
    apply`), it has the form of a step, which the context ``tablewright:on-the-way`` tells.

    With `strong_consistency` a write is in all regions when it is answered, and a consistent read
    gives it in any of them. DynamoDB wants three regions of one set for that, one of which may be
    the `witness_region`, which has no items; and neither time to live, local indexes nor
    transactions. It is for tables that are new: what has items stays as it is. That a store is used
    in transactions of its own making (`to_put` and the like) shows only when DynamoDB refuses them.

    Example::

        orders = DesignTable(self, "Orders", design=Orders)
        orders.grant(function, Orders.put_order, Orders.customer_orders)
    """

    table: dynamodb.TableV2

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        design: type[Table],
        table_name: str | None = None,
        protection: Protection | None = None,
        capacity: Capacity | None = None,
        replicas: Sequence[str] = (),
        strong_consistency: bool = False,
        witness_region: str | None = None,
        encryption_key: kms.IKey | None = None,
        replica_key_arns: Mapping[str, str] | None = None,
        replication_latency: Duration | None = None,
        contributor_insights: dynamodb.ContributorInsightsMode | None = None,
        alarm_topic: sns.ITopic | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        check(design)
        model = design.__design__
        if lacking := [*self.lacks(model)]:
            kind = type(self).__name__
            raise ValueError(f"design '{model.id}' is not for a {kind}: {'; '.join(lacking)}")
        super().__init__(
            scope,
            id,
            design=design,
            replicas=replicas,
            encryption_key=encryption_key,
            replica_key_arns=replica_key_arns,
        )
        self._check_regions()
        self._check_consistency(strong_consistency, witness_region)
        protection = protection or Protection.protected()
        unstated = AlarmLevel.NONE if protection.is_throw_away else AlarmLevel.ALL
        asked = AlarmLevel.of(self, default=AlarmLevel.NONE)
        AlarmLevel.of(self, default=unstated).apply_to(self)
        capacity = capacity or Capacity.on_demand()
        form = schema.form(self, model)
        cfn_tags = [CfnTag(key=key, value=value) for key, value in (tags or {}).items()]
        self.table = dynamodb.TableV2(
            self,
            "Table",
            table_name=table_name,
            **schema.key(form),
            global_secondary_indexes=schema.indexes(model, form, capacity),
            local_secondary_indexes=schema.local_indexes(model, form),
            time_to_live_attribute=form.ttl,
            dynamo_stream=schema.stream(form),
            billing=capacity.billing,
            warm_throughput=capacity.warm,
            encryption=self._encryption(),
            removal_policy=protection.removal_policy,
            deletion_protection=protection.deletion_protection,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=protection.recovery_days is not None,
                recovery_period_in_days=protection.recovery_days,
            ),
            contributor_insights_specification=dynamodb.ContributorInsightsSpecification(
                enabled=contributor_insights is not None, mode=contributor_insights
            ),
            # Tags are not inherited, unlike the rest of what a replica has.
            replicas=[dynamodb.ReplicaTableProps(region=r, tags=cfn_tags) for r in replicas],
            multi_region_consistency=dynamodb.MultiRegionConsistency.STRONG
            if strong_consistency
            else None,
            witness_region=witness_region,
            tags=cfn_tags,
        )
        if off := schema.expiry_off(self, model):
            self._resource.add_property_override("TimeToLiveSpecification", off)
        _acknowledge(self.table, protection)
        TableAlarms(
            self,
            "Alarms",
            design=model,
            table_name=self.table.table_name,
            topic=alarm_topic,
            system_errors=asked is AlarmLevel.ALL,
        )
        # Where writes wait for each other nothing lags, and nothing is measured.
        if self.replica_regions and not strong_consistency:
            ReplicationAlarms(
                self, "Replication", table=self, topic=alarm_topic, latency=replication_latency
            )
        if protection.backups:
            TableBackup(
                self, "Backup", table=self.table, backups=protection.backups, topic=alarm_topic
            )

    @staticmethod
    def from_table_name(
        scope: Construct, id: str, table_name: str, *, design: type[Table]
    ) -> DesignTableBase:
        """The table of this name in the stack's own account and region.

        Example::

            orders = DesignTable.from_table_name(self, "Orders", "orders-prod", design=Orders)
            orders.grant(function, Orders.customer_orders)
        """
        return DesignTable.from_table_attributes(scope, id, design=design, table_name=table_name)

    @staticmethod
    def from_table_arn(
        scope: Construct, id: str, table_arn: str, *, design: type[Table]
    ) -> DesignTableBase:
        """The table of this ARN."""
        return DesignTable.from_table_attributes(scope, id, design=design, table_arn=table_arn)

    @staticmethod
    def from_table_attributes(
        scope: Construct,
        id: str,
        *,
        design: type[Table],
        table_name: str | None = None,
        table_arn: str | None = None,
        table_stream_arn: str | None = None,
        replicas: Sequence[str] = (),
        encryption_key: kms.IKey | None = None,
        replica_key_arns: Mapping[str, str] | None = None,
    ) -> DesignTableBase:
        """A table that exists, by name or ARN: granted, consumed and watched as one made here.

        Example::

            DesignTable.from_table_attributes(self, "Orders", design=Orders, table_arn=arn,
                                              table_stream_arn=stream, replicas=["us-west-2"])
        """
        check(design)
        return ExistingTable(
            scope,
            id,
            design=design,
            attributes=dynamodb.TableAttributesV2(
                table_name=table_name, table_arn=table_arn, table_stream_arn=table_stream_arn
            ),
            replicas=replicas,
            encryption_key=encryption_key,
            replica_key_arns=replica_key_arns,
        )

    def lacks(self, design: Design) -> Iterator[str]:
        """What a design lacks to be that of a table of this kind; nothing, for one of any kind."""
        yield from ()

    @property
    def _resource(self) -> CfnResource:
        made = self.table.node.default_child
        assert isinstance(made, CfnResource)  # noqa: S101 - of TableV2, always
        return made

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

    def _check_consistency(self, strong: bool, witness: str | None) -> None:
        if witness and not strong:
            raise ValueError("only a table with strong_consistency has a witness_region")
        if strong:
            own = Stack.of(self).region
            if said := [*refusals(self.design, own, self.replica_regions, witness)]:
                raise ValueError(
                    f"table '{self.design.id}' cannot be strongly consistent across regions: "
                    + "; ".join(said)
                )


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
