"""A system's bills: its tables and what else it uses, at each scale; assumptions that all share."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from tablewright.costs.accelerator_cost import AcceleratorSize
from tablewright.costs.bill import ServiceUse
from tablewright.costs.measuring import read_measurements
from tablewright.costs.monthly_cost import Usage, bill
from tablewright.costs.prices import Prices
from tablewright.model import Table
from tablewright.pages.cost_chapter import Scale, usage

# Assumed, not measured: nothing here runs on AWS. Seconds of a warm function. An answer takes 1 to
# 3 ms of CPU on a developer's machine, and DynamoDB answers within 10 ms.
ANSWER_SECONDS = Decimal("0.02")
LIST_SECONDS = Decimal("0.05")
DELIVERY_SECONDS = Decimal("0.3")  # most of it waits for the receiver
BATCH_SECONDS = Decimal("0.1")
POLL_SECONDS = Decimal(20)
# What a function logs of a batch; the API's access log of a request; an answer of a page of 20
# entries, of which every second is "nothing new" and has no body.
LOG_BYTES = 300
ACCESS_BYTES = 350
ANSWER_BYTES = 5000
# Memory of functions that mostly wait: those of polls, of the dashboard and of news. Others have 1.
SMALL_GB = Decimal("0.5")
RUNS_A_MONTH = 30 * 24 * 4  # every quarter of an hour
# A queue's message is sent, received and removed; the asking while there is none is in what stands.
QUEUE_CALLS = 3
GIGA = 10**9
_TABLES = Path(__file__).parent.parent / "tables"


# Dollars by line: what stands whether it is used or not.
Lines = Mapping[str, Decimal]
Dollars = Callable[[Prices, Lines], Decimal]


class Line(NamedTuple):
    """A line of a published bill: the document's figure, ours, and the reason of the difference."""

    name: str
    published: str
    dollars: Dollars
    why: str


class BillScale(NamedTuple):
    """A size of a system: what it uses in a month.

    `published` is the document's sum, `lines` are the parts that it is of. `archived` is how many
    items a day go to the archive, and their bytes. An `exception` says why the whole bill may be
    more than three times that of the published scope.
    """

    name: str
    tables: Sequence[Usage]
    services: ServiceUse
    archived: tuple[int, int] | None = None
    accelerator: AcceleratorSize | None = None
    published: str = ""
    lines: Sequence[Line] = ()
    exception: str = ""


class System(NamedTuple):
    """A system with its scales. `owns` says which resources of its `stack` are its own."""

    name: str
    says: str
    scales: Sequence[BillScale]
    why: str
    stack: str
    owns: Callable[[str], bool] = lambda _: True

    def scale(self, name: str) -> BillScale:
        return next(one for one in self.scales if one.name == name)


def used(table: type[Table], scale: Scale) -> Usage:
    """A month of a table at a scale, by what was measured."""
    design = table.__design__
    measured = read_measurements(_TABLES / f"{design.id}.capacity.json")
    return usage(design, measured, scale)


def of_table(usage: Usage, *parts: str) -> Dollars:
    """Parts of a table's bill, such as its storage, writes or reads."""
    return lambda prices, _: sum((bill(usage, prices)[part] for part in parts), Decimal())


def of_services(services: ServiceUse, *parts: str) -> Dollars:
    """Parts of the bill of what is used beside tables."""
    return lambda prices, _: sum((services.costs(prices)[part] for part in parts), Decimal())


def logs(batches: int, requests: int = 0) -> Decimal:
    """Gigabytes of logs of a month."""
    return Decimal(batches * LOG_BYTES + requests * ACCESS_BYTES) / GIGA


def answers(requests: int) -> Decimal:
    """Gigabytes that leave AWS."""
    return Decimal(requests * ANSWER_BYTES) / GIGA
