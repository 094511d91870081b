"""Tables of designs, made here or existing already: who may use them, and how."""

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from tablewright.constructs.tables import grants
from tablewright.constructs.tenant_role import TenantAccessRole
from tablewright.model.declaration import Table
from tablewright.model.patterns import Pattern
from tablewright.model.sharding.epochs import EpochShards


class DesignTableBase(Construct):
    """What `DesignTable` makes and its ``from_…`` give: a table that is granted by pattern."""

    table: dynamodb.ITableV2

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        design: type[Table],
        replicas: Sequence[str],
        encryption_key: kms.IKey | None,
        replica_key_arns: Mapping[str, str] | None,
    ) -> None:
        super().__init__(scope, id)
        self.design = design.__design__
        self.encryption_key = encryption_key
        self.replica_key_arns = dict(replica_key_arns or {})
        self.replica_regions = tuple(replicas)

    @property
    def table_name(self) -> str:
        """The name of the table, for `Store`."""
        return self.table.table_name

    @property
    def table_arn(self) -> str:
        """The ARN of the table."""
        return self.table.table_arn

    def replica_arn(self, region: str) -> str:
        """The ARN of the table's replica in a region."""
        return Stack.of(self).format_arn(
            service="dynamodb",
            region=region,
            resource="table",
            resource_name=self.table_name,
            arn_format=ArnFormat.SLASH_RESOURCE_NAME,
        )

    def grant(
        self,
        grantee: iam.IGrantable,
        *patterns: Pattern[Any],
        tenant_tag: str | None = None,
        shared: bool = False,
        keys: Sequence[str] = (),
        replicas: bool = False,
        region: str | None = None,
    ) -> iam.Grant:
        """Allow exactly what the patterns call, on exactly the table and indexes they name.

        With `tenant_tag`, only on the keys of the tenant in the principal's session tag of that
        name; with `shared`, only on keys that are no tenant's in particular; with `keys`, only on
        partition keys of these forms, such as ``newsapi#*``. With `replicas`, in the replicas'
        regions as well; with `region`, on the replica of that region alone.

        Example::

            sales.grant(function, Sales.category_sales)
            sales.grant(role, Sales.category_sales, tenant_tag="tenant")
        """
        regions = (region,) if region else (None, *(self.replica_regions if replicas else ()))
        return grants.grant(
            self,
            grantee,
            patterns,
            tenant_tag=tenant_tag,
            shared=shared,
            keys=keys,
            regions=regions,
        )

    def tenant_access_role(
        self,
        id: str,
        *patterns: Pattern[Any],
        assumed_by: iam.IRole,
        session_tag: str = "tenant",
        scope: Construct | None = None,
    ) -> TenantAccessRole:
        """A role whose sessions use these patterns on the keys of the tenant they are tagged with.

        What computes a shard by epochs reads the tenant's epochs, so their pattern is granted as
        well. A pattern that is not about one tenant is refused.

        Example::

            forms.tenant_access_role("TenantAccess", Forms.submissions, assumed_by=function.role)
        """
        access = TenantAccessRole(scope or self, id, assumed_by=assumed_by, session_tag=session_tag)
        granted = dict.fromkeys(patterns)
        if self.design.epochs and any(self._by_epochs(pattern) for pattern in patterns):
            granted[self.design.patterns[self.design.epochs]] = None
        access.grant(self, *granted)
        return access

    def _by_epochs(self, pattern: Pattern[Any]) -> bool:
        entities = (self.design.entities[name] for name in pattern.entities)
        return any(
            isinstance(key.shards, EpochShards) for entity in entities for key in entity.keys
        )


class ExistingTable(DesignTableBase):
    """A table that exists already; see `DesignTable.from_table_attributes`."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        design: type[Table],
        attributes: dynamodb.TableAttributesV2,
        replicas: Sequence[str],
        encryption_key: kms.IKey | None,
        replica_key_arns: Mapping[str, str] | None,
    ) -> None:
        super().__init__(
            scope,
            id,
            design=design,
            replicas=replicas,
            encryption_key=encryption_key,
            replica_key_arns=replica_key_arns,
        )
        self.table = dynamodb.TableV2.from_table_attributes(
            self,
            "Table",
            table_arn=attributes.table_arn,
            table_name=attributes.table_name,
            table_stream_arn=attributes.table_stream_arn,
            encryption_key=encryption_key,
        )
