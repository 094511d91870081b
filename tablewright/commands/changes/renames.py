"""Renamed entities and fields, as an option of commands."""

import argparse
from collections.abc import Mapping


def add_was(parser: argparse.ArgumentParser) -> None:
    """The old names of renamed entities and fields; `renames_of` returns them."""
    parser.add_argument(
        "--was",
        action="append",
        default=[],
        metavar="NEW=OLD",
        help="the old name of a renamed entity or field, as Order.state=Order.status",
    )


def renames_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Mapping[str, str]:
    """The old names that `--was` gives, by the new ones."""
    renames = {}
    for text in options.was:
        new, sign, old = text.partition("=")
        if not (new and sign):
            parser.error(f"--was {text}: write the new name, =, and the old name")
        renames[new] = old
    return renames
