"""Costs are told, at each limit, when they are reached and when they will be."""

from typing import Any

import pytest

from tablewright.constructs import CostAlerts
from tests.infrastructure.building_blocks import findings
from tests.infrastructure.synthesis import Template, new_stack, only, resources, template_of, text

BUDGET = "AWS::Budgets::Budget"


def alerts(**props: Any) -> Template:
    stack = new_stack()
    CostAlerts(stack, "Costs", **props)
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
    (topic,) = resources(template, "AWS::SNS::Topic")
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
            assert [(s["SubscriptionType"], text(s["Address"])) for s in each["Subscribers"]] == [
                ("SNS", f"{{{topic}}}"),
                ("EMAIL", "ops@example.com"),
                ("EMAIL", "cfo@example.com"),
            ]


def test_costs_can_be_those_of_one_tag() -> None:
    template = alerts(tag=("Application", "forms"))
    for budget in resources(template, BUDGET).values():
        assert budget["Budget"]["CostFilters"] == {"TagKeyValue": ["user:Application$forms"]}


def test_budgets_of_this_account_and_nobody_else_may_publish(template: Template) -> None:
    (topic,) = resources(template, "AWS::SNS::Topic")
    deny, allow = only(template, "AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert allow["Principal"] == {"Service": "budgets.amazonaws.com"}
    assert (allow["Action"], text(allow["Resource"])) == ("sns:Publish", f"{{{topic}}}")
    condition = allow["Condition"]
    assert text(condition["StringEquals"]["aws:SourceAccount"]) == "{AWS::AccountId}"
    assert text(condition["ArnLike"]["aws:SourceArn"]) == (
        "arn:{AWS::Partition}:budgets::{AWS::AccountId}:*"
    )


def test_the_topic_has_a_key_that_budgets_may_use(template: Template) -> None:
    (key,) = resources(template, "AWS::KMS::Key")
    assert text(only(template, "AWS::SNS::Topic")["KmsMasterKeyId"]) == f"{{{key}.Arn}}"
    (use,) = (
        statement
        for statement in only(template, "AWS::KMS::Key")["KeyPolicy"]["Statement"]
        if statement["Principal"] == {"Service": "budgets.amazonaws.com"}
    )
    assert set(use["Action"]) == {"kms:Decrypt", "kms:GenerateDataKey"}
    assert "aws:SourceAccount" in use["Condition"]["StringEquals"]


def test_a_budget_waits_until_it_may_publish(template: Template) -> None:
    (policy,) = resources(template, "AWS::SNS::TopicPolicy")
    budgets = [r for r in template["Resources"].values() if r["Type"] == BUDGET]
    assert len(budgets) == 3
    assert all(policy in budget["DependsOn"] for budget in budgets)


@pytest.mark.parametrize(
    ("props", "message"),
    [
        ({"limits": ()}, "different limits above 0 USD, not none"),
        ({"limits": (10, 0)}, "different limits above 0 USD, not 10, 0"),
        ({"limits": (10, 10)}, "different limits"),
        ({"email": ["ops"]}, "'ops' is no e-mail address"),
        ({"email": ["a@b", "c d@e"]}, "'c d@e' is no e-mail address"),
        ({"email": [f"{n}@example.com" for n in range(11)]}, "10 addresses at most, not 11"),
        ({"tag": ("Application", "")}, "name a tag by its key and value"),
    ],
)
def test_what_aws_would_refuse_is_refused(props: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        alerts(**props)


def test_cost_alerts_break_no_rule() -> None:
    stack = new_stack()
    CostAlerts(stack, "Costs")
    assert findings(stack) == set()
