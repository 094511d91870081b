"""Secrets of a store: what becomes of the values of secret fields on their way."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Protocol

from tablewright.model.fields.numbers import number_text
from tablewright.runtime.errors import SecretUnreadable
from tablewright.runtime.secrets import cipher
from tablewright.runtime.secrets.ring import Ring
from tablewright.runtime.store.attribute_values import Wire, decode

Item = dict[str, Wire]


class KeySource(Protocol):
    """Where data keys come from: `DataKeys`, or a `Ring`."""

    @property
    def table(self) -> str:
        """The name that values are bound to."""
        ...

    def ring(self, key_id: bytes | None = None) -> Ring:
        """The keys, the one of this id among them if there is such a key."""
        ...


class Secrets:
    """What a store does with secret fields: encrypts them with the newest of these keys.

    A value in clear is an error: somebody may have put it in place of an encrypted one. With
    `clear` it is read as it is, until all items of a table are encrypted. With `writes` False,
    values are stored and read in clear, and encrypted ones are still read: before encryption is
    switched on, and after it was switched off.

    Example::

        store = Store(Orders, "dev-orders", client, secrets=Secrets(keys))
    """

    def __init__(self, keys: KeySource | None, *, writes: bool = True, clear: bool = False) -> None:
        self.keys = keys
        self.writes = writes
        self._clear = clear or not writes

    @classmethod
    def in_clear(cls) -> Secrets:
        """For a store that encrypts nothing: secret fields are stored as all others are. What is
        encrypted all the same is not read."""
        return cls(None, writes=False)

    @classmethod
    def withheld(cls) -> Secrets:
        """For a store that has no business with secret fields, and no keys: what is encrypted is
        not read, and nothing secret can be written."""
        return cls(None, clear=True)

    def encrypt(self, place: Iterable[str | bytes], name: str, wire: Wire) -> Wire:
        """The attribute of this name as it is stored in the item at a place."""
        if not self.writes:
            return wire
        ring = self._held(name).ring()
        where = cipher.place_of(ring.table, *place, name)
        plain = to_bytes(wire)
        return {"B": cipher.encrypt(ring.writer, ring.keys[ring.writer], where, plain)}

    def decrypt(self, place: Iterable[str | bytes], name: str, wire: Wire) -> Wire | None:
        """The attribute as it was before it was encrypted; None where there are no keys for it."""
        value = encrypted(wire)
        if value is None:
            if not self._clear:
                reason = "is stored in clear: it was never encrypted, or put in place of a secret"
                raise SecretUnreadable(name, reason)
            return wire
        if self.keys is None:
            return None
        key_id = cipher.key_id_of(value)
        ring = self.keys.ring(key_id)
        if key_id not in ring.keys:
            raise SecretUnreadable(name, f"has a key that is not in the ring: {key_id.hex()}")
        where = cipher.place_of(ring.table, *place, name)
        try:
            return from_bytes(cipher.decrypt(ring.keys[key_id], where, value))
        except cipher.Mismatch:
            reason = f"was changed, or is of another item or table than {ring.table}"
            raise SecretUnreadable(name, reason) from None

    def digest(self, name: str, wire: Wire, tenant: str | None = None) -> str:
        """The digest of a value of the attribute with this name, which differs by tenant."""
        where = (name,) if tenant is None else (name, tenant)
        if self.keys is None and not self.writes:
            # Of no use to hide anything: a store in clear has the value beside it.
            return cipher.digest(b"", cipher.place_of(*where), to_bytes(wire))
        ring = self._held(name).ring()
        return cipher.digest(ring.digest, cipher.place_of(ring.table, *where), to_bytes(wire))

    def is_current(self, wire: Wire) -> bool:
        """Whether an attribute is stored as it would be now: with the newest key, or in clear."""
        value = encrypted(wire)
        if not self.writes or value is None:
            return not self.writes and value is None
        return cipher.key_id_of(value) == self._held("it").ring().writer

    def _held(self, name: str) -> KeySource:
        if self.keys is None:
            raise TypeError(f"{name} is secret, and this store has no keys to encrypt it with")
        return self.keys


def encrypted(wire: Wire) -> bytes | None:
    """The encrypted value in an attribute, None if it is in clear."""
    value = decode(wire) if "B" in wire else b""
    return value if cipher.is_encrypted(value) else None


def place(key: Item, names: Iterable[str]) -> list[str | bytes]:
    """Where an item is: its key attributes, each in the one form that it has whoever writes it."""
    found: list[str | bytes] = []
    for name in names:
        ((kind, value),) = key[name].items()
        if kind == "N":
            value = number_text(Decimal(value))
        found += [kind, decode(key[name]) if kind == "B" else value]
    return found


def to_bytes(wire: Wire) -> bytes:
    """An attribute as bytes: texts and bytes as they are, all else as JSON."""
    if "S" in wire:
        return b"S" + str(wire["S"]).encode()
    if "B" in wire:
        return b"B" + bytes(decode(wire))
    text = json.dumps(wire, default=_base64, ensure_ascii=False, separators=(",", ":"))
    return b"J" + text.encode()


def from_bytes(raw: bytes) -> Wire:
    """The attribute that `to_bytes` made them from."""
    kind, rest = raw[:1], raw[1:]
    if kind == b"S":
        return {"S": rest.decode()}
    if kind == b"B":
        return {"B": rest}
    found: dict[str, Any] = json.loads(rest)
    return found


def _base64(value: bytes) -> str:
    # As DynamoDB itself writes bytes in JSON; `decode` reads both.
    return b64encode(value).decode()
