"""Settings of the portal."""

from cdk_app.parsers import one_of, or_none, whole
from cdk_app.setting import Setting
from lambdas.portal.contract import REVIEWS, ROLE, TWO_PERSON
from tablewright.catalog.portal.events import DAYS_KEPT

EVENT_SHARDS = Setting(
    name="event_shards",
    parser=or_none(whole("shards", 1, 100)),
    example="10",
    default="none",
    says="Over how many partitions a day of events is spread: to be chosen before the first "
    "deployment, later raised and [not lowered](sharding.md#sales).",
)
EVENT_DAYS = Setting(
    name="event_days",
    parser=whole("days", 2, 3650),
    example="30",
    default=str(DAYS_KEPT),
    says="How long events stay in their table; those that are stored keep the expiry they have.",
)
CALENDAR_MINUTES = Setting(
    name="calendar_minutes",
    parser=whole("minutes", 1, 60),
    example="5",
    default="15",
    says="How often content is published and retired by its dates.",
)
REVIEW = Setting(
    name="review",
    parser=one_of(*REVIEWS),
    example=TWO_PERSON,
    default=ROLE,
    says="How content is [approved](portal.md#approve-content): role, by anybody with the role; "
    "two-person, by somebody who neither owns nor last edited it.",
)
