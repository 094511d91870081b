"""Sample users: real ones of the deployed user pool, who sign in with a password."""

import json
import secrets
from typing import Any, NamedTuple

from local.deployment import Deployment
from local.emulator.connection import REGION, Connection
from local.emulator.home import Home, LocalCloudError

TENANTS = ("acme", "globex")
OPERATOR = "operator"
READER, AUTHOR, APPROVER, ADMIN = "reader", "author", "approver", "admin"


class Person(NamedTuple):
    """A sample user: the address that signs in, whose user it is, and what it may do."""

    email: str
    tenant: str | None = None
    groups: tuple[str, ...] = ()


PEOPLE = {
    **{tenant: Person(f"sam@{tenant}.example", tenant, ("writers",)) for tenant in TENANTS},
    OPERATOR: Person("olga@operations.example", groups=("operators",)),
    READER: Person("rita@portal.example", groups=("readers",)),
    AUTHOR: Person("alex@portal.example", groups=("authors",)),
    APPROVER: Person("petra@portal.example", groups=("approvers",)),
    ADMIN: Person("amy@portal.example", groups=("admins",)),
}


class Users:
    """The sample users, with passwords that only this folder knows.

    Example::

        Users(home, connection, deployment).token("acme")
    """

    def __init__(
        self,
        home: Home,
        connection: Connection,
        deployment: Deployment,
        region: str | None = None,
    ) -> None:
        """Those at home, or of the pool in another `region`."""
        self._home = home
        self._cognito = connection.client("cognito-idp", region or REGION)
        self._people = dict(PEOPLE)
        stack = f"identity-{region}" if region else "identity"
        self._pool = deployment.output(stack, "UserPoolId")
        self._client = deployment.output(stack, "UserPoolClientId")

    def create(self) -> int:
        """Create those that do not exist yet; gives how many."""
        return sum(self._create(name) for name in self._people)

    def add(self, name: str, person: Person) -> None:
        """Create one more user."""
        self._people[name] = person
        self._create(name)

    def token(self, name: str) -> str:
        """Sign in: an ID token, since the tenant is a claim of that one only."""
        if name not in self._people:
            known = ", ".join(self._people)
            raise LocalCloudError(f"There is no user '{name}'. Take one of: {known}")
        signed_in = self._cognito.initiate_auth(
            ClientId=self._client,
            AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": self._people[name].email, "PASSWORD": self.password(name)},
        )
        return str(signed_in["AuthenticationResult"]["IdToken"])

    def password(self, name: str) -> str:
        """The user's password, made up the first time that it is asked for."""
        kept = self._kept()
        if name not in kept:
            # One of each kind that the pool's policy wants, then 120 random bits.
            kept[name] = "Aa1!" + secrets.token_urlsafe(15)
            self._home.write_private(self._home.users, json.dumps(kept, indent=2) + "\n")
        return kept[name]

    def _create(self, name: str) -> bool:
        person = self._people[name]
        user: dict[str, Any] = {"UserPoolId": self._pool, "Username": person.email}
        try:
            self._cognito.admin_get_user(**user)
            return False
        except self._cognito.exceptions.UserNotFoundException:
            pass
        attributes = {"email": person.email, "email_verified": "true"}
        if person.tenant:
            attributes["custom:tenant"] = person.tenant
        self._cognito.admin_create_user(
            **user,
            MessageAction="SUPPRESS",
            UserAttributes=[{"Name": name, "Value": value} for name, value in attributes.items()],
        )
        self._cognito.admin_set_user_password(**user, Password=self.password(name), Permanent=True)
        for group in person.groups:
            self._cognito.admin_add_user_to_group(**user, GroupName=group)
        return True

    def _kept(self) -> dict[str, str]:
        try:
            return dict(json.loads(self._home.users.read_text()))
        except FileNotFoundError:
            return {}


def email_of(name: str) -> str:
    return PEOPLE[name].email
