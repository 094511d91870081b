"""Adopt a table that exists: a design proposed from its description and some of its items.

    tablewright adopt orders --region eu-west-1 -o orders.py
    tablewright adopt orders --description orders.json --items export/data -o orders.py

The design is written as a Python module. What it explains of the items is said beside it; where it
cannot know, the module has a question as a comment.
"""

import argparse
import json
import sys
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import boto3
from botocore.exceptions import BotoCoreError

from tablewright.changes.adoption.item_files import UnreadableItems, read_items
from tablewright.changes.adoption.proposal import Proposal, propose
from tablewright.changes.adoption.sample import sample_table
from tablewright.commands.numbers import whole
from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.description.node import one_line
from tablewright.designs.inference.described import described_table
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import connect
from tablewright.runtime.deployed_table import find_table
from tablewright.runtime.errors import StoreError
from tablewright.runtime.segments.walk import Patient
from tablewright.runtime.store.records import Item
from tablewright.runtime.strict_json import parse


class _Known(NamedTuple):
    """What is known of the table; `units` are None where nothing was read from it."""

    described: dict[str, Any]
    ttl: str | None
    items: tuple[Item, ...]
    units: float | None = None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    _refuse_what_does_not_go_together(parser, options)
    try:
        known = _from_files(options) if options.items else _from_table(options)
        proposal = propose(known.described, known.items, ttl=known.ttl)
        if options.resource_mapping:
            mapping = {options.logical_id: {"TableName": options.table}}
            _write(options.resource_mapping, json.dumps(mapping, indent=2) + "\n")
        if options.output:
            _write(options.output, proposal.source)
    except OSError as error:
        return _refused(f"{error.filename} cannot be opened: {error.strerror}")
    except (BotoCoreError, InvalidDescription, StoreError, UnreadableItems, _Unusable) as error:
        return _refused(one_line(str(error)))
    if options.json:
        print(_json(proposal, known, options))
        return 0
    if not options.output:
        print(proposal.source, end="")
    for line in _said(proposal, known):
        print(one_line(line), file=sys.stderr)
    return 0


class _Unusable(Exception):
    """There is no table, or no description of one."""


def _refuse_what_does_not_go_together(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> None:
    if bool(options.items) != bool(options.description):
        parser.error("--items and --description go together: items of a file, and whose they are")
    if bool(options.resource_mapping) != bool(options.logical_id):
        parser.error("--resource-mapping and --logical-id go together")
    if options.ttl and not options.items:
        parser.error("--ttl is for --items: a table says itself what its items expire by")
    for file in (options.output, options.resource_mapping):
        if file and file.exists() and not options.force:
            parser.error(f"{file} is there already: name another file, or --force")


def _from_table(options: argparse.Namespace) -> _Known:
    session = boto3.session.Session(region_name=options.region, profile_name=options.profile)
    caller = Patient(connect(session, "dynamodb", endpoint_url=options.endpoint_url))
    there = find_table(caller, options.table)
    if there is None:
        where = options.endpoint_url or options.region or "this region"
        raise _Unusable(f"there is no table {options.table} in {where}")
    found = sample_table(caller, options.table, items=options.sample, segments=options.segments)
    return _Known(there.described, there.ttl, found.items, found.units)


def _from_files(options: argparse.Namespace) -> _Known:
    try:
        given = parse(options.description.read_bytes())
        described = {"TableName": options.table, **given.get("Table", given)}
        kinds = TableForm.described(described, options.ttl).key_kinds
        described_table(described)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise _Unusable(
            f"{options.description} is no description of a table: it must be what "
            "`aws dynamodb describe-table` prints"
        ) from None
    items = read_items(options.items, options.sample)
    for item in items:
        if any([*item.get(name, ())] != [kind] for name, kind in kinds.items()):
            raise _Unusable(f"{options.items} has an item without the key of {options.table}")
    return _Known(described, options.ttl, items)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _said(proposal: Proposal, known: _Known) -> list[str]:
    lines = [str(proposal.coverage) + "."]
    if known.units is not None:
        lines.append(f"The sample took {known.units:,.1f} read units.")
    if proposal.questions:
        lines.append(f"{len(proposal.questions)} questions stand as comments in the module.")
    lines += [f"Not as the table is: {one}" for one in proposal.differences]
    return lines


def _json(proposal: Proposal, known: _Known, options: argparse.Namespace) -> str:
    covered = proposal.coverage
    found = {
        "table": options.table,
        "items": covered.items,
        "rederived": covered.rederived,
        "gaps": [gap._asdict() for gap in covered.gaps],
        "questions": dict(proposal.questions),
        "differences": [one._asdict() for one in proposal.differences],
        **({"read_units": known.units} if known.units is not None else {}),
        **({} if options.output else {"source": proposal.source}),
    }
    return json.dumps(found, indent=2, default=lambda raw: b64encode(bytes(raw)).decode())


def _refused(sentence: str) -> int:
    print(f"tablewright adopt: {sentence}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright adopt",
        description="Propose the design of a table that exists, as a Python module.",
        epilog="For example: tablewright adopt orders --region eu-west-1 -o orders.py",
    )
    parser.add_argument("table", metavar="TABLE", help="its name")
    parser.add_argument("--region", help="by default that of the profile")
    parser.add_argument("--profile", help="of the AWS configuration")
    parser.add_argument("--endpoint-url", help="of an engine, such as http://localhost:8000")
    parser.add_argument(
        "--sample",
        type=whole(1, 1_000_000),
        default=10_000,
        metavar="ITEMS",
        help="at most (%(default)s)",
    )
    parser.add_argument(
        "--segments", type=whole(1, 100), default=8, help="of the scan, side by side (%(default)s)"
    )
    parser.add_argument(
        "--items",
        type=Path,
        metavar="FILE",
        help="take items from here and not from the table: an export to S3, a file or a folder, or "
        "what `aws dynamodb scan` prints",
    )
    parser.add_argument(
        "--description", type=Path, metavar="FILE", help="what `aws dynamodb describe-table` prints"
    )
    parser.add_argument("--ttl", metavar="ATTRIBUTE", help="with --items: what items expire by")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to; by default it is printed"
    )
    parser.add_argument("--force", action="store_true", help="write over what is there")
    parser.add_argument("--json", action="store_true", help="tell coverage and questions as JSON")
    parser.add_argument(
        "--resource-mapping",
        type=Path,
        metavar="FILE",
        help="write the file that `cdk import --resource-mapping` takes",
    )
    parser.add_argument("--logical-id", metavar="ID", help="of the table in the stack's template")
    return parser
