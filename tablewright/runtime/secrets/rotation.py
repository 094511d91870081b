"""Rotation of a table's data keys, in steps between which programs learn of them.

A key is added; once every program has read it, it becomes the one that encrypts; what older keys
encrypted is encrypted again; keys that nothing is encrypted with are retired. Each step can be
repeated, and does nothing that was done already.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict, NoDataKeys, StoreError
from tablewright.runtime.secrets.keys import ENCRYPT_SECONDS
from tablewright.runtime.secrets.ring import Kept, WrappedKey, WrappedRing, context_of, new_id

SPREAD = timedelta(seconds=ENCRYPT_SECONDS)
"""How long it takes until every program has read the ring again, or encrypts no more."""

IN_FLIGHT = timedelta(minutes=15)
"""How long what was encrypted may take to be written: an invocation of Lambda lasts no longer."""

_NEXT = "TABLEWRIGHT_NEXT"


class TooEarly(Exception):
    """A step must wait; `until` says how long."""

    def __init__(self, until: datetime) -> None:
        self.until = until
        super().__init__(f"programs may still be at the ring as it was until {until:%H:%M:%S} UTC")


class Rotation:
    """Changes the ring of a table, which is in a secret.

    Example::

        Rotation("dev-orders", secret_arn, secretsmanager=secrets, kms=kms).add(kms_key_arn)
    """

    def __init__(
        self,
        table: str,
        secret_id: str,
        *,
        secretsmanager: Caller,
        kms: Caller,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._table = table
        self._secret_id = secret_id
        self._secretsmanager = secretsmanager
        self._kms = kms
        self._now = now

    def ring(self) -> WrappedRing:
        """The ring as it is."""
        return self._read()[0]

    def add(self, kms_key: str) -> str:
        """Add a key, unless one waits already or has just been added; gives its id. The first
        encrypts at once."""
        kept, now = Kept.read(self._secretsmanager, self._secret_id), self._now()
        ring = kept.ring
        if ring and (ring.waiting or now < ring.keys[ring.newest].added + SPREAD):
            return ring.newest
        id, key = new_id(), WrappedKey(self._wrapped(kms_key), now)
        if ring is None:
            ring = WrappedRing({id: key}, id, now, self._wrapped(kms_key))
        else:
            ring = ring._replace(keys={**ring.keys, id: key})
        self._put(ring, after=kept.version)
        return id

    def promote(self) -> str:
        """Have the key that waits encrypt from now on; gives the id of the one that does."""
        (ring, version), now = self._read(), self._now()
        waiting = ring.waiting
        if waiting is None:
            return ring.writer
        known = ring.keys[waiting].added + SPREAD
        if now < known:
            raise TooEarly(known)
        self._put(ring._replace(writer=waiting, promoted=now), after=version)
        return waiting

    def retire(self, used: Callable[[], Collection[str]]) -> list[str]:
        """Remove older keys that nothing is encrypted with; gives their ids.

        `used` looks at the table and gives the ids of all keys in use. It is asked once no program
        encrypts with an older key any more.
        """
        (ring, version), now = self._read(), self._now()
        since = ring.keys[ring.writer].added
        older = [id for id, one in ring.keys.items() if one.added < since]
        if not older:
            return []
        unused = ring.promoted + SPREAD + IN_FLIGHT
        if now < unused:
            raise TooEarly(unused)
        in_use = used()
        gone = [id for id in older if id not in in_use]
        if gone:
            left = {id: one for id, one in ring.keys.items() if id not in gone}
            self._put(ring._replace(keys=left), after=version)
        return gone

    def _read(self) -> tuple[WrappedRing, str | None]:
        ring, version = Kept.read(self._secretsmanager, self._secret_id)
        if ring is None:
            raise NoDataKeys(f"secret {self._secret_id} has no data keys yet: add the first")
        return ring, version

    def _wrapped(self, kms_key: str) -> bytes:
        """A new data key, as KMS has wrapped it. Nobody needs to see it here."""
        asked = {
            "KeyId": kms_key,
            "KeySpec": "AES_256",
            "EncryptionContext": context_of(self._table),
        }
        answer = self._kms.call("GenerateDataKeyWithoutPlaintext", asked)
        return bytes(answer["CiphertextBlob"])

    def _put(self, ring: WrappedRing, *, after: str | None) -> None:
        """Put the ring in the place of a version; raises Conflict if another is current by now."""
        new = str(uuid.uuid4())
        put = {"SecretId": self._secret_id, "ClientRequestToken": new, "VersionStages": [_NEXT]}
        answer = self._secretsmanager.call("PutSecretValue", {**put, "SecretString": ring.text()})
        if "AWSCURRENT" in answer["VersionStages"]:
            return  # a secret's first version is current at once
        move = {"SecretId": self._secret_id, "VersionStage": "AWSCURRENT", "MoveToVersionId": new}
        if after:
            # Secrets Manager refuses this if another version is current by now.
            move["RemoveFromVersionId"] = after
        try:
            self._secretsmanager.call("UpdateSecretVersionStage", move)
        except StoreError as error:
            current = Kept.read(self._secretsmanager, self._secret_id).version
            if current not in (new, after):
                raise Conflict("somebody else changed the ring: look at it again") from error
            raise
