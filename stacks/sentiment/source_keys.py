"""Source keys, which open the sources: made empty, filled in by hand."""

import json

from aws_cdk import Acknowledgment, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from tablewright.constructs import Protection

# Never to be changed, not even for a new source: CloudFormation makes a new value when it is, and
# the keys that were filled in are gone. A key that is not in here is filled in like any other.
_AT_FIRST = {
    "newsapi_api_key": "",
    "twitter_bearer_token": "",
    "reddit_client_id": "",
    "reddit_client_secret": "",
    "tiingo_token": "",
    "finnhub_token": "",
}


class SourceKeys(Construct):
    """One secret with the keys of all sources, as JSON; a source whose keys are empty is left out.

    Example::

        keys = SourceKeys(self, "SourceKeys", protection=stage.protection)
        keys.grant_read(ingest.function)
    """

    def __init__(self, scope: Construct, id: str, *, protection: Protection) -> None:
        super().__init__(scope, id)
        self.secret = secretsmanager.Secret(
            self,
            "Secret",
            description="Keys of the sources, to be filled in; a source without keys is left out.",
            # A template is taken only beside something to generate, which nothing reads.
            generate_secret_string=secretsmanager.SecretStringGenerator(
                secret_string_template=json.dumps(_AT_FIRST, separators=(",", ":")),
                generate_string_key="unused",
            ),
            removal_policy=protection.removal_policy,
        )
        Validations.of(self.secret).acknowledge(
            Acknowledgment(
                id="AwsSolutions-SMG4",
                reason="The keys are issued by the sources; only they can change them.",
            )
        )

    @property
    def secret_arn(self) -> str:
        return self.secret.secret_arn

    def grant_read(self, grantee: iam.IGrantable) -> None:
        """Allow to read the keys, and nothing else about them."""
        iam.Grant.add_to_principal(
            grantee=grantee,
            actions=["secretsmanager:GetSecretValue"],
            resource_arns=[self.secret_arn],
        ).assert_success()
