"""Ready-made tables: each of its kind, named by whoever deploys it."""

import pytest

from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.news.constructs import NewsTable
from tablewright.catalog.portal.constructs import (
    ContentRegistryTable,
    EventsTable,
    NotificationsTable,
    SubscriptionsTable,
)
from tablewright.catalog.sales.constructs import SalesTable
from tablewright.catalog.sentiment.constructs import SentimentDashboardTable, SentimentItemsTable
from tablewright.constructs import DesignTable
from tests.infrastructure.synthesis import new_stack, one, template_of

TYPE = "AWS::DynamoDB::GlobalTable"
READY_MADE = (
    *(ContentRegistryTable, EventsTable, FormsTable, NewsTable, NotificationsTable, SalesTable),
    *(SentimentDashboardTable, SentimentItemsTable, SubscriptionsTable),
)


@pytest.mark.parametrize("construct", READY_MADE)
def test_a_ready_made_table_needs_nothing_and_takes_a_name_and_tags(
    construct: type[DesignTable],
) -> None:
    stack = new_stack()
    construct(stack, "Unnamed")  # type: ignore[call-arg] # each has its design
    construct(stack, "Named", table_name="mine", tags={"team": "news"})  # type: ignore[call-arg]
    template = template_of(stack)
    assert "TableName" not in one(template, TYPE, "Unnamed")
    assert one(template, TYPE, "Named")["TableName"] == "mine"
    assert one(template, TYPE, "Named")["Replicas"][0]["Tags"] == [{"Key": "team", "Value": "news"}]
