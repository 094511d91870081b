"""Admission of requests: who has sent one, to which form, and whether one more may be taken."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from lambdas.errors import InvalidRequest, NotAllowed, NotThere, TooOften, Unauthenticated
from lambdas.forms.submission.rate_limit import RateLimit, TooManyRequests
from lambdas.forms.submission.senders import (
    IDEMPOTENCY_KEY,
    NotSigned,
    Sender,
    Senders,
    SignedRequest,
)
from lambdas.forms.submission.signing import BadHeaders
from lambdas.forms.submission.tenant_lookup import TenantLookup
from tablewright.model import Record

_LONGEST_KEY = 255
_NOT_SIGNED = "The request is not signed as it must be."


class Addressed(NamedTuple):
    """A verified sender, the configuration of its tenant, and the form that it sends to."""

    sender: Sender
    config: Record
    form: dict[str, Any]

    def whole(self, name: str) -> int | None:
        """A number of the tenant's configuration, if it has it."""
        return int(self.config[name]) if name in self.config else None


class Admission:
    """Verifies requests, and counts them."""

    def __init__(self, tenants: TenantLookup, limit: RateLimit) -> None:
        self._tenants = tenants
        self._limit = limit

    def verify(self, request: SignedRequest, form_id: str, now: datetime) -> Addressed:
        """Who sends a request to which form; raises RequestError."""
        try:
            sender = Senders(self._tenants).of(request, now)
        except BadHeaders as refused:
            raise Unauthenticated(_NOT_SIGNED, refused.problems) from None
        except NotSigned:
            raise Unauthenticated(_NOT_SIGNED) from None
        # Nothing but a verified sender learns anything about a tenant.
        return Addressed(sender, *self._form(sender.tenant_id, form_id))

    def count(self, addressed: Addressed, now: datetime) -> None:
        """Count a request; raises TooOften for one beyond its tenant's limit."""
        per_minute = addressed.whole("requests_per_minute")
        if per_minute is None:
            return
        try:
            self._limit.admit(addressed.sender.tenant_id, per_minute, now)
        except TooManyRequests as refused:
            detail = f"At most {per_minute} requests are taken in a minute."
            raise TooOften(detail, retry_after=refused.seconds) from None

    def _form(self, tenant_id: str, form_id: str) -> tuple[Record, dict[str, Any]]:
        """The tenant's configuration and the form's; nobody is refused by what is out of date."""
        for afresh in (False, True):
            config = self._tenants.config(tenant_id, afresh=afresh)
            if config and config["state"] == "active":
                form = (config.get("forms") or {}).get(form_id)
                if isinstance(form, dict):
                    return config, form
        if not config:
            raise Unauthenticated(_NOT_SIGNED)
        if config["state"] != "active":
            raise NotAllowed("The tenant is disabled.")
        raise NotThere("There is no such form.")


def idempotency_key(headers: Mapping[str, str]) -> str | None:
    """What makes a repetition of a request one, if the sender says; else its signature does, or
    its upload."""
    key = headers.get(IDEMPOTENCY_KEY)
    if key is None:
        return None
    if not 1 <= len(key) <= _LONGEST_KEY:
        reason = f"must have 1 to {_LONGEST_KEY} characters"
        raise InvalidRequest("The idempotency key is not valid.", [(IDEMPOTENCY_KEY, reason)])
    return f"key {key}"
