"""Bills of the systems: whole, as the page says, and printed by a command."""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from docs import bill
from docs.bill import SYSTEMS, bill_of, bills, own_stacks, published_scope, text
from docs.bills.page import MOST_TIMES, PAGE
from docs.idle_cost import Template
from tablewright.costs.price_lists import EU_WEST_1, US_EAST_1
from tests.infrastructure.synthesis import Assembly

pytestmark = pytest.mark.thorough

Stage = Callable[[str], Assembly]
Stacks = dict[str, Template]


@pytest.fixture(scope="module")
def prod(stage: Stage) -> Stacks:
    return dict(stage("prod-virginia").templates)


def test_the_page_has_the_bills_of_the_templates(prod: Stacks) -> None:
    assert PAGE.read_text() == text(prod), "run `make docs`"


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_bill_is_the_sum_of_its_lines(name: str, prod: Stacks) -> None:
    for found in bills(SYSTEMS[name], US_EAST_1, prod).values():
        lines = dict(found)
        assert lines.pop("in all") == sum(lines.values())
        assert min(lines.values()) > 0


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        (system.name, scale.name)
        for system in SYSTEMS.values()
        for scale in system.scales
        if scale.lines
    ],
)
def test_a_whole_bill_is_at_most_three_times_that_of_the_published_scope(
    name: str, scale: str, prod: Stacks
) -> None:
    system = SYSTEMS[name]
    size = system.scale(scale)
    for prices in (US_EAST_1, EU_WEST_1):
        scope = published_scope(system, size, prices, prod)["in all"]
        whole = bill_of(system, size, prices, prod)["in all"]
        # What is not, says why.
        assert (whole > MOST_TIMES * scope) is bool(size.exception)


def test_one_use_alone_costs_more_than_three_times_its_published_scope() -> None:
    excepted = [scale.name for one in SYSTEMS.values() for scale in one.scales if scale.exception]
    assert excepted == ["one by one"]


@pytest.mark.parametrize(
    ("name", "scale", "figures"),
    [
        ("sentiment", "phase 1", "0.09 0 0.27 0.54 0.26 0.02 0.01"),
        ("sentiment", "phase 2", "1.19 97"),
        ("sentiment", "phase 3", "7 0 21 35 20 5 450"),
        ("forms", "1,000", "2 3 1 3 1.50 0.50 2 1 1 0.50 0.70"),
        ("forms", "10,000", "8 12 3 8 5 2 8 3 5 3 2 3"),
        ("sales", "100,000 a day", "€15.00 €3.75 €7.50"),
    ],
)
def test_the_published_figures_are_those_of_the_documents(
    name: str, scale: str, figures: str
) -> None:
    lines = SYSTEMS[name].scale(scale).lines
    assert [line.published for line in lines if line.published] == figures.split()
    assert all(line.why for line in lines)


def test_the_bill_of_sentiment_has_no_news_and_that_of_healing_has(prod: Stacks) -> None:
    def owned(name: str) -> set[str]:
        return {id for part in own_stacks(SYSTEMS[name], prod) for id in part["Resources"]}

    assert not [id for id in owned("sentiment") if id.startswith("News")]
    news = {id for id in owned("healing") if id.startswith("News")}
    assert any(id.startswith("NewsHealingParked") for id in news)


def test_a_system_pays_for_its_own_stacks_and_what_all_share(prod: Stacks) -> None:
    for name in SYSTEMS:
        assert len(list(own_stacks(SYSTEMS[name], prod))) == 3


def test_the_accelerator_costs_more_than_the_reads_that_it_saves(prod: Stacks) -> None:
    found = bills(SYSTEMS["sentiment"], US_EAST_1, prod)
    first, second = found["phase 1"], found["phase 2"]
    saved = first["tables: reads"] - second["tables: reads"]
    added = second["nodes of the accelerator"] + second["endpoints of its network"]
    assert added == Decimal("102.20")
    assert 0 < 50 * saved < added


def test_more_submissions_cost_more_and_ireland_more_than_virginia(prod: Stacks) -> None:
    forms = SYSTEMS["forms"]
    sums = [bill_of(forms, scale, US_EAST_1, prod)["in all"] for scale in forms.scales]
    assert sums == sorted(sums)
    there = [bill_of(forms, scale, EU_WEST_1, prod)["in all"] for scale in forms.scales]
    assert all(one > other for one, other in zip(there[1:], sums[1:], strict=True))


def test_the_command_prints_a_bill_at_prices_of_one_s_own(
    prod: Stacks,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(bill, "templates_of", lambda *_: prod)
    prices = tmp_path / "ours.json"
    prices.write_text(json.dumps({"monitoring": {"alarm_metric_month": "0"}}))
    bill.main(["forms", "--scale", "10,000", "--prices", str(prices)])
    printed = capsys.readouterr().out
    at_ours = Decimal(printed.splitlines()[-1].split("|")[2].strip())
    scale = SYSTEMS["forms"].scale("10,000")
    listed = bill_of(SYSTEMS["forms"], scale, US_EAST_1, prod)
    assert at_ours == listed["in all"] - listed["metrics of alarms"]
    assert "metrics of alarms" not in printed


def test_a_scale_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bill.main(["forms", "--scale", "7"])
    assert "forms has no scale 7, but: 1,000; 10,000; 100,000" in capsys.readouterr().err


def test_the_decision_on_bills_has_their_sums(prod: Stacks) -> None:
    path = PAGE.parent / "decisions" / "0110-bills-are-whole.md"
    rows = [line.split("|")[1:-1] for line in path.read_text().splitlines() if line[:1] == "|"]
    said = [(Decimal(cells[2]), Decimal(cells[3])) for cells in rows[2:]]
    wanted = (
        *(("sentiment", f"phase {number}") for number in (1, 2, 3)),
        ("forms", "10,000"),
        ("sales", "100,000 a day"),
    )
    found = []
    for name, scale in wanted:
        asked = (SYSTEMS[name], SYSTEMS[name].scale(scale), US_EAST_1, prod)
        found.append((published_scope(*asked)["in all"], bill_of(*asked)["in all"]))
    assert said == found
