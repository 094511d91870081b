"""Keys in parts: what stands between the delimiters of a key attribute, over many items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

Parts = tuple[str, ...]

WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
SURE = 5  # items that do not have the same by chance
_DELIMITERS = "#|~/:"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")
# What has such characters in itself.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|(arn|urn|mailto):")
_RARE = 0.01
_USUAL = 0.9


def misses_allowed(items: int) -> int:
    """How many of so many items may be otherwise than a rule says: one in a hundred."""
    return int(items * _RARE)


def delimiters(texts: Sequence[str]) -> list[str]:
    """The characters that may set the parts of these keys apart, the likeliest first."""
    plain = [_TIME.sub("T", text) for text in texts if not _ADDRESS.match(text)]
    counts = {one: sum(one in text for text in plain) for one in _DELIMITERS}
    found = [one for one, times in counts.items() if times > misses_allowed(len(texts))]
    return sorted(found, key=lambda one: -counts[one])


def delimiter_of(texts: Sequence[str]) -> str | None:
    """The character that sets the parts of these keys apart, None where nothing does."""
    return next(iter(delimiters(texts)), None)


def parted(texts: Sequence[str], delimiter: str | None) -> list[Parts]:
    """The parts of each of these keys; one part where a delimiter is there by chance.

    It is there on purpose where a key has words that many have at the same place, or as many parts
    as nearly all.
    """
    if delimiter is None:
        return [(text,) for text in texts]
    split = [tuple(text.split(delimiter)) for text in texts]
    words = frequent_words(split)
    known = [any((at, one) in words for at, one in enumerate(parts)) for parts in split]
    lengths = Counter(len(parts) for parts, has in zip(split, known, strict=True) if not has)
    usual = {n for n, times in lengths.items() if times >= _USUAL * lengths.total()}
    return [
        parts if has or len(parts) in usual else (text,)
        for text, parts, has in zip(texts, split, known, strict=True)
    ]


def frequent_words(split: Sequence[Parts]) -> set[tuple[int, str]]:
    """Words, with their places, that more than a few keys have there."""
    counted = Counter((at, one) for parts in split for at, one in enumerate(parts))
    least = max(3, len(split) * _RARE / 2)
    return {
        place for place, times in counted.items() if times >= least and WORD.fullmatch(place[1])
    }
