"""The page of requirements is true of the code: its links, names, states and counts."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.mutations.ledger import (
    PAGES,
    ROOT,
    SUMMARY,
    Link,
    Row,
    cells,
    links,
    load_mutations,
    rows,
    title_of,
)

DONE, OTHERWISE = "done", "otherwise"
_STATE = re.compile(rf"{DONE}|{OTHERWISE}: (?:\[\d+\]\(../decisions/\d{{4}}-[\w-]+\.md\)(?:, )?)+")


@cache
def names_in(path: Path) -> frozenset[str]:
    """What a module defines: functions, classes, attributes and constants, wherever they stand."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            within = (one for target in targets for one in ast.walk(target))
            found |= {one.id for one in within if isinstance(one, ast.Name)}
    return frozenset(found)


@cache
def anchors(page: Path) -> frozenset[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings)


def missing(link: Link) -> list[str]:
    """What a link names that is not there."""
    if not link.path.exists():
        return [str(link.path)]
    if link.anchor and link.anchor not in anchors(link.path):
        return [f"{link.path}#{link.anchor}"]
    if link.path.suffix != ".py":
        return []
    parts = {part for name in link.names for part in name.split(".")}
    return [f"{link.path}: {name}" for name in sorted(parts - names_in(link.path))]


def test_every_statement_has_a_state_and_nothing_is_left_to_be_done() -> None:
    assert [row for row in rows() if not _STATE.fullmatch(row.state)] == []


def test_every_file_name_and_test_of_the_page_is_there() -> None:
    linked = (link for row in rows() for cell in row[4:] for link in links(row.page, cell))
    assert [one for link in linked for one in missing(link)] == []


def test_every_statement_is_built_somewhere_and_shown_by_a_test_or_a_page() -> None:
    for row in rows():
        assert links(row.page, row.where), row.asked
        shown = links(row.page, row.shown)
        assert shown, row.asked
        for link in shown:
            tests = [name for name in link.names if name.startswith("test_")]
            assert tests if link.path.suffix == ".py" else link.path.suffix == ".md", row.asked


def test_every_row_names_a_section_of_the_document() -> None:
    assert [row for row in rows() if not row.section] == []


def test_no_statement_of_a_system_stands_twice_in_a_section() -> None:
    asked = [(row.system, row.section, row.asked) for row in rows()]
    assert [one for one in asked if asked.count(one) > 1] == []


def test_the_summary_counts_the_rows() -> None:
    lines = SUMMARY.read_text().splitlines()
    counted = [cells(line) for line in lines if re.match(r"\| (\[|all)", line)]
    found = {page: [row for row in rows() if row.page == page] for page in PAGES}
    expected = [
        [f"[{title_of(page)}](requirements/{page.name})", *counts(of)] for page, of in found.items()
    ]
    assert sorted(counted[:-1]) == sorted(expected)
    assert counted[-1] == ["all five", *counts(list(rows()))]


def counts(of: list[Row]) -> list[str]:
    done = sum(row.state == DONE for row in of)
    return [str(len(of)), str(done), str(len(of) - done)]


@pytest.mark.parametrize(
    ("cell", "gone"),
    [
        ("[x](../lambdas/nowhere.py)", "nowhere.py"),
        ("[x](../lambdas/metrics.py) `count` `discount`", "discount"),
        ("[x](operations.md#no-such-heading)", "no-such-heading"),
    ],
)
def test_what_is_not_there_is_found(cell: str, gone: str) -> None:
    (link,) = links(SUMMARY, cell)
    (told,) = missing(link)
    assert gone in told


def test_each_mutation_edits_one_place_of_a_source() -> None:
    for mutation in load_mutations():
        source = (ROOT / mutation.file).read_text()
        assert source.count(mutation.old) == 1, mutation.title
        assert mutation.old != mutation.new, mutation.title
        assert mutation.tests, mutation.title


def test_at_least_forty_behaviors_are_mutated() -> None:
    assert len({mutation.title for mutation in load_mutations()}) >= 40


# Numbers with the unit of a measurement.
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_MEASURED = re.compile(rf"{_NUMBER}(?= (?:read|write) units?| dollars)|(?<=\$){_NUMBER}")


def test_measured_numbers_stand_on_a_linked_page() -> None:
    for row in rows():
        numbers = [match.group() for match in _MEASURED.finditer(row.asked)]
        pages = [link.path for link in links(row.page, row.shown) if link.path.suffix == ".md"]
        text = "\n".join(page.read_text() for page in pages)
        for number in numbers:
            assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text), row.asked
