"""User pool: who may sign in, and for which tenant; and the key that cursors are signed with."""

from aws_cdk import Acknowledgment, CfnOutput, Duration, RemovalPolicy, Validations
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from lambdas.contract import TENANT
from lambdas.portal.contract import ADMINS, APPROVERS, AUTHORS, READERS
from stacks.shared.stage import Stage
from stacks.shared.stage_stack import StageStack
from tablewright.constructs import CursorKey

GROUPS = {
    "writers": "May hand in items to be analysed.",
    "operators": "May manage the tenants of forms, and act for any of them.",
    READERS: "May read the content of the portal.",
    AUTHORS: "May write content of the portal.",
    APPROVERS: "May approve content of the portal.",
    ADMINS: "May do everything in the portal.",
}


_CLOUDFRONT = "us-east-1"


def edge_key_name(stage: Stage) -> str:
    """The name of the firewall's key, the same in each region that has it."""
    return f"tablewright/{stage.name}/edge-key"


class IdentityStack(StageStack):
    """A user pool whose users each belong to one tenant, for good.

    The tenant is set when an administrator creates the user. It is a claim of the ID token, which
    is therefore the API's bearer token: its audience is the client's id. Cognito has no replicas:
    each region that a system runs from has a pool of its own. All systems of a region derive the
    keys of their cursors from `cursor_key`.

    Example::

        identity = IdentityStack(app, stage=stage)
        JwtHttpApi(stack, "Api", issuer=identity.issuer, audience=[identity.client_id], ...)
    """

    def __init__(self, scope: Construct, *, stage: Stage, region: str | None = None) -> None:
        super().__init__(scope, "identity", stage=stage, region=region)
        self.pool = self._pool(stage)
        self.client = self._client(stage)
        self.cursor_key = CursorKey(self, "CursorKey", protection=stage.protection)
        self.edge_key = self._edge_key(stage) if stage.firewall and not region else None
        for group, may in GROUPS.items():
            self.pool.add_group(group, group_name=group, description=may)
        CfnOutput(self, "UserPoolId", value=self.pool.user_pool_id)
        CfnOutput(self, "UserPoolClientId", value=self.client_id)

    def _edge_key(self, stage: Stage) -> secretsmanager.Secret:
        """The key by which functions know that a request came through the firewall."""
        key = secretsmanager.Secret(
            self,
            "EdgeKey",
            secret_name=edge_key_name(stage),
            description="CloudFront sends it, functions behind the firewall want it.",
            generate_secret_string=secretsmanager.SecretStringGenerator(
                password_length=64, exclude_punctuation=True
            ),
            # Where CloudFront is deployed from.
            replica_regions=None
            if stage.environment.region == _CLOUDFRONT
            else [secretsmanager.ReplicaRegion(region=_CLOUDFRONT)],
            removal_policy=RemovalPolicy.DESTROY,
        )
        Validations.of(key).acknowledge(
            Acknowledgment(
                id="AwsSolutions-SMG4",
                reason="Templates read it, so that a new value takes effect by a deployment.",
            )
        )
        return key

    @property
    def issuer(self) -> str:
        return self.pool.user_pool_provider_url

    @property
    def client_id(self) -> str:
        return self.client.user_pool_client_id

    def _pool(self, stage: Stage) -> cognito.UserPool:
        guarded = stage.threat_protection
        pool = cognito.UserPool(
            self,
            "Users",
            self_sign_up_enabled=False,
            sign_in_aliases=cognito.SignInAliases(email=True),
            sign_in_case_sensitive=False,
            auto_verify=cognito.AutoVerifiedAttrs(email=True),
            # A changed address counts once it is verified, so nobody can take another's.
            keep_original=cognito.KeepOriginalAttrs(email=True),
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            custom_attributes={
                TENANT: cognito.StringAttribute(min_len=1, max_len=64, mutable=False)
            },
            password_policy=cognito.PasswordPolicy(
                min_length=12,
                require_lowercase=True,
                require_uppercase=True,
                require_digits=True,
                require_symbols=True,
                temp_password_validity=Duration.days(3),
            ),
            mfa=cognito.Mfa.OPTIONAL,
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
            feature_plan=cognito.FeaturePlan.PLUS if guarded else cognito.FeaturePlan.ESSENTIALS,
            standard_threat_protection_mode=cognito.StandardThreatProtectionMode.FULL_FUNCTION
            if guarded
            else cognito.StandardThreatProtectionMode.NO_ENFORCEMENT,
            deletion_protection=stage.protection_in(self).deletion_protection,
            removal_policy=stage.protection.removal_policy,
        )
        Validations.of(pool).acknowledge(
            Acknowledgment(
                id="AwsSolutions-COG2",
                reason="Tenants' programs sign in too; people may add a second factor.",
            )
        )
        if not guarded:
            Validations.of(pool).acknowledge(
                Acknowledgment(
                    id="AwsSolutions-COG8",
                    reason="No real users here to protect from stolen passwords.",
                )
            )
        return pool

    def _client(self, stage: Stage) -> cognito.UserPoolClient:
        own = cognito.ClientAttributes().with_standard_attributes(
            email=True, given_name=True, family_name=True
        )
        return self.pool.add_client(
            "Client",
            auth_flows=cognito.AuthFlow(user_srp=True, user_password=stage.password_sign_in),
            disable_o_auth=True,
            generate_secret=False,
            prevent_user_existence_errors=True,
            enable_token_revocation=True,
            id_token_validity=Duration.hours(1),
            access_token_validity=Duration.hours(1),
            refresh_token_validity=Duration.days(7),
            read_attributes=own.with_custom_attributes(TENANT),
            # Without the tenant: who could write it could move into another.
            write_attributes=own,
        )
