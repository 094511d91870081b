"""Users of the sample tenants: real ones of the deployed user pool, who sign in with a password."""

import json
import secrets
from typing import Any

from local.connection import Connection
from local.deployment import Deployment
from local.home import Home, LocalCloudError

TENANTS = ("acme", "globex")
GROUPS = ("writers",)


class Users:
    """One user for each sample tenant, with passwords that only this folder knows.

    Example::

        Users(home, connection, deployment).token("acme")
    """

    def __init__(self, home: Home, connection: Connection, deployment: Deployment) -> None:
        self._home = home
        self._cognito = connection.client("cognito-idp")
        self._pool = deployment.output("sales", "UserPoolId")
        self._client = deployment.output("sales", "UserPoolClientId")

    def create(self) -> int:
        """Create those that do not exist yet; gives how many."""
        return sum(self._create(tenant) for tenant in TENANTS)

    def token(self, tenant: str) -> str:
        """Sign in: an ID token, since the tenant is a claim of that one only."""
        if tenant not in TENANTS:
            known = ", ".join(TENANTS)
            raise LocalCloudError(f"There is no tenant '{tenant}'. Take one of: {known}")
        signed_in = self._cognito.initiate_auth(
            ClientId=self._client,
            AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": email_of(tenant), "PASSWORD": self.password(tenant)},
        )
        return str(signed_in["AuthenticationResult"]["IdToken"])

    def password(self, tenant: str) -> str:
        """The user's password, made up the first time that it is asked for."""
        kept = self._kept()
        if tenant not in kept:
            # One of each kind that the pool's policy wants, then 120 random bits.
            kept[tenant] = "Aa1!" + secrets.token_urlsafe(15)
            self._home.write_private(self._home.users, json.dumps(kept, indent=2) + "\n")
        return kept[tenant]

    def _create(self, tenant: str) -> bool:
        user: dict[str, Any] = {"UserPoolId": self._pool, "Username": email_of(tenant)}
        try:
            self._cognito.admin_get_user(**user)
            return False
        except self._cognito.exceptions.UserNotFoundException:
            pass
        attributes = {
            "email": email_of(tenant),
            "email_verified": "true",
            "custom:tenant": tenant,
        }
        self._cognito.admin_create_user(
            **user,
            MessageAction="SUPPRESS",
            UserAttributes=[{"Name": name, "Value": value} for name, value in attributes.items()],
        )
        self._cognito.admin_set_user_password(
            **user, Password=self.password(tenant), Permanent=True
        )
        for group in GROUPS:
            self._cognito.admin_add_user_to_group(**user, GroupName=group)
        return True

    def _kept(self) -> dict[str, str]:
        try:
            return dict(json.loads(self._home.users.read_text()))
        except FileNotFoundError:
            return {}


def email_of(tenant: str) -> str:
    return f"sam@{tenant}.example"
