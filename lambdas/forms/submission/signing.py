"""Signatures of requests: HMAC-SHA256 over what is sent, when, and where to.

Signed is ``v2:{timestamp}:{METHOD}:{path}:{type}:{key}:{body}``, of which the last three are the
SHA-256, in hex, of the content type, of the idempotency key and of the body; of no bytes where a
header is not sent. The timestamp is Unix time in seconds and may have a fraction: two requests that
are alike and signed for the same moment are one request. The older form, ``v1``, has of these three
the body alone.

>>> from datetime import UTC
>>> moment = datetime(2025, 1, 26, 12, tzinfo=UTC)
>>> sign("secret", "POST", "/forms/contact/submissions", b"{}", now=moment)["X-Form-Timestamp"]
'1737892800.000000'
"""

import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

TIMESTAMP, SIGNATURE, KEY_ID = "X-Form-Timestamp", "X-Form-Signature", "X-Form-Key-Id"
WINDOW = timedelta(seconds=300)

V1, V2 = "v1", "v2"
# Strict, so that one signature has one spelling.
_TIMESTAMP = re.compile(r"[0-9]{1,11}(\.[0-9]{1,9})?", re.ASCII)
_SIGNATURE = re.compile(r"v[12]=[0-9a-f]{64}", re.ASCII)
_ACCEPTED = {
    TIMESTAMP: "must be the Unix time in seconds, such as 1737892800 or 1737892800.125",
    SIGNATURE: "must be v2= and the HMAC-SHA256 in 64 small hexadecimal digits",
}
_1970 = datetime(1970, 1, 1, tzinfo=UTC)


class BadHeaders(ValueError):
    """Headers that no signature can be read from; `problems` says of each what is accepted."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{name} {reason}" for name, reason in problems))


class Message(NamedTuple):
    """What is signed of a request; the headers are texts, empty where they are not sent."""

    method: str
    path: str
    body: bytes
    content_type: str = ""
    idempotency_key: str = ""


class Signature(NamedTuple):
    """A signature as it was sent, in time, and not yet verified."""

    timestamp: str
    text: str

    @property
    def version(self) -> str:
        return self.text.partition("=")[0]

    def made_with(self, secret: str, message: Message) -> bool:
        """Whether this is the secret's signature of such a request, compared in constant time."""
        made = _signature(self.version, secret, self.timestamp, message)
        return hmac.compare_digest(made.encode(), self.text.encode())


def sign(
    secret: str,
    method: str,
    path: str,
    body: bytes,
    *,
    now: datetime,
    key: str | None = None,
    content_type: str = "",
    idempotency_key: str = "",
    version: str = V2,
) -> dict[str, str]:
    """The headers that sign a request; `key` names the secret, where the page's domain does not.

    The content type and the idempotency key must be sent exactly as they are signed.

    Example::

        headers = sign(secret, "POST", "/forms/contact/submissions", body, now=datetime.now(UTC),
                       key=key_name("acme", "k1"), content_type="application/json")
    """
    since_1970 = (now - _1970) // timedelta(microseconds=1)
    moment = f"{since_1970 // 1_000_000}.{since_1970 % 1_000_000:06}"
    message = Message(method, path, body, content_type, idempotency_key)
    headers = {TIMESTAMP: moment, SIGNATURE: _signature(version, secret, moment, message)}
    return {**headers, KEY_ID: key} if key else headers


def key_name(tenant_id: str, key_id: str) -> str:
    """What a sender calls a key: whose it is, and which. A tenant's id cannot hold a colon.

    >>> key_name("acme", "k1")
    'acme:k1'
    """
    return f"{tenant_id}:{key_id}"


def read_signature(headers: Mapping[str, str], now: datetime) -> Signature:
    """The signature in a request's headers, if it was made within five minutes of now."""
    forms = ((TIMESTAMP, _TIMESTAMP), (SIGNATURE, _SIGNATURE))
    wrong = [(name, _ACCEPTED[name]) for name, form in forms if not _fits(headers, name, form)]
    if wrong:
        raise BadHeaders(wrong)
    moment = headers[TIMESTAMP]
    seconds, _, fraction = moment.partition(".")
    # By whole microseconds: a float has too few digits for both ends of the window.
    made = timedelta(seconds=int(seconds), microseconds=int(fraction[:6].ljust(6, "0")))
    if abs((now - _1970) - made) > WINDOW:
        reason = f"must be within {WINDOW.seconds} seconds of now"
        raise BadHeaders([(TIMESTAMP, reason)])
    return Signature(moment, headers[SIGNATURE])


def _fits(headers: Mapping[str, str], name: str, form: re.Pattern[str]) -> bool:
    return form.fullmatch(headers.get(name) or "") is not None


def _signature(version: str, secret: str, timestamp: str, message: Message) -> str:
    parts = [version, timestamp, message.method.upper(), message.path]
    if version == V2:
        parts += map(_digest, (message.content_type, message.idempotency_key))
    parts.append(sha256(message.body).hexdigest())
    made = hmac.new(secret.encode(), _bytes(":".join(parts)), sha256)
    return f"{version}={made.hexdigest()}"


def _digest(text: str) -> str:
    # As digests: what may be any text cannot run over into what follows it.
    return sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    # A path may be any text that API Gateway passes on, halves of surrogate pairs included.
    return text.encode("utf-8", "surrogatepass")
