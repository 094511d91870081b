"""Bills of the systems: whole, as the page says, and printed by a command."""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from docs import bill
from docs.bill import SYSTEMS, bill_of, bills, own_stacks, text
from docs.bills.page import PAGE
from docs.idle_cost import Template
from tablewright.costs.price_lists import EU_WEST_1, US_EAST_1
from tests.infrastructure.synthesis import Assembly

pytestmark = pytest.mark.thorough

Stage = Callable[[str], Assembly]
Stacks = dict[str, Template]


@pytest.fixture(scope="module")
def plain(stage: Stage) -> Stacks:
    return dict(stage("prod-us-east-1").templates)


@pytest.fixture(scope="module")
def accelerated(stage: Stage) -> Stacks:
    return dict(stage("prod-accelerated").templates)


def test_the_page_has_the_bills_of_the_templates(plain: Stacks, accelerated: Stacks) -> None:
    assert PAGE.read_text() == text(plain, accelerated), "run `make docs`"


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_bill_is_the_sum_of_its_lines(name: str, plain: Stacks, accelerated: Stacks) -> None:
    for found in bills(SYSTEMS[name], US_EAST_1, plain, accelerated).values():
        lines = dict(found)
        assert lines.pop("in all") == sum(lines.values())
        assert min(lines.values()) > 0


def test_a_system_pays_for_its_own_stacks_and_what_all_share(plain: Stacks) -> None:
    def owners(name: str) -> int:
        return len(list(own_stacks(SYSTEMS[name], plain)))

    # Its own, identity and operations; the sentiment system in four regions.
    assert (owners("sales"), owners("forms"), owners("sentiment")) == (3, 3, 12)


def test_the_accelerator_costs_more_than_the_reads_that_it_saves(
    plain: Stacks, accelerated: Stacks
) -> None:
    found = bills(SYSTEMS["sentiment"], US_EAST_1, plain, accelerated)
    first, second = found["phase 1"], found["phase 2"]
    saved = first["tables: reads"] - second["tables: reads"]
    added = second["nodes of the accelerator"] + second["endpoints of its network"]
    assert 0 < 50 * saved < added


def test_more_submissions_cost_more_and_ireland_more_than_virginia(plain: Stacks) -> None:
    forms = SYSTEMS["forms"]
    sums = [bill_of(forms, scale, US_EAST_1, plain)["in all"] for scale in forms.scales]
    assert sums == sorted(sums)
    there = [bill_of(forms, scale, EU_WEST_1, plain)["in all"] for scale in forms.scales]
    assert all(one > other for one, other in zip(there, sums, strict=True))


def test_the_command_prints_a_bill_at_prices_of_one_s_own(
    plain: Stacks,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(bill, "templates_of", lambda *_: plain)
    prices = tmp_path / "ours.json"
    prices.write_text(json.dumps({"monitoring": {"alarm_metric_month": "0"}}))
    bill.main(["forms", "--scale", "10,000", "--prices", str(prices)])
    printed = capsys.readouterr().out
    at_ours = Decimal(printed.splitlines()[-1].split("|")[2].strip())
    scale = SYSTEMS["forms"].scale("10,000")
    listed = bill_of(SYSTEMS["forms"], scale, US_EAST_1, plain)
    assert at_ours == listed["in all"] - listed["metrics of alarms"]
    assert "metrics of alarms" not in printed


def test_a_scale_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bill.main(["forms", "--scale", "7"])
    assert "forms has no scale 7, but: 1,000; 10,000; 100,000" in capsys.readouterr().err


def test_the_decision_on_bills_has_their_sums(plain: Stacks, accelerated: Stacks) -> None:
    path = PAGE.parent / "decisions" / "0110-bills-are-whole.md"
    rows = [line.split("|")[1:-1] for line in path.read_text().splitlines() if line[:1] == "|"]
    said = [(Decimal(cells[2]), Decimal(cells[3])) for cells in rows[2:]]
    wanted = (
        ("forms", "10,000"),
        *(("sentiment", f"phase {number}") for number in (1, 2, 3)),
        ("sales", "100,000 a day"),
    )
    found = [
        bills(SYSTEMS[system], US_EAST_1, plain, accelerated)[scale] for system, scale in wanted
    ]
    assert said == [(of_tables(one), one["in all"]) for one in found]


def of_tables(lines: dict[str, Decimal]) -> Decimal:
    """What tables cost without what secures them."""
    recovery = lines["tables: recovery and backups"]
    return sum((n for name, n in lines.items() if name.startswith("tables")), -recovery)
