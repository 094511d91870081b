"""Contract of the sentiment system: routes, environments, metrics and names that both sides know.

Standard library only: the page's function is made of little else.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lambdas.contract import Environment, PagesEnvironment, Route

LIST_ITEMS = Route("GET", "/items")
ADD_ITEMS = Route("POST", "/items")
SUMMARY = Route("GET", "/summary")
REJECTED = Route("GET", "/rejected")
LIST_NEWS = Route("GET", "/news")
NEWS_EVENTS = Route("GET", "/news/events")
PAGE_CONFIG = Route("GET", "/config.json")
OPENAPI = Route("GET", "/openapi.json")

READ_ROUTES = (LIST_ITEMS, SUMMARY, REJECTED, OPENAPI)
ROUTES = (*READ_ROUTES, ADD_ITEMS, LIST_NEWS, NEWS_EVENTS, PAGE_CONFIG)

# The page's folder, and the file that is at its root.
PAGE = Path(__file__).parent / "page"
INDEX = "index.html"

# By which the switch knows the system.
SYSTEM = "sentiment"

# The group of users who may add items.
WRITERS = "writers"

# Modes of secret fields. READ reads encrypted fields and writes clear ones; MIGRATE encrypts and
# reads both; ENCRYPT refuses clear ones.
READ, MIGRATE, ENCRYPT = "read", "migrate", "on"

# Metrics that alarms watch, and the dimension that names the source of an error.
ITEMS_REJECTED = "ItemsRejected"
SOURCE_ERRORS = "SourceErrors"
SOURCE = "source"


def page_files() -> dict[str, Path]:
    """The files of the page by their paths."""
    files = {f"/{file.name}": file for file in sorted(PAGE.iterdir())}
    return {"/": files.pop(f"/{INDEX}"), **files}


def page_routes() -> list[Route]:
    """The page's files and its settings: what a browser loads before anybody has signed in."""
    return [*(Route("GET", path) for path in page_files()), PAGE_CONFIG]


def items_table_name(stage: str) -> str:
    """The name of the write table; as those of the next three, the same in every region."""
    return f"{stage}-sentiment-items-primary"


def dashboard_table_name(stage: str) -> str:
    """The name of the read table."""
    return f"{stage}-sentiment-items-dashboard"


def news_table_name(stage: str) -> str:
    return f"{stage}-sentiment-items"


def switch_table_name(stage: str) -> str:
    return f"{stage}-sentiment-regions"


class DashboardEnvironment(Environment):
    """The dashboard's table."""

    dashboard_table: str


class RegionsEnvironment(Environment):
    """The regions that the system runs from, home first, and the table that says which of them is
    active; neither, where there is only one."""

    regions: str | None = None
    switch_table: str | None = None


class NewsEnvironment(Environment):
    """The table of financial news; what is stored expires after `news_days`, if not as usual."""

    news_table: str
    news_days: str | None = None


class ItemsEnvironment(Environment):
    """The table of items; what is stored expires after `item_days`, if there is such a number."""

    items_table: str
    item_days: str | None = None


class KeysEnvironment(Environment):
    """The keys of secret fields, in stages that have such."""

    items_keys_secret_arn: str | None = None
    dashboard_keys_secret_arn: str | None = None
    # The key that wraps the data keys of both tables.
    fields_kms_key_arn: str | None = None
    # READ, MIGRATE or ENCRYPT; none where nothing is encrypted.
    encrypted_fields: str | None = None


class DashboardKeysEnvironment(DashboardEnvironment, KeysEnvironment):
    """The dashboard's table and the keys of its secret fields."""


class ItemsKeysEnvironment(KeysEnvironment):
    """The table of items and the keys of its secret fields."""

    items_table: str


class CursorEnvironment(PagesEnvironment):
    """The secret that signs cursors."""

    cursor_secret_arn: str


class TopicEnvironment(Environment):
    """The topic of the analysis requests."""

    topic_arn: str


class ApiEnvironment(DashboardKeysEnvironment, CursorEnvironment):
    """Function of the dashboard's API; `show_capacity` adds what a request consumed."""

    dax_endpoint: str | None = None
    show_capacity: str | None = None


class NewsApiEnvironment(NewsEnvironment, CursorEnvironment):
    """Function of the API of financial news."""


class IngestEnvironment(
    ItemsEnvironment,
    ItemsKeysEnvironment,
    NewsEnvironment,
    DashboardKeysEnvironment,
    TopicEnvironment,
    RegionsEnvironment,
):
    """Function that ingests; what is more than a name is JSON."""

    watch_tags: str
    tickers: str
    sources: str
    sources_secret_arn: str

    @staticmethod
    def json(value: Mapping[str, Any] | Sequence[str]) -> str:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class AnalyseEnvironment(ItemsEnvironment, NewsEnvironment, RegionsEnvironment):
    """Function that analyses."""


class ProjectEnvironment(DashboardKeysEnvironment, ItemsKeysEnvironment):
    """Function that projects items; it reads those of its own region, whose stream it follows."""


class HealEnvironment(NewsEnvironment, TopicEnvironment, RegionsEnvironment):
    """Function that heals the news; its rules come from the construct `SelfHealing`."""


class PageEnvironment(Environment):
    """Function of the page: the settings that it serves, as JSON."""

    page_config: str
