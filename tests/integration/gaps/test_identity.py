"""User pools: the issuer that authorizers are given, and attributes that stay as they are."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.gaps.clouds import Cloud, deploy

PASSWORD = "Abcdefgh-123"
POOL_WITH_ISSUER = {
    "Resources": {"Pool": {"Type": "AWS::Cognito::UserPool", "Properties": {}}},
    "Outputs": {"Issuer": {"Value": {"Fn::GetAtt": ["Pool", "ProviderURL"]}}},
}


class User:
    """A user of a pool whose `tenant` cannot change and whose client may write `name` only."""

    def __init__(self, cloud: Cloud) -> None:
        self._cognito = cloud.client("cognito-idp")
        attributes = [
            {"Name": "tenant", "AttributeDataType": "String", "Mutable": False},
            {"Name": "level", "AttributeDataType": "String", "Mutable": True},
        ]
        pool = self._cognito.create_user_pool(PoolName="pool", Schema=attributes)["UserPool"]["Id"]
        client = self._cognito.create_user_pool_client(
            UserPoolId=pool,
            ClientName="client",
            ExplicitAuthFlows=["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
            WriteAttributes=["name"],
        )["UserPoolClient"]["ClientId"]
        self._user = {"UserPoolId": pool, "Username": "sam"}
        first = [{"Name": "custom:tenant", "Value": "acme"}]
        self._cognito.admin_create_user(**self._user, UserAttributes=first)
        self._cognito.admin_set_user_password(**self._user, Password=PASSWORD, Permanent=True)
        signed_in = self._cognito.initiate_auth(
            ClientId=client,
            AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": "sam", "PASSWORD": PASSWORD},
        )
        self._token = signed_in["AuthenticationResult"]["AccessToken"]

    def change(self, name: str, *, by_administrator: bool = False) -> str:
        """Try to change an attribute; gives the error, or the value that it has now."""
        update: dict[str, Any] = {"UserAttributes": [{"Name": name, "Value": "changed"}]}
        try:
            if by_administrator:
                self._cognito.admin_update_user_attributes(**self._user, **update)
            else:
                self._cognito.update_user_attributes(AccessToken=self._token, **update)
        except ClientError as refused:
            return str(refused.response["Error"]["Code"])
        found = self._cognito.admin_get_user(**self._user)["UserAttributes"]
        return str({one["Name"]: one["Value"] for one in found}[name])


def test_a_pool_gives_out_its_issuer(cloud: Cloud, cloud_without: Callable[[str], Cloud]) -> None:
    pool = deploy(cloud, "issuer", POOL_WITH_ISSUER)["Pool"]
    stack = cloud.client("cloudformation").describe_stacks(StackName="issuer")["Stacks"][0]
    issuer = f"https://cognito-idp.eu-west-1.amazonaws.com/{pool}"
    assert stack["Outputs"][0]["OutputValue"] == issuer
    with pytest.raises(AssertionError, match="ProviderURL does not exist"):
        deploy(cloud_without("cognito.user_pool_issuer"), "issuer", POOL_WITH_ISSUER)


def test_a_user_changes_only_what_the_client_may_write(cloud: Cloud) -> None:
    user = User(cloud)
    assert user.change("name") == "changed"
    assert user.change("custom:level") == "NotAuthorizedException"
    assert user.change("custom:tenant") == "NotAuthorizedException"


def test_an_immutable_attribute_keeps_its_first_value(cloud: Cloud) -> None:
    user = User(cloud)
    assert user.change("custom:level", by_administrator=True) == "changed"
    refused = user.change("custom:tenant", by_administrator=True)
    assert refused == "InvalidParameterException"


def test_ministack_itself_lets_users_change_everything(
    cloud_without: Callable[[str], Cloud],
) -> None:
    user = User(cloud_without("cognito.user_attributes"))
    assert user.change("custom:level") == "changed"
    assert user.change("custom:tenant", by_administrator=True) == "changed"
