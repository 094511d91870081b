"""Create, describe or drop a design's table, in an account or on an engine.

    tablewright table create shop.orders:Orders --name dev-orders --endpoint-url http://localhost:8000
    tablewright table describe shop.orders:Orders --name dev-orders --region eu-west-1
    tablewright table drop shop.orders:Orders --name dev-orders --yes dev-orders

On AWS a table is made with recovery and deletion protection, unless these are switched off. Ends
with 1 if a table is not as its design says.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence

import boto3
from botocore.exceptions import BotoCoreError, NoRegionError

from tablewright.commands.named import add_account, table_design
from tablewright.model import Design
from tablewright.model.validation.design import validate
from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.deployed_table import (
    DeployedTable,
    create_table,
    drop_table,
    find_table,
    switch_on_recovery,
)
from tablewright.runtime.errors import AccessDenied, StoreError, Unavailable

_ENDPOINTS = ("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    design: Design = options.design.__design__
    problems = validate(options.design)
    if problems:
        parser.error(f"{design.id}: {problems[0]}: `tablewright check` says it all")
    try:
        run = {"create": _create, "describe": _describe, "drop": _drop}[options.verb]
        return run(account(options), design, options)
    except (StoreError, BotoCoreError, ValueError) as error:
        return _refused(options, refusal(error, options))


def account(options: argparse.Namespace) -> Caller:
    """DynamoDB, as the options name it: profile, region, endpoint."""
    session = boto3.session.Session(region_name=options.region, profile_name=options.profile)
    return connect(session, "dynamodb", endpoint_url=options.endpoint_url)


def refusal(error: Exception, options: argparse.Namespace) -> str:
    """What to tell of a call that failed."""
    if isinstance(error, NoRegionError):
        return "name a region by --region, or set AWS_REGION"
    if isinstance(error, AccessDenied):
        return f"the credentials are missing, or do not allow this: {error}"
    if isinstance(error, Unavailable):
        return f"{options.endpoint_url or 'DynamoDB'} cannot be used now: {error}"
    return str(error)


def _create(caller: Caller, design: Design, options: argparse.Namespace) -> int:
    there = find_table(caller, options.name)
    # An engine is for trying things, and most have no recovery.
    safe = not _is_engine(options.endpoint_url)
    protected = safe if options.deletion_protection is None else options.deletion_protection
    recovery = safe if options.recovery is None else options.recovery
    if there is None:
        made = create_table(caller, design, options.name, protected=protected, recovery=recovery)
        print("\n".join(_shown(made, design, options.name)))
        return 0
    if found := there.differences(design):
        _say(f"{options.name} is there already, and is not what {design.id} says:")
        for one in found:
            _say(f"  {one}")
        return 1
    if recovery and there.recovery is False:
        # Whoever made it may have been stopped before.
        switch_on_recovery(caller, options.name)
        print(f"switched on point-in-time recovery of {options.name}")
    print(f"{options.name} is there already, as {design.id} says")
    return 0


def _describe(caller: Caller, design: Design, options: argparse.Namespace) -> int:
    there = find_table(caller, options.name)
    if there is None:
        return _missing(options)
    print("\n".join(_shown(there, design, options.name)))
    return 1 if there.differences(design) else 0


def _drop(caller: Caller, design: Design, options: argparse.Namespace) -> int:
    there = find_table(caller, options.name)
    if there is None:
        return _missing(options)
    found = there.differences(design)
    if found and not options.force:
        _say(f"{options.name} is not what {design.id} says; --force drops it all the same:")
        for one in found:
            _say(f"  {one}")
        return 1
    if there.is_protected:
        _say(
            f"{options.name} is protected from deletion: switch that off first, by aws dynamodb "
            f"update-table --table-name {options.name} --no-deletion-protection-enabled"
        )
        return 1
    if options.yes != options.name:
        items = there.described.get("ItemCount", 0)
        return _refused(
            options,
            f"{options.name} has about {items:,} items, which nothing brings back: "
            f"say --yes {options.name} to drop it",
        )
    drop_table(caller, options.name)
    print(f"dropped {options.name}")
    return 0


def _shown(there: DeployedTable, design: Design, name: str) -> Iterator[str]:
    """What there is beside what the design says."""
    table = there.described
    items, size = table.get("ItemCount", 0), table.get("TableSizeBytes", 0)
    yield f"{name}: {table['TableStatus']}, {there.billing}, {items:,} items, {size:,} bytes"
    recovery = {True: "on", False: "off", None: "not known"}[there.recovery]
    protection = "on" if there.is_protected else "off"
    yield f"deletion protection {protection}, point-in-time recovery {recovery}"
    wanted, found = there.wanted(design).parts, there.form.parts
    names = list(dict.fromkeys((*wanted, *found)))
    width = max(map(len, names)) + 2
    for part in names:
        says, is_there = wanted.get(part, "none"), found.get(part, "none")
        yield f"{part:{width}}{says}"
        if says != is_there:
            yield f"{'':{width}}differs: there is {is_there}"


def _is_engine(endpoint: str | None) -> bool:
    return bool(endpoint or any(os.environ.get(name) for name in _ENDPOINTS))


def _missing(options: argparse.Namespace) -> int:
    return _refused(options, missing(options.name, options))


def missing(name: str, options: argparse.Namespace) -> str:
    """What to tell of a table that is not there."""
    where = options.endpoint_url or options.region or "this region"
    return f"there is no table {name} in {where}"


def _refused(options: argparse.Namespace, sentence: str) -> int:
    _say(f"tablewright table {options.verb}: {sentence}")
    return 2


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _table_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]{3,255}", text):
        raise argparse.ArgumentTypeError(
            f"a table's name has 3 to 255 letters, digits, '_', '-' and '.', not '{text}'"
        )
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright table",
        description="Create, describe or drop a design's table, in an account or on an engine.",
        epilog="For example: tablewright table describe shop.orders:Orders --name dev-orders",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="create|describe|drop")
    for verb, says in (
        ("create", "make the table; one that is there is compared with the design"),
        ("describe", "show what is there beside what the design says"),
        ("drop", "remove the table with all that is in it"),
    ):
        one = verbs.add_parser(verb, help=says, description=says.capitalize() + ".")
        one.add_argument(
            "design", type=table_design, metavar="DESIGN", help="as package.module:Name"
        )
        one.add_argument("--name", required=True, type=_table_name, help="the table's name")
        add_account(one)
        if verb == "create":
            one.add_argument(
                "--deletion-protection",
                action=argparse.BooleanOptionalAction,
                help="by default on AWS, not on engines",
            )
            one.add_argument(
                "--recovery",
                action=argparse.BooleanOptionalAction,
                help="to any second of the last 35 days; by default on AWS, not on engines",
            )
        if verb == "drop":
            one.add_argument("--yes", metavar="NAME", help="the table's name once more")
            one.add_argument(
                "--force", action="store_true", help="also where it differs from the design"
            )
    return parser
