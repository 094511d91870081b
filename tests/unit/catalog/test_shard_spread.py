"""The simulation of spread: repeatable, fair to both schemes, and able to find a bad one."""

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tablewright.catalog.forms import shard_spread
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.shard_spread import (
    LIMIT,
    main,
    ours,
    published,
    sent,
    simulate,
    spreads,
)
from tablewright.catalog.forms.volume import calculate_optimal_shards
from tablewright.model import TimeId
from tablewright.model.sharding.shards import last_character
from tablewright.model.time_ids import made_at

pytestmark = pytest.mark.thorough

SMALL = {"submissions": 100_000, "tenants": 100, "skew": 1.1, "seed": 1}


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[shard_spread.Spread, ...]]:
    return simulate(**SMALL)  # type: ignore[arg-type]


def test_every_place_of_ours_is_spread_evenly(
    found: dict[str, tuple[shard_spread.Spread, ...]],
) -> None:
    assert [row.place for row in found["ours"]] == ["table", "GSI1", "GSI2", "GSI3"]
    assert all(row.ratio <= LIMIT for row in found["ours"])


def test_the_published_indexes_are_not_spread_at_all(
    found: dict[str, tuple[shard_spread.Spread, ...]],
) -> None:
    ratios = {row.place: row.ratio for row in found["published"]}
    assert ratios["table"] <= LIMIT
    assert ratios["GSI1"] == ratios["GSI2"] == 10.0


def test_the_same_seed_gives_the_same_numbers_and_another_others(
    found: dict[str, tuple[shard_spread.Spread, ...]],
) -> None:
    assert simulate(**SMALL) == found  # type: ignore[arg-type]
    assert simulate(**{**SMALL, "seed": 2}) != found  # type: ignore[arg-type]


def test_both_schemes_hold_every_submission_once() -> None:
    made = sent(20_000, 50, 1.1, seed=3)
    volumes = Counter(tenant for tenant, *_ in made)
    counts = [calculate_optimal_shards(volumes[n]) for n in range(50)]
    for scheme in (published, ours):
        for place, partitions in scheme(made, counts).items():
            assert sum(partitions.values()) == 20_000, (scheme, place)


def test_a_function_that_spreads_badly_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sent(50_000, 5, 1.1, seed=4)
    volumes = Counter(tenant for tenant, *_ in made)
    counts = [10] * 5
    shards = Forms.__design__.entities["Submission"].key.shards
    monkeypatch.setattr(shards, "function", last_character)
    rows = spreads(ours(made, counts), [volumes[n] for n in range(5)], counts)
    assert max(row.ratio for row in rows) > LIMIT


def test_simulated_ids_are_those_that_are_made_in_earnest() -> None:
    for _, at, bits, _ in sent(100, 5, 1.1, seed=5):
        id = shard_spread._id(at, bits)
        assert TimeId("id").check(id) == id
        assert made_at(id) == at


def test_the_command_prints_a_table_and_draws_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "spread.svg"
    arguments = ["--submissions", "50000", "--tenants", "2", "--picture", str(picture)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.count("published") == 3
    assert "ours: at most" in printed
    root = ElementTree.fromstring(picture.read_text())  # noqa: S314 - our own
    bars = [e for e in root.iter() if e.tag.endswith("rect") and e.get("x")]
    # Published: the table's ten and one of each index; ours: ten of each, thirty by form.
    assert len(bars) == (10 + 1 + 1) + (10 + 10 + 10 + 30)
