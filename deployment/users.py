"""Users of a stage: made by an administrator, each for one tenant, for good."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from deployment import Refused
from deployment.target import Target
from lambdas.sentiment.contract import items_table_name

Say = Callable[[str], None]
_TENANT = "custom:tenant"
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


def ensure_user(
    target: Target, *, email: str, tenant: str | None, groups: Sequence[str], say: Say
) -> None:
    """Make a user, or put the one that is there into the groups. A second call changes nothing.

    In every region that the stage runs from: a region that is lost takes its users with it.
    """
    if not _EMAIL.fullmatch(email):
        raise Refused(f"'{email}' is no e-mail address: give one, EMAIL=sam@acme.example.")
    if not tenant and not groups:
        raise Refused(
            "Say whose user it is, TENANT=acme, which can never be changed; or, for somebody of "
            "no tenant, what the user may do, GROUPS=operators."
        )
    for region in (None, *_others(target)):
        stack = "-".join(filter(None, ("tablewright", target.stage, "identity", region)))
        pool = target.output(stack, "UserPoolId", region)
        cognito = target.client("cognito-idp", region)
        _check_groups(cognito, pool, groups)
        status = _status(cognito, pool, email, tenant)
        if status is None:
            _create(cognito, pool, email, tenant)
        for group in groups:
            cognito.admin_add_user_to_group(UserPoolId=pool, Username=email, GroupName=group)
        told = _told(target.stage, email, tenant, groups, status)
        say(f"In {region}: {told}" if region else told)


def _others(target: Target) -> list[str]:
    """The other regions that have users of the stage."""
    items = target.table(items_table_name(target.stage))
    return [
        region
        for region in sorted(items.replicas if items else ())
        if target.has_stack(f"tablewright-{target.stage}-identity-{region}", region)
    ]


def _status(cognito: Any, pool: str, email: str, tenant: str | None) -> str | None:
    """How far the user has come with signing in; None when there is no such user."""
    try:
        user = cognito.admin_get_user(UserPoolId=pool, Username=email)
    except cognito.exceptions.UserNotFoundException:
        return None
    has = {a["Name"]: a["Value"] for a in user["UserAttributes"]}.get(_TENANT)
    if has != tenant:
        raise Refused(
            f"{email} is there {_of(has)}, and would have to be there {_of(tenant)}: that cannot "
            "be changed. Delete the user and make it again: aws cognito-idp admin-delete-user "
            f"--user-pool-id {pool} --username {email}"
        )
    return str(user["UserStatus"])


def _create(cognito: Any, pool: str, email: str, tenant: str | None) -> None:
    attributes = {"email": email, "email_verified": "true"}
    if tenant:
        attributes[_TENANT] = tenant
    cognito.admin_create_user(
        UserPoolId=pool,
        Username=email,
        DesiredDeliveryMediums=["EMAIL"],
        UserAttributes=[{"Name": name, "Value": value} for name, value in attributes.items()],
    )


def _check_groups(cognito: Any, pool: str, groups: Sequence[str]) -> None:
    pages = cognito.get_paginator("list_groups").paginate(UserPoolId=pool)
    known = sorted(group["GroupName"] for page in pages for group in page["Groups"])
    for group in groups:
        if group not in known:
            raise Refused(f"There is no group '{group}'. There are: {', '.join(known)}")


def _told(
    stage: str, email: str, tenant: str | None, groups: Sequence[str], status: str | None
) -> str:
    member = f", in {', '.join(groups)}" if groups else ""
    if status is None:
        return (
            f"{email} is made, {_of(tenant)}{member}. AWS sends a temporary password by e-mail, "
            "good for three days; whoever signs in with it on the dashboard's page is asked for a "
            "password of their own."
        )
    if status == "FORCE_CHANGE_PASSWORD":
        return (
            f"{email} is there, {_of(tenant)}{member}, but has not signed in yet. If the temporary "
            "password is lost or older than three days: see docs/deploying.md#make-a-user"
        )
    return f"{email} is there, {_of(tenant)}{member}, and signs in on {stage}."


def _of(tenant: str | None) -> str:
    return f"for tenant {tenant}" if tenant else "without a tenant"
