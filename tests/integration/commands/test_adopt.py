"""`tablewright adopt`: a table on the engine, or files of it, become the module of a design."""

import json
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from examples.designs.shop import Shop
from examples.designs.social_graph import SocialGraph
from tablewright.changes.adoption.coverage import coverage
from tablewright.changes.adoption.sample import sample_table
from tablewright.commands.command_line import main
from tablewright.model import Table
from tablewright.model.table_form import TableForm
from tablewright.model.validation.design import validate
from tablewright.runtime.deployed_table import create_table, find_table
from tablewright.testing import Database
from tests.made_up_items import made_up_items

Told = pytest.CaptureFixture[str]


@pytest.fixture
def graph(dynamodb: Database, environment: dict[str, str]) -> str:
    """A table with items of five kinds, and with time to live."""
    create_table(dynamodb.caller, SocialGraph.__design__, "graph", protected=False, recovery=False)
    dynamodb.write(made_up_items(SocialGraph), "graph")
    return "graph"


def adopt(*options: str) -> int:
    return main(["adopt", *options])


def adopted(file: Path) -> type[Table]:
    tables = [one for one in run_path(str(file)).values() if isinstance(one, type)]
    (found,) = (one for one in tables if issubclass(one, Table) and one is not Table)
    return found


def test_a_table_s_module_declares_it_and_makes_its_items(
    graph: str, dynamodb: Database, capsys: Told
) -> None:
    assert adopt(graph, "--region", "eu-west-1", "-o", "graph.py") == 0
    table = adopted(Path("graph.py"))
    assert validate(table) == []
    there = find_table(dynamodb.caller, graph)
    assert there
    assert there.differences(table.__design__) == []
    every = dynamodb.items(graph)
    assert coverage(table, every).rederived == len(every)
    said = capsys.readouterr().err
    assert f"{len(every):,} items sampled, 100 % re-derive byte for byte." in said
    assert "read units" in said


def test_it_is_printed_where_no_file_is_named(graph: str, capsys: Told) -> None:
    assert adopt(graph, "--region", "eu-west-1") == 0
    said = capsys.readouterr()
    assert said.out.startswith('"""The table graph, as its items tell."""')
    assert "items sampled" in said.err


def test_no_file_is_written_over_unasked(graph: str, capsys: Told) -> None:
    Path("graph.py").write_text("mine")
    with pytest.raises(SystemExit):
        adopt(graph, "-o", "graph.py")
    assert "is there already" in capsys.readouterr().err
    assert Path("graph.py").read_text() == "mine"
    assert adopt(graph, "--region", "eu-west-1", "-o", "graph.py", "--force") == 0
    assert Path("graph.py").read_text() != "mine"


def test_the_answer_can_be_read_by_programs(graph: str, dynamodb: Database, capsys: Told) -> None:
    # An item that somebody wrote by hand.
    stray = {"PK": {"S": "USER#zoe"}, "SK": {"S": "USER"}, "user": {"S": "bob"}}
    dynamodb.write([stray], graph)
    assert adopt(graph, "--region", "eu-west-1", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["table"] == graph
    assert told["items"] - told["rederived"] == sum(gap["items"] for gap in told["gaps"]) == 1
    assert told["gaps"][0]["example"] == {"PK": {"S": "USER#zoe"}, "SK": {"S": "USER"}}
    assert told["read_units"] > 0
    assert "class Graph(Table" in told["source"]


def test_a_sample_has_as_many_items_as_are_asked_for_of_every_segment(
    graph: str, dynamodb: Database
) -> None:
    keys = {name: set[str]() for name in ("few", "all")}
    for name, wanted in (("few", 100), ("all", 100_000)):
        found = sample_table(dynamodb.caller, graph, items=wanted, segments=8)
        keys[name] = {json.dumps([item["PK"], item["SK"]]) for item in found.items}
        assert len(keys[name]) == len(found.items)
        assert found.units > 0
    every = dynamodb.items(graph)
    assert len(keys["few"]) == 100
    assert len(keys["all"]) == len(every)
    prefixes = {key.partition("#")[0] for key in keys["few"]}
    assert len(prefixes) > 1


def test_a_table_that_is_not_there_is_told(environment: dict[str, str], capsys: Told) -> None:
    assert adopt("nothing", "--region", "eu-west-1") == 2
    assert "there is no table nothing" in capsys.readouterr().err


def test_files_do_without_an_account(
    tmp_path: Path, capsys: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.json").write_text(
        json.dumps({"Table": TableForm.of(Shop.__design__).definition("shop")})
    )
    lines = (json.dumps({"Item": item}) for item in made_up_items(Shop))
    Path("items.json").write_text("\n".join(lines))
    files = ("--description", "shop.json", "--items", "items.json")
    mapping = ("--resource-mapping", "mapping.json", "--logical-id", "OrdersTable12AB")
    assert adopt("shop", *files, *mapping, "-o", "shop.py") == 0
    assert json.loads(Path("mapping.json").read_text()) == {
        "OrdersTable12AB": {"TableName": "shop"}
    }
    assert len(adopted(Path("shop.py")).__design__.entity_list) == 4
    said = capsys.readouterr().err
    assert "100 % re-derive" in said
    assert "read units" not in said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--items", "items.json"), "--items and --description go together"),
        (("--logical-id", "Orders"), "--resource-mapping and --logical-id go together"),
        (("--ttl", "ttl"), "--ttl is for --items"),
        (("--sample", "0"), "is not a number from 1 to"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: tuple[str, ...], says: str, capsys: Told
) -> None:
    with pytest.raises(SystemExit) as end:
        adopt("orders", *options)
    assert end.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("description", "items", "says"),
    [
        ("{}", "{}", "is no description of a table"),
        (None, "{}", "cannot be opened"),
        (TableForm.of(Shop.__design__).definition("shop"), "{}", "something else than items"),
    ],
)
def test_files_of_something_else_are_refused(
    tmp_path: Path,
    description: Any,
    items: str,
    says: str,
    capsys: Told,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if description:
        text = description if isinstance(description, str) else json.dumps(description)
        Path("shop.json").write_text(text)
    Path("items.json").write_text(items)
    assert adopt("shop", "--description", "shop.json", "--items", "items.json") == 2
    assert says in capsys.readouterr().err
