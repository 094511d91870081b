"""Capacity of a table: on demand with limits, or provisioned with autoscaling."""

from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_dynamodb as dynamodb


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """Provisioned capacity that follows the load between two bounds."""

    min: int
    max: int
    target_percent: int = 70

    def __post_init__(self) -> None:
        if not 1 <= self.min <= self.max:
            raise ValueError(f"capacity must scale from 1 upwards, not {self.min} to {self.max}")
        if not 20 <= self.target_percent <= 90:
            raise ValueError(f"target_percent must be 20 to 90, not {self.target_percent}")

    def as_capacity(self) -> dynamodb.Capacity:
        """The same, as CDK has it."""
        return dynamodb.Capacity.autoscaled(
            min_capacity=self.min,
            max_capacity=self.max,
            target_utilization_percent=self.target_percent,
        )


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """The capacity of a table and, the same again, of each of its indexes.

    Example::

        Capacity.on_demand(max_write=4000)
        Capacity.provisioned(read=Scaling(min=5, max=100), write=Scaling(min=5, max=50))
    """

    billing: dynamodb.Billing
    warm: dynamodb.WarmThroughput | None
    # Indexes do not all inherit: warm throughput is set for each.
    index_options: dict[str, Any]

    @classmethod
    def on_demand(
        cls,
        *,
        max_read: int | None = None,
        max_write: int | None = None,
        warm_read: int | None = None,
        warm_write: int | None = None,
    ) -> "Capacity":
        """Paid by request; `max` bounds the bill, `warm` is what a launch may use at once."""
        warm = _warm(warm_read, warm_write)
        limits = {"max_read_request_units": max_read, "max_write_request_units": max_write}
        return cls(
            billing=dynamodb.Billing.on_demand(**limits),
            warm=warm,
            index_options={**limits, "warm_throughput": warm},
        )

    @classmethod
    def provisioned(
        cls,
        *,
        read: Scaling,
        write: Scaling,
        warm_read: int | None = None,
        warm_write: int | None = None,
    ) -> "Capacity":
        """Paid by the hour: cheaper for steady load, scaled for the rest."""
        warm = _warm(warm_read, warm_write)
        units = {"read_capacity": read.as_capacity(), "write_capacity": write.as_capacity()}
        return cls(
            billing=dynamodb.Billing.provisioned(**units),
            warm=warm,
            index_options={**units, "warm_throughput": warm},
        )


def _warm(read: int | None, write: int | None) -> dynamodb.WarmThroughput | None:
    if read is None and write is None:
        return None
    return dynamodb.WarmThroughput(read_units_per_second=read, write_units_per_second=write)
