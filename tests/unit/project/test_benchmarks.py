"""The benchmarks measure what they say, and their page can be read."""

import re

from benchmarks.__main__ import TITLES
from benchmarks.assembly import handlers
from benchmarks.chapter import Chapter, ratio, table
from benchmarks.page import PAGE, page
from benchmarks.servers.faulty import FAULTS


def tables(text: str) -> list[list[str]]:
    blocks = text.split("\n\n")
    return [block.strip().splitlines() for block in blocks if block.lstrip().startswith("|")]


def test_the_page_has_every_chapter() -> None:
    assert re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE) == TITLES


def test_rows_of_the_page_are_as_wide_as_their_heads() -> None:
    found = tables(PAGE.read_text())
    assert found
    for rows in found:
        assert len({row.count("|") for row in rows}) == 1, rows[0]


def test_the_page_names_every_handler() -> None:
    text = PAGE.read_text()
    for module in handlers():
        _, system, _, name = module.split(".")
        assert f"| {system}: {name} |" in text


def test_a_chapter_takes_the_place_of_the_old_one() -> None:
    made = Chapter("Said.", (table("", "a", rows=[("x", ratio(0.123))]),)).markdown()
    assert made == "Said.\n\n|  | a |\n| --- | ---: |\n| x | 0.12 |\n"
    old = page("", {"Soak": "## Soak\n\nold\n", "Calls": "## Calls\n\nold\n"}, TITLES)
    new = page(old, {"Soak": f"## Soak\n\n{made}"}, TITLES)
    assert new.endswith(f"## Calls\n\nold\n\n## Soak\n\n{made}")
    assert new.count("# Performance") == 1


def test_faults_are_so_many_of_a_thousand() -> None:
    assert sum(times for times, _ in FAULTS.values()) == 1000
