"""Measurements beside those of before: dearer, cheaper, new and gone."""

from tablewright.costs.measured_difference import differences
from tablewright.costs.measuring import Measurement


def case(pattern: str, read: str = "0", write: str = "0", many: int = 1) -> Measurement:
    return {"pattern": pattern, "what": "one", "many": many, "read": read, "write": write}


def told(before: list[Measurement], now: list[Measurement]) -> list[str]:
    return [str(one) for one in differences(before, now)]


def test_what_is_the_same_is_not_told() -> None:
    assert told([case("put", write="2.0")], [case("put", write="2")]) == []


def test_a_dearer_pattern_is_told_with_before_and_now() -> None:
    found = told([case("put", write="2")], [case("put", write="3")])
    assert found == ["dearer: put, one: write units 2, now 3"]


def test_a_pattern_can_be_dearer_in_reads_and_cheaper_in_writes() -> None:
    found = told([case("put", "1", "2")], [case("put", "1.5", "1")])
    assert found == [
        "dearer: put, one: read units 1, now 1.5",
        "cheaper: put, one: write units 2, now 1",
    ]


def test_batches_are_compared_by_the_item() -> None:
    assert told([case("put", write="50", many=25)], [case("put", write="20", many=10)]) == []


def test_what_is_new_or_gone_is_told() -> None:
    assert told([case("old")], [case("new")]) == ["new: new, one", "gone: old, one"]
