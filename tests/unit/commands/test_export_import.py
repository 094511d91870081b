"""`tablewright export` and `import`: designs as files, and files as designs."""

import io
import json
import sys
from pathlib import Path
from runpy import run_path

import pytest

from examples.designs.leaderboard import Leaderboard
from examples.designs.shop import Shop
from tablewright.commands.command_line import main
from tablewright.designs import describe
from tablewright.model.validation.design import validate

SHOP, SCORES = "examples.designs.shop:Shop", "examples.designs.leaderboard:Leaderboard"
NOTES = {
    "ModelName": "Notes",
    "ModelMetadata": {"Version": "3.0"},
    "DataModel": [
        {
            "TableName": "Notes",
            "KeyAttributes": {
                "PartitionKey": {"AttributeName": "PK", "AttributeType": "S"},
                "SortKey": {"AttributeName": "SK", "AttributeType": "S"},
            },
            "NonKeyAttributes": [
                {"AttributeName": "text", "AttributeType": "S"},
                {"AttributeName": "status", "AttributeType": "S"},
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "byStatus",
                    "KeyAttributes": {
                        "PartitionKey": {"AttributeName": "status", "AttributeType": "S"}
                    },
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]},
                }
            ],
            "TableData": [
                {
                    "PK": {"S": f"USER#{user}"},
                    "SK": {"S": f"NOTE#{number}"},
                    "text": {"S": "Buy milk."},
                    "status": {"S": "OPEN"},
                }
                for user, number in (("ann", "n1"), ("ann", "n2"), ("bob", "n1"))
            ],
            "DataAccess": {"MySql": {}},
        },
        {
            "TableName": "Users",
            "KeyAttributes": {"PartitionKey": {"AttributeName": "id", "AttributeType": "N"}},
            "NonKeyAttributes": [],
            "TableData": [],
        },
    ],
}
DESCRIBED = {
    "Table": {
        "TableName": "events",
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in (("day", "S"), ("at", "N"), ("user", "S"), ("site", "S"))
        ],
        "KeySchema": [
            {"AttributeName": "day", "KeyType": "HASH"},
            {"AttributeName": "at", "KeyType": "RANGE"},
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by-user",
                "KeySchema": [
                    {"AttributeName": "user", "KeyType": "HASH"},
                    {"AttributeName": "site", "KeyType": "HASH"},
                    {"AttributeName": "at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    }
}


def test_a_model_goes_to_a_file_and_comes_back_as_a_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, module = tmp_path / "model.json", tmp_path / "tables.py"
    asked = ["export", SHOP, SCORES, "--to", "nosql-workbench", "-o", str(model)]
    assert main(asked) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        "not shown in the model, but kept in its 'Tablewright': the key of index by_region has "
        "several attributes\n"
    )
    assert main(["import", str(model), "-o", str(module)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "shop: the design that the model carries",
        "leaderboard: the design that the model carries",
    ]
    made = run_path(str(module))
    assert describe(made["Shop"]) == describe(Shop)
    assert describe(made["Leaderboard"]) == describe(Leaderboard)
    assert made["Shop"].__design__.entities["Customer"].example["name"] == "Ann Archer"


def test_a_model_of_others_becomes_a_sound_design(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.json").write_text(json.dumps(NOTES))
    assert main(["import", str(tmp_path / "notes.json")]) == 0
    told = capsys.readouterr()
    assert told.err == "Notes: inferred from 3 items\nUsers: inferred from 0 items\n"
    (tmp_path / "notes.py").write_text(told.out)
    made = run_path(str(tmp_path / "notes.py"))
    assert validate(made["Notes"]) == validate(made["Users"]) == []
    assert describe(made["Notes"])["indexes"]["byStatus"]["projects"] == ["text"]
    assert 'class UserNote(Entity, key=Key("USER#{user}", "NOTE#{note}")):' in told.out
    assert "list_user_note_by_status = Query(UserNote, by_status)" in told.out


def test_what_aws_says_of_a_table_is_read_from_the_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(DESCRIBED)))
    assert main(["import", "-"]) == 0
    out = capsys.readouterr().out
    assert 'class Events(Table, pk="day", sk="at", stream="NEW_IMAGE"):' in out
    assert 'keys={Event: Key(("{user}", "{site}"), "{at}")},' in out


@pytest.mark.parametrize("form", ["json", "python"])
def test_a_design_is_printed_in_other_forms(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", SHOP, "--to", form]) == 0
    out = capsys.readouterr().out
    if form == "json":
        assert json.loads(out) == describe(Shop)
        (tmp_path / "shop.json").write_text(out)
        assert main(["import", str(tmp_path / "shop.json")]) == 0
        out = capsys.readouterr().out
    (tmp_path / "shop.py").write_text(out)
    assert describe(run_path(str(tmp_path / "shop.py"))["Shop"]) == describe(Shop)


def test_a_module_that_is_there_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.json").write_text(json.dumps(NOTES))
    (tmp_path / "notes.py").write_text("mine")
    asked = ["import", str(tmp_path / "notes.json"), "-o", str(tmp_path / "notes.py")]
    with pytest.raises(SystemExit) as stop:
        main(asked)
    assert stop.value.code == 2
    assert "is there already: name another file, or --force" in capsys.readouterr().err
    assert (tmp_path / "notes.py").read_text() == "mine"
    assert main([*asked, "--force"]) == 0
    assert "class Notes(Table" in (tmp_path / "notes.py").read_text()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is not JSON in UTF-8"),
        ("{", "it is not JSON in UTF-8"),
        ("[]", "cannot be read as a design: it holds no object"),
        ("{}", "cannot be read as a design: it has neither a DataModel"),
        ('{"format": 2, "id": "x", "entities": {}}', "format is 2: this version reads format 1"),
        ('{"DataModel": [{}]}', "cannot be read as a design: it is not whole: there is no"),
        ("\ud800", "is not JSON"),
        (None, "No such file or directory"),
    ],
)
def test_a_file_that_is_no_model_is_told_in_a_sentence(
    text: str | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "model.json").write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(SystemExit) as stop:
        main(["import", str(tmp_path / "model.json")])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err


def test_a_design_that_cannot_be_described_is_told_with_its_culprit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lambda_shop.py").write_text(
        "from tablewright.model import Computed, Entity, Field, Get, Key, Table, Text\n"
        "class Order(Entity, key=Key('{low}')):\n"
        "    order_id: Field[str] = Text()\n"
        "    low = Computed(lambda order_id: order_id.lower(), order_id)\n"
        "class Orders(Table, pk='PK'):\n"
        "    order = Get(Order)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    with pytest.raises(SystemExit) as stop:
        main(["export", "lambda_shop:Orders", "--to", "json"])
    assert stop.value.code == 2
    assert "the function of Order.low is a lambda" in capsys.readouterr().err
