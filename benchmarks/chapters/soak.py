"""Soak: very many calls by many threads and tenants, against a server that fails in every way.

At its end no more descriptors are open than after the warm-up, and no more memory is in use.
"""

import gc
import os
import random
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.chapter import Chapter, table
from benchmarks.servers.certificates import certificate
from benchmarks.servers.faulty import FAULTS
from benchmarks.servers.process import serving
from tablewright.runtime.aws import CONNECTIONS
from tablewright.runtime.errors import StoreError
from tablewright.runtime.tenancy import Tenants
from tablewright.runtime.wire.environment import LambdaSession

TENANTS, THREADS = 1_000, 64
WARM_UP_SECONDS, SECONDS, MOST_CALLS = 40, 60, 150_000
MOST_DESCRIPTORS = 200
# What RSS may gain without a leak: the allocator's own, most of which it takes in the warm-up.
MOST_GROWTH = 4 * 1024 * 1024
# What Python's own count of its objects' memory may gain: nothing but noise.
MOST_BLOCKS = 1.01
_SAYS = f"""\
`GetItem` by {THREADS} threads for {TENANTS:,} tenants, each with credentials of its own, all over \
one client's connections, in TLS, for {SECONDS} s after a warm-up of {WARM_UP_SECONDS} s. The \
server does as it should with {{answered:.0%}} of requests; the rest is throttled, fails, is \
damaged, stalls, or is hung up on. The benchmark fails if more descriptors are open at the end \
than a client keeps, if ever more than {MOST_DESCRIPTORS} are open, if memory grows by more than \
{MOST_GROWTH // 1024**2} MB, or that of Python's objects by a hundredth."""


class Usage(NamedTuple):
    """What this process has: open descriptors, bytes of memory, blocks of Python's objects."""

    descriptors: int
    memory: int
    blocks: int

    @classmethod
    def now(cls) -> "Usage":
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        memory = pages * os.sysconf("SC_PAGESIZE")
        return cls(descriptors(), memory, sys.getallocatedblocks())


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def run() -> Chapter:
    if not Path("/proc/self/statm").exists():
        return Chapter("Not run: this system does not tell what a process has open.", ())
    with TemporaryDirectory() as made:
        own = certificate(Path(made))
        with serving("benchmarks.servers.faulty", own) as url:
            return _soak(url, own)


def _soak(url: str, own: Path) -> Chapter:
    session = LambdaSession(
        {
            "AWS_REGION": "eu-west-1",
            "AWS_ENDPOINT_URL": url,
            "AWS_CA_BUNDLE": str(own),
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }
    )
    # A stall is given up soon, so that there can be many.
    settings = {"dynamodb": {"read_timeout": 0.3}}
    tenants = Tenants(session, "arn:role", sts=_Sts(), settings=settings)
    tenants.prepare()
    before = descriptors()
    _call_for(WARM_UP_SECONDS, tenants, watched := _Watched())
    warm = Usage.now()
    ended = _call_for(SECONDS, tenants, watched)
    end = Usage.now()
    return _chapter(before, warm, end, ended, watched.most)


def _chapter(before: int, warm: Usage, end: Usage, ended: Counter[str], most: int) -> Chapter:
    rows = [
        ("calls", "", f"{sum(ended.values()):,}"),
        *((f"– that ended in {name}", "", f"{count:,}") for name, count in sorted(ended.items())),  # noqa: RUF001
        ("open descriptors at rest", str(warm.descriptors), str(end.descriptors)),
        ("open descriptors at most", "", str(most)),
        ("memory, MB", f"{warm.memory / 1024**2:.1f}", f"{end.memory / 1024**2:.1f}"),
        ("blocks of Python's memory", f"{warm.blocks:,}", f"{end.blocks:,}"),
    ]
    bounds = {
        f"{end.descriptors} descriptors are open at the end": end.descriptors
        > before + CONNECTIONS,
        f"{most} descriptors were open at once": most > MOST_DESCRIPTORS,
        "Python's objects have grown": end.blocks > warm.blocks * MOST_BLOCKS,
        "memory has grown": end.memory - warm.memory > MOST_GROWTH,
    }
    answered = sum(times for name, (times, _) in FAULTS.items() if name in _ANSWERED) / 1000
    broken = tuple(f"soak: {what}" for what, is_so in bounds.items() if is_so)
    figures = table("", "after the warm-up", "at the end", rows=rows)
    return Chapter(_SAYS.format(answered=answered), (figures,), broken)


_ANSWERED = ("answered", "chunked", "compressed", "answered, then ended", "refused")


class _Watched:
    """How many descriptors were open at most, looked at ten times a second."""

    def __init__(self) -> None:
        self.most = 0

    def until(self, done: threading.Event) -> None:
        while not done.wait(0.1):
            self.most = max(self.most, descriptors())


class _Sts:
    """Gives each tenant a session."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        name = params["RoleSessionName"]
        expires = datetime.now(UTC) + timedelta(hours=1)
        keys = {"AccessKeyId": name, "SecretAccessKey": name * 3, "SessionToken": name * 50}
        return {"Credentials": {**keys, "Expiration": expires}}


def _call_for(seconds: float, tenants: Tenants, watched: _Watched) -> Counter[str]:
    """Call until the time is over, or enough calls were made; how they ended."""
    until = time.monotonic() + seconds
    done = threading.Event()

    def calls(number: int) -> Counter[str]:
        dice, ended = random.Random(number), Counter[str]()  # noqa: S311
        for _ in range(MOST_CALLS // THREADS):
            if time.monotonic() > until:
                break
            tenant = tenants.access(f"tenant-{dice.randrange(TENANTS)}")
            try:
                tenant.call("GetItem", {"TableName": "t", "Key": {"PK": {"S": "p"}}})
                ended["an answer"] += 1
            except StoreError as error:
                ended[type(error).__name__] += 1
        return ended

    watching = threading.Thread(target=watched.until, args=(done,))
    watching.start()
    with ThreadPoolExecutor(THREADS) as pool:
        found = sum(pool.map(calls, range(THREADS)), Counter[str]())
    done.set()
    watching.join()
    return found
