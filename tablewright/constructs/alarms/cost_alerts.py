"""Cost alerts: budgets that e-mail before a month gets too expensive."""

from collections.abc import Sequence
from typing import ClassVar

from aws_cdk import Token
from aws_cdk import aws_budgets as budgets
from constructs import Construct

# Each limit is told when it is reached, and when the month is on the way to it.
_TOLD = ("ACTUAL", "FORECASTED")
_MOST_EMAILS = 10


class CostAlerts(Construct):
    """A monthly budget for each limit, told by e-mail.

    With `tag`, a key and a value, only what carries that cost-allocation tag counts, from the day
    on which the tag was activated for billing; without, the whole account does. AWS looks at costs
    up to three times a day, and forecasts once it has seen about five weeks of them.

    Example::

        CostAlerts(self, "Costs", email=["ops@example.com"], tag=("Application", "forms"))
    """

    # Where CloudFormation can make a budget; what it counts is the costs of all regions.
    REGIONS: ClassVar[frozenset[str]] = frozenset(
        (
            *("ap-northeast-1", "ap-northeast-2", "ap-south-1", "ap-southeast-1", "ap-southeast-2"),
            *("ca-central-1", "cn-north-1", "cn-northwest-1", "eu-central-1", "eu-west-1"),
            *("eu-west-2", "eu-west-3", "me-south-1", "sa-east-1"),
            *("us-east-1", "us-east-2", "us-west-1", "us-west-2"),
        )
    )

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        limits: Sequence[float] = (10, 15, 20),
        email: Sequence[str],
        tag: tuple[str, str] | None = None,
    ) -> None:
        _check(limits, email, tag)
        super().__init__(scope, id)
        subscribers = [
            budgets.CfnBudget.SubscriberProperty(subscription_type="EMAIL", address=address)
            for address in email
        ]
        # A budget of its own for each: one has five notifications at most. Unnamed, because it is
        # replaced when its subscribers change.
        self.budgets = [self._budget(limit, subscribers, tag) for limit in limits]

    def _budget(
        self,
        limit: float,
        subscribers: list[budgets.CfnBudget.SubscriberProperty],
        tag: tuple[str, str] | None,
    ) -> budgets.CfnBudget:
        return budgets.CfnBudget(
            self,
            f"Budget{limit:g}".replace(".", "_"),
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_type="COST",
                time_unit="MONTHLY",
                budget_limit=budgets.CfnBudget.SpendProperty(amount=limit, unit="USD"),
                cost_filters={"TagKeyValue": [f"user:{tag[0]}${tag[1]}"]} if tag else None,
            ),
            notifications_with_subscribers=[
                budgets.CfnBudget.NotificationWithSubscribersProperty(
                    notification=budgets.CfnBudget.NotificationProperty(
                        notification_type=kind,
                        comparison_operator="GREATER_THAN",
                        threshold=100,
                        threshold_type="PERCENTAGE",
                    ),
                    subscribers=subscribers,
                )
                for kind in _TOLD
            ],
        )


def _check(limits: Sequence[float], email: Sequence[str], tag: tuple[str, str] | None) -> None:
    if not limits or len(set(limits)) < len(limits) or any(limit <= 0 for limit in limits):
        given = ", ".join(map(str, limits)) or "none"
        raise ValueError(f"name one or more different limits above 0 USD, not {given}")
    if not 1 <= len(email) <= _MOST_EMAILS:
        raise ValueError(f"a budget tells 1 to {_MOST_EMAILS} addresses, not {len(email)}")
    for address in email:
        if not Token.is_unresolved(address) and (
            "@" not in address or address.split() != [address]
        ):
            raise ValueError(f"'{address}' is no e-mail address")
    if tag is not None and not all(tag):
        raise ValueError('name a tag by its key and value, such as ("Application", "forms")')
