"""Key ring of a table: its data keys, as KMS has wrapped them, in a secret of Secrets Manager."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ResourceMissing
from tablewright.runtime.secrets.cipher import KEY_ID_BYTES

_VERSION = 1


class WrappedKey(NamedTuple):
    """A data key as KMS has wrapped it, and when it was added."""

    wrapped: bytes
    added: datetime


class WrappedRing(NamedTuple):
    """Wrapped keys by their ids. The `writer` encrypts, since `promoted`; all decrypt. `digest` is
    the key of digests, which stays."""

    keys: Mapping[str, WrappedKey]
    writer: str
    promoted: datetime
    digest: bytes

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The ring in a secret, None if it has none yet."""
        if not text:
            return None
        kept = json.loads(text)
        keys = {
            id: WrappedKey(b64decode(one["wrapped"]), _moment(one["added"]))
            for id, one in kept["keys"].items()
        }
        return cls(keys, kept["writer"], _moment(kept["promoted"]), b64decode(kept["digest"]))

    def text(self) -> str:
        """What the secret holds. Nobody can read a key from it who may not ask KMS."""
        keys = {
            id: {"wrapped": b64encode(one.wrapped).decode(), "added": one.added.isoformat()}
            for id, one in self.keys.items()
        }
        kept = {
            "version": _VERSION,
            "writer": self.writer,
            "promoted": self.promoted.isoformat(),
            "keys": keys,
            "digest": b64encode(self.digest).decode(),
        }
        return json.dumps(kept)

    @property
    def newest(self) -> str:
        """The key that was added last."""
        return max(self.keys, key=lambda one: self.keys[one].added)

    @property
    def waiting(self) -> str | None:
        """The newest key, if it is not the writer yet."""
        return None if self.newest == self.writer else self.newest


class Kept(NamedTuple):
    """The ring that a secret holds, and the version of the secret: None before there is one."""

    ring: WrappedRing | None
    version: str | None

    @classmethod
    def read(cls, secretsmanager: Caller, secret_id: str) -> Self:
        """What the secret holds now."""
        try:
            answer = secretsmanager.call("GetSecretValue", {"SecretId": secret_id})
        except ResourceMissing:
            return cls(None, None)
        return cls(WrappedRing.parse(answer.get("SecretString", "")), answer["VersionId"])


class Ring(NamedTuple):
    """Data keys of a table by their ids, ready for use: `writer` encrypts, all decrypt.

    `table` is the name that values are bound to. Made by `DataKeys`; by itself it is for tests and
    for trying things out.

    Example::

        Ring("dev-orders", {b"key1": os.urandom(32)}, writer=b"key1", digest=os.urandom(32))
    """

    table: str
    keys: Mapping[bytes, bytes]
    writer: bytes
    digest: bytes

    def __repr__(self) -> str:
        return f"Ring({self.table!r}, {len(self.keys)} keys)"

    def ring(self, key_id: bytes | None = None) -> Ring:
        """Itself: it has no other keys than these."""
        return self


def context_of(table: str) -> dict[str, Any]:
    """What KMS binds a table's keys to: it unwraps them for this table only."""
    return {"table": table}


def id_bytes(id: str) -> bytes:
    """A key's id as it stands in values."""
    return bytes.fromhex(id)


def new_id() -> str:
    return os.urandom(KEY_ID_BYTES).hex()


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
