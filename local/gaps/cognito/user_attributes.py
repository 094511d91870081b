"""Gap: users of a user pool can change attributes that are closed to them.

An attribute that is not mutable keeps its first value, and a client writes only the attributes
that it is allowed to. A user's tenant is both, or users could move into another one.
"""

import base64
import json
from collections.abc import Iterable
from typing import Any

from ministack.core.responses import error_response_json
from ministack.services import cognito

from local.gaps import expected


def close() -> None:
    by_user = expected.function(cognito, "_update_user_attributes", "data")
    by_administrator = expected.function(cognito, "_admin_update_user_attributes", "data")
    find = expected.function(cognito, "_user_pool_for_access_token", "access_token")
    expected.attribute(cognito, "_user_pools")

    def update_user_attributes(data: dict[str, Any]) -> Any:
        token = data.get("AccessToken", "")
        user, pool = find(token)
        if user:
            allowed = _writable(pool, token)
            for name in _names(data):
                if allowed and name not in allowed:
                    message = "A client attempted to write unauthorized attribute"
                    return error_response_json("NotAuthorizedException", message, 400)
        return _immutable(pool, data) or by_user(data)

    def admin_update_user_attributes(data: dict[str, Any]) -> Any:
        pool = cognito._user_pools.get(data.get("UserPoolId"))
        return _immutable(pool, data) or by_administrator(data)

    cognito._update_user_attributes = update_user_attributes
    cognito._admin_update_user_attributes = admin_update_user_attributes


def _immutable(pool: dict[str, Any] | None, data: dict[str, Any]) -> Any:
    """The refusal, when the request changes an attribute that cannot change."""
    schema = (pool or {}).get("SchemaAttributes") or []
    fixed = {attribute["Name"] for attribute in schema if not attribute.get("Mutable", True)}
    for name in _names(data):
        if name in fixed:
            message = f"user.{name}: Attribute cannot be updated.\n"
            return error_response_json("InvalidParameterException", message, 400)
    return None


def _writable(pool: dict[str, Any], token: str) -> list[str]:
    payload = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    client = (pool.get("_clients") or {}).get(claims.get("client_id")) or {}
    return list(client.get("WriteAttributes") or [])


def _names(data: dict[str, Any]) -> Iterable[str]:
    return [attribute["Name"] for attribute in data.get("UserAttributes") or []]
