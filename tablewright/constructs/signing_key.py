"""The secret that cursors are signed with."""

from aws_cdk import Acknowledgment, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from tablewright.constructs.protection import Protection


class CursorKey(Construct):
    """A random key that signs page positions, so that a client cannot make up its own.

    One is enough for several applications, as a secret is paid for by the month: each has
    `SecretKeys` derive its own keys from it, by a purpose.

    Example::

        key = CursorKey(self, "CursorKey")
        key.grant_read(function)
    """

    def __init__(self, scope: Construct, id: str, *, protection: Protection | None = None) -> None:
        super().__init__(scope, id)
        self.secret = secretsmanager.Secret(
            self,
            "Secret",
            description="Signs the cursors that page through query results.",
            generate_secret_string=secretsmanager.SecretStringGenerator(
                password_length=64, exclude_punctuation=True
            ),
            removal_policy=(protection or Protection.protected()).removal_policy,
        )
        Validations.of(self.secret).acknowledge(
            Acknowledgment(
                id="AwsSolutions-SMG4",
                reason="It opens nothing: a cursor's partition comes from the caller's identity. "
                "A new value may be put at any time; cursors of the one before it stay valid.",
            )
        )

    @property
    def secret_arn(self) -> str:
        """The ARN of the secret, for `SecretKeys`."""
        return self.secret.secret_arn

    def grant_read(self, grantee: iam.IGrantable) -> None:
        """Allow to read the key's value, and nothing else about it."""
        iam.Grant.add_to_principal(
            grantee=grantee,
            actions=["secretsmanager:GetSecretValue"],
            resource_arns=[self.secret.secret_arn],
        ).assert_success()
