"""Rotate the data keys of a table's secret fields.

    tablewright rotate-keys add --table NAME --region REGION --ring SECRET \\
        --kms-key KEY
    tablewright rotate-keys promote --table NAME --region REGION --ring SECRET
    tablewright reencrypt …
    tablewright rotate-keys retire --table NAME --region REGION --ring SECRET \\
        --design yourapp.orders:Orders

``add`` makes the first key, or the next; ``promote`` has it encrypt, ten minutes later at the
earliest; ``retire`` removes keys that a scan of the table found no use of; ``show`` tells which
keys there are. A step that was done already is not done again.
"""

import argparse
from collections.abc import Collection

from tqdm import tqdm

from tablewright.commands.items import segments
from tablewright.commands.items.key_options import add_key_options, add_kms_key_option, service
from tablewright.commands.items.reencrypt import UsedKeys
from tablewright.commands.items.segments import say
from tablewright.commands.named import table_design
from tablewright.runtime.errors import Conflict, NoDataKeys
from tablewright.runtime.secrets.rotation import Rotation, TooEarly
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.segments.walk import Patient, Walk

_SEGMENTS = 4


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return segments.carry_out(lambda: _step(options))


def _step(options: argparse.Namespace) -> int:
    rotation = Rotation(
        options.bound_to or options.table,
        options.ring,
        secretsmanager=service(options, "secretsmanager"),
        kms=service(options, "kms"),
    )
    try:
        _STEPS[options.step](rotation, options)
    except (TooEarly, NoDataKeys, Conflict) as error:
        say(f"Nothing was changed: {error}.")
        return 2
    return 0


def _add(rotation: Rotation, options: argparse.Namespace) -> None:
    id = rotation.add(options.kms_key)
    if rotation.ring().writer == id:
        say(f"Key {id} encrypts.")
    else:
        say(f"Key {id} is in the ring. In ten minutes, when every program has it: promote.")


def _promote(rotation: Rotation, options: argparse.Namespace) -> None:
    say(f"Key {rotation.promote()} encrypts. What others have encrypted: reencrypt.")


def _retire(rotation: Rotation, options: argparse.Namespace) -> None:
    gone = rotation.retire(lambda: _used(options))
    ring = rotation.ring()
    kept = [id for id in ring.keys if id not in (ring.writer, ring.waiting)]
    say(f"Retired: {', '.join(gone) or 'none'}.")
    if kept:
        say(f"Still in use: {', '.join(kept)}. Run reencrypt, then this again.")


def _show(rotation: Rotation, options: argparse.Namespace) -> None:
    ring = rotation.ring()
    for id, one in ring.keys.items():
        role = {ring.writer: "encrypts", ring.waiting: "waits to be promoted"}.get(id, "decrypts")
        say(f"{id}  {one.added:%Y-%m-%d %H:%M} UTC  {role}")


_STEPS = {"add": _add, "promote": _promote, "retire": _retire, "show": _show}


def _used(options: argparse.Namespace) -> Collection[str]:
    """The keys that anything in the table is encrypted with: all of it is looked at."""
    used = UsedKeys(options.design.__design__, options.table)
    caller = Patient(service(options, "dynamodb"))
    with tqdm(unit="item") as bar:
        Walk(caller, used.request, used.settle, Progress(None, options.table, _SEGMENTS)).run(bar)
    return used.ids


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright rotate-keys",
        description="Rotate the data keys of a table's secret fields.",
        epilog="For example: tablewright rotate-keys show --table dev-orders --region "
        "eu-west-1 --ring dev-orders-keys",
    )
    steps = parser.add_subparsers(dest="step", required=True)
    for name, says in (
        ("add", "make the first key, or add the next"),
        ("promote", "have the added key encrypt"),
        ("retire", "remove keys that nothing is encrypted with"),
        ("show", "tell which keys there are"),
    ):
        step = steps.add_parser(name, help=says, description=says)
        add_key_options(step)
        step.add_argument("--endpoint-url", help="another cloud than AWS, such as a local one")
        if name == "add":
            add_kms_key_option(step)
        if name == "retire":
            step.add_argument("--design", required=True, type=table_design, metavar="MODULE:NAME")
    return parser
