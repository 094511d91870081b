"""Shard rules: by what the number of a tenant's shards is decided."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from tablewright.catalog.forms.volume import THRESHOLDS
from tablewright.model import InvalidValue
from tablewright.model.sharding.epochs import MOST_SHARDS


class ShardRules(NamedTuple):
    """By what a number of shards is decided.

    `units_per_submission` are the write units that a submission costs the busiest of its
    partitions: that of GSI1, which has its deliveries too; eight with two destinations. A payload
    of more than four kilobytes in the item makes it the table's. `units_per_shard` is what one
    partition is given of the thousand a second that it takes: the peak of an hour is an average.
    """

    thresholds: Sequence[tuple[int, int]] = THRESHOLDS
    units_per_submission: Decimal = Decimal(8)
    units_per_shard: int = 500
    most: int = MOST_SHARDS
    margin: Decimal = Decimal("1.25")
    rest_days: int = 30

    @classmethod
    def parse(cls, text: str) -> "ShardRules":
        """Rules from JSON; what is not among them is as published."""
        try:
            found = json.loads(text, parse_float=Decimal)
        except json.JSONDecodeError:
            found = None
        if not isinstance(found, dict):
            raise InvalidValue("shard rules", "must be a JSON object")
        return cls.of(found)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "ShardRules":
        """Rules from settings; what is not among them is as published."""
        unknown = sorted(settings.keys() - set(cls._fields))
        if unknown:
            raise InvalidValue(unknown[0], f"is no rule: there are {', '.join(cls._fields)}")
        given = dict(settings)
        if "thresholds" in given:
            given["thresholds"] = _thresholds(given["thresholds"])
        for name, low, high in (
            ("units_per_submission", 0, 100_000),
            ("units_per_shard", 1, 1000),
            ("most", 1, MOST_SHARDS),
            ("margin", 1, 100),
            ("rest_days", 0, 3660),
        ):
            if name in given:
                given[name] = _number(name, given[name], low, high)
        return cls(**given)


def _thresholds(given: Any) -> tuple[tuple[int, int], ...]:
    pairs = given if isinstance(given, (list, tuple)) else ()
    whole = [
        (one[0], one[1])
        for one in pairs
        if isinstance(one, (list, tuple)) and len(one) == 2 and all(type(n) is int for n in one)
    ]
    found = sorted(whole, reverse=True)
    rising = all(a[0] > b[0] and a[1] > b[1] for a, b in pairwise(found))
    if len(found) != len(pairs) or not found or not rising or found[-1][1] < 1:
        reason = "must be pairs of submissions a month and the shards above them, both rising"
        raise InvalidValue("thresholds", reason)
    if found[0][1] > MOST_SHARDS:
        raise InvalidValue("thresholds", f"cannot ask for more than {MOST_SHARDS} shards")
    return tuple(found)


def _number(name: str, value: Any, low: int, high: int) -> Any:
    kinds = (int, Decimal) if name in ("units_per_submission", "margin") else (int,)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise InvalidValue(name, f"must be a number from {low} to {high}")
    return Decimal(value) if Decimal in kinds else value
