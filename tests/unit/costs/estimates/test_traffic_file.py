"""Traffic files: what they say, and what they are told when they do not fit the design."""

from decimal import Decimal
from pathlib import Path

import pytest

from examples.designs.shop import Shop
from tablewright.costs.estimates.traffic import InvalidTraffic, Kept
from tablewright.costs.estimates.traffic_file import TrafficFile, read_traffic

DESIGN = Shop.__design__


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "traffic.toml"


def read(file: Path, text: str, *, skip_unknown: bool = False) -> TrafficFile:
    file.write_text(text)
    return read_traffic(file, DESIGN, skip_unknown=skip_unknown)


@pytest.mark.parametrize(
    ("told", "times"), [("second = 2", 5_256_000), ("day = 24", 730), ("month = 7.5", "7.5")]
)
def test_a_month_has_730_hours_however_often_is_told(
    file: Path, told: str, times: str | int
) -> None:
    traffic = read(file, f"[patterns.place]\nper_{told}").traffic
    assert traffic.patterns["place"].times == Decimal(times)


def test_items_are_told_by_number_or_by_how_long_they_are_kept(file: Path) -> None:
    traffic = read(
        file, "[items.Order]\nper_day = 10\ndays = 30\n[items.Product]\nnumber = 5\nsize = 9"
    ).traffic
    assert traffic.items == {"Order": Kept(number=300), "Product": Kept(number=5, size=9)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[patterns.plce]\nper_day = 1", "shop has no pattern 'plce'. Did you mean 'place'?"),
        ("[items.Ordr]\nnumber = 1", "shop has no entity 'Ordr'. Did you mean 'Order'?"),
        (
            "[patterns.place]\nper_day = 1\npeek = 2",
            "'peek'. Did you mean 'peak'? It takes per_sec",
        ),
        ("peek = 2", "the file has 'peek'. Did you mean 'peak'? It takes"),
        ("[patterns.place]\nitems = 1", "says how often by one of per_second, per_day, per_month"),
        ("[patterns.place]\nper_day = 1\nper_month = 1", "by one of per_second"),
        ("[patterns.place]\nper_day = 'many'", "patterns.place.per_day is a number, not 'many'"),
        ("[patterns.place]\nper_day = -1", "per_day is a number, not -1"),
        ("[patterns.place]\nper_day = 1\nitems = 1.5", "items is a whole number"),
        ("[patterns.take]\nper_day = 1\nmoves = ['by_catgory']", "Did you mean 'by_category'?"),
        ("[patterns.place]\nper_day = 1\npeak = 7", "peak is from 1 to 6: in 4 busy hours"),
        ("[items.Order]\nper_day = 1", "either number, or per_day and the days"),
        ("[functions.api]\nper_day = 1", "functions.api lacks ms"),
        ("patterns = 3", "[patterns] is a table"),
        ("replicas = 'eu-west-1'", "replicas is a list of names"),
        ("utilization = 95", "utilization is from 20 to 90"),
        ("point_in_time_recovery = 1", "is true or false, not 1"),
        ("region =", "is no TOML"),
    ],
)
def test_what_does_not_fit_is_told_where_and_what_does(file: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidTraffic) as error:
        read(file, text)
    assert said in str(error.value)
    assert str(file) in str(error.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidTraffic, match="No such file"):
        read_traffic(tmp_path / "none.toml", DESIGN)


def test_what_a_design_does_not_have_can_be_left_out(file: Path) -> None:
    text = "[patterns.place]\nper_day = 1\n[patterns.later]\nper_day = 1\n[items.Later]\nnumber = 1"
    found = read(file, text, skip_unknown=True)
    assert found.left_out == ("patterns.later", "items.Later")
    assert list(found.traffic.patterns) == ["place"]
