"""Gap: a user pool has no `ProviderURL`, the issuer that an API's authorizer is given."""

from typing import Any

from ministack.core.responses import get_region
from ministack.services.cloudformation import provisioners

from local.gaps import expected


def close() -> None:
    attributes = expected.function(provisioners, "_cognito_user_pool_attributes", "pid")

    def with_issuer(pid: str) -> dict[str, Any]:
        issuer = f"https://cognito-idp.{get_region()}.amazonaws.com/{pid}"
        return {**attributes(pid), "ProviderURL": issuer}

    provisioners._cognito_user_pool_attributes = with_issuer
