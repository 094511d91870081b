"""Explain access patterns: the calls that they make, the rights that these need, their units.

    tablewright explain shop.orders:Orders
    tablewright explain shop.orders:Orders of_customer --items 500 --bytes 2000 --page 50

The calls are those that the store makes with the entities' examples. In them `{field}` stands for a
value, `…` for the highest text that a key can end with.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from tablewright.commands.named import table_design
from tablewright.commands.numbers import whole
from tablewright.designs.example_records import NoExample
from tablewright.model import Design, EpochShards, Table
from tablewright.model.grants import GrantError, of_anyone, of_nobody, of_tenant, statements
from tablewright.model.patterns import Pattern, Query
from tablewright.model.validation.design import validate
from tablewright.pages.explained.calls import Explained, explained_calls
from tablewright.pages.explained.rehearsal import rehearse
from tablewright.pages.explained.units import Load, SizeError, Units, explained_units

_COUNT = whole(1, 1_000_000)
_ARN = "arn:aws:dynamodb:REGION:ACCOUNT:table/NAME"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    table: type[Table] = options.design
    problems = validate(table)
    if problems:
        parser.error(f"{table.__name__}: {problems[0]}: `tablewright check` says it all")
    patterns = _patterns(parser, table.__design__, options.pattern)
    load = Load(options.items, options.bytes, options.page)
    try:
        found = [_explained(table, one, load, options) for one in patterns]
    except (NoExample, SizeError) as error:
        parser.error(str(error))
    if options.json:
        print(json.dumps([_as_json(one) for one in found], indent=2))
    elif options.pattern:
        print("\n".join(_whole(table.__design__, patterns[0], found[0])))
    elif not found:
        print(f"{table.__design__.id} has no access patterns")
    else:
        print("\n".join(line for one in found for line in _brief(one)))
    return 0


def _explained(
    table: type[Table], pattern: Pattern[Any], load: Load, options: argparse.Namespace
) -> dict[str, Any]:
    design = table.__design__
    rights, why = _rights(design, pattern, options.tenant_tag, options.table_arn)
    ways = explained_calls(design, pattern, rehearse(table, pattern, design.id, page=load.page))
    shards = sum(call.times for call in ways[0].calls if call.operation == "Query")
    return {
        "pattern": pattern.name,
        "kind": type(pattern).__name__,
        "of": list(pattern.entities),
        "describes": pattern.describes,
        "ways": ways,
        "policy": {"Version": "2012-10-17", "Statement": rights},
        "limited_to": why,
        "units": explained_units(design, pattern, load, shards=shards),
    }


def _rights(
    design: Design, pattern: Pattern[Any], tag: str, arn: str
) -> tuple[list[Mapping[str, Any]], str]:
    """The statements that allow a pattern, to one tenant where that can be; and to whom."""
    if design.tenant is None:
        return statements(of_anyone(design, [pattern]), arn), "the table has no tenants"
    try:
        allowed = of_tenant(design, [pattern], tag)
        return statements(allowed, arn), f"the tenant in the session tag '{tag}'"
    except GrantError as refused:
        why = str(refused)
    try:
        return statements(of_nobody(design, [pattern]), arn), "keys that are no tenant's"
    except GrantError:
        return statements(of_anyone(design, [pattern]), arn), f"no tenant: {why}"


def _brief(found: dict[str, Any]) -> Iterator[str]:
    ways: list[Explained] = found["ways"]
    calls = [
        f"{f'{call.times} times ' if call.times > 1 else ''}{call.operation} on {call.on}"
        for call in ways[0].calls
    ]
    yield f"{found['pattern']}: {found['kind']} of {', '.join(found['of'])}"
    yield f"    {', then '.join(calls)}"
    for units in found["units"]:
        yield f"    {_of_units(units)}"


def _whole(design: Design, pattern: Pattern[Any], found: dict[str, Any]) -> Iterator[str]:
    yield f"{pattern.name}: {found['kind']} of {', '.join(pattern.entities)}"
    if pattern.describes:
        yield pattern.describes
    yield ""
    yield "Calls"
    for way in found["ways"]:
        if way.what:
            yield f"  With {way.what}:"
        for call in way.calls:
            times = f", {call.times} times: once for each shard" if call.times > 1 else ""
            yield f"    {call.operation} on {call.on}{times}"
            yield from (f"        {says}" for says in call.says)
        if way.tested_by_store:
            yield "    The store applies the filter to what was completed."
    yield from (f"  {note}" for note in _notes(design, pattern))
    yield ""
    yield f"Rights, for {found['limited_to']}"
    yield json.dumps(found["policy"], indent=2)
    yield ""
    yield "Capacity units"
    yield from (f"  {_of_units(one)}" for one in found["units"])


def _notes(design: Design, pattern: Pattern[Any]) -> Iterator[str]:
    if isinstance(pattern, Query) and design.completes(pattern):
        yield "BatchGetItem completes the entries of the index, whose projection is not enough."
    if isinstance(design.key_of(pattern).shards, EpochShards):
        yield (
            "The shards are those of the example. GetItem reads them first, and then not for a "
            "minute."
        )
    if any(one.secret for name in pattern.entities for one in design.entities[name].fields):
        yield "Secret fields are encrypted before, and decrypted after: shown is what is in clear."


def _of_units(units: Units) -> str:
    parts = [f"{units.what}: {units.calls} call{'' if units.calls == 1 else 's'}"]
    for kind, used, least in (
        ("read", units.read, units.read_floor),
        ("write", units.write, units.write_floor),
    ):
        if used:
            parts.append(f"{_number(used)} {kind} units (floor {_number(least)})")
    return ", ".join(parts)


def _number(units: Decimal) -> str:
    return f"{units.normalize():f}"


def _as_json(found: dict[str, Any]) -> dict[str, Any]:
    ways: list[Explained] = found["ways"]
    units: list[Units] = found["units"]
    return {
        **found,
        "ways": [
            {"what": way.what, "calls": [call._asdict() for call in way.calls]} for way in ways
        ],
        "units": [
            {n: _number(v) if isinstance(v, Decimal) else v for n, v in one._asdict().items()}
            for one in units
        ],
    }


def _patterns(
    parser: argparse.ArgumentParser, design: Design, name: str | None
) -> Sequence[Pattern[Any]]:
    if name is None:
        return design.pattern_list
    if name not in design.patterns:
        near = get_close_matches(name, design.patterns, 1)
        meant = f" Did you mean '{near[0]}'?" if near else ""
        listed = ", ".join(design.patterns)
        parser.error(f"{design.id} has no access pattern '{name}'.{meant} It has {listed}")
    return [design.patterns[name]]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright explain",
        description="Show the calls of access patterns, their IAM statements and capacity units.",
        epilog="For example: tablewright explain shop.orders:Orders of_customer --items 500",
    )
    parser.add_argument(
        "design", type=table_design, metavar="DESIGN", help="as package.module:Name"
    )
    parser.add_argument("pattern", nargs="?", metavar="PATTERN", help="by default all, briefly")
    parser.add_argument(
        "--items", type=_COUNT, default=20, help="how many a list or batch has; by default 20"
    )
    parser.add_argument("--bytes", type=_COUNT, help="an item's size; by default the example's")
    parser.add_argument("--page", type=_COUNT, default=20, help="of a list; by default 20")
    parser.add_argument(
        "--tenant-tag", default="tenant", help="the session tag with the tenant; by default tenant"
    )
    parser.add_argument(
        "--table-arn", default=_ARN, metavar="ARN", help="of the table, for the IAM statement"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    return parser
