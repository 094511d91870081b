"""Cipher of secret values: AES-256-GCM, with a key for each attribute of each item.

An encrypted value is a mark with the version, the id of the data key, a nonce, and the text with
its tag. The key that encrypts it is derived from the data key and from where the value belongs:
table, item and attribute. So it can be read nowhere else; and nonces, which are random, need to
differ among the values of one attribute of one item only.
"""

from __future__ import annotations

import hmac
import os
from functools import cache
from typing import Any

MARK = b"\x00tw\x01"
KEY_ID_BYTES = 4
_NONCE_BYTES = 12
_HEAD = len(MARK) + KEY_ID_BYTES
_TEXT = _HEAD + _NONCE_BYTES


class Mismatch(Exception):
    """A value was changed, or belongs elsewhere."""


def is_encrypted(value: bytes) -> bool:
    return value.startswith(MARK)


def key_id_of(value: bytes) -> bytes:
    """The id of the data key that a value is encrypted with."""
    return value[len(MARK) : _HEAD]


def encrypt(key_id: bytes, data_key: bytes, place: bytes, plain: bytes) -> bytes:
    """The value for a place, which `place_of` describes."""
    head, nonce = MARK + key_id, os.urandom(_NONCE_BYTES)
    text: bytes = _aesgcm()(_key(data_key, place)).encrypt(nonce, plain, head)
    return head + nonce + text


def decrypt(data_key: bytes, place: bytes, value: bytes) -> bytes:
    """What was encrypted for this place; raises Mismatch if it was not."""
    from cryptography.exceptions import InvalidTag

    head, nonce, text = value[:_HEAD], value[_HEAD:_TEXT], value[_TEXT:]
    try:
        plain: bytes = _aesgcm()(_key(data_key, place)).decrypt(nonce, text, head)
    except (InvalidTag, ValueError):  # ValueError: too short to be one
        raise Mismatch from None
    return plain


def digest(key: bytes, place: bytes, plain: bytes) -> str:
    """The text that equal values have in common, and that tells nothing else of them."""
    return hmac.digest(key, place + plain, "sha256").hex()


def place_of(*parts: str | bytes) -> bytes:
    """Parts one after the other, each with its length: no two places are the same bytes."""
    raw = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in raw)


def _key(data_key: bytes, place: bytes) -> bytes:
    return hmac.digest(data_key, MARK + place, "sha256")


@cache
def _aesgcm() -> Any:
    # When it is needed: most functions have no secrets, and do not bundle it.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM
