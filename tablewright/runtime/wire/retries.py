"""Retries as in botocore's `standard` mode: what is tried again, after which pause, how often."""

from __future__ import annotations

import random
import threading

THROTTLES = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "LimitExceededException",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)
_TRANSIENT_STATUS = frozenset({500, 502, 503, 504})
_TRANSIENT = frozenset(
    {
        "ReplicatedWriteConflictException",  # `retryable` in the model of DynamoDB
        "RequestTimeout",
        "RequestTimeoutException",
    }
)
_CAPACITY = 500
_COST, _THROTTLE_COST = 14, 5
# Seconds before the first retry, at most; each further one may wait twice as long.
_FIRST, _FIRST_OF_DYNAMODB, _FIRST_AFTER_THROTTLE = 0.05, 0.025, 1.0
_LONGEST = 20.0
# So much longer than it would have, a client waits where a service asks for it.
_LONGEST_ASKED = 5.0


def is_throttle(status: int, code: str) -> bool:
    """Whether the service has been asked too much of."""
    return code in THROTTLES or status == 429


def is_transient(status: int, code: str) -> bool:
    """Whether the same request may have another answer in a moment."""
    return status in _TRANSIENT_STATUS or code in _TRANSIENT


class Retries:
    """How a client tries again: pauses, and tokens that retries take and successes give back.

    In an outage the tokens run out, and each call is one request.
    """

    def __init__(self, service: str) -> None:
        self._first = _FIRST_OF_DYNAMODB if service == "dynamodb" else _FIRST
        self._left = _CAPACITY
        self._lock = threading.Lock()

    def take(self, *, throttled: bool) -> int:
        """The tokens of one retry, which are taken; 0 where there are not so many."""
        cost = _THROTTLE_COST if throttled else _COST
        with self._lock:
            if cost > self._left:
                return 0
            self._left -= cost
            return cost

    def succeeded(self, taken: int) -> None:
        """Give back what the last retry took; a success at once gives one."""
        if self._left < _CAPACITY:
            with self._lock:
                self._left = min(_CAPACITY, self._left + (taken or 1))

    def pause(self, failed: int, *, throttled: bool, asked: bytes | None) -> float:
        """Seconds to wait after so many attempts that failed; `asked` are the service's
        milliseconds."""
        first = _FIRST_AFTER_THROTTLE if throttled else self._first
        own = random.random() * min(first * 2.0 ** (failed - 1), _LONGEST)  # noqa: S311 - jitter
        if asked is None or not asked.isdigit():
            return own
        return max(own, min(int(asked) / 1000, own + _LONGEST_ASKED))
