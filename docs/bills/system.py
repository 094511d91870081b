"""A system's bills: its tables and what else it uses, at each scale; assumptions that all share."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from tablewright.costs.bill import ServiceUse
from tablewright.costs.measuring import read_measurements
from tablewright.costs.monthly_cost import Usage
from tablewright.model import Table
from tablewright.pages.cost_chapter import Scale, usage

# Assumed, not measured: nothing here runs on AWS. Seconds of a warm function with a gigabyte.
ANSWER_SECONDS = Decimal("0.05")
DELIVERY_SECONDS = Decimal("0.3")  # most of it waits for the receiver
BATCH_SECONDS = Decimal("0.1")
POLL_SECONDS = Decimal(20)
# Lines of Lambda itself and of the function; of the API's access log; of an answer.
LOG_BYTES = 1000
ACCESS_BYTES = 500
ANSWER_BYTES = 5000
RUNS_A_MONTH = 30 * 24 * 4  # every quarter of an hour
# A queue's message is sent, received and removed; the asking while there is none is in what stands.
QUEUE_CALLS = 3
GIGA = 10**9
_TABLES = Path(__file__).parent.parent / "tables"


class BillScale(NamedTuple):
    """A size of a system: what it uses in a month. `published` is what its specification says.

    `archived` is how many items a day go to the archive, and their bytes.
    """

    name: str
    tables: Sequence[Usage]
    services: ServiceUse
    archived: tuple[int, int] | None = None
    accelerated: bool = False
    published: str = ""


class System(NamedTuple):
    """A system with its scales. `regions` says whether it also stands in the replicas' regions."""

    name: str
    says: str
    scales: Sequence[BillScale]
    why: str
    regions: bool = False

    def scale(self, name: str) -> BillScale:
        return next(one for one in self.scales if one.name == name)


def used(table: type[Table], scale: Scale) -> Usage:
    """A month of a table at a scale, by what was measured."""
    design = table.__design__
    measured = read_measurements(_TABLES / f"{design.id}.capacity.json")
    return usage(design, measured, scale)


def logs(invocations: int, requests: int = 0) -> Decimal:
    """Gigabytes of logs of a month."""
    return Decimal(invocations * LOG_BYTES + requests * ACCESS_BYTES) / GIGA


def answers(requests: int) -> Decimal:
    """Gigabytes that leave AWS."""
    return Decimal(requests * ANSWER_BYTES) / GIGA
