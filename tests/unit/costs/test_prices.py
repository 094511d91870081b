"""Price lists: whole, typed, and replaceable by a file."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tablewright.costs.price_lists import (
    EU_WEST_1,
    PRICE_LISTS,
    US_EAST_1,
    UnknownRegion,
    price_list,
)
from tablewright.costs.prices import (
    HOURS_PER_MONTH,
    UNITS_RESERVED_TOGETHER,
    InvalidPrices,
    Prices,
    ReservedPrices,
)


def plain(value: Any) -> Any:
    """A price list as JSON has it."""
    if hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return str(value)


def test_a_file_can_hold_a_whole_price_list(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(plain(EU_WEST_1)))
    assert Prices.from_file(path) == EU_WEST_1


def test_what_a_file_does_not_name_is_the_base_s(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text('{"dynamodb": {"standard": {"write_million": 0.5}}, "dax_node_hour": {"x": 1}}')
    found = Prices.from_file(path, base=US_EAST_1)
    assert found.dynamodb.standard.write_million == Decimal("0.5")
    assert found.dynamodb.standard.read_million == US_EAST_1.dynamodb.standard.read_million
    assert found.dax_node_hour == {**US_EAST_1.dax_node_hour, "x": Decimal(1)}
    assert found.messages == US_EAST_1.messages


def test_a_price_is_the_number_that_stands_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text('{"api_million": 1.11}')
    assert Prices.from_file(path, base=US_EAST_1).api_million == Decimal("1.11")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"region": "here"}, "prices lacks dated"),
        ({"api": 1}, "prices has no api"),
        ({"events": {"events": 1}}, r"prices\.events has no events"),
        ({"events": 3}, r"prices\.events is an object"),
        ({"dax_node_hour": 3}, r"prices\.dax_node_hour is an object"),
        ({"api_million": "dear"}, r"prices\.api_million is no price: 'dear'"),
        ({"api_million": -1}, r"prices\.api_million is no price: -1"),
    ],
)
def test_a_price_list_that_is_not_one_is_refused(values: dict[str, Any], said: str) -> None:
    base = None if "region" in values else US_EAST_1
    with pytest.raises(InvalidPrices, match=said):
        Prices.of(values, base=base)


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text("write: 1")
    with pytest.raises(InvalidPrices, match=r"ours\.json is not JSON"):
        Prices.from_file(path)


@pytest.mark.parametrize("prices", PRICE_LISTS.values(), ids=PRICE_LISTS)
def test_reserved_capacity_saves_what_aws_says(prices: Prices) -> None:
    """54 percent in one year, 77 in three."""

    def saved(reserved: ReservedPrices, years: int) -> Decimal:
        hours = HOURS_PER_MONTH * 12 * years
        plain = hours * UNITS_RESERVED_TOGETHER * prices.dynamodb.standard.write_unit_hour
        return 100 * (1 - (reserved.write_upfront + hours * reserved.write_hour) / plain)

    assert round(saved(prices.dynamodb.reserved_1_year, 1)) == 54
    if prices.dynamodb.reserved_3_years:
        assert round(saved(prices.dynamodb.reserved_3_years, 3)) == 77


@pytest.mark.parametrize("region", ["eu-west-1", "ap-northeast-1"])
def test_what_would_be_derived_is_near_what_is_known(region: str) -> None:
    known, base = PRICE_LISTS[region].dynamodb.standard, US_EAST_1.dynamodb.standard
    factor = known.write_unit_hour / base.write_unit_hour
    for name in ("write_million", "read_million", "gb_month"):
        derived = getattr(base, name) * factor
        assert abs(derived / getattr(known, name) - 1) < Decimal("0.005"), name


def test_a_derived_price_is_that_of_virginia_by_the_ratio_of_write_units() -> None:
    frankfurt = PRICE_LISTS["eu-central-1"]
    # 0.000793 / 0.00065 = 1.22
    assert frankfurt.dynamodb.standard.write_million == Decimal("0.7625")
    assert frankfurt.dynamodb.standard.gb_month == Decimal("0.305")
    assert frankfurt.dynamodb.standard.write_unit_hour == Decimal("0.000793")
    assert "derived" in frankfurt.sources
    assert frankfurt.dated < US_EAST_1.dated


def test_a_region_without_prices_is_told_of_those_that_have_some() -> None:
    with pytest.raises(UnknownRegion, match=r"no prices of 'eu-west-9' here, but of .*eu-west-1"):
        price_list("eu-west-9")


def test_a_file_is_told_among_the_sources(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text('{"api_million": 1.11}')
    assert Prices.from_file(path, base=EU_WEST_1).sources.startswith("ours.json; what it does not")


def test_a_region_can_be_without_a_price_for_three_years(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text('{"dynamodb": {"reserved_3_years": null}}')
    assert Prices.from_file(path, base=EU_WEST_1).dynamodb.reserved_3_years is None
    assert PRICE_LISTS["us-east-2"].dynamodb.reserved_3_years is None
