"""Numbers as options of commands: whole ones within bounds, and rates."""

import argparse
from collections.abc import Callable

_MOST = 10**15


def whole(least: int = 0, most: int = _MOST) -> Callable[[str], int]:
    """A whole number from `least` to `most`, as the type of an option.

    Example::

        parser.add_argument("--items", type=whole(1, 1_000_000))
    """

    def read(text: str) -> int:
        # One that Python reads, and nobody types: int("1_000"), int("٣").
        number = int(text) if text.isascii() and text.isdecimal() else -1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} to {most}")
        return number

    return read


def per_second(text: str) -> float:
    """Units a second, as the type of an option."""
    try:
        found = float(text)
    except ValueError:
        found = 0
    if not 0 < found <= 40_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0 and up to 40000")
    return found
