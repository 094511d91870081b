"""Senders of requests: the tenant whose secret has signed one, found by its key or its page."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from lambdas.forms.submission.signing import (
    KEY_ID,
    SIGNATURE,
    V1,
    V2,
    BadHeaders,
    Message,
    Signature,
    read_signature,
)
from lambdas.forms.submission.tenant_lookup import TenantLookup
from lambdas.forms.tenants.domain_names import normalised
from tablewright.catalog.forms.submissions import named_id, tenant_id
from tablewright.model import InvalidValue

ORIGIN = "Origin"
CONTENT_TYPE, IDEMPOTENCY_KEY = "Content-Type", "Idempotency-Key"
_TENANT, _KEY = tenant_id(), named_id("key_id")
_KEY_FORM = "must be a key's name, such as acme:k1, or be left out where Origin tells the tenant"
_ORIGIN_FORM = f"must be a page's origin, such as https://example.com, where {KEY_ID} is not given"


_OLD = (
    "must be v2=, which covers content type and idempotency key; v1= is taken where the tenant's "
    "oldest_signature is v1"
)


class NotSigned(Exception):
    """No tenant's secret has made this signature. Which part of it is wrong is nobody's business:
    it would tell who is a tenant."""


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


class Senders:
    """Verifies requests.

    Example::

        sender = Senders(tenants).of(SignedRequest("POST", path, headers, body), now)
    """

    def __init__(self, tenants: TenantLookup) -> None:
        self._tenants = tenants

    def of(self, request: SignedRequest, now: datetime) -> Sender:
        """The sender; raises BadHeaders, which say what is accepted, or NotSigned."""
        signature = read_signature(request.headers, now)
        named, key_id = _key(request.headers)
        domain = _domain(request.headers, required=named is None)
        # What is cached may be out of date: nobody is refused by it.
        for afresh in (False, True):
            tenant = named or self._owner(domain, afresh)
            if tenant and self._signed(tenant, key_id, signature, request, now, afresh):
                self._refuse_old(tenant, signature)
                ours = domain is not None and self._owner(domain, False) == tenant
                return Sender(tenant, domain if ours else None, signature.text)
        raise NotSigned

    def _refuse_old(self, tenant: str, signature: Signature) -> None:
        """Refuse a signature of the older form, unless its tenant asks for it to be taken."""
        if signature.version != V1:
            return
        for afresh in (False, True):
            config = self._tenants.config(tenant, afresh=afresh) or {}
            if config.get("oldest_signature", V2) == V1:
                return
        raise BadHeaders([(SIGNATURE, _OLD)])

    def _owner(self, domain: str | None, afresh: bool) -> str | None:
        return self._tenants.of_domain(domain, afresh=afresh) if domain else None

    def _signed(
        self,
        tenant: str,
        key_id: str | None,
        signature: Signature,
        request: SignedRequest,
        now: datetime,
        afresh: bool,
    ) -> bool:
        found = self._tenants.secrets(tenant, now, key_id=key_id, afresh=afresh)
        return any(signature.made_with(secret.value, request.message) for secret in found)


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
