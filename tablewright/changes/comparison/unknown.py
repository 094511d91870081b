"""Differences that no rule is for, so that none is passed over."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.rules.tables import NOT_KNOWN


def unknown(
    subject: str, old: Mapping[str, Any], new: Mapping[str, Any], known: Collection[str]
) -> Iterator[Difference]:
    """What differs beside what is known."""
    for name in dict.fromkeys((*old, *new)):
        if name not in known and old.get(name) != new.get(name):
            says = f"'{name}' was {old.get(name)!r} and is {new.get(name)!r}"
            yield NOT_KNOWN.found(subject, says)
