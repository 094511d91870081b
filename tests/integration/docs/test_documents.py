"""What is written by hand agrees with what it is about."""

import inspect
import re
from decimal import Decimal
from pathlib import Path

from cdk_app.settings import ROOT
from docs.generate import DOCUMENTS
from docs.reference_pages import PAGES as REFERENCE
from docs.scenarios.sentiment_scales import DASHBOARD_SCALES, ITEMS_SCALES
from tablewright.costs.measuring import Measurement
from tablewright.costs.monthly_cost import bill
from tablewright.costs.price_lists import US_EAST_1
from tablewright.model.operands import Operand
from tablewright.pages.cost_chapter import usage
from tablewright.runtime import Reader, Store

DOCS = ROOT / "docs"
DECISIONS = DOCS / "decisions"


def rows(page: Path) -> list[list[str]]:
    """The cells of every line of every table."""
    lines = (line for line in page.read_text().splitlines() if line.startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


# The base of all patterns, and what counts the events of streams.
NOT_IN_THE_GUIDE = {"Pattern", "Count"}


def test_the_guide_shows_every_pattern_field_change_and_call() -> None:
    pages = (DOCS / "guide.md", *(DOCS / "guide").glob("*.md"))
    shown = "\n".join(
        block
        for page in pages
        for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    )
    names = {
        name
        for page in REFERENCE
        for section in page.sections
        if page.name == "patterns" or section.title in ("Keys and expiry", "Fields")
        for name in section.names.split()
    }
    calls = {
        name
        for kind in (Operand, Store, Reader)
        for name, one in vars(kind).items()
        if inspect.isfunction(one) and not name.startswith("_")
    }
    assert {n for n in names if not re.search(rf"\b{n}\b", shown)} <= NOT_IN_THE_GUIDE
    assert {name for name in calls if f".{name}(" not in shown} == set()


def test_every_decision_is_listed_by_its_title() -> None:
    titles = [
        f"| [{path.name[:4]}]({path.name}) | {path.read_text().splitlines()[0].split('. ', 1)[1]} |"
        for path in sorted(DECISIONS.glob("0*.md"))
    ]
    listed = (DECISIONS / "README.md").read_text().splitlines()
    assert sorted(line for line in listed if line.startswith("| [")) == titles


def test_the_decision_on_costs_has_the_sums_of_both_pages() -> None:
    sums = {}
    for id, scales in (
        ("sentiment-items", ITEMS_SCALES),
        ("sentiment-dashboard", DASHBOARD_SCALES),
    ):
        document = DOCUMENTS[id]
        used = (usage(document.design, document.recorded(), scale) for scale in scales)
        sums[id] = [bill(one, US_EAST_1)["total"] for one in used]
    together = [sum(both) for both in zip(*sums.values(), strict=True)]
    said = [
        [Decimal(cell) for cell in cells]
        for first, *cells in rows(DECISIONS / "0025-true-cost-of-sentiment.md")
        if first not in ("US dollars a month", "---")
    ]
    assert said == [*sums.values(), together]


def test_the_decision_on_counts_says_what_counting_costs() -> None:
    def each(measurement: Measurement, kind: str) -> Decimal:
        units = Decimal(measurement[kind]) / Decimal(measurement["many"])
        return units.quantize(Decimal("0.01"))

    measured = [
        [each(m, "read"), each(m, "write")]
        for m in DOCUMENTS["sentiment-dashboard"].recorded()
        if m["pattern"] == "count_items"
    ]
    _head, _rule, *said = rows(DECISIONS / "0018-counters-by-hour.md")
    assert [[Decimal(cell) for cell in cells[1:3]] for cells in said] == measured


def test_the_sentiment_page_says_what_answers_cost() -> None:
    measured = {
        m["pattern"]: Decimal(m["read"])
        for m in DOCUMENTS["sentiment-dashboard"].recorded()
        if m["what"] in ("a page of 20", "3 sources over 24 hours")
    }
    costs = {
        match[0]: cells[2]
        for cells in rows(DOCS / "sentiment.md")
        if cells[0].startswith("`GET") and (match := re.findall(r"`(\w+)`", cells[1]))
    }
    assert costs.keys() == measured.keys()
    for pattern, cost in costs.items():
        assert cost == "the same" or Decimal(cost.split()[0]) == measured[pattern], pattern
    assert measured["items_by_sentiment"] == measured["recent_items"]
