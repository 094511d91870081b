"""Retries of a failed delivery: exponential, with full jitter, a bounded series.

Attempts are numbered through. With eight to a series, 1 to 8 are the first and 9 to 16 the one that
a redelivery begins, so that the number alone tells how many are left. A number has three digits, so
that there are 124 series: the first, and 123 redeliveries.
"""

from typing import NamedTuple

from tablewright.runtime.messaging.queue import LONGEST_DELAY

LAST_NUMBER = 999
_ATTEMPTS = 8
MOST_REDELIVERIES = LAST_NUMBER // _ATTEMPTS - 1


class Retries(NamedTuple):
    """How many attempts a series has, and the bounds of the wait after each, in seconds."""

    attempts: int = _ATTEMPTS
    first: float = 15.0
    longest: float = LONGEST_DELAY

    def is_last(self, attempt: int) -> bool:
        """Whether no attempt follows in the series.

        >>> [number for number in range(1, 20) if Retries().is_last(number)]
        [8, 16]
        """
        return attempt % self.attempts == 0

    def next_series(self, attempt: int) -> int:
        """The number that a new series begins with after an attempt.

        >>> Retries().next_series(3), Retries().next_series(8)
        (9, 9)
        """
        return ((attempt - 1) // self.attempts + 1) * self.attempts + 1

    def fits(self, attempt: int) -> bool:
        """Whether the attempt and the rest of its series have numbers.

        >>> Retries().fits(985), Retries().fits(993)
        (True, False)
        """
        return self.next_series(attempt) - 1 <= LAST_NUMBER

    def most(self, attempt: int) -> float:
        """The longest wait after an attempt: twice that after the one before.

        >>> [Retries().most(attempt) for attempt in (1, 2, 3, 6, 7, 9)]
        [15.0, 30.0, 60.0, 480.0, 900, 15.0]
        """
        return min(self.longest, self.first * 2.0 ** ((attempt - 1) % self.attempts))

    def wait(self, attempt: int, roll: float, asked: float | None = None) -> float:
        """Seconds until the next attempt; `roll` is random from 0 to 1.

        A destination that asks for patience gets it, as far as the longest wait.
        """
        return min(self.longest, max(roll * self.most(attempt), asked or 0.0))
