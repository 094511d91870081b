"""Adoption of keys and secrets that an earlier stack retained under the name of a new one.

They wrap and hold the keys of items that are still encrypted, and CloudFormation cannot import
them: the application refers to them by ARN instead of creating them.
"""

from typing import Any

from botocore.exceptions import ClientError

from deployment import Refused
from deployment.cdk import Assembly
from deployment.target import Target

# Resource types that can be adopted, with the property that is their name.
_NAMES = {"AWS::KMS::Alias": "AliasName", "AWS::SecretsManager::Secret": "Name"}


def adopted(target: Target, assembly: Assembly) -> dict[str, str]:
    """Map `stack/name` of each retained key and secret that no stack owns to its ARN."""
    arns = {}
    for stack in assembly.stacks:
        for type, property in _NAMES.items():
            for id, resource in stack.resources(type).items():
                name = resource["Properties"].get(property)
                is_retained = str(resource.get("DeletionPolicy")).startswith("Retain")
                if not (is_retained and isinstance(name, str)):
                    continue
                if target.physical_id(stack.name, id, stack.region) is None:
                    find = _secret if type == "AWS::SecretsManager::Secret" else _key
                    if arn := find(target, name, stack.region, resource["Properties"]):
                        arns[f"{stack.name}/{name}"] = arn
    return arns


def _secret(target: Target, name: str, region: str, properties: dict[str, Any]) -> str | None:
    secret = _described(target.client("secretsmanager", region).describe_secret, SecretId=name)
    if secret is None:
        return None
    aws = f"aws secretsmanager {{}} --region {region} --secret-id {name}"
    if "DeletedDate" in secret:
        raise Refused(f"Secret {name} is to be deleted. Run: {aws.format('restore-secret')}")
    replicas = {replica["Region"] for replica in secret.get("ReplicationStatus", ())}
    wanted = {replica["Region"] for replica in properties.get("ReplicaRegions", ())}
    if missing := sorted(wanted - replicas):
        regions = " ".join(f"Region={region}" for region in missing)
        command = f"{aws.format('replicate-secret-to-regions')} --add-replica-regions {regions}"
        raise Refused(f"Secret {name} has no replica in {', '.join(missing)}. Run: {command}")
    return str(secret["ARN"])


def _key(target: Target, alias: str, region: str, properties: dict[str, Any]) -> str | None:
    answer = _described(target.client("kms", region).describe_key, KeyId=alias)
    if answer is None:
        return None
    key = answer["KeyMetadata"]
    if key["KeyState"] == "PendingDeletion":
        command = f"aws kms cancel-key-deletion --region {region} --key-id {key['KeyId']}"
        raise Refused(f"Key {alias} is to be deleted. Run: {command}")
    return str(key["Arn"])


def _described(describe: Any, **name: str) -> dict[str, Any] | None:
    try:
        return dict(describe(**name))
    except ClientError as error:
        if error.response["Error"]["Code"] in ("ResourceNotFoundException", "NotFoundException"):
            return None
        raise
