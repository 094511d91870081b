"""Settings of the sentiment system and of financial news."""

import re

from cdk_app.parsers import listed, matching, one_of, or_empty, or_none, switch, whole
from cdk_app.setting import Setting
from cdk_app.watch_tags import WATCH_TAGS as TAGS
from cdk_app.watch_tags import watch_tags
from lambdas.sentiment.contract import ENCRYPT, MIGRATE, READ
from tablewright.catalog.news.design import DAYS_KEPT
from tablewright.catalog.news.design import SOURCE_TYPES as NEWS_SOURCES
from tablewright.catalog.sentiment.items import SOURCE_TYPES

_TICKERS = ("AAPL", "AMZN", "GOOGL", "META", "MSFT", "NVDA", "TSLA")
_SOURCES = (*SOURCE_TYPES, *NEWS_SOURCES)

WATCH_TAGS = Setting(
    name="watch_tags",
    parser=watch_tags(),
    example="AI,climate change",
    default=",".join(TAGS),
    says="The tags that texts are searched for.",
)
SOURCES = Setting(
    name="sources",
    parser=or_empty(listed(one_of(*_SOURCES))),
    example="newsapi,reddit",
    default=",".join(_SOURCES),
    says="What is polled; a source without keys in the stack's secret is left out.",
)
TICKERS = Setting(
    name="tickers",
    parser=listed(matching(re.compile(r"[A-Z0-9.\-]{1,12}"), "a ticker in capitals")),
    example="AAPL,MSFT",
    default=",".join(_TICKERS),
    says="The companies that tiingo and finnhub are asked for.",
)
POLL_MINUTES = Setting(
    name="poll_minutes",
    parser=whole("minutes", 1, 60),
    example="5",
    default="15",
    says="How often sources are polled.",
)
HEAL_MINUTES = Setting(
    name="heal_minutes",
    parser=whole("minutes", 1, 60),
    example="5",
    default="15",
    says="How often news that were never analysed are looked for.",
)
ITEM_DAYS = Setting(
    name="item_days",
    # Longer than the dashboard shows them, with its counts.
    parser=or_none(whole("days", 10, 9999)),
    example="60",
    default="30",
    says="How long items stay in their table; none: for good.",
)
NEWS_DAYS = Setting(
    name="news_days",
    parser=whole("days", 2, 9999),
    example="14",
    default=str(DAYS_KEPT),
    says="How long financial news stay in their table.",
)
SHOW_CAPACITY = Setting(
    name="show_capacity",
    parser=switch(),
    example="off",
    default="on",
    says="Whether answers of the dashboard's API say how many units their reads consumed.",
)
ENCRYPTED_FIELDS = Setting(
    name="encrypted_fields",
    parser=one_of("off", READ, MIGRATE, ENCRYPT),
    example="on",
    default="off",
    says="Whether texts and metadata are [encrypted](encryption.md#switch-it-on). `on` for new "
    "tables: texts in clear are refused. For tables with items: `read`, then `migrate`, then `on`.",
)
STANDBY = Setting(
    name="standby",
    parser=switch(),
    example="on",
    default="off",
    says="Whether the system also [stands by](regions.md) in the regions of its replicas, ready to "
    "take over by one command.",
)
ACCELERATOR = Setting(
    name="accelerator",
    parser=switch(),
    example="on",
    default="off",
    says="DAX in front of the dashboard's table; needs a region that has it.",
)
ACCELERATOR_NODES = Setting(
    name="accelerator_nodes",
    parser=whole("nodes", 1, 11),
    example="3",
    default="3",
    says="How many nodes DAX has; fewer than three do not survive the loss of one.",
)
ACCELERATOR_NODE_TYPE = Setting(
    name="accelerator_node_type",
    parser=matching(re.compile(r"dax\.[a-z]\w*\.[a-z0-9]+"), "a type of node that DAX has"),
    example="dax.r5.large",
    default="dax.t3.small",
    says="What DAX's nodes are.",
)
ZONES = Setting(
    name="zones",
    parser=or_empty(listed(matching(re.compile(r"[a-z0-9-]+\d[a-z]"), "a zone of the region"))),
    example="eu-west-1a,eu-west-1c",
    default="none",
    says="Two to four zones that DAX is in, where the first three of the account will not do.",
)
SIGN_IN_URL = Setting(
    name="sign_in_url",
    parser=or_none(matching(re.compile(r"https?://[^\s/;,'\"]+/?"), "an address")),
    example="https://sign-in.example.com",
    default="none",
    says="Where the page signs in; Cognito's address unless told.",
)
