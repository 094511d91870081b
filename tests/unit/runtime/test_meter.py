"""Units are counted as reads or writes, by what was asked for."""

from decimal import Decimal
from typing import Any

import pytest

from tablewright.runtime.meter import Meter


class Reporting:
    """Answers every call alike, with one unit where it is asked for units."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        consumed = {"ConsumedCapacity": {"Table": {"CapacityUnits": 1}}}
        return consumed if "ReturnConsumedCapacity" in params else {}


@pytest.mark.parametrize(
    ("operation", "params", "read", "written"),
    [
        ("GetItem", {}, 1, 0),
        ("PutItem", {}, 0, 1),
        ("ExecuteStatement", {"Statement": "select * from t"}, 1, 0),
        ("ExecuteStatement", {"Statement": "DELETE FROM t WHERE k = 1"}, 0, 1),
        ("BatchExecuteStatement", {"Statements": [{"Statement": "INSERT INTO t"}]}, 0, 1),
        ("DescribeTable", {}, 0, 0),
    ],
)
def test_a_call_reads_or_writes(
    operation: str, params: dict[str, Any], read: int, written: int
) -> None:
    meter = Meter(Reporting())
    meter.call(operation, params)
    assert (meter.read_units, meter.write_units) == (Decimal(read), Decimal(written))
    assert meter.calls == 1
