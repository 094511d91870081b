"""Who is calling: the tenant in the verified token, and nothing else that a request says."""

from typing import Any

from lambdas.http.problems import Problem
from tablewright.designs import Field, InvalidValue

CLAIM = "custom:tenant"


def tenant_of(event: Any, field: Field) -> str:
    """The caller's tenant, from the claims that the API's authorizer has verified."""
    authorizer = event.get("requestContext", {}).get("authorizer") or {}
    claims = (authorizer.get("jwt") or {}).get("claims") or {}
    if CLAIM not in claims:
        raise Problem(403, f"The token has no claim '{CLAIM}': the user belongs to no tenant.")
    try:
        return str(field.check(claims[CLAIM]))
    except InvalidValue as problem:
        raise Problem(403, f"The token's claim '{CLAIM}' {problem.reason}.") from None
