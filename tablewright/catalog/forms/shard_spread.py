"""Spread of submissions over partitions: the published scheme beside this one.

    tablewright shard-spread --submissions 1000000 --picture spread.svg

Tenants send as unequally as in life: the n-th of them in proportion to 1 / n^skew. Both schemes get
the same submissions and give a tenant the same number of shards. What counts is the hottest
partition of the table and of each index, beside an even share of its tenant's submissions. The same
seed gives the same numbers.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import md5
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import NamedTuple

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.spread_picture import draw
from tablewright.catalog.forms.volume import calculate_optimal_shards
from tablewright.commands.numbers import whole
from tablewright.model.fields.time import iso_utc
from tablewright.model.sharding.epochs import EpochShards

# The most that a hottest partition may carry, in even shares of its tenant.
LIMIT = 1.10
MONTH = datetime(2025, 1, 1, tzinfo=UTC)
_MONTH_MS = 31 * 24 * 3600 * 1000
_FIRST_MS = int(MONTH.timestamp()) * 1000
_FORMS = ("contact", "newsletter", "survey")
_FORM_SHARES = (6, 9, 10)  # cumulative tenths

# Submissions by partition, for the table and each index that has any.
Loads = dict[str, Counter[str]]
_Sent = tuple[int, int, int, str]  # tenant, millisecond, random bits, form


class Spread(NamedTuple):
    """How one place, a table or an index, is loaded by one scheme."""

    place: str
    partitions: int
    hottest: str
    load: int
    even: float
    of_its_tenant: tuple[int, ...]

    @property
    def ratio(self) -> float:
        """The hottest partition's load in even shares of its tenant."""
        return self.load / self.even


def sent(submissions: int, tenants: int, skew: float, seed: int) -> list[_Sent]:
    """Submissions of a month: whose, when, with which random bits in the id, by which form."""
    chance = Random(seed)  # noqa: S311 - a simulation, which has to be repeatable
    weights = list(accumulate(1 / n**skew for n in range(1, tenants + 1)))
    senders = chance.choices(range(tenants), cum_weights=weights, k=submissions)
    forms = chance.choices(_FORMS, cum_weights=_FORM_SHARES, k=submissions)
    moment, bits = chance.random, chance.getrandbits
    return [
        (tenant, _FIRST_MS + int(moment() * _MONTH_MS), bits(74), form)
        for tenant, form in zip(senders, forms, strict=True)
    ]


def published(submissions: Sequence[_Sent], counts: Sequence[int]) -> Loads:
    """The published scheme: a shard by MD5 of tenant and time; indexes that are not spread."""
    loads: Loads = {place: Counter() for place in ("table", "GSI1", "GSI2")}
    for tenant, at, _, _ in submissions:
        count, name = counts[tenant], f"tenant-{tenant}"
        shard = 0
        if count > 1:
            digest = md5(f"{name}#{_timestamp(at)}".encode(), usedforsecurity=False)
            shard = int(digest.hexdigest()[:8], 16) % count
        loads["table"][f"TENANT#{name}#{shard}"] += 1
    for tenant, number in Counter(tenant for tenant, *_ in submissions).items():
        loads["GSI1"][f"TENANT#tenant-{tenant}"] = number
        loads["GSI2"][f"TENANT#tenant-{tenant}#STATUS"] = number
    return loads


def ours(submissions: Sequence[_Sent], counts: Sequence[int]) -> Loads:
    """The design's scheme: a shard by the id, for the table and for every index."""
    entity = Forms.__design__.entities["Submission"]
    assert isinstance(entity.key.shards, EpochShards)  # noqa: S101 - for the type checker
    function = entity.key.shards.function
    placed: Counter[tuple[int, str, int]] = Counter()
    for tenant, at, bits, form in submissions:
        count = counts[tenant]
        placed[tenant, form, function(_id(at, bits), count) if count > 1 else 0] += 1
    keys = {"table": entity.key, **entity.indexed}
    loads: Loads = {place: Counter() for place in keys}
    for (tenant, form, shard), number in placed.items():
        texts = {"tenant_id": f"tenant-{tenant}", "form_id": form, "shard": str(shard)}
        for place, key in keys.items():
            loads[place][key.partition[0].format(texts)] += number
    return loads


