"""Data keys of a table: read from Secrets Manager, unwrapped by KMS, kept for a few minutes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from math import inf

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import NoDataKeys
from tablewright.runtime.refreshed import HELD_SECONDS, Reading, Refreshed
from tablewright.runtime.secrets.ring import Kept, Ring, context_of, id_bytes

REFRESH_SECONDS = 300.0
"""After how long keys are read again."""

ENCRYPT_SECONDS = 2 * REFRESH_SECONDS
"""How long a program encrypts with keys that it could not read again: a key may be retired then."""


class DataKeys:
    """The keys of a table's secret fields, which follow their rotation within five minutes.

    `table` is the name that keys and values are bound to: that of the table, or, for a copy that
    was restored under another name, of the table that it is a copy of. `kms_key` is the ARN, or the
    alias, of the key that wrapped them: KMS unwraps nothing that another key has wrapped. While the
    keys cannot be read again, those that are held encrypt for ten minutes and decrypt for an hour
    after they were read.

    Example::

        keys = DataKeys("dev-orders", ring_secret_arn, kms_key_arn,
                        secretsmanager=lambda: connect(session, "secretsmanager"),
                        kms=lambda: connect(session, "kms"))
        store = Store(Orders, "dev-orders", client, secrets=Secrets(keys))
    """

    def __init__(
        self,
        table: str,
        secret_id: str,
        kms_key: str,
        *,
        secretsmanager: Callable[[], Caller],
        kms: Callable[[], Caller],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.table = table
        self._secret_id = secret_id
        self._kms_key = kms_key
        # Made when they are first needed.
        self._secretsmanager = cache(secretsmanager)
        self._kms = cache(kms)
        self._unwrapped: dict[bytes, bytes] = {}
        self._ring = Refreshed(f"data keys of {table}", self._read, clock=clock)

    def ring(self, key_id: bytes | None = None) -> Ring:
        """Return the keys to encrypt with, or to decrypt what the key of this id encrypted.

        One thread reads them again after REFRESH_SECONDS; no caller waits for it as long as the
        keys held may be used: for ENCRYPT_SECONDS to encrypt, for an hour to decrypt. A key
        that is missing is looked for at once.
        """
        held = self._ring.get(max_age=ENCRYPT_SECONDS if key_id is None else inf)
        if key_id is None or key_id in held.keys:
            return held
        return self._ring.get(newer=True)

    def _read(self, now: float) -> Reading[Ring]:
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
        ring = Ring(self.table, keys, id_bytes(wrapped.writer), digest)
        return Reading(ring, now + REFRESH_SECONDS, now + HELD_SECONDS)

    def _plain(self, wrapped: bytes) -> bytes:
        if wrapped not in self._unwrapped:
            request = {
                "CiphertextBlob": wrapped,
                "EncryptionContext": context_of(self.table),
                # Without it, KMS would take any key that a changed ring was wrapped with.
                "KeyId": self._kms_key,
            }
            self._unwrapped[wrapped] = self._kms().call("Decrypt", request)["Plaintext"]
        return self._unwrapped[wrapped]
