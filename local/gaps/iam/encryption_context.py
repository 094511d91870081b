"""Gap: `kms:EncryptionContext:…` has no value, so policies on what a key is used for deny all use.

In AWS a request to KMS has one such condition key for each pair of its encryption context.
"""

import json
from typing import Any

from ministack.core import iam_actions

from local.gaps import expected

_PREFIX = "kms:encryptioncontext:"
_PARAMETERS = ("service", "iam_action", "body", "params")


def close() -> None:
    # What it gives becomes part of every request's context.
    of_tags = expected.function(iam_actions, "request_tag_context", *_PARAMETERS)

    def context(service: str, iam_action: str, body: bytes, params: dict[str, Any]) -> Any:
        found = of_tags(service, iam_action, body, params)
        return {**found, **encryption_context(body)} if service == "kms" else found

    iam_actions.request_tag_context = context


def encryption_context(body: bytes) -> dict[str, str]:
    """The condition keys of a request, in the small letters that they are looked up by."""
    try:
        given = json.loads(body or b"{}").get("EncryptionContext") or {}
        return {f"{_PREFIX}{name}".lower(): str(value) for name, value in given.items()}
    except (AttributeError, ValueError):
        return {}  # not a request that KMS accepts, which it will say
