"""Makes the pages that are made from designs: `make docs`."""

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import boto3

from docs import idle_cost
from docs.scenarios import (
    financial_news,
    forms,
    forms_scales,
    portal_content,
    portal_events,
    portal_inbox,
    sales,
    sentiment_dashboard,
    sentiment_items,
)
from docs.scenarios.sentiment_scales import DASHBOARD_SCALES, ITEMS_SCALES, SAYS
from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.news.design import NEWS
from tablewright.catalog.portal.content import CONTENT_REGISTRY
from tablewright.catalog.portal.events import EVENTS, SHARDED_EVENTS
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.catalog.sales.design import SALES
from tablewright.catalog.sentiment.dashboard import DASHBOARD
from tablewright.catalog.sentiment.items import ITEMS
from tablewright.model import Table
from tablewright.pages.cost_chapter import at_scales, of_one_kind
from tablewright.pages.metering import Measurement
from tablewright.pages.monthly_cost import US_EAST_1, Workload
from tablewright.pages.page import page
from tablewright.runtime.aws import Caller, Dynamo, client_config
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.tables import create

TABLES = Path(__file__).parent / "tables"

Measured = Sequence[Measurement]


class Document(NamedTuple):
    """A table's page: how its patterns are measured, and what it costs by that."""

    design: Table
    measure: Callable[[Caller, str], list[Measurement]]
    costs: Callable[[Measured], list[str]]

    @property
    def page(self) -> Path:
        return TABLES / f"{self.design.id}.md"

    @property
    def measurements(self) -> Path:
        return TABLES / f"{self.design.id}.capacity.json"

    def text(self, measured: Measured) -> str:
        return page(self.design, measured, self.costs(measured))

    def recorded(self) -> list[Measurement]:
        """What the page was last made with."""
        found: list[Measurement] = json.loads(self.measurements.read_text())
        return found


def _sales_costs(measured: Measured) -> list[str]:
    workload = Workload(items_per_day=100_000, read_units_per_day=Decimal(500_000), years=2)
    return list(of_one_kind(SALES, workload, "1,000,000 reads of one sale a day", US_EAST_1))


def _items_costs(measured: Measured) -> list[str]:
    leaves_out = (
        "Three replicas take every write and keep every item, at the same price. Storage is that "
        "after a year: items do not expire. The reads of the stream by Lambda are free. Backups, "
        "transfer between regions and contributor insights are not in these figures."
    )
    says = f"{SAYS} What is new is looked for, claimed, stored, settled and analysed."
    scales = at_scales(ITEMS, measured, ITEMS_SCALES, US_EAST_1, says=says, leaves_out=leaves_out)
    return list(scales)


def _dashboard_costs(measured: Measured) -> list[str]:
    leaves_out = (
        "Items are taken to come evenly: the stream brings those of five seconds at a time, one "
        "in the demonstration, fourteen in the large system. What comes in batches costs less to "
        "count. Storage is that of a full week; expired items can stay a few days longer. Backups "
        "and contributor insights are not in these figures."
    )
    scales = at_scales(
        DASHBOARD, measured, DASHBOARD_SCALES, US_EAST_1, says=SAYS, leaves_out=leaves_out
    )
    return list(scales)


def _news_costs(measured: Measured) -> list[str]:
    scales = at_scales(
        NEWS,
        measured,
        financial_news.scales(),
        US_EAST_1,
        says=financial_news.SAYS,
        leaves_out=financial_news.LEAVES_OUT,
    )
    return list(scales)


def _forms_costs(measured: Measured) -> list[str]:
    leaves_out = (
        "Storage is that of a year of submissions and deliveries. What is counted together costs "
        "less: see the measured capacity. Backups, the stream, payloads in the bucket and "
        "contributor insights are not in these figures."
    )
    says = forms_scales.SAYS
    scales = forms_scales.SCALES
    return list(at_scales(FORMS, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out))


def _content_costs(measured: Measured) -> list[str]:
    says, leaves_out = portal_content.SAYS, portal_content.LEAVES_OUT
    scales = portal_content.SCALES
    design = CONTENT_REGISTRY
    return list(at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out))


def _notifications_costs(measured: Measured) -> list[str]:
    says, leaves_out = portal_inbox.SAYS, portal_inbox.LEAVES_OUT
    scales = portal_inbox.NOTIFICATION_SCALES
    design = NOTIFICATIONS
    return list(at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out))


def _subscriptions_costs(measured: Measured) -> list[str]:
    says, leaves_out = portal_inbox.SUBSCRIPTIONS_SAY, portal_inbox.SUBSCRIPTIONS_LEAVE_OUT
    scales = portal_inbox.SUBSCRIPTION_SCALES
    design = SUBSCRIPTIONS
    return list(at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out))


def _events(design: Table) -> Document:
    def costs(measured: Measured) -> list[str]:
        says, leaves_out = portal_events.SAYS, portal_events.LEAVES_OUT
        scales = portal_events.scales(design)
        found = at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out)
        return list(found)

    return Document(design, portal_events.measure(design), costs)


DOCUMENTS = {
    document.design.id: document
    for document in (
        Document(SALES, sales.measure, _sales_costs),
        Document(ITEMS, sentiment_items.measure, _items_costs),
        Document(DASHBOARD, sentiment_dashboard.measure, _dashboard_costs),
        Document(NEWS, financial_news.measure, _news_costs),
        Document(FORMS, forms.measure, _forms_costs),
        Document(CONTENT_REGISTRY, portal_content.measure, _content_costs),
        Document(NOTIFICATIONS, portal_inbox.measure_notifications, _notifications_costs),
        Document(SUBSCRIPTIONS, portal_inbox.measure_subscriptions, _subscriptions_costs),
        _events(EVENTS),
        _events(SHARDED_EVENTS),
    )
}


def main() -> None:
    idle_cost.main()
    print(f"wrote {idle_cost.PAGE.relative_to(TABLES.parent.parent)}")  # noqa: T201
    with DynamoDbLocal() as engine:
        client = boto3.client(
            "dynamodb",
            endpoint_url=engine.endpoint,
            region_name="eu-west-1",
            config=client_config(),
            **engine.credentials(),
        )
        for document in DOCUMENTS.values():
            table = create(client, document.design, document.design.id)
            measured = document.measure(Dynamo(client), table)
            document.measurements.write_text(json.dumps(measured, indent=2) + "\n")
            document.page.write_text(document.text(measured))
            print(f"wrote {document.page.relative_to(TABLES.parent.parent)}")  # noqa: T201


if __name__ == "__main__":
    main()
