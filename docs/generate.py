"""Makes the pages that are made from designs and docstrings: `make docs`."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import boto3

from docs import api_reference, bill, design_pages, idle_cost, settings_page
from docs.scenarios import (
    financial_news,
    forms,
    forms_scales,
    portal_content,
    portal_events,
    portal_inbox,
    portal_search,
    sales,
    sentiment_dashboard,
    sentiment_items,
)
from docs.scenarios.sentiment_scales import DASHBOARD_SCALES, ITEMS_DAILY, ITEMS_SCALES, SAYS
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.news.design import News
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import Events, ShardedEvents
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.search import ContentSearch
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.catalog.sales.design import Sales
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.costs.measuring import (
    ENGINE_SECONDS,
    Measurement,
    Scenario,
    measured,
    read_measurements,
    write_measurements,
)
from tablewright.costs.monthly_cost import Workload
from tablewright.costs.price_lists import US_EAST_1
from tablewright.model import Design, Table
from tablewright.pages.archive_cost import archive_chapter
from tablewright.pages.collections.picture import collections_picture
from tablewright.pages.cost_chapter import at_scales, of_one_kind
from tablewright.pages.page import page, picture_name
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client, client_config
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.tables import create

ITEMS, DASHBOARD, NEWS, FORMS = (table.__design__ for table in (Items, Dashboard, News, Forms))
TABLES = Path(__file__).parent / "tables"

Measured = Sequence[Measurement]


class Document(NamedTuple):
    """A table's page: how its patterns are measured, and what it costs by that."""

    table: type[Table]
    scenario: Scenario
    costs: Callable[[Measured], list[str]]

    @property
    def design(self) -> Design:
        return self.table.__design__

    @property
    def page(self) -> Path:
        return TABLES / f"{self.design.id}.md"

    @property
    def picture(self) -> Path:
        return TABLES / picture_name(self.design)

    @property
    def measurements(self) -> Path:
        return TABLES / f"{self.design.id}.capacity.json"

    def text(self, measured: Measured) -> str:
        return page(self.design, measured, self.costs(measured), made_by="make docs")

    def recorded(self) -> list[Measurement]:
        """What the page was last made with."""
        return read_measurements(self.measurements)

    def measured(self, caller: Caller, table_name: str) -> list[Measurement]:
        """What the scenario consumes of a table that is there, and empty."""
        return measured(self.scenario, caller, self.table, table_name)


def _sales(table: type[Sales]) -> Document:
    design = table.__design__
    (sale,) = design.entity_list
    workload = Workload(items_per_day=100_000, read_units_per_day=Decimal(500_000), years=2)
    daily = {"full size": workload.items_per_day}

    def costs(measured: Measured) -> list[str]:
        return [
            *of_one_kind(design, workload, "1,000,000 reads of one sale a day", US_EAST_1),
            *archive_chapter(design, sale.name, sale.check(sale.example), daily, US_EAST_1),
        ]

    return Document(table, sales.measure, costs)


def _items_costs(measured: Measured) -> list[str]:
    leaves_out = (
        "Three replicas take every write and keep every item, at the same price. Storage is that "
        "of a year of items that do not expire; with 90 days it is a quarter. The reads of the "
        "stream by Lambda are free. Backups, transfer between regions and contributor insights are "
        "not in these figures."
    )
    says = f"{SAYS} What is new is looked for, claimed, stored, settled and analysed."
    scales = at_scales(ITEMS, measured, ITEMS_SCALES, US_EAST_1, says=says, leaves_out=leaves_out)
    item = dict(sentiment_items.pending(0))
    return [*scales, *archive_chapter(ITEMS, "Item", item, ITEMS_DAILY, US_EAST_1)]


