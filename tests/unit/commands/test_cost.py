"""`tablewright cost`: dollars by part, and what a change of the design does to them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import examples.designs
import tablewright.catalog
from tablewright.commands.command_line import main
from tablewright.model import Table

SHOP = """
from tablewright.model import Entity, Field, Index, Key, Put, Query, Table, Text


class Order(Entity, key=Key("ORDER#{order_id}")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()


class Orders(Table, pk="PK"):
    place = Put(Order)
"""
INDEX = """    by_customer = Index(pk="CPK", keys={Order: Key("CUSTOMER#{customer}")})
    of_customer = Query(Order, by_customer)
"""
TRAFFIC = """
[patterns.place]
per_second = 1

[items.Order]
number = 1_000_000
size = 900
"""


def every_design() -> Iterator[str]:
    for package in (examples.designs, tablewright.catalog):
        for one in walk_packages(package.__path__, f"{package.__name__}."):
            if not one.name.endswith("constructs"):
                found = vars(import_module(one.name)).values()
                tables = (v for v in found if isinstance(v, type) and issubclass(v, Table))
                own = (v.__name__ for v in tables if v.__module__ == one.name)
                yield from (f"{one.name}:{name}" for name in own)


@pytest.mark.parametrize("design", list(every_design()))
def test_the_example_of_every_design_can_be_priced(
    design: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cost", design, "--example"]) == 0
    traffic = tmp_path / "traffic.toml"
    traffic.write_text(capsys.readouterr().out)
    assert main(["cost", design, "--traffic", str(traffic), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert float(found["on_demand"]) > 0


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose first commit has orders without an index."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "priced_shop", raising=False)
    (tmp_path / "priced_shop.py").write_text(SHOP)
    (tmp_path / "traffic.toml").write_text(TRAFFIC)
    return tmp_path


def cost(*more: str) -> int:
    return main(["cost", "priced_shop:Orders", "--traffic", "traffic.toml", *more])


def row(told: str, name: str) -> list[str]:
    """The figures of a line."""
    return next(x for x in told.splitlines() if x.startswith(name)).removeprefix(name).split()


def refused(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    with pytest.raises(SystemExit) as stop:
        cost(*more)
    assert stop.value.code == 2
    return capsys.readouterr().err


def test_a_table_s_parts_are_shown_with_the_date_of_their_prices(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cost() == 0
    told = capsys.readouterr().out
    assert "prices of us-east-1 of 2026-06" in told
    # 2.628 million at 0.625. Provisioned, 20 hours of 2 units and 4 of 3, at 0.00065.
    assert row(told, "table: writes")[:2] == ["1.64", "1.03"]
    assert "Without a commitment, provisioned costs the least" in told


def test_another_region_has_other_prices(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cost("--json", "--region", "sa-east-1")
    found = json.loads(capsys.readouterr().out)
    assert (found["region"], found["dated"]) == ("sa-east-1", "2024-11")
    assert {"part": "table", "what": "writes", "on_demand": "2.46", "provisioned": "1.54"} in found[
        "parts"
    ]


def test_a_term_without_a_known_price_is_told(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cost("--region", "us-east-2")
    told = capsys.readouterr().out
    assert "reserved 3 years" not in told
    assert "No price of capacity that is reserved for 3 years is known of this region." in told


def test_prices_of_a_file_replace_those_of_the_list(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "ours.json").write_text('{"dynamodb": {"standard": {"write_million": 1}}}')
    cost("--prices", "ours.json", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["sources"].startswith("ours.json")
    assert found["parts"][1]["on_demand"] == "2.63"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--region", "eu-west-9"], "no prices of 'eu-west-9' here, but of"),
        (["--prices", "none.json"], "none.json cannot be read"),
        (["--fail-above", "10%"], "needs something to compare with"),
        (["--fail-above", "much"], "'much' is no percentage"),
        (["--base", "main"], "git rev-parse"),
        (["--against", "priced_shop:Nothing"], "there is nothing at 'priced_shop:Nothing'"),
    ],
)
def test_bad_input_gets_a_sentence(
    shop: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert said in refused(capsys, *options)


def test_a_misspelt_pattern_is_told_what_was_meant(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "traffic.toml").write_text("[patterns.plaice]\nper_day = 1")
    assert "no pattern 'plaice'. Did you mean 'place'?" in refused(capsys)


def test_a_replica_in_a_region_without_prices_is_told(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "traffic.toml").write_text("replicas = ['mars-1']\n" + TRAFFIC)
    assert "no prices of 'mars-1' here" in refused(capsys)


def test_patterns_without_traffic_are_told(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shop / "priced_shop.py").write_text(SHOP + INDEX)
    assert cost() == 0
    told = capsys.readouterr().err
    assert told == "priced_shop:Orders: no traffic is told of of_customer\n"


def test_a_design_with_an_error_is_sent_to_check(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "priced_shop.py").write_text(SHOP + INDEX.replace("{customer}", "{colour}"))
    assert "(`tablewright check priced_shop:Orders` tells more)" in refused(capsys)


def test_two_designs_can_be_compared(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    doubled = SHOP + INDEX + "\n\nclass Before(Table, pk='PK'):\n    place = Put(Order)\n"
    (shop / "priced_shop.py").write_text(doubled)
    assert cost("--against", "priced_shop:Before", "--fail-above", "200%") == 0
    told = capsys.readouterr().out
    assert row(told.partition("change")[2], "index by_customer: writes") == ["0", "1.64", "+1.64"]


def git(*arguments: str) -> str:
    own = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    return subprocess.run(
        ["git", *own, *arguments],  # noqa: S607
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_a_dearer_design_fails_against_its_revision_and_nothing_of_the_checkout_changes(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "orders")
    (shop / "priced_shop.py").write_text(SHOP + INDEX)
    more = "\n[patterns.of_customer]\nper_day = 10"
    (shop / "traffic.toml").write_text(TRAFFIC + more)
    before = git("status", "--porcelain", "--ignored")
    assert cost("--base", "HEAD", "--fail-above", "10%") == 1
    told = capsys.readouterr()
    assert "index by_customer: writes" in told.out.partition("HEAD")[2]
    # 1.64 + 0.25 + 0.20 of before, and as much again but for the backup.
    assert "costs 90.4% more than HEAD, on demand: 3.98 after 2.09" in told.err
    after = git("status", "--porcelain", "--ignored")
    assert set(after.splitlines()) - set(before.splitlines()) <= {"?? __pycache__/"}
