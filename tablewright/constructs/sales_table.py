"""The sales intelligence table, ready for any CDK app."""

from collections.abc import Mapping, Sequence

from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.capacity import Capacity
from tablewright.constructs.protection import Protection
from tablewright.constructs.table import DesignTable
from tablewright.designs.sales import SALES


class SalesTable(DesignTable):
    """Sales by product, category, brand and embedding, for many tenants.

    Named after its `stage`, unless a `table_name` is given.

    Example::

        sales = SalesTable(self, "Sales", stage="dev")
        sales.grant(function, SALES.category_sales)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: str | None = None,
        table_name: str | None = None,
        protection: Protection | None = None,
        capacity: Capacity | None = None,
        replicas: Sequence[str] = (),
        encryption_key: kms.IKey | None = None,
        replica_key_arns: Mapping[str, str] | None = None,
        contributor_insights: bool = True,
        alarm_topic: sns.ITopic | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        if (stage is None) == (table_name is None):
            raise ValueError("SalesTable takes either a stage or a table_name")
        super().__init__(
            scope,
            id,
            design=SALES,
            table_name=table_name or SALES.name.format(stage=stage),
            protection=protection,
            capacity=capacity,
            replicas=replicas,
            encryption_key=encryption_key,
            replica_key_arns=replica_key_arns,
            contributor_insights=contributor_insights,
            alarm_topic=alarm_topic,
            tags=tags,
        )
