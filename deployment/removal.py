"""Removal of stacks: what they would otherwise stumble over or leave behind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from deployment import Refused
from deployment.cdk import Assembly
from deployment.target import Target

Say = Callable[[str], None]
_MOST = 1000
# In another region than home, each after those that take from it.
_THERE = ("sentiment", "identity", "replicas", "operations", "keys")


@dataclass
class Doomed:
    """What goes with the stacks: buckets by region, and the beginnings of secrets' names."""

    buckets: list[tuple[str, str]] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)


def remove_stacks(target: Target, stacks: Sequence[tuple[str, str]], say: Say) -> None:
    """Remove stacks that the stage no longer has, each given by name and region, as far as they are
    there; also when what they stood for was removed by an earlier attempt."""
    clear(target, doomed_in(target, stacks), say)
    for name, region in stacks:
        if target.delete_stack(name, region):
            say(f"{name} is removed: the stage no longer has it.")


def stacks_in(target: Target, region: str) -> list[tuple[str, str]]:
    """All that can stand in another region than home."""
    return [(f"tablewright-{target.stage}-{system}-{region}", region) for system in _THERE]


def optional_stacks(target: Target) -> list[tuple[str, str]]:
    """Those that a stage has only while a setting is on. They import of others."""
    firewall = target.firewall_stack()
    return [(target.audit_stack, target.region), *([firewall] if firewall else [])]


def stacks_not_in(
    target: Target, assembly: Assembly, *, gone: Iterable[str], kept: Iterable[str]
) -> list[tuple[str, str]]:
    """Stacks, by name and region, that are there and that the application no longer has: all of
    regions that are gone; of regions that keep replicas, all but keys, which backups may need."""
    keys = f"tablewright-{target.stage}-keys-"
    there = [stack for region in kept for stack in stacks_in(target, region)]
    found = [
        *optional_stacks(target),
        *(stack for region in gone for stack in stacks_in(target, region)),
        *(stack for stack in there if not stack[0].startswith(keys)),
    ]
    wanted = {(stack.name, stack.region) for stack in assembly.stacks}
    return [stack for stack in found if stack not in wanted and target.has_stack(*stack)]


def doomed_in(target: Target, stacks: Iterable[tuple[str, str]]) -> Doomed:
    """What goes with these stacks, each given by name and region."""
    doomed = Doomed()
    for stack, region in stacks:
        template = target.template(stack, region)
        resources: dict[str, Any] = (template or {}).get("Resources", {})
        for id, resource in resources.items():
            if resource["Type"] == "AWS::S3::Bucket" and not _is_kept(resource):
                name = target.physical_id(stack, id, region)
                doomed.buckets += [(region, name)] if name else []
        # Secrets made at run time belong to items, and stay where those stay.
        if not any(map(_is_kept, resources.values())):
            doomed.secrets += sorted(_prefixes(resources))
    return doomed


def _is_kept(resource: dict[str, Any]) -> bool:
    return str(resource.get("DeletionPolicy", "")).startswith("Retain")


def _prefixes(resources: dict[str, Any]) -> set[str]:
    """Where the stack's functions make secrets, as they are told."""
    told = (
        resource["Properties"].get("Environment", {}).get("Variables", {}).get("SECRETS_PREFIX")
        for resource in resources.values()
        if resource["Type"] == "AWS::Lambda::Function"
    )
    return {prefix for prefix in told if isinstance(prefix, str) and prefix}


def clear(target: Target, doomed: Doomed, say: Say) -> None:
    """Empty and delete what would keep stacks from going."""
    for region, bucket in doomed.buckets:
        if count := _empty(target.client("s3", region), bucket):
            say(f"{count} objects deleted from {bucket}.")
    delete_secrets(target, doomed.secrets, say)


def _empty(s3: Any, bucket: str) -> int:
    count = 0
    found = _versions(s3, bucket)
    while batch := list(islice(found, _MOST)):
        answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": batch, "Quiet": True})
        if errors := answer.get("Errors"):
            raise Refused(f"{bucket} cannot be emptied: {errors[0]['Message']}")
        count += len(batch)
    return count


def _versions(s3: Any, bucket: str) -> Iterator[dict[str, str]]:
    """Every version and delete marker; without versioning, every object."""
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
            yield {"Key": one["Key"], "VersionId": one["VersionId"]}


def delete_secrets(target: Target, prefixes: list[str], say: Say) -> None:
    secrets = target.client("secretsmanager")
    for prefix in prefixes:
        # Those that wait for their deletion, too: their names would stay taken for weeks.
        pages = secrets.get_paginator("list_secrets").paginate(
            IncludePlannedDeletion=True, Filters=[{"Key": "name", "Values": [prefix]}]
        )
        names = [s["Name"] for page in pages for s in page["SecretList"]]
        doomed = [name for name in names if name.startswith(prefix)]
        for name in doomed:
            secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)
        if doomed:
            say(f"{len(doomed)} secrets under {prefix} deleted.")
