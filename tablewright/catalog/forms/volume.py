"""Volume of a tenant, and the shards that it gets for it."""

from __future__ import annotations

from collections.abc import Sequence

# Submissions a month above which a tenant gets so many shards, the highest first.
THRESHOLDS = ((10_000, 10), (1_000, 4))


def calculate_optimal_shards(
    volume: int, thresholds: Sequence[tuple[int, int]] = THRESHOLDS
) -> int:
    """Return the number of shards for a tenant with this many submissions a month.

    >>> [calculate_optimal_shards(volume) for volume in (1_000, 1_001, 10_000, 10_001)]
    [1, 4, 4, 10]
    """
    return next((count for above, count in thresholds if volume > above), 1)
