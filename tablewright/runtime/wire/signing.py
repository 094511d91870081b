"""Signatures of requests: AWS's version 4, with the day's key kept."""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import NamedTuple

from tablewright.runtime.errors import AccessDenied


class Credentials(NamedTuple):
    """What a request is signed with."""

    access_key: str
    secret_key: str
    token: str | None = None

    def __repr__(self) -> str:
        return f"Credentials(access_key={self.access_key!r})"


class Signer:
    """Puts requests to one service of one region into their final form, signed."""

    def __init__(self, service: str, region: str, host: str, path: str, content_type: str) -> None:
        if not f"{region}{host}{path}".isprintable():
            raise ValueError(f"a region or an endpoint has no line breaks: {region!r}, {host!r}")
        self._scope = f"/{region}/{service}/aws4_request"
        self._scope_parts = (region, service, "aws4_request")
        self._canonical = f"POST\n{path}\n\ncontent-type:{content_type}\nhost:{host}\nx-amz-date:"
        self._head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {content_type}\r\n"
        # Seconds by which the service's clock is ahead of ours; of all who sign by this.
        self.clock_is_off = 0.0
        # Replaced as a whole, so that threads see one or the other.
        self._key: tuple[str, str, bytes] = ("", "", b"")
        self._moment: tuple[int, str] = (-1, "")

    def request(
        self, target: str, body: bytes, credentials: Credentials, now: float, more: str = ""
    ) -> bytes:
        """The request as it is sent; `more` are headers that are not signed, each with its end."""
        access_key, secret_key, token = credentials
        # A line break would begin another header.
        inserted = f"{access_key}{token}{target}"
        if not (inserted.isascii() and inserted.isprintable()):
            raise AccessDenied(
                "the access key or the session token contains a character that no header may have: "
                "remove line breaks from the credentials"
            )
        moment = self._at(int(now))
        day = moment[:8]
        signed, names, sent = "", "content-type;host;x-amz-date", ""
        if token:
            signed = f"x-amz-security-token:{token}\n"
            names += ";x-amz-security-token"
            sent = f"X-Amz-Security-Token: {token}\r\n"
        if target:
            signed += f"x-amz-target:{target}\n"
            names += ";x-amz-target"
            sent += f"X-Amz-Target: {target}\r\n"
        digest = hashlib.sha256(body).hexdigest()
        canonical = f"{self._canonical}{moment}\n{signed}\n{names}\n{digest}"
        scope = day + self._scope
        text = (
            f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        )
        signature = hmac.digest(self._key_of(secret_key, day), text.encode(), "sha256").hex()
        return (
            f"{self._head}X-Amz-Date: {moment}\r\n{sent}{more}"
            f"Authorization: AWS4-HMAC-SHA256 Credential={access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    def _at(self, second: int) -> str:
        kept = self._moment
        if kept[0] != second:
            kept = self._moment = second, time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        return kept[1]

    def _key_of(self, secret_key: str, day: str) -> bytes:
        kept = self._key
        if kept[0] == secret_key and kept[1] == day:
            return kept[2]
        key = f"AWS4{secret_key}".encode()
        for part in (day, *self._scope_parts):
            key = hmac.digest(key, part.encode(), "sha256")
        self._key = (secret_key, day, key)
        return key
