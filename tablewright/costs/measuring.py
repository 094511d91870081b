"""Measuring: access patterns of a table run on a real engine, beside the least they could cost.

A scenario is a function of a `Measuring`, which fills the table and runs each pattern:

    def orders(measuring: Measuring) -> None:
        store = measuring.store()
        order = Order(order_id="o1", customer="ann", total=Decimal(9))
        measuring.run(Orders.place, "one order", lambda: store.put(Orders.place, order))
        measuring.run(Orders.order, "one order", lambda: store.get(Orders.order, order_id="o1"))
"""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from tablewright.costs.floors import Floors
from tablewright.model import Pattern, Table
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.store import Store
from tablewright.runtime.strict_json import InvalidJson, parse
from tablewright.testing import FaithfulMeter

Measurement = dict[str, Any]
NONE = Decimal(0)
# How long an engine may take to answer. A call that is repeated because its answer came late would
# be made twice: a table that is created would be found to exist.
ENGINE_SECONDS = 60
_KEYS = KeyRing([b"m" * 32])
_UNITS = r"\d{1,20}(\.\d{1,20})?"


class InvalidMeasurements(ValueError):
    """A file that does not have measurements."""


class Measuring:
    """Runs access patterns of one table and keeps what each of them consumed.

    Calls that are made through it are counted; `caller` is the engine itself, for those that are
    not to be.

    Example::

        measuring.run(Orders.place, "one order", lambda: store.put(Orders.place, order))
    """

    def __init__(self, caller: Caller, table: type[Table], table_name: str) -> None:
        self.caller = caller
        self.table = table
        self.table_name = table_name
        self.design = table.__design__
        self.meter = FaithfulMeter(caller, self.design)
        self.found: list[Measurement] = []
        self._floors: Floors | None = None

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, and count it."""
        if self._floors is None:
            return self.meter.call(operation, params)
        return self._floors.watched(operation, params, self.meter.call)

    def store(self, *, epochs: EpochCache | None = None, secrets: Secrets | None = None) -> Store:
        """A store of the table whose calls are counted; secret fields are in clear by default."""
        if secrets is None and self.design.has_secrets:
            secrets = Secrets.in_clear()
        return Store(
            self.table,
            self.table_name,
            self,
            cursors=Cursors(_KEYS),
            epochs=epochs,
            secrets=secrets,
        )

    def run(
        self,
        pattern: str | Pattern[Any],
        what: str,
        work: Callable[[], object],
        *,
        read: Decimal | None = None,
        write: Decimal | None = None,
        many: int = 1,
    ) -> None:
        """Carry out the work and note its units beside their floors.

        Without floors for reads or writes, both are computed from the items that the work wrote and
        found. `many` is how often the pattern's single case is in it: what a cost is reckoned by.
        """
        self.meter.reset()
        floors = None
        if read is None and write is None:
            floors = Floors(self.caller, self.design, self.table_name)
        self._floors = floors
        try:
            work()
        finally:
            self._floors = None
        self.found.append(
            {
                "pattern": pattern if isinstance(pattern, str) else pattern.name,
                "what": what,
                "many": many,
                "calls": self.meter.calls,
                "read": str(self.meter.read_units),
                "read_floor": str(floors.read if floors else read or NONE),
                "write": str(self.meter.write_units),
                "write_floor": str(floors.write if floors else write or NONE),
                "computed": self.meter.computed,
            }
        )


Scenario = Callable[[Measuring], None]
"""A function that runs the patterns of a table, which is there and empty."""


def measured(
    scenario: Scenario, caller: Caller, table: type[Table], name: str
) -> list[Measurement]:
    """What a scenario's patterns consume of a table that is there, and empty."""
    measuring = Measuring(caller, table, name)
    scenario(measuring)
    return measuring.found


def write_measurements(found: list[Measurement], path: Path) -> None:
    """Keep measurements in a file of JSON."""
    path.write_text(json.dumps(found, indent=2) + "\n")


def read_measurements(path: Path) -> list[Measurement]:
    """The measurements of a file; raises InvalidMeasurements."""
    try:
        found = parse(path.read_bytes())
    except OSError as error:
        raise InvalidMeasurements(f"{path} cannot be read: {error.strerror}") from None
    except InvalidJson as error:
        raise InvalidMeasurements(f"{path} {error}") from None
    if not (isinstance(found, list) and all(map(_is_measurement, found))):
        raise InvalidMeasurements(
            f"{path} has no measurements: `tablewright measure DESIGN SCENARIO -o FILE` writes them"
        )
    measurements: list[Measurement] = found
    return measurements


def _is_measurement(value: object) -> bool:
    """True for all members of a measurement, with units that are numbers."""
    texts, units = ("pattern", "what"), ("read", "read_floor", "write", "write_floor")
    return (
        isinstance(value, dict)
        and {*texts, *units, "many", "calls", "computed"} <= value.keys()
        and all(type(value[name]) is str for name in texts)
        and all(re.fullmatch(_UNITS, str(value[name]), re.ASCII) for name in units)
        and all(type(value[name]) is int for name in ("many", "calls"))
        and value["many"] > 0
    )


def units_each(found: Measurement) -> tuple[Decimal, Decimal]:
    """Read and write units of one use."""
    read, write = (
        (Decimal(found[kind]) / found["many"]).quantize(Decimal("0.01")).normalize()
        for kind in ("read", "write")
    )
    return read, write
