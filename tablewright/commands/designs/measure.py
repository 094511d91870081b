"""Measure a design: the capacity units of its access patterns, on DynamoDB Local.

    tablewright measure shop.orders:Orders shop.scenarios:orders -o orders.capacity.json
    tablewright measure shop.orders:Orders shop.scenarios:orders --check orders.capacity.json

A scenario is a function that runs the patterns:

    def orders(measuring: Measuring) -> None:
        store = measuring.store()
        measuring.run(Orders.place, "one order", lambda: store.put(Orders.place, order))

The engine is started for the time of the command; DynamoDB Local and Java have to be there.

Exit code 0: measured; 1: a pattern costs more than the file of --check says; 2: cannot measure.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import boto3

from tablewright.commands.named import failure, scenario, sound_design
from tablewright.costs.estimates.report import aligned
from tablewright.costs.measured_difference import DEARER, Difference, differences
from tablewright.costs.measuring import (
    ENGINE_SECONDS,
    InvalidMeasurements,
    Measurement,
    Scenario,
    measured,
    read_measurements,
    write_measurements,
)
from tablewright.model import Table
from tablewright.runtime.boto3_client import Boto3Client, client_config
from tablewright.testing.dynamodb_local import DynamoDbLocal, DynamoDbLocalError
from tablewright.testing.tables import create

_NAME = "measured"


class ScenarioFailed(Exception):
    """A scenario that raised an error, with the line that did."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        before = read_measurements(options.check) if options.check else None
        found = _measured(options.design, options.scenario)
    except (DynamoDbLocalError, InvalidMeasurements, ScenarioFailed) as error:
        parser.error(str(error))
    if options.output:
        write_measurements(found, options.output)
    print(json.dumps(found, indent=2) if options.json else "\n".join(aligned(_rows(found))))
    run = {one["pattern"] for one in found}
    if left := [name for name in options.design.__design__.patterns if name not in run]:
        print(f"not run by the scenario: {', '.join(left)}", file=sys.stderr)
    return 0 if before is None else _compared(list(differences(before, found)))


def _measured(table: type[Table], run: Scenario) -> list[Measurement]:
    with DynamoDbLocal() as engine:
        client = boto3.client(
            "dynamodb",
            endpoint_url=engine.endpoint,
            region_name="us-east-1",
            config=client_config(read_timeout=ENGINE_SECONDS),
            **engine.credentials(),
        )
        create(client, table, _NAME, stream=False)
        try:
            return measured(run, Boto3Client(client), table, _NAME)
        except Exception as error:  # whatever a scenario may raise
            raise ScenarioFailed(f"the scenario failed: {failure(error)}") from error


def _compared(found: Sequence[Difference]) -> int:
    for one in found:
        print(one, file=sys.stderr)
    return 1 if any(one.kind == DEARER for one in found) else 0


def _rows(found: Sequence[Measurement]) -> list[Sequence[str]]:
    head = ("pattern, of", "calls", "read units", "at least", "write units", "at least")
    kinds = ("calls", "read", "read_floor", "write", "write_floor")
    return [
        head,
        *(
            (f"{one['pattern']}, {one['what']}", *(str(one[kind]) for kind in kinds))
            for one in found
        ),
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright measure",
        description="Measure what access patterns consume, beside the least that they could.",
        epilog="For example: tablewright measure shop.orders:Orders shop.scenarios:orders",
    )
    parser.add_argument(
        "design", type=sound_design, metavar="DESIGN", help="as package.module:Name"
    )
    parser.add_argument(
        "scenario", type=scenario, metavar="SCENARIO", help="a function, as package.module:name"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="keep the figures in a file of JSON"
    )
    parser.add_argument(
        "--check",
        type=Path,
        metavar="FILE",
        help="end with 1 if a pattern costs more than the figures of a file",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    return parser
