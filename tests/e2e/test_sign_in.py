"""Nobody gets in without a token that the user pool has just signed for this API."""

import re
import time
from pathlib import Path

import pytest

from lambdas.sales.contract import ROUTES
from local.clients.api import Api
from local.clients.users import Users, email_of
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from local.emulator.home import LocalCloudError
from tests.e2e.support import tokens


@pytest.fixture(scope="module")
def token(users: Users) -> str:
    return users.token("acme")


@pytest.fixture(scope="module")
def pool_key(cloud: Cloud, deployment: Deployment) -> Path:
    pool = deployment.output("identity", "UserPoolId")
    return cloud.home.state / "cognito-pool-keys" / f"{pool}-id.pem"


def status_of(deployment: Deployment, token: str | None) -> int:
    return Api(deployment.api_url("sales"), token)("GET", "/embeddings", limit=1).status


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_wants_a_token(anyone: Api, method: str, path: str) -> None:
    address = re.sub(r"\{\w+\}", "x", path)
    assert anyone(method, address, None if method == "GET" else {}).status == 401


def test_a_token_of_the_pool_is_let_in(deployment: Deployment, token: str) -> None:
    assert status_of(deployment, token) == 200


def test_an_unsigned_token_is_refused(deployment: Deployment, token: str) -> None:
    assert status_of(deployment, tokens.unsigned(token)) == 401


def test_a_token_changed_for_another_tenant_is_refused(deployment: Deployment, token: str) -> None:
    assert status_of(deployment, tokens.tampered(token, **{"custom:tenant": "globex"})) == 401


def test_a_strangers_signature_is_refused(deployment: Deployment, token: str) -> None:
    assert status_of(deployment, tokens.signed(token, None)) == 401


def test_an_expired_token_is_refused(deployment: Deployment, token: str, pool_key: Path) -> None:
    still_good = tokens.signed(token, pool_key)
    expired = tokens.signed(token, pool_key, exp=int(time.time()) - 1)
    assert (status_of(deployment, still_good), status_of(deployment, expired)) == (200, 401)


def test_a_token_for_another_client_is_refused(
    deployment: Deployment, token: str, pool_key: Path
) -> None:
    assert status_of(deployment, tokens.signed(token, pool_key, aud="another")) == 401


@pytest.fixture
def access_token(cloud: Cloud, deployment: Deployment, users: Users) -> str:
    signed_in = cloud.connection.client("cognito-idp").initiate_auth(
        ClientId=deployment.output("identity", "UserPoolClientId"),
        AuthFlow="USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": email_of("acme"), "PASSWORD": users.password("acme")},
    )
    return str(signed_in["AuthenticationResult"]["AccessToken"])


def test_an_access_token_names_no_tenant_and_is_refused(
    deployment: Deployment, access_token: str
) -> None:
    refused = Api(deployment.api_url("sales"), access_token)("GET", "/embeddings")
    assert refused.status == 403
    assert "ID token" in refused.json["detail"]


def test_a_user_cannot_move_to_another_tenant(
    cloud: Cloud, access_token: str, users: Users
) -> None:
    cognito = cloud.connection.client("cognito-idp")
    move = [{"Name": "custom:tenant", "Value": "globex"}]
    with pytest.raises(cognito.exceptions.NotAuthorizedException):
        cognito.update_user_attributes(AccessToken=access_token, UserAttributes=move)
    assert tokens.claims_of(users.token("acme"))["custom:tenant"] == "acme"


def test_passwords_are_kept_for_their_owner_only(cloud: Cloud, users: Users) -> None:
    assert users.password("acme") != users.password("globex")
    assert cloud.home.users.stat().st_mode & 0o077 == 0


def test_an_unknown_tenant_is_answered_with_the_known_ones(users: Users) -> None:
    with pytest.raises(LocalCloudError, match="Take one of: acme, globex"):
        users.token("initech")
