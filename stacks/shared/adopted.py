"""Keys and secrets that earlier stacks retained, by the ARNs that the deployment found."""

from aws_cdk import Stack
from aws_cdk import aws_kms as kms
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from stacks.shared.stage import Stage


def adopted_key(stage: Stage, scope: Construct, alias: str) -> kms.IKey | None:
    """Return the key that an earlier stack retained under an alias."""
    arn = stage.adopted.get(f"{Stack.of(scope).stack_name}/{alias}")
    return kms.Key.from_key_arn(scope, f"Adopted {alias}", arn) if arn else None


def adopted_secret(stage: Stage, scope: Construct, name: str) -> secretsmanager.ISecret | None:
    """Return the secret that an earlier stack retained under a name."""
    arn = stage.adopted.get(f"{Stack.of(scope).stack_name}/{name}")
    if arn is None:
        return None
    return secretsmanager.Secret.from_secret_complete_arn(scope, f"Adopted {name}", arn)
