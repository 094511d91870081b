"""Difference of measurements: which patterns got dearer, and which are new or gone."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from tablewright.costs.measuring import Measurement

_KINDS = ("read", "write")


class Difference(NamedTuple):
    """A case of a pattern that costs other units than before, or that was or is not there."""

    kind: str
    pattern: str
    what: str
    says: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.pattern}, {self.what}{self.says}"


DEARER, CHEAPER, NEW, GONE = "dearer", "cheaper", "new", "gone"


def differences(before: Sequence[Measurement], now: Sequence[Measurement]) -> Iterator[Difference]:
    """What differs, case by case, in the order of now."""
    was, is_now = ({(one["pattern"], one["what"]): one for one in some} for some in (before, now))
    for case, new in is_now.items():
        old = was.get(case)
        if old is None:
            yield Difference(NEW, *case, "")
            continue
        changes = [(kind, _each(old, kind), _each(new, kind)) for kind in _KINDS]
        for wanted, kind in ((DEARER, 1), (CHEAPER, -1)):
            found = [one for one in changes if (one[2] - one[1]) * kind > 0]
            if found:
                told = (f"{name} units {old:f}, now {new:f}" for name, old, new in found)
                yield Difference(wanted, *case, f": {'; '.join(told)}")
    yield from (Difference(GONE, *case, "") for case in was if case not in is_now)


def _each(one: Measurement, kind: str) -> Decimal:
    return (Decimal(one[kind]) / Decimal(one["many"])).normalize()
