"""The shape of a table: what a deployment cannot change at will."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.model.table_form import TableForm

TABLE = "AWS::DynamoDB::GlobalTable"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A table's form, and the regions of its replicas beside its own."""

    form: TableForm
    replicas: frozenset[str]
    protected: bool = False


def shape_of_table(described: Mapping[str, Any], home: str) -> Shape:
    """Of what DescribeTable says."""
    return Shape(
        form=TableForm.described(described, None),
        replicas=frozenset(r["RegionName"] for r in described.get("Replicas") or ()) - {home},
        protected=bool(described.get("DeletionProtectionEnabled")),
    )


def shape_of_resource(properties: Mapping[str, Any], home: str) -> Shape:
    """Of what a template says."""
    replicas = properties["Replicas"]
    # In a stack of no certain region, the table's own is a reference.
    regions = [r["Region"] for r in replicas if isinstance(r["Region"], str)]
    return Shape(
        form=TableForm.described(properties, None),
        replicas=frozenset(regions) - {home},
        protected=any(replica.get("DeletionProtectionEnabled") for replica in replicas),
    )
