"""Advice on what stands beside capacity: expiry, projections, shards, logs, alarms."""

from collections.abc import Iterator
from datetime import date
from decimal import ROUND_CEILING, Decimal

from tablewright.costs.prices import Prices
from tablewright.recommendations.options import GB, MILLION, months, throughput_prices
from tablewright.recommendations.projections import projection_advice
from tablewright.recommendations.recommendation import (
    Change,
    Confidence,
    Kind,
    Recommendation,
    weaker,
)
from tablewright.recommendations.rules import Rules, confidence
from tablewright.recommendations.settings import LOG_DAYS
from tablewright.recommendations.usage import (
    HOURS_PER_DAY,
    LogGroupUsage,
    ShardUsage,
    StageUsage,
    TableUsage,
)

DAYS_PER_MONTH = Decimal(730) / HOURS_PER_DAY
# What a partition takes a second.
PARTITION_READS, PARTITION_WRITES = 3000, 1000
# Of that, a shard is to need so much at most.
_FILLED = Decimal("0.8")
# A list reads each shard, and rounds its answer up to half a unit: half of that in the mean.
_ROUNDED = Decimal("0.25")
# Growth over two weeks at least is growth.
_GROWTH_DAYS = 14


def other_advice(usage: StageUsage, prices: Prices, rules: Rules) -> Iterator[Recommendation]:
    """What to do about expiry, projections, shards, logs and alarms."""
    for table in usage.tables:
        if table.days >= rules.least_days:
            yield from _expiry(usage, table, prices)
            yield from projection_advice(table, prices)
            yield from _shards(table, prices)
    if usage.days >= rules.least_days:
        for group in usage.logs:
            yield from _logs(usage, group, prices, rules)
        yield from _alarms(usage, prices)


def _expiry(usage: StageUsage, table: TableUsage, prices: Prices) -> Iterator[Recommendation]:
    if table.expired_items or not table.sizes:
        return
    first = table.sizes[0]
    days = (date.fromisoformat(usage.ended) - date.fromisoformat(first.day)).days
    grown = table.stored_in_all - first.stored_bytes
    if days < _GROWTH_DAYS or grown <= 0:
        return
    monthly = Decimal(grown) / days * DAYS_PER_MONTH / GB
    how = "Items could expire, but none did" if table.expires else "No item expires"
    yield Recommendation(
        kind=Kind.EXPIRY,
        resource=table.name,
        reason=f"{how}, and it grows by {monthly:.2f} GB a month; kept at its size it saves this "
        "in the mean of the year to come.",
        # Twelve months of growth, the first of which costs nothing yet and the last all of it.
        saving=monthly * 6 * throughput_prices(table.table_class, prices).gb_month,
        confidence=Confidence.MEDIUM if days >= 2 * _GROWTH_DAYS else Confidence.LOW,
        basis=f"sizes {days} days apart",
        risk="What has expired is gone, unless it is archived.",
        changes=(Change(words="declare when items expire"),),
    )


def _shards(table: TableUsage, prices: Prices) -> Iterator[Recommendation]:
    shards = table.shards
    if shards is None:
        return
    needed = _needed(table, shards)
    sure, basis = confidence(table.writes.consumed)
    if table.throttled and not table.provisioned:
        basis = f"{table.throttled} requests were turned away"
        needed, sure = max(needed, 2 * shards.count), Confidence.MEDIUM
    change = Change(words=f"{needed} shards", setting=shards.setting, value=str(needed))
    if needed > shards.count:
        yield Recommendation(
            kind=Kind.MORE_SHARDS,
            resource=table.name,
            reason=f"Its busiest shard of {shards.count} is at the limit of a partition.",
            # It is for requests that are turned away, not for money.
            saving=Decimal(),
            confidence=sure,
            basis=basis,
            risk="Lists read more shards.",
            changes=(change,),
        )
    elif needed < shards.count and not table.throttled:
        read = throughput_prices(table.table_class, prices).read_million
        fewer = shards.queries * (1 - Decimal(needed) / shards.count)
        yield Recommendation(
            kind=Kind.FEWER_SHARDS,
            resource=table.name,
            reason=f"{needed} of {shards.count} shards serve its busiest minutes; each list reads "
            "them all, and rounds each up.",
            saving=fewer * _ROUNDED / MILLION * read * months(table),
            confidence=weaker(sure, Confidence.MEDIUM),
            basis=basis,
            risk="A busier day than any so far is turned away.",
            # No setting: a number is raised in place, and lowered where nothing is stored yet.
            changes=(Change(words=f"{needed} shards, once nothing is in the others"),),
        )


def _needed(table: TableUsage, shards: ShardUsage) -> int:
    """The least number of shards whose busiest is filled to four fifths at most."""
    # How much busier than its even share the busiest is: it stays so with another number.
    uneven = (shards.busiest or Decimal(1) / shards.count) * shards.count
    filled = (
        max(units.peak, default=Decimal()) * uneven / (limit * _FILLED)
        for part in table.parts
        for units, limit in ((part.reads, PARTITION_READS), (part.writes, PARTITION_WRITES))
    )
    return max(1, int(max(filled).to_integral_value(ROUND_CEILING)))


def _logs(
    usage: StageUsage, group: LogGroupUsage, prices: Prices, rules: Rules
) -> Iterator[Recommendation]:
    if group.retention_days is not None and group.retention_days <= rules.log_days:
        return
    kept = Decimal(group.ingested_bytes) / usage.hours * HOURS_PER_DAY * rules.log_days
    saving = max(group.stored_bytes - kept, Decimal()) / GB * prices.monitoring.log_gb_month
    how_long = f"{group.retention_days} days" if group.retention_days else "good"
    yield Recommendation(
        kind=Kind.LOGS,
        resource=group.name,
        reason=f"{Decimal(group.stored_bytes) / GB:.1f} GB of logs are kept for {how_long}.",
        saving=saving,
        confidence=Confidence.HIGH if usage.days >= 2 * _GROWTH_DAYS else Confidence.MEDIUM,
        basis=f"what came in within {usage.days} days",
        risk="Older logs are deleted.",
        changes=(
            Change(
                words=f"keep logs for {rules.log_days} days",
                setting=LOG_DAYS,
                value=str(rules.log_days),
            ),
        ),
    )


def _alarms(usage: StageUsage, prices: Prices) -> Iterator[Recommendation]:
    idle = [one for one in usage.alarms if not one.rang and not one.watches_something]
    if not idle:
        return
    metrics = sum(one.metrics for one in idle)
    names = ", ".join(sorted(one.name for one in idle)[:3])
    yield Recommendation(
        kind=Kind.ALARMS,
        resource=usage.stage,
        reason=f"{len(idle)} of {len(usage.alarms)} alarms watch what was not used in {usage.days} "
        f"days, such as {names}.",
        saving=metrics * prices.monitoring.alarm_metric_month,
        confidence=Confidence.MEDIUM if usage.days >= 2 * _GROWTH_DAYS else Confidence.LOW,
        basis=f"{usage.days} days without use",
        risk="Nobody is told when what they watch is used again and fails.",
        changes=(Change(words="leave the alarms out, or what they watch"),),
    )
