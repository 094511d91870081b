"""Counts of what was submitted and delivered, by day and by hour, each event once."""

from decimal import Decimal

from tablewright.catalog.forms.submissions import tenant_id
from tablewright.model import (
    IN_KEY,
    Choice,
    Date,
    Entity,
    Expiry,
    Field,
    Hour,
    Key,
    Number,
    Shards,
    Tally,
    Text,
    TextSet,
    Timestamp,
)

DAY, HOUR = "DAY", "HOUR"
HOURS_KEPT = 72
# The stream keeps a change for a day; what could not be counted can be sent again for thirty.
COUNTED_DAYS = 31
# One partition of an index would otherwise take the counts of all tenants.
DAY_SHARDS = 4


def _counts() -> tuple[Field, ...]:
    return (
        Number("submission_count", optional=True),
        Number("delivery_count", optional=True),
        Number("error_count", optional=True),
        Tally("form_stats", prefix="form:"),
        Tally("domain_stats", prefix="domain:"),
        # Attempts that succeeded, that did not, and those of the latter after which none followed.
        Tally("destination_stats", prefix="destination:"),
        Tally("destination_errors", prefix="destination_error:"),
        Tally("destination_failures", prefix="destination_failure:"),
    )


_EXAMPLE = {
    "tenant_id": "acme",
    "submission_count": Decimal(120),
    "delivery_count": Decimal(236),
    "error_count": Decimal(4),
    "form_stats": {"contact": Decimal(100), "newsletter": Decimal(20)},
    "domain_stats": {"example.com": Decimal(120)},
    "destination_stats": {"crm": Decimal(116), "archive": Decimal(120)},
    "destination_errors": {"crm": Decimal(4)},
    "destination_failures": {"crm": Decimal(1)},
}

DAILY = Entity(
    "DailyMetrics",
    describes="What a tenant got and delivered on a day.",
    key=Key("TENANT#{tenant_id}", "METRICS#DAY#{date}"),
    indexed={
        "GSI1": Key(
            "METRICS#DAY#{date}#{shard}",
            "TENANT#{tenant_id}",
            shards=Shards(DAY_SHARDS, by="tenant_id"),
            shared=True,
        )
    },
    fields=(tenant_id(IN_KEY), Date("date", IN_KEY), *_counts()),
    example={**_EXAMPLE, "date": "2025-01-26"},
)

HOURLY = Entity(
    "HourlyMetrics",
    describes="The same of an hour, for three days.",
    key=Key("TENANT#{tenant_id}", "METRICS#HOUR#{datetime}"),
    fields=(tenant_id(IN_KEY), Hour("datetime", IN_KEY), *_counts()),
    expires=Expiry("datetime", days=HOURS_KEPT // 24),
    example={**_EXAMPLE, "datetime": "2025-01-26-10"},
)

COUNTED = Entity(
    "Counted",
    describes="Which events of a tenant's second have been counted, by day or by hour.",
    # One for each shard of the tenant: what is counted together grows no faster than a shard.
    key=Key("TENANT#{tenant_id}#COUNTED#{period}#{second}#{part}", "COUNTED"),
    fields=(
        tenant_id(IN_KEY),
        Choice("period", (DAY, HOUR), IN_KEY),
        Timestamp("second", IN_KEY, seconds=True),
        Text("part", IN_KEY, max_length=3, pattern="[0-9]+"),
        TextSet("events", of=Text("event", max_length=128), max_items=10_000),
    ),
    expires=Expiry("second", days=COUNTED_DAYS),
    example={
        "tenant_id": "acme",
        "period": DAY,
        "second": "2025-01-26T10:04:00Z",
        "part": "0",
        "events": {"7de3041dd709b024af6f29e4fa13d34c"},
    },
)
