"""The sizes at which the sentiment system is reckoned: a demonstration's, and a large one."""

from math import ceil
from typing import NamedTuple

from docs.scenarios.sentiment_dashboard import OF_A_WINDOW, hour, row, tag_row
from docs.scenarios.sentiment_items import TAGS, guard, pending
from tablewright.catalog.sentiment.dashboard import COUNTED_PARTS, DAYS_SHOWN, Counted
from tablewright.catalog.sentiment.items import SETTLED, SOURCE_TYPES
from tablewright.pages.cost_chapter import Kept, Scale, Use

DAYS, HOURS, SECONDS = 30, 30 * 24, 30 * 24 * 3600
DAY_SECONDS = 24 * 3600
REPLICAS = 3
# How often a source is met before it has left the feeds that are polled.
MET = 10

SAYS = (
    "The demonstration takes in 500 items an hour and shows 2 pages of the newest a second, the "
    "large system 10,000 an hour and 100 a second; to 20 pages come 3 summaries of a day. Items "
    f"have five tags. A source is met {MET} times before it leaves the feeds."
)


class Size(NamedTuple):
    """Items a month and pages a second; `counted` is how many the stream brings together."""

    name: str
    items: int
    pages: int
    counted: str

    @property
    def shown(self) -> int:
        """Pages a month."""
        return self.pages * SECONDS

    @property
    def summaries(self) -> int:
        return self.shown * 3 // 20


SIZES = (
    Size("demonstration", 500 * HOURS, 2, "one item"),
    Size("large", 10_000 * HOURS, 100, OF_A_WINDOW),
)


def items_scale(size: Size, months: int = 12) -> Scale:
    """The items' table, with what so many months bring."""
    kept = months * size.items
    return Scale(
        size.name,
        uses=(
            Use("known_sources", "100 sources, all known", (MET - 1) * size.items),
            Use("known_sources", "100 sources, all new", size.items),
            Use("claim_source", "one source", size.items),
            Use("put_item", "one item of five tags", size.items),
            Use("settle_sources", "100 sources", size.items),
            Use("record_analysis", "one item", size.items),
        ),
        kept=(Kept("Item", dict(pending(0)), kept), Kept("Guard", dict(guard(0, SETTLED)), kept)),
        replicas=REPLICAS,
    )


def dashboard_scale(size: Size) -> Scale:
    daily = size.items // DAYS
    return Scale(
        size.name,
        uses=(
            Use("project_items", "one item of five tags", size.items),
            Use("count_items", size.counted, size.items),
            Use("recent_items", "a page of 20", size.shown),
            Use("hourly_counts", "3 sources over 24 hours", size.summaries),
        ),
        kept=(
            Kept("Row", dict(row(0)), DAYS_SHOWN * daily),
            Kept("TagRow", dict(tag_row(0, "AI")), DAYS_SHOWN * daily * len(TAGS)),
            _counted(daily),
            Kept("Hour", dict(hour(0, "newsapi")), (DAYS_SHOWN + 1) * 24 * len(SOURCE_TYPES)),
        ),
    )


def _counted(daily: int) -> Kept:
    """What is remembered of items that come evenly: a group for each second and part that has
    some."""
    groups = max(1, min(daily, DAY_SECONDS * COUNTED_PARTS))
    events = {f"{number:032x}" for number in range(ceil(daily / groups))}
    return Kept(
        "Counted", {**Counted.__entity__.example, "events": events}, (DAYS_SHOWN + 2) * groups
    )


ITEMS_SCALES = tuple(map(items_scale, SIZES))
ITEMS_DAILY = {size.name: size.items // DAYS for size in SIZES}
DASHBOARD_SCALES = tuple(map(dashboard_scale, SIZES))
