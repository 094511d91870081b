"""The keys that secret fields are encrypted with."""

from collections.abc import Iterable

from aws_cdk import Acknowledgment, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from tablewright.constructs.protection import Protection
from tablewright.constructs.replica_key import HANDLER, primary_key, replica_key
from tablewright.constructs.tables.base import DesignTableBase
from tablewright.constructs.wildcards import acknowledge_wildcard


class FieldKeysBase(Construct):
    """What `FieldKeys` makes and `ReplicaFieldKeys` adopts: keys that are granted for one table."""

    key: kms.IKey
    # How programs name the secret, and how their rights do.
    secret_arn: str
    _granted_arn: str

    def __init__(self, scope: Construct, id: str, *, table: DesignTableBase) -> None:
        super().__init__(scope, id)
        self._table = table

    def grant_use(self, grantee: iam.IGrantable) -> None:
        """Allow to encrypt and decrypt secret fields of the table: to read its keys and to have
        them unwrapped. Nobody who may do this can make a key."""
        self._grant(grantee, ["secretsmanager:GetSecretValue"], ["kms:Decrypt"])

    def _grant(self, grantee: iam.IGrantable, of_ring: list[str], of_key: list[str]) -> None:
        iam.Grant.add_to_principal(
            grantee=grantee, actions=of_ring, resource_arns=[self._granted_arn]
        ).assert_success()
        own = {"kms:EncryptionContext:table": self._table.table_name}
        iam.Grant.add_to_principal(
            grantee=grantee,
            actions=of_key,
            resource_arns=[self.key.key_arn],
            conditions={"StringEquals": own},
        ).assert_success()


class FieldKeys(FieldKeysBase):
    """Data keys of a table's secret fields: a key of KMS that wraps them, a secret for their ring.

    The secret is empty until the command `rotate_keys` adds the first key. Tables may share the key
    of KMS, which unwraps each table's keys for that table alone. Of a table with replicas, the
    secret is in their regions too; a stack there finds it, and the key, by the `name`. Pass the
    `ring` and the `kms_key` of an earlier stack to read what was encrypted with them.

    Example::

        keys = FieldKeys(self, "OrderKeys", table=orders)
        keys.grant_use(function)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        name: str | None = None,
        kms_key: kms.IKey | None = None,
        ring: secretsmanager.ISecret | None = None,
        protection: Protection | None = None,
    ) -> None:
        super().__init__(scope, id, table=table)
        protection = protection or Protection.protected()
        self.key = kms_key or primary_key(
            self,
            "Key",
            alias=f"alias/{name}" if name else None,
            describes="Wraps the data keys of secret fields.",
            protection=protection,
        )
        self.secret = ring or self._ring(name, table.replica_regions, protection)
        self.secret_arn = self._granted_arn = self.secret.secret_arn

    def _ring(
        self, name: str | None, replicas: Iterable[str], protection: Protection
    ) -> secretsmanager.Secret:
        secret = secretsmanager.Secret(
            self,
            "Ring",
            description="Data keys of secret fields, which KMS has wrapped.",
            secret_name=name,
            replica_regions=[secretsmanager.ReplicaRegion(region=region) for region in replicas],
            removal_policy=protection.removal_policy,
        )
        # A value of the template would be put in the place of the keys whenever it changed.
        resource = secret.node.default_child
        assert isinstance(resource, secretsmanager.CfnSecret)  # noqa: S101 - for the type checker
        resource.generate_secret_string = None
        Validations.of(secret).acknowledge(
            Acknowledgment(
                id="AwsSolutions-SMG4",
                reason="Its keys are rotated in steps between which programs learn of them and "
                "items are encrypted again, by the commands rotate_keys and reencrypt.",
            )
        )
        return secret

    def grant_rotation(self, grantee: iam.IGrantable) -> None:
        """Allow what the commands `rotate_keys` and `reencrypt` do with keys."""
        self._grant(
            grantee,
            [
                "secretsmanager:GetSecretValue",
                "secretsmanager:PutSecretValue",
                "secretsmanager:UpdateSecretVersionStage",
            ],
            ["kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext"],
        )


class ReplicaFieldKeys(FieldKeysBase):
    """The keys of a table's secret fields where its replica is: the ring's replica, and a replica
    of the key of KMS, which unwraps what that one has wrapped.

    `name` is that of the `FieldKeys` in the region `home`. `function` runs `HANDLER`, which is part
    of the library, and may then ask there for this one key. Pass a `kms_key` that is a replica of
    it already, such as one that an earlier stack retained.

    Example::

        keys = ReplicaFieldKeys(self, "OrderKeys", table=orders, name="prod-orders-keys",
                                home="eu-west-1", function=describe.function)
        keys.grant_use(function)
    """

    HANDLER = HANDLER

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        table: DesignTableBase,
        name: str,
        home: str,
        function: lambda_.Function,
        kms_key: kms.IKey | None = None,
        protection: Protection | None = None,
    ) -> None:
        super().__init__(scope, id, table=table)
        self.secret_arn = name
        ring = secretsmanager.Secret.from_secret_name_v2(self, "Ring", name)
        self._granted_arn = f"{ring.secret_arn}-??????"
        if kms_key is None:
            key = replica_key(
                self,
                alias=f"alias/{name}",
                home=home,
                function=function,
                protection=protection or Protection.protected(),
                describes="Unwraps the data keys of secret fields.",
            )
            kms_key = kms.Key.from_key_arn(self, "Replica", key.attr_arn)
        self.key = kms_key

    def grant_use(self, grantee: iam.IGrantable) -> None:
        """Allow to encrypt and decrypt secret fields of the table."""
        super().grant_use(grantee)
        if isinstance(grantee, lambda_.Function) and isinstance(grantee.role, iam.Role):
            reason = "The end of a secret's ARN is random, and another in each region."
            acknowledge_wildcard(grantee.role, self._granted_arn, reason=reason)
