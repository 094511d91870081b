"""Data keys of a table: read from Secrets Manager, unwrapped by KMS, kept for a few minutes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import cache
from threading import Lock

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import NoDataKeys, StoreError
from tablewright.runtime.secrets.ring import Kept, Ring, context_of, id_bytes

log = logging.getLogger(__name__)

REFRESH_SECONDS = 300.0
"""After how long keys are read again."""

ENCRYPT_SECONDS = 2 * REFRESH_SECONDS
"""How long a program encrypts with keys that it could not read again: a key may be retired then."""

# Before keys are asked for again that could not be had, or for a key that the ring has not.
_PAUSE_SECONDS = 10.0


class DataKeys:
    """The keys of a table's secret fields, which follow their rotation within five minutes.

    `table` is the name that keys and values are bound to: that of the table, or, for a copy that
    was restored under another name, of the table that it is a copy of. While the keys cannot be
    read again, those that are held go on to decrypt, and for five more minutes to encrypt.

    Example::

        keys = DataKeys("dev-orders", ring_secret_arn,
                        secretsmanager=lambda: connect(session, "secretsmanager"),
                        kms=lambda: connect(session, "kms"))
        store = Store(Orders, "dev-orders", client, secrets=Secrets(keys))
    """

    def __init__(
        self,
        table: str,
        secret_id: str,
        *,
        secretsmanager: Callable[[], Caller],
        kms: Callable[[], Caller],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.table = table
        self._secret_id = secret_id
        # Made when they are first needed.
        self._secretsmanager = cache(secretsmanager)
        self._kms = cache(kms)
        self._clock = clock
        self._ring: Ring | None = None
        self._good_until = self._asked = self._read_at = 0.0
        self._unwrapped: dict[bytes, bytes] = {}
        self._lock = Lock()

    def ring(self, key_id: bytes | None = None) -> Ring:
        """The keys to encrypt with, or to decrypt what the one of this id encrypted; read again if
        they are old, or if that one is not among them."""
        with self._lock:
            now, held = self._clock(), self._ring
            if held is None:
                return self._read(now)
            missing = key_id is not None and key_id not in held.keys
            if now >= self._good_until or (missing and now >= self._asked + _PAUSE_SECONDS):
                try:
                    return self._read(now)
                except StoreError as error:
                    if key_id is None and now >= self._read_at + ENCRYPT_SECONDS:
                        raise
                    self._good_until, self._asked = now + _PAUSE_SECONDS, now
                    log.error("data keys cannot be read again, so those held serve on: %s", error)
            return held

    def _read(self, now: float) -> Ring:
        wrapped = Kept.read(self._secretsmanager(), self._secret_id).ring
        if wrapped is None:
            raise NoDataKeys(
                f"secret {self._secret_id} has no data keys of table {self.table}: make the first "
                "with the command rotate_keys"
            )
        blobs = {id_bytes(id): one.wrapped for id, one in wrapped.keys.items()}
        keys = {id: self._plain(blob) for id, blob in blobs.items()}
        digest = self._plain(wrapped.digest)
        # What has been retired is kept no longer.
        held = {*blobs.values(), wrapped.digest}
        self._unwrapped = {blob: key for blob, key in self._unwrapped.items() if blob in held}
        self._ring = Ring(self.table, keys, id_bytes(wrapped.writer), digest)
        self._good_until, self._asked, self._read_at = now + REFRESH_SECONDS, now, now
        return self._ring

    def _plain(self, wrapped: bytes) -> bytes:
        if wrapped not in self._unwrapped:
            asked = {"CiphertextBlob": wrapped, "EncryptionContext": context_of(self.table)}
            self._unwrapped[wrapped] = self._kms().call("Decrypt", asked)["Plaintext"]
        return self._unwrapped[wrapped]
