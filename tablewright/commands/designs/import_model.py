"""Import designs: a model of NoSQL Workbench, or a table as AWS describes it, as a Python module.

tablewright import orders.json -o orders.py
aws dynamodb describe-table --table-name orders | tablewright import -
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.description.node import parse_document, printable, read_document
from tablewright.designs.source.module import module_source
from tablewright.designs.workbench.reading import UnreadableModel, read_designs


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.output and options.output.exists() and not options.force:
        parser.error(f"{options.output} is there already: name another file, or --force")
    try:
        if options.file == "-":
            document = parse_document(sys.stdin.read())
        else:
            document = read_document(Path(options.file))
        designs = read_designs(document.value)
        described = " ".join(one.description.get("describes", "") for one in designs).strip()
        says = described or f"Tables: {', '.join(one.description['id'] for one in designs)}."
        text = module_source([(one.description, one.beside) for one in designs], says)
        if options.output:
            options.output.write_text(text, encoding="utf-8")
        else:
            print(text, end="")
    except (InvalidDescription, UnreadableModel) as error:
        parser.error(printable(f"{options.file} cannot be read as a design: {error}"))
    except OSError as error:
        parser.error(f"{error.filename} cannot be written: {error.strerror}")
    for one in designs:
        print(printable(one.says), file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright import",
        description="Write the Python module that declares the tables of a NoSQL Workbench model.",
        epilog="For example: tablewright import orders.json -o orders.py",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a model of NoSQL Workbench, what `aws dynamodb describe-table` prints, or what "
        "`tablewright export --to json` does; - for the standard input",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to; by default it is printed"
    )
    parser.add_argument("--force", action="store_true", help="write over what is there")
    return parser
