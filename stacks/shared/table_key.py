"""Key of a system's tables, which has the same id in every region."""

from collections.abc import Iterable
from dataclasses import dataclass

from aws_cdk import Stack
from aws_cdk import aws_kms as kms
from constructs import Construct


@dataclass(frozen=True, kw_only=True)
class TableKey:
    """A multi-Region key as one region has it; see `KeysStack`."""

    key: kms.IKey
    key_id: str

    def arns(self, scope: Construct, regions: Iterable[str]) -> dict[str, str]:
        """Its replicas in other regions."""
        arn_in = Stack.of(scope).format_arn
        return {
            region: arn_in(service="kms", region=region, resource="key", resource_name=self.key_id)
            for region in regions
        }
