"""The page on changes: every example has the outcome of its heading, and every code has its row."""

import re

import pytest

import tablewright.model
from cdk_app.settings import ROOT
from tablewright.changes import Outcome, compare
from tablewright.changes.compatibility.findings import CODES, NOTES, Code
from tablewright.pages.markdown import table

PAGE = (ROOT / "docs" / "changes.md").read_text()
BLOCKS = re.findall(r"^(?:## (.+?)$.*?)?```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)


def test_every_outcome_has_an_example() -> None:
    assert [heading.lower() for heading, _ in BLOCKS] == ["", *Outcome]


@pytest.mark.parametrize(("heading", "code"), BLOCKS[1:], ids=[one for one, _ in BLOCKS[1:]])
def test_an_example_has_the_outcome_of_its_heading(heading: str, code: str) -> None:
    names = {"__name__": __name__, **vars(tablewright.model)}
    exec(BLOCKS[0][1] + code, names)  # noqa: S102 - our own page
    assert compare(names["Orders"], names["NewOrders"]).outcome == heading.lower()


@pytest.mark.parametrize("codes", [CODES, NOTES], ids=["findings", "notes"])
def test_every_code_has_its_row(codes: dict[str, Code]) -> None:
    rows = [(f"`{name}`", code.meaning, code.remedy) for name, code in codes.items()]
    assert table(("code", "meaning", "what to do"), rows) in PAGE
