"""Report of an estimate: a table of parts, sentences about it, and JSON for programs."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from tablewright.costs.estimates.estimate import Estimate
from tablewright.costs.estimates.traffic import Traffic
from tablewright.costs.prices import HOURS_PER_MONTH, Prices

Report = dict[str, Any]


def as_json(found: Estimate, design: str, file: str, traffic: Traffic, prices: Prices) -> Report:
    """The estimate for programs; dollars are texts, so that none is rounded."""
    return {
        "design": design,
        "file": file,
        "region": prices.region,
        "dated": prices.dated,
        "sources": prices.sources,
        "utilization": traffic.utilization,
        "parts": [
            {name: str(value) for name, value in line._asdict().items()} for line in found.lines
        ],
        "on_demand": str(found.on_demand),
        "provisioned": str(found.provisioned),
        "reserved": {
            str(years): str(found.provisioned - saved) for years, saved in found.reserved.items()
        },
        "break_even": {kind: str(round(share, 4)) for kind, share in found.break_even.items()},
    }


def estimate_lines(found: Estimate, design: str, traffic: Traffic, prices: Prices) -> Iterator[str]:
    """The estimate for people."""
    yield f"{design}, US dollars a month of {HOURS_PER_MONTH} hours"
    yield f"prices of {prices.region} of {prices.dated}: {prices.sources}"
    yield ""
    terms = list(found.reserved)
    reserved = (f"reserved {years} year{'s' if years > 1 else ''}" for years in terms)
    rows: list[Sequence[str]] = [
        ("", "on demand", f"provisioned, {traffic.utilization}%", *reserved)
    ]
    for line in found.lines:
        if line.on_demand or line.provisioned:
            name = f"{line.part}: {line.what}"
            rows.append((name, str(line.on_demand), *[str(line.provisioned)] * (1 + len(terms))))
    if any(found.reserved.values()):
        saved = (f"-{found.reserved[years]}" for years in terms)
        rows.append(("reserved capacity saves", "", "", *saved))
    totals = (str(found.provisioned - found.reserved[years]) for years in terms)
    rows.append(("total", str(found.on_demand), str(found.provisioned), *totals))
    yield from aligned(rows)
    yield ""
    yield from _sentences(found, traffic)


def _sentences(found: Estimate, traffic: Traffic) -> Iterator[str]:
    mode, dollars = found.cheapest
    other = max(found.on_demand, found.provisioned)
    yield f"Without a commitment, {mode} costs the least: {dollars} instead of {other}."
    for kind, share in found.break_even.items():
        used = found.used[kind]
        if used is not None:
            yield (
                f"Provisioned {kind} cost less when more than {share:.1%} of their capacity is "
                f"used; with a target of {traffic.utilization}% and this peak, {used:.1%} would be."
            )
    if len(found.reserved) == 1:
        yield "No price of capacity that is reserved for 3 years is known of this region."
    if traffic.replicas:
        yield "Writes of a table with replicas cannot be reserved; reads of replicas are not in it."


def difference_lines(before: Report, now: Report, name: str) -> Iterator[str]:
    """What each part costs more or less than before, on demand and provisioned."""
    was, is_now = (_by_part(one) for one in (before, now))
    rows: list[Sequence[str]] = [("on demand", name, "now", "change")]
    for part in dict.fromkeys((*is_now, *was)):
        old, new = was.get(part, Decimal()), is_now.get(part, Decimal())
        if old != new:
            rows.append((part, str(old), str(new), f"{new - old:+}"))
    for mode in ("on_demand", "provisioned"):
        old, new = Decimal(before[mode]), Decimal(now[mode])
        label = f"total, {mode.replace('_', ' ')}"
        rows.append((label, str(old), str(new), f"{new - old:+} ({rise(before, now, mode):+.1f}%)"))
    yield from aligned(rows)


def rise(before: Report, now: Report, mode: str = "on_demand") -> Decimal:
    """By how many percent the total rose."""
    old, new = Decimal(before[mode]), Decimal(now[mode])
    if not old:
        return Decimal(100) if new else Decimal()
    return (new - old) * 100 / old


def _by_part(report: Report) -> Mapping[str, Decimal]:
    parts = report["parts"]
    return {f"{one['part']}: {one['what']}": Decimal(one["on_demand"]) for one in parts}


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join((first.ljust(widths[0]), *cells)).rstrip()
