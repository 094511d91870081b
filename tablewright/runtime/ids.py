"""Making ids that tell when they were made."""

from __future__ import annotations

import os
from datetime import datetime

from tablewright.model.time_ids import milliseconds

_RANDOM_BYTES = 10


def uuid7(moment: datetime, random: bytes | None = None) -> str:
    """A UUID of version 7 for this moment; `random` are ten bytes, by default from the system.

    >>> from datetime import UTC
    >>> uuid7(datetime(2025, 1, 26, 10, 4, tzinfo=UTC), bytes(10))
    '0194a211-7280-7000-8000-000000000000'
    """
    if random is None:
        random = os.urandom(_RANDOM_BYTES)
    if len(random) != _RANDOM_BYTES:
        raise ValueError(f"a UUID of version 7 takes {_RANDOM_BYTES} random bytes")
    noise = int.from_bytes(random, "big")
    high, low = noise >> 64 & 0xFFF, noise & ((1 << 62) - 1)
    number = milliseconds(moment) << 80 | 7 << 76 | high << 64 | 2 << 62 | low
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
