"""Recommendations: from usage and prices, what a stage should change to cost less."""

from dataclasses import replace

from tablewright.costs.prices import Prices
from tablewright.recommendations.other_advice import other_advice
from tablewright.recommendations.recommendation import CENT, Kind, Recommendation
from tablewright.recommendations.rules import Rules
from tablewright.recommendations.table_advice import table_advice
from tablewright.recommendations.usage import StageUsage


def recommendations(
    usage: StageUsage, prices: Prices, rules: Rules | None = None
) -> list[Recommendation]:
    """What to change, the largest saving first; all of them can be followed together.

    Of what excludes one another, the combination that costs the least is advised.

    Example::

        for one in recommendations(usage, EU_WEST_1):
            print(one.saving, one.resource, one.reason)
    """
    rules = rules or Rules()
    held: frozenset[str] = frozenset()
    while True:
        found = [*table_advice(usage, prices, rules, held), *other_advice(usage, prices, rules)]
        found = [one for one in found if not _is_moot(one, found)]
        small = {one.key for one in found if not _is_worth_it(one, rules)}
        if small <= held:
            break
        # What saves too little stays as it is, and the rest is planned anew around it.
        held |= small
    told = (replace(one, saving=one.saving.quantize(CENT)) for one in found if one.key not in held)
    return sorted(told, key=lambda one: (-one.saving, one.key))


def _is_moot(one: Recommendation, found: list[Recommendation]) -> bool:
    """Whether it was reckoned for a capacity that the table is advised to leave."""
    if one.kind is not Kind.PROJECTION:
        return False
    table = one.resource.partition("/")[0]
    return any(
        other.kind in (Kind.CAPACITY, Kind.TABLE_CLASS, Kind.ACCELERATOR)
        and other.resource == table
        for other in found
    )


def _is_worth_it(one: Recommendation, rules: Rules) -> bool:
    return one.kind is Kind.MORE_SHARDS or one.saving >= rules.minimum_saving
