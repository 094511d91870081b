"""Webhook destination: an HTTPS request to a public address that a tenant chose.

The request is signed as submissions are (`lambdas.forms.submission.signing`), with a secret of the
destination's own; while that is rotated, with the one before it too.
"""

import ssl
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from lambdas.forms.destinations.addresses import (
    AddressRefused,
    BadUrl,
    Resolver,
    Url,
    in_time,
    is_loopback,
    is_public,
    pinned,
    read_url,
    resolve,
)
from lambdas.forms.destinations.connection import Answer, NoAnswer, Target, post
from lambdas.forms.destinations.shipment import DeliveryOutcome, Shipment, refused
from lambdas.forms.submission.signing import sign

# The secret of a tenant by the id of its key; None where there is none.
Secrets = Callable[[str, str], str | None]

_TOO_MANY, _GONE, _TIMEOUT, _TOO_EARLY = 429, 410, 408, 425


class WebhookDestination:
    """Posts payloads to addresses.

    A request has so many `seconds` from the lookup of the name to the head of the answer. `local`
    lets plain requests go to this machine, and encrypted ones too: for tests and local runs alone.
    """

    def __init__(
        self,
        secrets: Secrets,
        *,
        local: bool = False,
        seconds: float = 10.0,
        resolver: Resolver = resolve,
        context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._secrets = secrets
        self._local = local
        self._seconds = seconds
        self._resolver = resolver
        self._context = context
        self._clock = clock

    def deliver(self, shipment: Shipment, now: datetime) -> DeliveryOutcome:
        try:
            url = read_url(shipment.settings.get("url"), local=self._local)
        except BadUrl as problem:
            return refused(f"the destination's url {problem}")
        keys = {id: self._secrets(shipment.tenant_id, id) for id in shipment.key_ids}
        secrets = {id: value for id, value in keys.items() if value is not None}
        if not secrets:  # it is being made
            return DeliveryOutcome(
                "no secret is kept for the destination, to sign with", again=True
            )
        over = self._clock() + self._seconds
        try:
            resolver = in_time(self._resolver, self._seconds)
            chosen = pinned(url.host, url.port, resolver, self._allows(url))
        except AddressRefused:
            return refused("the destination's address is not public")
        except TimeoutError:
            return DeliveryOutcome("the destination's name was not looked up in time", again=True)
        except (OSError, ValueError):  # a name can also be one that cannot be encoded
            return DeliveryOutcome("the destination's name has no address", again=True)
        target = Target(chosen, url.port, url.host, url.encrypted)
        headers = _headers(shipment, url.path, secrets, now)
        left = over - self._clock()
        try:
            answer = post(
                *(target, url.path, shipment.payload, headers), seconds=left, context=self._context
            )
        except NoAnswer as error:
            return DeliveryOutcome(f"the destination did not answer: {error}", again=True)
        return outcome_of(answer, now)

    def _allows(self, url: Url) -> Callable[[str], bool]:
        if not self._local:
            return is_public
        if not url.encrypted:
            return is_loopback
        return lambda ip: is_public(ip) or is_loopback(ip)


def outcome_of(answer: Answer, now: datetime) -> DeliveryOutcome:
    """What an answer means: 2xx is success, 410 is never again, and some are worth another try."""
    status = answer.status
    if 200 <= status < 300:
        return DeliveryOutcome(response_status=status)
    again = status in (_TOO_MANY, _TIMEOUT, _TOO_EARLY) or status >= 500
    return DeliveryOutcome(
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
        sign(
            *(secret, "POST", path, shipment.payload),
            now=now,
            key=key_id,
            content_type=shipment.content_type,
            idempotency_key=shipment.idempotency_key,
        )
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
