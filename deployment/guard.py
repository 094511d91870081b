"""Guard: resources that a deployment removes only if the stage file names them.

They hold data, or are paid for by the hour, and it takes no more than a forgotten setting, or a
change of code, for a template to lack them. Log groups are not among them: logs expire anyway,
and stages that keep their data keep their logs. A replacement is seen by the resource's own
properties.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from deployment import Refused
from deployment.cdk import Assembly
from deployment.cdk import Stack as Synthesized
from deployment.shapes import Shape
from deployment.target import Target

# Guarded types, with the properties whose change makes CloudFormation replace a resource.
GUARDED: Mapping[str, tuple[str, ...]] = {
    "AWS::Backup::BackupPlan": (),
    "AWS::Backup::BackupVault": ("BackupVaultName", "EncryptionKeyArn"),
    "AWS::CloudFront::Distribution": (),
    "AWS::Cognito::UserPool": ("AliasAttributes", "UsernameAttributes", "UsernameConfiguration"),
    "AWS::DAX::Cluster": (
        *("ClusterEndpointEncryptionType", "ClusterName", "IAMRoleARN", "NetworkType"),
        *("NodeType", "SSESpecification", "SubnetGroupName"),
    ),
    "AWS::DynamoDB::GlobalTable": (
        *("GlobalTableSourceArn", "KeySchema", "LocalSecondaryIndexes", "TableName"),
    ),
    "AWS::EC2::VPCEndpoint": (
        *("ResourceConfigurationArn", "ServiceName", "ServiceNetworkArn", "ServiceRegion"),
        *("VpcEndpointType", "VpcId"),
    ),
    "AWS::KMS::Key": (),
    "AWS::KMS::ReplicaKey": ("PrimaryKeyArn",),
    "AWS::S3::Bucket": ("BucketName", "BucketNamePrefix", "BucketNamespace"),
    "AWS::SecretsManager::Secret": ("Name",),
    "AWS::SQS::Queue": ("FifoQueue", "QueueName"),
    "AWS::WAFv2::WebACL": ("Name", "Scope"),
}
Tables = Mapping[str, Shape]
# A name and a region.
Stack = tuple[str, str]
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")


class Removal(NamedTuple):
    """A removal, by the name that allows it in a stage file."""

    name: str
    says: str

    def __str__(self) -> str:
        return f"- {self.name}: {self.says}"


def check_removals(removals: Sequence[Removal], target: Target, allowed: Collection[str]) -> None:
    """Refuse removals that the stage file does not allow."""
    if any(removal.name not in allowed for removal in removals):
        lines = "\n".join(f'  "{removal.name}",' for removal in removals)
        raise Refused(
            "Nothing was changed. To keep what is listed, take back the change of the settings or "
            f"of the code. To remove it, let {target.file} say so, at its top:\n\n"
            f"removals = [\n{lines}\n]\n"
        )


def removals_of(
    target: Target, assembly: Assembly, wanted: Tables, deployed: Tables, gone: Iterable[Stack]
) -> list[Removal]:
    """The guarded resources, replicas, indexes and stacks that a deployment takes away."""
    return [
        *_resources(target, assembly),
        *_parts(assembly.tables(target.region), wanted, deployed),
        *_stacks(target, gone),
    ]


def gone_regions(wanted: Tables, deployed: Tables, allowed: Iterable[str]) -> list[str]:
    """Regions that lose their last replica, also those of an interrupted deployment."""
    last_parts = (name.rpartition("/")[2] for name in allowed if name.count("/") == 2)
    named = {part for part in last_parts if _REGION.fullmatch(part)}
    return sorted((named | regions_of(deployed)) - regions_of(wanted))


def regions_of(tables: Tables) -> set[str]:
    """The regions of replicas."""
    return {region for shape in tables.values() for region in shape.replicas}


def _resources(target: Target, assembly: Assembly) -> Iterator[Removal]:
    for stack in assembly.stacks:
        for id, before in _guarded(target.template(stack.name, stack.region)):
            after = stack.template.get("Resources", {}).get(id)
            if says := _change(before, after):
                called = target.physical_id(stack.name, id, stack.region) or "not created yet"
                yield Removal(f"{stack.name}/{id}", f"{before['Type']} ({called}) {says}")


def _guarded(template: Mapping[str, Any] | None) -> list[tuple[str, Mapping[str, Any]]]:
    found = (template or {}).get("Resources", {}).items()
    return [(id, resource) for id, resource in found if resource["Type"] in GUARDED]


def _change(before: Mapping[str, Any], after: Mapping[str, Any] | None) -> str:
    """The end of a resource, in words; nothing if it stays."""
    if after is None or after["Type"] != before["Type"]:
        # CloudFormation deletes by the policy of the template that it has.
        kept = str(before.get("DeletionPolicy", "")).startswith("Retain")
        return "leaves its stack and stays in the account" if kept else "is deleted"
    old, new = before.get("Properties", {}), after.get("Properties", {})
    changed = [name for name in GUARDED[before["Type"]] if old.get(name) != new.get(name)]
    return f"is replaced by a new one: {', '.join(changed)} changes" if changed else ""


def _parts(
    tables: Mapping[str, tuple[Synthesized, str, Shape]], wanted: Tables, deployed: Tables
) -> Iterator[Removal]:
    """Replicas and indexes that a table loses. The tables say which there are, not a template."""
    for name, (stack, id, _) in sorted(tables.items()):
        if name not in deployed:
            continue
        table, goal = f"{stack.name}/{id}", wanted[name]
        for region in sorted(deployed[name].replicas - goal.replicas):
            says = f"the replica of {name} in {region} is deleted, with its items"
            yield Removal(f"{table}/{region}", says)
        for index in sorted(deployed[name].form.indexes.keys() - goal.form.indexes.keys()):
            yield Removal(f"{table}/{index}", f"the index {index} of {name} is deleted")


def _stacks(target: Target, stacks: Iterable[Stack]) -> Iterator[Removal]:
    for name, region in stacks:
        if guarded := _guarded(target.template(name, region)):
            listed = ", ".join(f"{resource['Type']} {id}" for id, resource in guarded)
            yield Removal(name, f"the stack in {region} is deleted, with {listed}")
