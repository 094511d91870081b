"""Waiting for what happens a moment later."""

import time
from collections.abc import Callable

DEADLINE_SECONDS = 90.0


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
