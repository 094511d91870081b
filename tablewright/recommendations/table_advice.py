"""Advice on tables and accelerators: the combination that costs the least, part by part."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import NamedTuple

from tablewright.costs.prices import UNITS_RESERVED_TOGETHER, Prices
from tablewright.recommendations.accelerators import cluster_cost, switched
from tablewright.recommendations.options import Option, current, options
from tablewright.recommendations.plan import Plan, Reservation, best_plan, planned
from tablewright.recommendations.recommendation import (
    CENT,
    Change,
    Confidence,
    Kind,
    Recommendation,
    together,
    weaker,
)
from tablewright.recommendations.rules import Rules, confidence
from tablewright.recommendations.settings import ACCELERATOR, capacity_change
from tablewright.recommendations.usage import (
    AcceleratorUsage,
    StageUsage,
    TableUsage,
)

# For a year or more on what a month shows, it should show a month.
RESERVATION_DAYS = 28
Held = frozenset[str]


def table_advice(
    usage: StageUsage, prices: Prices, rules: Rules, held: Held
) -> Iterator[Recommendation]:
    """What to do with tables and accelerators; nothing that is `held`, by its key."""
    tables = sorted(usage.tables, key=lambda table: table.name)
    known = {table.name: table for table in tables if table.days >= rules.least_days}
    for table, index in usage.unused_indexes():
        if table.name not in known:
            continue
        slimmer = known[table.name]
        slimmer = replace(
            slimmer, indexes=tuple(one for one in slimmer.indexes if one.name != index.name)
        )
        found = _index(known[table.name], slimmer, index.name, prices)
        if found.key not in held:
            known[table.name] = slimmer
            yield found
    clusters = [one for one in usage.accelerators if one.table in known]
    yield from _combination(usage, known, clusters, prices, rules, held)


class _Scene(NamedTuple):
    """Clusters that are switched, the tables as they are then read, and their best plan."""

    switched: tuple[AcceleratorUsage, ...]
    tables: Mapping[str, TableUsage]
    plan: Plan
    clusters: Decimal

    @property
    def dollars(self) -> Decimal:
        return self.plan.dollars + self.clusters


def _combination(
    usage: StageUsage,
    tables: Mapping[str, TableUsage],
    clusters: list[AcceleratorUsage],
    prices: Prices,
    rules: Rules,
    held: Held,
) -> Iterator[Recommendation]:
    years = rules.commitment_years if usage.days >= RESERVATION_DAYS else 0
    if f"{Kind.RESERVED}: {usage.region}" in held:
        years = 0
    scenes = list(_scenes(tables, clusters, prices, rules, held, years))
    # The first is as it is now: of equals, it stays.
    best = min(scenes, key=lambda scene: scene.dollars)
    changed = {
        name: _capacity(
            best.tables[name], option, prices, first=best.tables[name] not in usage.tables
        )
        for name, option in best.plan.choice.items()
        if option != current(best.tables[name], prices)
    }
    # What does not pay by itself is there for the sake of something else.
    small = [name for name, one in changed.items() if one.saving < rules.minimum_saving]
    dependent = [
        changed.pop(name)
        for name in small
        if _without(best, name, prices, years) >= best.dollars + rules.minimum_saving
    ]
    for cluster in best.switched:
        before, after = tables[cluster.table], best.tables[cluster.table]
        found = _accelerator(cluster, before, after, prices, rules)
        if found.saving < rules.minimum_saving and cluster.table in changed:
            found = together(found, [changed.pop(cluster.table)])
        if found.saving < rules.minimum_saving:
            dependent.append(found)
        else:
            yield found
    yield from changed.values()
    if best.plan.reservation.saving:
        yield together(_reserved(usage, best.plan.reservation, tables), dependent)
    else:
        yield from dependent


def _without(scene: _Scene, name: str, prices: Prices, years: int) -> Decimal:
    """What it would cost with one table left as it is."""
    choice = {**scene.plan.choice, name: current(scene.tables[name], prices)}
    return planned(choice, prices, years).dollars + scene.clusters


def _scenes(
    tables: Mapping[str, TableUsage],
    clusters: list[AcceleratorUsage],
    prices: Prices,
    rules: Rules,
    held: Held,
    years: int,
) -> Iterator[_Scene]:
    for chosen in product((False, True), repeat=len(clusters)):
        turned = tuple(one for one, turn in zip(clusters, chosen, strict=True) if turn)
        if any(f"{Kind.ACCELERATOR}: {one.table}" in held for one in turned):
            continue
        read = {one.table: switched(tables[one.table], one, rules) for one in turned}
        if None in read.values():
            continue
        scene = {**tables, **{name: table for name, table in read.items() if table}}
        known = {
            name: [current(table, prices)]
            if {f"{Kind.CAPACITY}: {name}", f"{Kind.TABLE_CLASS}: {name}"} & held
            else list(options(table, prices))
            for name, table in scene.items()
        }
        running = (one for one in clusters if one.running != (one in turned))
        costs = sum((cluster_cost(one, prices) for one in running), Decimal())
        yield _Scene(turned, scene, best_plan(known, prices, years), costs)


def _index(before: TableUsage, after: TableUsage, name: str, prices: Prices) -> Recommendation:
    saving = current(before, prices).dollars - current(after, prices).dollars
    sure, basis = confidence(before.reads.consumed)
    return Recommendation(
        kind=Kind.INDEX,
        resource=f"{before.name}/{name}",
        reason=f"Nobody read it in {before.days} days; its writes and storage are paid for.",
        saving=saving,
        confidence=sure,
        basis=basis,
        risk="Whoever reads it less often needs it; DynamoDB fills it anew if it comes back.",
        changes=(Change(words="leave the index and its patterns out of the design"),),
    )


def _capacity(table: TableUsage, option: Option, prices: Prices, *, first: bool) -> Recommendation:
    """What to do with a table; `first` where something else is to be done to it before."""
    now = current(table, prices)
    sure, basis = _capacity_confidence(table)
    kind = Kind.CAPACITY
    changes = [capacity_change(table.setting_name, option)]
    if option.provisioned == now.provisioned and not option.reads:
        kind, changes = Kind.TABLE_CLASS, []
    reclassed = option.table_class != now.table_class
    if reclassed:
        changes.append(Change(words=f"class {option.table_class}"))
    words = " and ".join(change.words for change in changes)
    return Recommendation(
        kind=kind,
        resource=table.name,
        reason=f"Run {words} it costs {option.dollars.quantize(CENT)} dollars a month, "
        f"not {now.dollars.quantize(CENT)}: each hour of {table.days} days priced.",
        saving=now.dollars - option.dollars,
        confidence=sure,
        basis=basis,
        risk=_capacity_risk(option, reclassed=reclassed, first=first),
        changes=tuple(changes),
        safe=sure is Confidence.HIGH and not reclassed and not first,
    )


def _capacity_confidence(table: TableUsage) -> tuple[Confidence, str]:
    parts = [hours for part in table.parts for hours in (part.reads, part.writes)]
    together = zip(*(units.consumed for units in parts), strict=True)
    sure, basis = confidence([sum(hour, Decimal()) for hour in together])
    if table.throttled:
        basis += f", but {table.throttled} requests were turned away: more is wanted than was taken"
        return Confidence.LOW, basis
    return sure, basis


def _capacity_risk(option: Option, *, reclassed: bool, first: bool) -> str:
    risks = ["It is reckoned for what else is said of this table: do that first."] if first else []
    if option.provisioned:
        risks.append(
            "A rise steeper than any so far is turned away for minutes, until it is scaled."
        )
    else:
        risks.append("Nothing bounds the bill but a maximum throughput.")
    if reclassed:
        risks.append("A class can be changed twice in 30 days.")
    return " ".join(risks)


def _accelerator(
    cluster: AcceleratorUsage, before: TableUsage, after: TableUsage, prices: Prices, rules: Rules
) -> Recommendation:
    nodes = cluster_cost(cluster, prices)
    reads = current(after, prices).dollars - current(before, prices).dollars
    stops = cluster.running
    sure, basis = confidence(before.reads.consumed)
    if not stops:
        sure, basis = Confidence.LOW, f"{100 * rules.hit_rate:.0f} % of reads taken to be answered"
    value = "off" if stops else "on"
    verb = "costs" if stops else "would cost"
    return Recommendation(
        kind=Kind.ACCELERATOR,
        resource=cluster.table,
        reason=f"The accelerator {verb} {nodes.quantize(CENT)} dollars a month, the reads that it "
        f"answers {abs(reads).quantize(CENT)}.",
        saving=nodes - reads if stops else -reads - nodes,
        confidence=sure,
        basis=basis,
        risk="Reads take milliseconds instead of microseconds."
        if stops
        else "What is read through it may be minutes old.",
        changes=(Change(words=f"accelerator {value}", setting=ACCELERATOR, value=value),),
        safe=stops and sure is Confidence.HIGH,
    )


def _reserved(
    usage: StageUsage, reservation: Reservation, tables: Mapping[str, TableUsage]
) -> Recommendation:
    hours = [Decimal(0)] * usage.hours
    for table in tables.values():
        for part in table.parts:
            for units in (part.reads, part.writes):
                for hour, one in enumerate(units.consumed, usage.hours - table.hours):
                    hours[hour] += one
    sure, basis = confidence(hours)
    reads, writes = (UNITS_RESERVED_TOGETHER * n for n in (reservation.reads, reservation.writes))
    parts = [f"{many} {kind} units" for many, kind in ((reads, "read"), (writes, "write")) if many]
    words = (
        f"reserve {' and '.join(parts)} for {reservation.years} year{'s' * (reservation.years > 1)}"
    )
    return Recommendation(
        kind=Kind.RESERVED,
        resource=usage.region,
        reason=f"{words.capitalize()}: so many are provisioned nearly all the time.",
        saving=reservation.saving,
        # A month says little of years.
        confidence=weaker(sure, Confidence.MEDIUM),
        basis=basis,
        risk="It is paid to the end of the term, used or not, and counts for the whole account.",
        changes=(Change(words=words),),
    )
