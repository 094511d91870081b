"""Export designs: for NoSQL Workbench, as plain JSON, or as the Python module that declares them.

tablewright export shop.orders:Orders --to nosql-workbench -o orders.json
tablewright export --to json           # those that [tool.tablewright] in pyproject.toml names
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tablewright.commands.named import add_designs, named_designs
from tablewright.designs.description.design import describe
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.source.module import module_source
from tablewright.designs.workbench.model import EXTENSION, besides, workbench_model
from tablewright.model.declaration import Table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    designs = named_designs(parser, options.designs)
    try:
        text = _FORMS[options.to](designs)
        if options.output:
            options.output.write_text(text, encoding="utf-8")
        else:
            print(text, end="")
    except (Indescribable, OSError) as error:
        parser.error(str(error))
    return 0


def _python(designs: Sequence[type[Table]]) -> str:
    says = " ".join(table.__design__.describes for table in designs)
    return module_source([(describe(table), besides(table)) for table in designs], says)


def _json(designs: Sequence[type[Table]]) -> str:
    described = [describe(table) for table in designs]
    return json_lines(described if len(described) > 1 else described[0])


def _model(designs: Sequence[type[Table]]) -> str:
    model = workbench_model(designs, datetime.now(UTC))
    for says in model.left_out:
        print(f"not shown in the model, but kept in its '{EXTENSION}': {says}", file=sys.stderr)
    return json_lines(model.json)


def json_lines(value: object) -> str:
    """A value as JSON, as it is written to files."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


_FORMS: dict[str, Callable[[Sequence[type[Table]]], str]] = {
    "nosql-workbench": _model,
    "json": _json,
    "python": _python,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright export",
        description="Write designs as a model of NoSQL Workbench, as JSON or as Python.",
        epilog="For example: tablewright export shop.orders:Orders --to nosql-workbench -o o.json",
    )
    add_designs(parser)
    parser.add_argument("--to", required=True, choices=_FORMS, help="what to write")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to; by default it is printed"
    )
    return parser
