"""Admission of requests: who has signed one, for which form, and whether one more may be taken."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from lambdas.errors import InvalidRequest, NotAllowed, NotThere, TooOften, Unauthenticated
from lambdas.forms.submission.domain_lookup import DomainLookupManager
from lambdas.forms.submission.rate_limit import RateLimit, TooManyRequests
from lambdas.forms.submission.signing import (
    KEY_ID,
    SIGNATURE,
    V1,
    BadHeaders,
    Message,
    Signature,
    read_signature,
)
from lambdas.forms.submission.tenant_lookup import TenantLookup
from lambdas.forms.tenants.domain_names import normalised
from tablewright.catalog.forms.submissions import named_id
from tablewright.catalog.forms.submissions import tenant as tenant_field
from tablewright.catalog.forms.tenants import TenantConfig
from tablewright.model import InvalidValue

ORIGIN = "Origin"
CONTENT_TYPE, IDEMPOTENCY_KEY = "Content-Type", "Idempotency-Key"
_TENANT, _KEY = tenant_field().named("tenant_id"), named_id().named("key_id")
_LONGEST_KEY = 255
_NOT_SIGNED = "The request is not signed as it must be."
_KEY_FORM = "must be a key's name, such as acme:k1, or be left out where Origin tells the tenant"
_ORIGIN_FORM = f"must be a page's origin, such as https://example.com, where {KEY_ID} is not given"
_OLD = (
    "must be v2=, which covers content type and idempotency key; v1= is taken where the tenant's "
    "oldest_signature is v1"
)


class SignedRequest(NamedTuple):
    """A request, of which the most is signed."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def message(self) -> Message:
        named = (self.headers.get(name) or "" for name in (CONTENT_TYPE, IDEMPOTENCY_KEY))
        return Message(self.method, self.path, self.body, *named)


class Sender(NamedTuple):
    """A tenant whose signature was verified, and the page's domain if it is the tenant's."""

    tenant_id: str
    domain: str | None
    signature: str


class Addressed(NamedTuple):
    """A verified sender, the configuration of its tenant, and the form that it sends to."""

    sender: Sender
    config: TenantConfig
    form: dict[str, Any]


class Admission:
    """Verifies requests, and counts them."""

    def __init__(
        self, domains: DomainLookupManager, tenants: TenantLookup, limit: RateLimit
    ) -> None:
        self._domains = domains
        self._tenants = tenants
        self._limit = limit

    def verify(self, request: SignedRequest, form_id: str, now: datetime) -> Addressed:
        """Who sends a request to which form; raises RequestError."""
        try:
            sender = self._sender(request, now)
        except BadHeaders as refused:
            raise Unauthenticated(_NOT_SIGNED, refused.problems) from None
        if sender is None:
            # Which part of it is wrong is nobody's business: it would tell who is a tenant.
            raise Unauthenticated(_NOT_SIGNED)
        # Nothing but a verified sender learns anything about a tenant.
        return Addressed(sender, *self._form(sender.tenant_id, form_id))

    def count(self, addressed: Addressed, now: datetime) -> None:
        """Count a request; raises TooOften for one beyond its tenant's limit."""
        per_minute = addressed.config.requests_per_minute
        if per_minute is None:
            return
        try:
            self._limit.admit(addressed.sender.tenant_id, per_minute, now)
        except TooManyRequests as refused:
            detail = f"At most {per_minute} requests are taken in a minute."
            raise TooOften(detail, retry_after=refused.seconds) from None

    def _sender(self, request: SignedRequest, now: datetime) -> Sender | None:
        """The tenant whose secret has signed a request, if one has; raises BadHeaders."""
        signature = read_signature(request.headers, now)
        named, key_id = _key(request.headers)
        domain = _domain(request.headers, required=named is None)
        # What is cached may be out of date: nobody is refused by it.
        for refresh in (False, True):
            tenant = named or self._owner(domain, refresh)
            if tenant and self._signed(tenant, key_id, signature, request, now, refresh):
                self._refuse_old(tenant, signature)
                ours = domain is not None and self._owner(domain, False) == tenant
                return Sender(tenant, domain if ours else None, signature.text)
        return None

    def _refuse_old(self, tenant: str, signature: Signature) -> None:
        """Refuse a signature of the older form, unless its tenant asks for it to be taken."""
        if signature.version != V1:
            return
        for refresh in (False, True):
            config = self._tenants.config(tenant, refresh=refresh)
            if config and config.oldest_signature == V1:
                return
        raise BadHeaders([(SIGNATURE, _OLD)])

    def _owner(self, domain: str | None, refresh: bool) -> str | None:
        if not domain:
            return None
        found = self._domains.lookup_tenant_by_domain(domain, refresh=refresh)
        return found.tenant_id if found else None

    def _signed(
        self,
        tenant: str,
        key_id: str | None,
        signature: Signature,
        request: SignedRequest,
        now: datetime,
        refresh: bool,
    ) -> bool:
        found = self._tenants.secrets(tenant, now, key_id=key_id, refresh=refresh)
        return any(signature.made_with(secret.value, request.message) for secret in found)

    def _form(self, tenant_id: str, form_id: str) -> tuple[TenantConfig, dict[str, Any]]:
        """The tenant's configuration and the form's; nobody is refused by what is out of date."""
        for refresh in (False, True):
            config = self._tenants.config(tenant_id, refresh=refresh)
            if config and config.state == "active":
                form = (config.forms or {}).get(form_id)
                if isinstance(form, dict):
                    return config, form
        if not config:
            raise Unauthenticated(_NOT_SIGNED)
        if config.state != "active":
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


def _key(headers: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The tenant and the key id that a request names, if it does."""
    text = headers.get(KEY_ID)
    if text is None:
        return None, None
    first, colon, rest = text.partition(":")
    try:
        return (_TENANT.check(first) if colon else None), _KEY.check(rest if colon else first)
    except InvalidValue:
        raise BadHeaders([(KEY_ID, _KEY_FORM)]) from None


def _domain(headers: Mapping[str, str], *, required: bool) -> str | None:
    """The domain of the page that a request comes from, as it is looked up."""
    try:
        return normalised(urlsplit(headers.get(ORIGIN) or "").hostname or "")
    except (InvalidValue, ValueError):
        if required:
            raise BadHeaders([(ORIGIN, _ORIGIN_FORM)]) from None
        return None
