"""Counts of what was submitted and delivered, by day and by hour, each event once."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from tablewright.catalog.forms.submissions import tenant
from tablewright.model import (
    IN_KEY,
    Choice,
    DateText,
    Entity,
    Expiry,
    Field,
    HourText,
    Key,
    Number,
    SetOf,
    Tally,
    Text,
    TimestampText,
)

DAY, HOUR = "DAY", "HOUR"
HOURS_KEPT = 72
# The stream keeps a change for a day; what could not be counted can be sent again for thirty.
COUNTED_DAYS = 31
# One partition of an index would otherwise take the counts of all tenants.
DAY_SHARDS = 4

_Counts = Mapping[str, Decimal]

_EXAMPLE = {
    "tenant_id": "acme",
    "submission_count": Decimal(120),
    "bytes_sent": Decimal(246_000),
    "bytes_stored": Decimal(81_000),
    "delivery_count": Decimal(236),
    "error_count": Decimal(4),
    "form_stats": {"contact": Decimal(100), "newsletter": Decimal(20)},
    "domain_stats": {"example.com": Decimal(120)},
    "destination_stats": {"crm": Decimal(116), "archive": Decimal(120)},
    "destination_errors": {"crm": Decimal(4)},
    "destination_failures": {"crm": Decimal(1)},
}


class DailyMetrics(
    Entity,
    key=Key("TENANT#{tenant_id}", "METRICS#DAY#{date}"),
    example={**_EXAMPLE, "date": "2025-01-26"},
):
    """What a tenant got and delivered on a day."""

    tenant_id: Field[str] = tenant(IN_KEY)
    date: Field[str] = DateText(IN_KEY)
    submission_count: Field[Decimal | None] = Number(default=None)
    # Of payloads as they were sent, and as they are stored.
    bytes_sent: Field[Decimal | None] = Number(default=None)
    bytes_stored: Field[Decimal | None] = Number(default=None)
    delivery_count: Field[Decimal | None] = Number(default=None)
    error_count: Field[Decimal | None] = Number(default=None)
    form_stats: Field[_Counts | None] = Tally(prefix="form:", default=None)
    domain_stats: Field[_Counts | None] = Tally(prefix="domain:", default=None)
    # Attempts that succeeded, that did not, and those of the latter after which none followed.
    destination_stats: Field[_Counts | None] = Tally(prefix="destination:", default=None)
    destination_errors: Field[_Counts | None] = Tally(prefix="destination_error:", default=None)
    destination_failures: Field[_Counts | None] = Tally(prefix="destination_failure:", default=None)


class HourlyMetrics(
    Entity,
    key=Key("TENANT#{tenant_id}", "METRICS#HOUR#{datetime}"),
    expires=Expiry("datetime", days=HOURS_KEPT // 24),
    example={**_EXAMPLE, "datetime": "2025-01-26-10"},
):
    """The same of an hour, for three days."""

    tenant_id: Field[str] = tenant(IN_KEY)
    datetime: Field[str] = HourText(IN_KEY)
    submission_count: Field[Decimal | None] = Number(default=None)
    # Of payloads as they were sent, and as they are stored.
    bytes_sent: Field[Decimal | None] = Number(default=None)
    bytes_stored: Field[Decimal | None] = Number(default=None)
    delivery_count: Field[Decimal | None] = Number(default=None)
    error_count: Field[Decimal | None] = Number(default=None)
    form_stats: Field[_Counts | None] = Tally(prefix="form:", default=None)
    domain_stats: Field[_Counts | None] = Tally(prefix="domain:", default=None)
    # Attempts that succeeded, that did not, and those of the latter after which none followed.
    destination_stats: Field[_Counts | None] = Tally(prefix="destination:", default=None)
    destination_errors: Field[_Counts | None] = Tally(prefix="destination_error:", default=None)
    destination_failures: Field[_Counts | None] = Tally(prefix="destination_failure:", default=None)


class Counted(
    Entity,
    # One for each shard of the tenant: what is counted together grows no faster than a shard.
    key=Key("TENANT#{tenant_id}#COUNTED#{period}#{second}#{part}", "COUNTED"),
    expires=Expiry("second", days=COUNTED_DAYS),
    example={
        "tenant_id": "acme",
        "period": DAY,
        "second": "2025-01-26T10:04:00Z",
        "part": "0",
        "events": {"7de3041dd709b024af6f29e4fa13d34c"},
    },
):
    """Which events of a tenant's second have been counted, by day or by hour."""

    tenant_id: Field[str] = tenant(IN_KEY)
    period: Field[str] = Choice((DAY, HOUR), IN_KEY)
    second: Field[str] = TimestampText(IN_KEY, resolution="s")
    part: Field[str] = Text(IN_KEY, max_length=3, pattern="[0-9]+")
    events: Field[set[str] | None] = SetOf(Text(max_length=128), max_items=10_000, default=None)
