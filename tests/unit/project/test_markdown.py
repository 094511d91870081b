"""Every Markdown file of the project: its links, its place in the site, its Python."""

import ast
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.site.markdown import anchors, blocks, links
from docs.site.navigation import LISTS, ROOT, TITLES, below, reachable, sources

INDEX = ROOT / "docs" / "site" / "index.md"
REFERENCE = ROOT / "docs" / "reference"
PAGES = sources()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page.read_text()):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text()), link


def test_the_first_page_of_the_site_leads_to_pages() -> None:
    # It stands above all others when the site is built.
    targets = [ROOT / link for link in links(INDEX.read_text())]
    assert targets
    assert {target for target in targets if target not in PAGES} == set()


def test_the_navigation_leads_to_every_page_once() -> None:
    found = list(reachable())
    assert sorted(found) == sorted(str(page.relative_to(ROOT)) for page in PAGES)


def test_what_the_navigation_names_is_there() -> None:
    assert {*LISTS, *TITLES} <= {*reachable()}
    assert all(below(page) for page in LISTS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_is_python(page: Path) -> None:
    if page.parent == REFERENCE:  # signatures are no statements
        return
    for block in blocks(page.read_text()):
        if block.language == "python":
            ast.parse(block.code)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_are_installed(page: Path) -> None:
    text = page.read_text()
    for name in re.findall(r"\.venv/bin/([\w-]+)", text):
        assert (Path(sys.executable).parent / name).exists(), name
    for module in re.findall(r"\.venv/bin/python -m ([\w.]+\w)", text):
        assert find_spec(module), module


def test_equal_headings_are_numbered() -> None:
    assert anchors("# Costs: a week\n\n## Reads\n\n## Reads\n") == {
        "costs-a-week",
        "reads",
        "reads-1",
    }


def test_nothing_in_code_is_a_link_or_a_heading() -> None:
    text = "# One\n\n```python\n# Two\nrows[0](1)\n```\n\n`a[0](b)` and [c](d.md)\n"
    assert anchors(text) == {"one"}
    assert links(text) == ["d.md"]
