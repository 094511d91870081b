"""Page cursors that only we can make: signed, bound to caller and query, and expiring.

A cursor never carries a partition key: the position in it is completed from the caller's own
identity and arguments, so a stolen or edited one cannot reach another tenant's items.
"""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from tablewright.runtime.errors import (
    CursorExpired,
    CursorOfAnotherCaller,
    CursorOfAnotherQuery,
    CursorTampered,
)

_VERSION = 2
_KEY_ID_BYTES = 4
_MAC_BYTES = 16
_DIGEST_BYTES = 9
# Four times what the longest keys of a table and an index come to, in Base64.
_LONGEST = 32 * 1024


class KeyRing:
    """Secret keys, each of at least 32 bytes: the first signs, all verify, so that a key can be
    replaced without a break."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        if not keys or any(len(key) < 32 for key in keys):
            raise ValueError("a cursor key must have at least 32 bytes")
        self._keys = {sha256(key).digest()[:_KEY_ID_BYTES]: key for key in reversed(keys)}
        self.current = sha256(keys[0]).digest()[:_KEY_ID_BYTES]

    def __contains__(self, key_id: bytes) -> bool:
        return key_id in self._keys

    def mac(self, key_id: bytes, payload: bytes) -> bytes:
        """The signature of a cursor by one of the keys."""
        return hmac.digest(self._keys[key_id], key_id + payload, "sha256")[:_MAC_BYTES]


class Cursors:
    """Issues and opens cursors, which are good for `lifetime` seconds.

    `keys` is the key ring, or gives it each time that it is asked, so that it may be refreshed.

    Example::

        cursors = Cursors(KeyRing([secret]))
        store = Store(Orders, "dev-orders", client, cursors=cursors)
    """

    def __init__(
        self,
        keys: KeyRing | Callable[[], KeyRing],
        *,
        lifetime: int = 3600,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._source = keys
        self._lifetime = lifetime
        self._step = max(lifetime // 12, 1)
        self._clock = clock

    def _keys(self) -> KeyRing:
        return self._source if isinstance(self._source, KeyRing) else self._source()

    def issue(
        self, caller: str, query: str, arguments: Mapping[str, Any], position: Sequence[str]
    ) -> str:
        """A cursor by which this caller can go on with this query after this position."""
        # In steps, so that a page that has not changed is the same answer, cursor and all.
        expiry = (int(self._clock()) + self._lifetime) // self._step * self._step
        keys = self._keys()
        digest = _digest(keys, keys.current, arguments)
        body = [_VERSION, caller, query, digest, list(position), expiry]
        payload = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        signed = keys.current + keys.mac(keys.current, payload) + payload
        return urlsafe_b64encode(signed).decode().rstrip("=")

    def open(self, cursor: str, caller: str, query: str, arguments: Mapping[str, Any]) -> list[str]:
        """The position in a cursor, if it was issued to this caller for this query."""
        keys = self._keys()
        key_id, payload = self._verified(cursor, keys)
        version, issued_to, issued_for, digest, position, expiry = json.loads(payload)
        if version != _VERSION:
            raise CursorExpired("the cursor was issued by an earlier version; begin again")
        if expiry < self._clock():
            raise CursorExpired("the cursor has expired; begin again without one")
        if issued_to != caller:
            raise CursorOfAnotherCaller("the cursor was issued to another caller")
        if issued_for != query or digest != _digest(keys, key_id, arguments):
            raise CursorOfAnotherQuery("the cursor belongs to another list or to other arguments")
        return list(position)

    def _verified(self, cursor: str, keys: KeyRing) -> tuple[bytes, bytes]:
        """The key that a cursor is signed with, and what it says."""
        tampered = CursorTampered("the cursor is not one that was issued here")
        if len(cursor) > _LONGEST:
            raise tampered
        try:
            raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except (Base64Error, ValueError):
            raise tampered from None
        # Base64 readers skip odd characters and spare bits; a cursor has exactly one spelling.
        if urlsafe_b64encode(raw).decode().rstrip("=") != cursor:
            raise tampered
        head = _KEY_ID_BYTES + _MAC_BYTES
        key_id, mac, payload = raw[:_KEY_ID_BYTES], raw[_KEY_ID_BYTES:head], raw[head:]
        # Nothing in the cursor is looked at before its signature is known to be ours.
        if key_id not in keys or not hmac.compare_digest(mac, keys.mac(key_id, payload)):
            raise tampered
        return key_id, payload


def _digest(keys: KeyRing, key_id: bytes, arguments: Mapping[str, Any]) -> str:
    """What tells arguments from others. With a key: who finds a cursor in a log, and guesses what
    was asked for, cannot tell whether the guess is right."""
    text = json.dumps(sorted(arguments.items()), separators=(",", ":"), default=str)
    return keys.mac(key_id, b"arguments" + text.encode())[:_DIGEST_BYTES].hex()
