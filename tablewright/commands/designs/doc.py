"""Write pages of designs: keys, items and where they lie, access patterns, IAM actions.

    tablewright doc shop.orders:Orders -o docs
    tablewright doc shop.orders:Orders -o docs --format html
    tablewright doc -o docs                # those that [tool.tablewright] in pyproject.toml names

A page of Markdown has its picture beside it, one of HTML in it.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from tablewright.commands.named import add_designs, named_designs
from tablewright.costs.measuring import InvalidMeasurements, Measurement, read_measurements
from tablewright.designs.description.node import one_line
from tablewright.designs.example_records import NoExample
from tablewright.model import Design
from tablewright.model.validation.design import validate
from tablewright.pages.collections.picture import collections_picture
from tablewright.pages.html import html_page
from tablewright.pages.page import page, picture_name


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    designs = named_designs(parser, options.designs)
    for table in designs:
        problems = validate(table)
        if problems:
            parser.error(f"{table.__name__}: {problems[0]}: `tablewright check` says it all")
    ids = [table.__design__.id for table in designs]
    if twice := {id for id in ids if ids.count(id) > 1}:
        parser.error(f"two designs are named {min(twice)}, and so would their pages be")
    if options.measured and len(designs) > 1:
        parser.error("--measured is of one design: name one")
    measured = _measured(parser, options.measured, designs[0].__design__)
    try:
        pages = [
            one
            for table in designs
            for one in _pages(table.__design__, measured, options.format, options.output)
        ]
    except NoExample as error:
        parser.error(str(error))
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        for path, text in pages:
            path.write_text(text)
            print(f"wrote {path}")
    except OSError as error:
        parser.error(f"{options.output} cannot be written: {error.strerror}")
    return 0


def _pages(
    design: Design, measured: Sequence[Measurement], form: str, folder: Path
) -> Iterator[tuple[Path, str]]:
    text, picture = page(design, measured), collections_picture(design)
    if form == "html":
        yield folder / f"{design.id}.html", html_page(text, title=design.id, picture=picture)
    else:
        yield folder / f"{design.id}.md", text
        yield folder / picture_name(design), picture


def _measured(
    parser: argparse.ArgumentParser, path: Path | None, design: Design
) -> list[Measurement]:
    if path is None:
        return []
    try:
        found = read_measurements(path)
    except InvalidMeasurements as error:
        parser.error(str(error))
    strangers = sorted({one["pattern"] for one in found} - design.patterns.keys())
    if strangers:
        parser.error(
            f"{path} measures {one_line(', '.join(strangers))}, which {design.id} does not have"
        )
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright doc",
        description="Write pages of designs, with pictures of their item collections.",
        epilog="For example: tablewright doc shop.orders:Orders -o docs --format html",
    )
    add_designs(parser)
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="DIR", help="the folder to write to"
    )
    parser.add_argument(
        "--measured",
        type=Path,
        metavar="FILE",
        help="measured capacity, as JSON: what tablewright measure writes",
    )
    parser.add_argument("--format", choices=("md", "html"), default="md", help="by default md")
    return parser
