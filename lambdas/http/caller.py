"""Who is calling: the tenant in the verified token, and nothing else that a request says."""

from typing import Any

from lambdas.http.problems import Problem
from tablewright.model import Field, InvalidValue

CLAIM = "custom:tenant"


def claims_of(event: Any) -> dict[str, Any]:
    """The claims that the API's authorizer has verified."""
    authorizer = event.get("requestContext", {}).get("authorizer") or {}
    return (authorizer.get("jwt") or {}).get("claims") or {}


def subject_of(event: Any) -> str:
    """Who is calling."""
    subject = claims_of(event).get("sub")
    if not subject:
        raise Problem(403, "The token has no claim 'sub'.")
    return str(subject)


def groups_of(event: Any) -> list[str]:
    """The groups of the user pool that the caller is in."""
    # API Gateway hands a list of groups on as one text: [readers writers]
    return str(claims_of(event).get("cognito:groups", "")).strip("[]").replace(",", " ").split()


def require_group(event: Any, group: str) -> None:
    """Refuse a caller who is not in a group of the user pool."""
    if group not in groups_of(event):
        raise Problem(403, f"Only members of the group '{group}' may do this.")


def tenant_of(event: Any, field: Field) -> str:
    """The caller's tenant, from the claims that the API's authorizer has verified."""
    claims = claims_of(event)
    if CLAIM not in claims and claims.get("token_use") == "access":
        raise Problem(403, "This is an access token: use the ID token, which names the tenant.")
    if CLAIM not in claims:
        raise Problem(403, f"The token has no claim '{CLAIM}': the user belongs to no tenant.")
    try:
        return str(field.check(claims[CLAIM]))
    except InvalidValue as problem:
        raise Problem(403, f"The token's claim '{CLAIM}' {problem.reason}.") from None
