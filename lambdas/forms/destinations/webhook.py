"""Delivers by an HTTPS request to an address that a tenant chose, and so to no other than public.

The request is signed as submissions are (`lambdas.forms.signing`), with the secret that is kept for
it; while that is rotated, with the one before it too.
"""

import re
import ssl
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from lambdas.forms.destinations import Outcome, Shipment, refused
from lambdas.forms.destinations.addresses import (
    AddressRefused,
    Resolver,
    is_loopback,
    is_public,
    pinned,
    resolve,
)
from lambdas.forms.destinations.connection import Answer, NoAnswer, Target, post
from lambdas.forms.signing import sign

# The secret of a tenant by the id of its key; None where there is none.
Secrets = Callable[[str, str], str | None]

_TOO_MANY, _GONE, _TIMEOUT, _TOO_EARLY = 429, 410, 408, 425
_UNSAFE = re.compile(r"[^\x21-\x7e]")


class _Address(NamedTuple):
    """A tenant's address, taken apart."""

    host: str
    port: int
    path: str
    encrypted: bool


class Webhook:
    """Posts payloads to addresses.

    `local` lets plain requests go to this machine, and encrypted ones too: for tests and local
    runs alone.
    """

    def __init__(
        self,
        secrets: Secrets,
        *,
        local: bool = False,
        seconds: float = 10.0,
        resolver: Resolver = resolve,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._secrets = secrets
        self._local = local
        self._seconds = seconds
        self._resolver = resolver
        self._context = context

    def deliver(self, shipment: Shipment, now: datetime) -> Outcome:
        address = _address(shipment.settings.get("url"))
        if address is None or not (address.encrypted or self._local):
            return refused("the destination's url must be like https://example.com/path")
        keys = {id: self._secrets(shipment.tenant_id, id) for id in shipment.key_ids}
        secrets = {id: value for id, value in keys.items() if value is not None}
        if not secrets:  # it is being made
            return Outcome("no secret is kept for the destination, to sign with", again=True)
        try:
            chosen = pinned(address.host, address.port, self._resolver, self._allows(address))
        except AddressRefused:
            return refused("the destination's address is not public")
        except (OSError, ValueError):  # a name can also be one that cannot be encoded
            return Outcome("the destination's name has no address", again=True)
        target = Target(chosen, address.port, address.host, address.encrypted)
        headers = _headers(shipment, address.path, secrets, now)
        try:
            answer = post(
                target,
                address.path,
                shipment.payload,
                headers,
                seconds=self._seconds,
                context=self._context,
            )
        except NoAnswer as error:
            return Outcome(f"the destination did not answer: {error}", again=True)
        return outcome_of(answer, now)

    def _allows(self, address: _Address) -> Callable[[str], bool]:
        if not self._local:
            return is_public
        if not address.encrypted:
            return is_loopback
        return lambda ip: is_public(ip) or is_loopback(ip)


def outcome_of(answer: Answer, now: datetime) -> Outcome:
    """What an answer means: 2xx is success, 410 is never again, and some are worth another try."""
    status = answer.status
    if 200 <= status < 300:
        return Outcome(response_status=status)
    again = status in (_TOO_MANY, _TIMEOUT, _TOO_EARLY) or status >= 500
    return Outcome(
        f"the destination answered {status}",
        again=again,
        response_status=status,
        wait=_seconds(answer.retry_after, now) if again else None,
        disables=status == _GONE,
    )


def _headers(
    shipment: Shipment, path: str, secrets: Mapping[str, str], now: datetime
) -> dict[str, str]:
    signed = [
        sign(secret, "POST", path, shipment.payload, now=now, key=key_id)
        for key_id, secret in secrets.items()
    ]
    return {
        "Content-Type": shipment.content_type,
        "User-Agent": "tablewright-forms/1",
        "Idempotency-Key": shipment.idempotency_key,
        "X-Form-Id": shipment.form_id,
        "X-Form-Submission-Id": shipment.submission_id,
        # Of two secrets both: whoever has one of them finds its signature.
        **{name: ", ".join(dict.fromkeys(one[name] for one in signed)) for name in signed[0]},
    }


def _address(url: object) -> _Address | None:
    """The parts of an address, None for one that nothing is sent to."""
    if not isinstance(url, str) or len(url) > 2048 or _UNSAFE.search(url) or "\\" in url:
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    # A name in front of the host would be taken for the host by whoever reads it.
    if not host or "@" in parts.netloc or "%" in host or parts.scheme not in ("https", "http"):
        return None
    encrypted = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _Address(host, port or (443 if encrypted else 80), path, encrypted)


def _seconds(retry_after: str | None, now: datetime) -> float | None:
    """How long a server asks to wait, in seconds or until a date; None when it makes no sense."""
    if not retry_after or len(retry_after) > 64:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(min(int(retry_after), 10**6))
    try:
        moment = parsedate_to_datetime(retry_after)
        return max(0.0, (moment - now).total_seconds())
    except (TypeError, ValueError):
        return None
