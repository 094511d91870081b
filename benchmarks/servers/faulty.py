"""A DynamoDB that fails in every way that a network and a service have, by dice that fall the same.

`python -m benchmarks.servers.faulty CERTIFICATE` prints the port that it listens on, over TLS.
"""

import gzip
import json
import random
import socket
import sys
import threading
import time
from pathlib import Path

from benchmarks.servers import process as servers
from benchmarks.servers.certificates import serving
from benchmarks.servers.scripted import Server, Step, answer, hangs_up, refusal, sends

_BODY = json.dumps({"Item": {"PK": {"S": "p" * 40}, "text": {"S": "x" * 2000}}}).encode()
_CHUNKS = b"".join(
    f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in (_BODY[:900], _BODY[900:], b"")
)
STALL = 1.0


def _stalls(connection: socket.socket) -> bool:
    time.sleep(STALL)
    return False


def _hangs_up_within(connection: socket.socket) -> bool:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n{")
    return False


# What is done with a request, and how often of a thousand times.
FAULTS: dict[str, tuple[int, Step]] = {
    "answered": (600, answer(_BODY)),
    "chunked": (100, sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + _CHUNKS)),
    "compressed": (100, answer(gzip.compress(_BODY), Content_Encoding="gzip")),
    "answered, then ended": (50, answer(_BODY, close=True)),
    "refused": (30, refusal("ConditionalCheckFailedException")),
    "throttled": (30, refusal("ProvisionedThroughputExceededException")),
    "failed": (30, refusal("InternalServerError", 500)),
    "hung up on": (25, hangs_up),
    "hung up on within the answer": (15, _hangs_up_within),
    "damaged": (15, answer(_BODY, x_amz_crc32="7")),
    "stalled": (5, _stalls),
}


class Faulty(Server):
    """A server that answers six requests of ten as it should."""

    def __init__(self, certificate: Path) -> None:
        self._dice = random.Random(7)  # noqa: S311
        self._lock = threading.Lock()
        weights, steps = zip(*FAULTS.values(), strict=True)
        self._steps: tuple[Step, ...] = steps
        self._weights: tuple[int, ...] = weights
        super().__init__(serving(certificate))

    def step(self, request: bytes) -> Step:
        with self._lock:
            return self._dice.choices(self._steps, self._weights)[0]


if __name__ == "__main__":
    servers.serves(Faulty(Path(sys.argv[1])).port)
    threading.Event().wait()