def _id(at: int, bits: int) -> str:
    """As `tablewright.runtime.ids` makes them, without its checks."""
    text = f"{at << 80 | 7 << 76 | bits >> 62 << 64 | 2 << 62 | bits & (1 << 62) - 1:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _timestamp(at: int) -> str:
    return iso_utc(datetime.fromtimestamp(at // 1000, UTC).replace(microsecond=at % 1000 * 1000))


def spreads(loads: Loads, volumes: Sequence[int], counts: Sequence[int]) -> Iterator[Spread]:
    """The hottest partition of each place, beside an even share of its tenant's submissions."""
    for place, partitions in loads.items():
        hottest, load = max(partitions.items(), key=lambda pair: (pair[1], pair[0]))
        whose = hottest.split("#")[1]
        tenant = int(whose.removeprefix("tenant-"))
        own = [n for key, n in partitions.items() if key.split("#")[1] == whose]
        even = volumes[tenant] / counts[tenant]
        siblings = tuple(sorted(own, reverse=True))
        yield Spread(place, len(partitions), hottest, load, even, siblings)


def simulate(
    submissions: int, tenants: int, skew: float, seed: int
) -> dict[str, tuple[Spread, ...]]:
    """The spreads of both schemes for the same submissions."""
    made = sent(submissions, tenants, skew, seed)
    by_tenant = Counter(tenant for tenant, *_ in made)
    volumes = [by_tenant[tenant] for tenant in range(tenants)]
    counts = [calculate_optimal_shards(volume) for volume in volumes]
    schemes: dict[str, Callable[[Sequence[_Sent], Sequence[int]], Loads]] = {
        "published": published,
        "ours": ours,
    }
    return {
        name: tuple(spreads(scheme(made, counts), volumes, counts))
        for name, scheme in schemes.items()
    }


def table(found: dict[str, tuple[Spread, ...]]) -> Iterator[str]:
    """The numbers, line by line."""
    yield f"{'':10}  {'':5}  {'partitions':>10}  {'hottest':>8}  {'even share':>10}  {'ratio':>6}"
    for scheme, rows in found.items():
        for row in rows:
            yield (
                f"{scheme:10}  {row.place:5}  {row.partitions:10,}  {row.load:8,}  "
                f"{row.even:10,.1f}  {row.ratio:6.3f}  {row.hottest}"
            )


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    found = simulate(options.submissions, options.tenants, options.skew, options.seed)
    for line in table(found):
        sys.stdout.write(line + "\n")
    if options.picture:
        options.picture.write_text(draw({name: list(rows) for name, rows in found.items()}))
    worst = max(row.ratio for row in found["ours"])
    sys.stdout.write(f"\nours: at most {worst:.3f} of an even share, {LIMIT:.2f} is allowed\n")
    return 0 if worst <= LIMIT else 1


def _parser() -> argparse.ArgumentParser:
    summary = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(
        prog="tablewright shard-spread",
        description=summary,
        epilog="For example: tablewright shard-spread --submissions 1000000 --tenants 1000",
    )
    parser.add_argument(
        "--submissions", type=whole(1, 100_000_000), default=1_000_000, help="default: %(default)s"
    )
    parser.add_argument(
        "--tenants", type=whole(1, 1_000_000), default=1000, help="default: %(default)s"
    )
    parser.add_argument("--skew", type=float, default=1.1, help="Zipf's exponent: %(default)s")
    parser.add_argument("--seed", type=whole(), default=1, help="default: %(default)s")
    parser.add_argument("--picture", type=Path, help="where to draw it, as SVG")
    return parser
