"""Differences between what was expected and what was found, a few lines long."""

from difflib import unified_diff
from pprint import pformat

_LINES = 60
_WIDTH = 100


def difference(expected: object, found: object) -> str:
    """The lines that are in one and not in the other, with a line around them."""
    before, after = (pformat(one, width=_WIDTH).splitlines() for one in (expected, found))
    shown = list(unified_diff(before, after, "expected", "found", lineterm="", n=1))
    if not shown:
        return f"expected: {expected!r}\nfound:    {found!r}"
    if len(shown) > _LINES:
        shown = [*shown[:_LINES], f"... and {len(shown) - _LINES} lines more"]
    return "\n".join(shown)
