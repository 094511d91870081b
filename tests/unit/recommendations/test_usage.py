"""Usage: what contradicts itself is refused, and a file gives back what was written."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tablewright.recommendations import (
    AcceleratorUsage,
    AlarmUsage,
    InvalidUsage,
    LogGroupUsage,
    ShardUsage,
    Size,
    StageUsage,
    Units,
    read_usage,
    write_usage,
)
from tests.unit.recommendations.months import index, stage, table

DAY = Units(consumed=(Decimal("0.5"),) * 24, peak=(Decimal(1),) * 24)
WHOLE = stage(
    table(
        reads=replace(DAY, throttled=2),
        writes=DAY,
        indexes=(index(reads=DAY, writes=DAY),),
        sizes=(Size(day="2026-06-01", stored_bytes=1),),
        shards=ShardUsage(setting="SHARDS", count=2, busiest=Decimal("0.7")),
    ),
    hours=24,
    accelerators=(
        AcceleratorUsage(
            table="t",
            running=True,
            node_type="dax.t3.small",
            nodes=3,
            hits=(1,) * 24,
            misses=(0,) * 24,
        ),
    ),
    logs=(LogGroupUsage(name="l", stored_bytes=1, ingested_bytes=2, retention_days=None),),
    alarms=(AlarmUsage(name="a", metrics=1, rang=0, watches_something=True),),
)


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / "usage.json"
    write_usage(WHOLE, file)
    assert read_usage(file) == WHOLE


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda usage: usage.pop("stage"), "usage lacks stage"),
        (lambda usage: usage.update(more=1), "usage has no more"),
        (lambda usage: usage.update(hours="24"), r"usage\.hours is of type int, not '24'"),
        (lambda usage: usage.update(hours=True), r"usage\.hours is of type int, not True"),
        (lambda usage: usage.update(tables={}), r"usage\.tables is a list"),
        (lambda usage: usage.update(tables=[1]), r"usage\.tables\[0\] is an object, not 1"),
        (
            lambda usage: usage["tables"][0]["reads"].update(peak=["much"] * 24),
            r"usage\.tables\[0\]\.reads\.peak\[0\] is a number, not 'much'",
        ),
        (lambda usage: usage["tables"].append(usage["tables"][0]), "a table is there twice"),
        (lambda usage: usage.update(hours=23), "more hours than the stage"),
    ],
)
def test_a_file_that_is_wrong_says_where(
    spoil: Callable[[dict[str, Any]], object], said: str, tmp_path: Path
) -> None:
    file = tmp_path / "usage.json"
    write_usage(WHOLE, file)
    usage = json.loads(file.read_text())
    spoil(usage)
    file.write_text(json.dumps(usage))
    with pytest.raises(InvalidUsage, match=said):
        read_usage(file)


def test_a_file_that_is_no_json_says_so(tmp_path: Path) -> None:
    file = tmp_path / "usage.json"
    file.write_text("{")
    with pytest.raises(InvalidUsage, match=r"usage\.json is not JSON"):
        read_usage(file)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: replace(DAY, peak=()), "as many hours each"),
        (lambda: replace(DAY, consumed=(Decimal(-1),) * 24), "not negative"),
        (lambda: replace(WHOLE.tables[0], table_class="COLD"), "COLD is no class"),
        (
            lambda: replace(WHOLE.tables[0], writes=replace(DAY, provisioned=(1,) * 24)),
            "another mode",
        ),
        (lambda: ShardUsage(setting="S", count=0), "at least one shard"),
        (lambda: ShardUsage(setting="S", count=2, busiest=Decimal("0.4")), "even share"),
        (lambda: replace(WHOLE, tables=()), "before t, which is not there"),
        (
            lambda: replace(WHOLE, accelerators=(replace(WHOLE.accelerators[0], hits=()),)),
            "hits and misses are of the hours",
        ),
    ],
)
def test_usage_that_contradicts_itself_is_refused(made: Callable[[], object], said: str) -> None:
    with pytest.raises(InvalidUsage, match=said):
        made()


def test_indexes_that_nobody_read_are_found() -> None:
    quiet = replace(DAY, consumed=(Decimal(),) * 24)
    unused = index("unused", reads=quiet, writes=DAY)
    usage: StageUsage = stage(replace(WHOLE.tables[0], indexes=(unused, *WHOLE.tables[0].indexes)))
    assert [found.name for _, found in usage.unused_indexes()] == ["unused"]
