"""Costs are told, at each limit, when they are reached and when they will be."""

from pathlib import Path
from typing import Any

import pytest

from tablewright.constructs import CostAlerts
from tests.infrastructure.constructs.building_blocks import findings
from tests.infrastructure.synthesis import (
    IN_VIRGINIA,
    Template,
    new_stack,
    resources,
    synthesize_stage,
    template_of,
)

pytestmark = pytest.mark.thorough

BUDGET = "AWS::Budgets::Budget"


def alerts(**props: Any) -> Template:
    stack = new_stack()
    CostAlerts(stack, "Costs", **{"email": ["ops@example.com"], **props})
    return template_of(stack)


@pytest.fixture(scope="module")
def template() -> Template:
    return alerts(email=["ops@example.com", "cfo@example.com"])


def limits(template: Template) -> list[float]:
    found = resources(template, BUDGET).values()
    return sorted(budget["Budget"]["BudgetLimit"]["Amount"] for budget in found)


def test_there_is_a_monthly_budget_for_each_limit(template: Template) -> None:
    assert limits(template) == [10, 15, 20]
    for made in resources(template, BUDGET).values():
        budget = made["Budget"]
        assert (budget["BudgetType"], budget["TimeUnit"]) == ("COST", "MONTHLY")
        assert budget["BudgetLimit"]["Unit"] == "USD"
        # A name would keep it from being replaced.
        assert budget.keys() == {"BudgetType", "TimeUnit", "BudgetLimit"}
    assert limits(alerts(limits=(2.5, 100))) == [2.5, 100]


def test_each_limit_is_told_when_reached_and_when_forecast(template: Template) -> None:
    for budget in resources(template, BUDGET).values():
        told = budget["NotificationsWithSubscribers"]
        assert [each["Notification"]["NotificationType"] for each in told] == [
            "ACTUAL",
            "FORECASTED",
        ]
        for each in told:
            notification = each["Notification"]
            assert (notification["Threshold"], notification["ThresholdType"]) == (100, "PERCENTAGE")
            assert notification["ComparisonOperator"] == "GREATER_THAN"
            assert [(s["SubscriptionType"], s["Address"]) for s in each["Subscribers"]] == [
                ("EMAIL", "ops@example.com"),
                ("EMAIL", "cfo@example.com"),
            ]


def test_costs_can_be_those_of_one_tag() -> None:
    template = alerts(tag=("Application", "forms"))
    for budget in resources(template, BUDGET).values():
        assert budget["Budget"]["CostFilters"] == {"TagKeyValue": ["user:Application$forms"]}


def test_nothing_is_paid_for_being_told(template: Template) -> None:
    assert {resource["Type"] for resource in template["Resources"].values()} == {BUDGET}


def operations(folder: Path, region: str, **settings: str) -> tuple[Template, str]:
    """The stack that tells costs, and the warnings of the whole stage."""
    environ = {**IN_VIRGINIA, "TABLEWRIGHT_REGION": region, **settings}
    made = synthesize_stage("dev", folder, {"TABLEWRIGHT_ALARM_EMAIL": "a@b.example", **environ})
    report = folder / "validation-report.json"
    return made.template("operations"), report.read_text() if report.exists() else ""


@pytest.mark.thorough
def test_a_region_without_budgets_does_without(tmp_path: Path) -> None:
    template, said = operations(tmp_path, "eu-north-1")
    assert limits(template) == []
    assert "nobody is told what dev costs" in said


@pytest.mark.thorough
def test_budgets_can_be_left_out_knowingly(tmp_path: Path) -> None:
    template, said = operations(tmp_path, "eu-north-1", TABLEWRIGHT_COST_LIMITS="none")
    assert limits(template) == []
    assert "nobody is told what dev costs" not in said


@pytest.mark.thorough
def test_a_stage_s_budgets_count_what_is_the_stage_s(tmp_path: Path) -> None:
    template, _ = operations(tmp_path, "eu-west-1", TABLEWRIGHT_COST_LIMITS="5,50.5")
    assert limits(template) == [5, 50.5]
    for budget in resources(template, BUDGET).values():
        assert budget["Budget"]["CostFilters"] == {"TagKeyValue": ["user:stage$dev"]}


@pytest.mark.parametrize(
    ("props", "message"),
    [
        ({"limits": ()}, "different limits above 0 USD, not none"),
        ({"limits": (10, 0)}, "different limits above 0 USD, not 10, 0"),
        ({"limits": (10, 10)}, "different limits"),
        ({"email": ["ops"]}, "'ops' is no e-mail address"),
        ({"email": ["a@b", "c d@e"]}, "'c d@e' is no e-mail address"),
        ({"email": [f"{n}@example.com" for n in range(11)]}, "1 to 10 addresses, not 11"),
        ({"email": []}, "1 to 10 addresses, not 0"),
        ({"tag": ("Application", "")}, "name a tag by its key and value"),
    ],
)
def test_what_aws_would_refuse_is_refused(props: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        alerts(**props)


def test_cost_alerts_break_no_rule() -> None:
    stack = new_stack()
    CostAlerts(stack, "Costs", email=["ops@example.com"])
    assert findings(stack) == set()