def _dashboard_costs(measured: Measured) -> list[str]:
    leaves_out = (
        "Items are taken to come evenly: the stream brings those of five seconds at a time, one "
        "in the demonstration, fourteen in the large system. What comes in batches costs less to "
        "count. Storage is that of a full week; expired items can stay a few days longer. Each "
        "region that stands by has such a table of its own: its writes and its storage cost the "
        "same again, and nobody reads it. Backups and contributor insights are not in these "
        "figures."
    )
    scales = at_scales(
        DASHBOARD, measured, DASHBOARD_SCALES, US_EAST_1, says=SAYS, leaves_out=leaves_out
    )
    return list(scales)


def _news_costs(measured: Measured) -> list[str]:
    scales = at_scales(
        NEWS,
        measured,
        financial_news.SCALES,
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
    design = ContentRegistry.__design__
    return list(at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out))


def _search_costs(measured: Measured) -> list[str]:
    says, leaves_out = portal_search.SAYS, portal_search.LEAVES_OUT
    scales = portal_search.SCALES
    design = ContentSearch.__design__
    return list(at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out))


def _notifications_costs(measured: Measured) -> list[str]:
    says, leaves_out = portal_inbox.SAYS, portal_inbox.LEAVES_OUT
    scales = portal_inbox.NOTIFICATION_SCALES
    design = Notifications.__design__
    return list(at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out))


def _subscriptions_costs(measured: Measured) -> list[str]:
    says, leaves_out = portal_inbox.SUBSCRIPTIONS_SAY, portal_inbox.SUBSCRIPTIONS_LEAVE_OUT
    scales = portal_inbox.SUBSCRIPTION_SCALES
    design = Subscriptions.__design__
    return list(at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out))


def _events(table: type[Events]) -> Document:
    design = table.__design__

    def costs(measured: Measured) -> list[str]:
        says, leaves_out = portal_events.SAYS, portal_events.LEAVES_OUT
        scales = portal_events.scales(table)
        found = at_scales(design, measured, scales, US_EAST_1, says=says, leaves_out=leaves_out)
        event = dict(portal_events.event(0))
        return [*found, *archive_chapter(design, "Event", event, portal_events.DAILY, US_EAST_1)]

    return Document(table, portal_events.measure, costs)


DOCUMENTS = {
    document.design.id: document
    for document in (
        _sales(Sales),
        _sales(sales.ProjectedSales),
        Document(Items, sentiment_items.measure, _items_costs),
        Document(Dashboard, sentiment_dashboard.measure, _dashboard_costs),
        Document(News, financial_news.measure, _news_costs),
        Document(Forms, forms.measure, _forms_costs),
        Document(ContentRegistry, portal_content.measure, _content_costs),
        Document(ContentSearch, portal_search.measure, _search_costs),
        Document(Notifications, portal_inbox.measure_notifications, _notifications_costs),
        Document(Subscriptions, portal_inbox.measure_subscriptions, _subscriptions_costs),
        _events(Events),
        _events(ShardedEvents),
    )
}


def main() -> None:
    api_reference.main()
    print(f"wrote {api_reference.FOLDER.relative_to(TABLES.parent.parent)}")  # noqa: T201
    stages = idle_cost.main()
    settings_page.main()
    for written in (
        *(idle_cost.PAGE, settings_page.PAGE),
        *design_pages.write(),
    ):
        print(f"wrote {written.relative_to(TABLES.parent.parent)}")  # noqa: T201
    with DynamoDbLocal() as engine:
        client = boto3.client(
            "dynamodb",
            endpoint_url=engine.endpoint,
            region_name="eu-west-1",
            config=client_config(read_timeout=ENGINE_SECONDS),
            **engine.credentials(),
        )
        for document in DOCUMENTS.values():
            table = create(client, document.table, document.design.id)
            found = document.measured(Boto3Client(client), table)
            write_measurements(found, document.measurements)
            document.page.write_text(document.text(found))
            document.picture.write_text(collections_picture(document.design))
            print(f"wrote {document.page.relative_to(TABLES.parent.parent)}")  # noqa: T201
    costs = bill.write(stages[idle_cost.REPLICATED])
    print(f"wrote {costs.relative_to(TABLES.parent.parent)}")  # noqa: T201


if __name__ == "__main__":
    main()
