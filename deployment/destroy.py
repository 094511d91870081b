"""The end of a stage: its stacks, and what they would otherwise stumble over or leave behind."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from deployment import Refused
from deployment.cdk import Assembly, Cdk
from deployment.target import Target
from lambdas.sentiment.contract import items_table_name

Say = Callable[[str], None]
_MOST = 1000


@dataclass
class Doomed:
    """What goes with the stacks: buckets by region, and the beginnings of secrets' names."""

    buckets: list[tuple[str, str]] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)


def destroy(target: Target, cdk: Cdk, say: Say, sure: Callable[[str], bool]) -> None:
    """Destroy all stacks. What a stage keeps stays; of a throw-away one nothing does."""
    items = target.table(items_table_name(target.stage))
    replicas = ",".join(sorted(items.replicas)) if items else ""
    assembly = cdk.synth({"replicas": replicas or "none"})
    doomed = _doomed(target, assembly)
    with_them = f", the contents of {len(doomed.buckets)} buckets" if doomed.buckets else ""
    if not sure(f"This destroys all stacks of {target.stage}{with_them}, and cannot be undone."):
        raise Refused("Nothing was destroyed.")
    _clear(target, doomed, say)
    try:
        cdk.destroy(assembly)
    except Refused:
        # What still ran may have written something between the emptying and its end.
        _clear(target, _doomed(target, assembly), say)
        cdk.destroy(assembly)
    _delete_secrets(target, doomed.secrets, say)
    say(f"{target.stage} is destroyed.")


def _doomed(target: Target, assembly: Assembly) -> Doomed:
    doomed = Doomed()
    for stack in assembly.stacks:
        template = target.template(stack.name, stack.region)
        resources: dict[str, Any] = (template or {}).get("Resources", {})
        for id, resource in resources.items():
            if resource["Type"] == "AWS::S3::Bucket" and not _is_kept(resource):
                name = target.physical_id(stack.name, id, stack.region)
                doomed.buckets += [(stack.region, name)] if name else []
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


def _clear(target: Target, doomed: Doomed, say: Say) -> None:
    for region, bucket in doomed.buckets:
        if count := _empty(target.client("s3", region), bucket):
            say(f"{count} objects deleted from {bucket}.")
    _delete_secrets(target, doomed.secrets, say)


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


def _delete_secrets(target: Target, prefixes: list[str], say: Say) -> None:
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
