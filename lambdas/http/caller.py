"""Caller of a request: subject, groups and tenant of the verified token, and nothing else."""

from typing import Any

from lambdas.contract import TENANT_CLAIM
from lambdas.errors import NotAllowed
from tablewright.model import Field, InvalidValue


def claims_of(event: Any) -> dict[str, Any]:
    """The claims that the API's authorizer has verified."""
    authorizer = event.get("requestContext", {}).get("authorizer") or {}
    return (authorizer.get("jwt") or {}).get("claims") or {}


def subject_of(event: Any) -> str:
    """The caller's id: the subject of the token."""
    subject = claims_of(event).get("sub")
    if not subject:
        raise NotAllowed("The token has no claim 'sub'.")
    return str(subject)


def groups_of(event: Any) -> list[str]:
    """The groups of the user pool that the caller is in."""
    # API Gateway hands a list of groups on as one text: [readers writers]
    return str(claims_of(event).get("cognito:groups", "")).strip("[]").replace(",", " ").split()


def require_group(event: Any, group: str) -> None:
    """Refuse a caller who is not in a group of the user pool."""
    if group not in groups_of(event):
        raise NotAllowed(f"Only members of the group '{group}' may do this.")


def tenant_of(event: Any, field: Field[Any]) -> str:
    """The caller's tenant, from the claims that the API's authorizer has verified."""
    claims = claims_of(event)
    if TENANT_CLAIM not in claims and claims.get("token_use") == "access":
        raise NotAllowed("This is an access token: use the ID token, which names the tenant.")
    if TENANT_CLAIM not in claims:
        detail = f"The token has no claim '{TENANT_CLAIM}': the user belongs to no tenant."
        raise NotAllowed(detail)
    try:
        return str(field.check(claims[TENANT_CLAIM]))
    except InvalidValue as problem:
        raise NotAllowed(f"The token's claim '{TENANT_CLAIM}' {problem.reason}.") from None
