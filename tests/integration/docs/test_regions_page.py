"""The page on regions shows what the drill prints, and figures that are measured."""

import re
from decimal import Decimal

from cdk_app.settings import ROOT
from docs.generate import DOCUMENTS
from docs.scenarios.sentiment_scales import DASHBOARD_SCALES
from local.drill import Ledger
from tablewright.costs.monthly_cost import bill
from tablewright.costs.price_lists import US_EAST_1
from tablewright.pages.cost_chapter import usage

PAGE = (ROOT / "docs" / "regions.md").read_text()


def test_the_ledger_of_the_page_has_the_lines_of_the_drill() -> None:
    (shown,) = re.findall(r"```\n(deployed in .*?)```", PAGE, re.DOTALL)
    labels = [line.rstrip("0123456789 ") for line in shown.splitlines() if line.startswith("  ")]
    assert labels == [line.rstrip("0123456789 ") for line in Ledger().lines()]


def test_a_standby_s_read_table_costs_what_the_page_says() -> None:
    document = DOCUMENTS["sentiment-dashboard"]
    demonstration = usage(document.design, document.recorded(), DASHBOARD_SCALES[0])
    costs = bill(demonstration, US_EAST_1)
    assert f"{int(demonstration.write_units):,} write units, ${costs['writes']}" in PAGE
    assert f"{costs['storage'] * 100:.0f} cents of storage" in PAGE
    assert costs["storage"] < Decimal(1)
