"""Shards of sampled keys: the field and the function that explain a number in every key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.designs.inference.sampled.columns import Texts
from tablewright.designs.inference.sampled.parts import misses_allowed
from tablewright.model.sharding.shards import (
    ShardFunction,
    java_hash,
    last_character,
    uniform,
)

Json = dict[str, Any]

_MOST = 1000
_ENOUGH = 20  # items whose numbers are not explained by chance
_FUNCTIONS: tuple[ShardFunction, ...] = (uniform, java_hash, last_character)


def could_be_shard(texts: Texts) -> bool:
    """Whether parts of keys are numbers as shards have them: from zero, without leading zeros."""
    known = [text for text in texts if text is not None]
    return bool(known) and all(
        text.isascii() and text.isdigit() and int(text) < _MOST and str(int(text)) == text
        for text in known
    )


def explained_shard(texts: Texts, columns: Mapping[str, Texts]) -> Json | None:
    """The shards that these numbers are, as a description has them; None where nothing explains
    them."""
    known = [(at, int(text)) for at, text in enumerate(texts) if text is not None]
    highest = max(number for _, number in known)
    if len(known) < _ENOUGH or highest == 0:
        return None
    for name, column in columns.items():
        ids = [column[at] for at, _ in known]
        numbers = [number for _, number in known]
        if len(set(ids)) <= highest:
            continue  # fewer ids than shards cannot fill them
        for function in _FUNCTIONS:
            count = _count(ids, numbers, function)
            if count:
                path = f"tablewright.model:{function.__name__}"
                return {"kind": "Shards", "count": count, "by": name, "function": path}
    return None


def _count(ids: Sequence[str | None], numbers: Sequence[int], function: ShardFunction) -> int:
    """The number of shards with which a function gives these numbers, 0 where there is none.

    The highest shard may not have been seen, so that some more are tried.
    """
    highest = max(numbers)
    # Of each shard nearly all: most items may be in one of them.
    seen = Counter(numbers)
    for count in range(highest + 1, min(_MOST, 2 * highest + 8) + 1):
        allowed = {number: misses_allowed(times) for number, times in seen.items()}
        for id, number in zip(ids, numbers, strict=True):
            if not id or function(id, count) != number:
                allowed[number] -= 1
                if allowed[number] < 0:
                    break
        else:
            return count
    return 0
