"""Live table as an option of commands: its name and region, its design, the keys of its secrets."""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from typing import TYPE_CHECKING

from tablewright.commands.named import sound_design
from tablewright.designs.description.design import describe
from tablewright.designs.description.errors import Indescribable
from tablewright.model.declaration import Table

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """The design, the table, and what is needed to read what is secret in it."""
    parser.add_argument(
        "design", type=sound_design, metavar="DESIGN", help="as package.module:Name"
    )
    parser.add_argument("--table", required=True, help="the table's name")
    parser.add_argument("--region", required=True, help="the table's region")
    add_secret_options(parser)
    parser.add_argument(
        "--keep-later",
        action="store_true",
        help="an expiry that is later than the design's is right, and left alone",
    )


def add_secret_options(parser: argparse.ArgumentParser) -> None:
    """What `secrets_of` reads secret fields with."""
    parser.add_argument(
        "--ring", metavar="SECRET", help="the secret with its keys, where fields are secret"
    )
    parser.add_argument(
        "--kms-key", metavar="KEY", help="the key of KMS that wraps them: its ARN or alias"
    )
    parser.add_argument(
        "--bound-to", metavar="NAME", help="the table that this one is a restored copy of"
    )
    parser.add_argument(
        "--in-clear", action="store_true", help="secret fields are not encrypted in this table"
    )


def secrets_of(
    parser: argparse.ArgumentParser, options: argparse.Namespace, *designs: type[Table] | None
) -> Secrets | None:
    """What secret fields are read and written with, for designs that have some."""
    if not any(one and one.__design__.has_secrets for one in designs):
        return None
    # When they are needed: they take an extra that most do without.
    from tablewright.commands.items.key_options import data_keys
    from tablewright.runtime.secrets.secrets import Secrets

    if options.ring and options.kms_key:
        return Secrets(data_keys(options))
    if not options.in_clear:
        parser.error(
            "the design has secret fields: name the secret with their keys by --ring, and the "
            "key that wraps them by --kms-key, or say --in-clear where they are not encrypted"
        )
    return Secrets.in_clear()


def mark_of(*designs: type[Table] | None) -> str:
    """What tells designs from others, in a few characters: progress is theirs alone."""
    texts = []
    for one in designs:
        try:
            texts.append(json.dumps(describe(one)) if one else "")
        except Indescribable:
            texts.append(repr(one))
    return sha256("\n".join(texts).encode()).hexdigest()[:12]
