"""`tablewright explain`: calls, rights and units of access patterns, without a table."""

import json
from decimal import Decimal

import pytest

from tablewright.commands.command_line import main
from tablewright.model import Entity, Field, Get, Key, Table, Text
from tests.every_design import EVERY_DESIGN

SALES = "tablewright.catalog.sales.design:Sales"
Told = pytest.CaptureFixture[str]


def refused(arguments: list[str], told: Told) -> str:
    with pytest.raises(SystemExit) as stop:
        main(["explain", *arguments])
    assert stop.value.code == 2
    return told.readouterr().err


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda table: table.__design__.id)
def test_every_pattern_of_every_design_is_explained(table: type[Table], capsys: Told) -> None:
    assert main(["explain", f"{table.__module__}:{table.__name__}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    design = table.__design__
    assert [one["pattern"] for one in found] == list(design.patterns)
    for one in found:
        assert one["ways"], one
        assert all(way["calls"] for way in one["ways"])
        assert all(Decimal(u["read"]) >= Decimal(u["read_floor"]) for u in one["units"])
        actions = {a for s in one["policy"]["Statement"] for a in s["Action"]}
        pattern = design.patterns[one["pattern"]]
        assert actions == {f"dynamodb:{action}" for action, _ in design.actions(pattern)}


def test_a_list_over_shards_is_one_query_for_each_and_is_completed(capsys: Told) -> None:
    assert main(["explain", SALES, "category_sales"]) == 0
    told = capsys.readouterr().out
    assert "Query on index GSI1, 10 times: once for each shard" in told
    assert "GSI1PK = TENANT#{tenant}#CATEGORY#{category}#SHARD#{shard}" in told
    assert "GSI1SK BETWEEN DATE#{since} AND DATE#{until}#PRICE#…" in told
    assert "BatchGetItem completes the entries" in told
    assert "The store applies the filter to what was completed." in told


def test_rights_are_those_of_one_tenant_s_keys(capsys: Told) -> None:
    arn = "arn:aws:dynamodb:eu-west-1:111122223333:table/dev-sales"
    main(["explain", SALES, "get_sale", "--table-arn", arn, "--tenant-tag", "org", "--json"])
    (found,) = json.loads(capsys.readouterr().out)
    assert found["policy"]["Statement"] == [
        {
            "Effect": "Allow",
            "Action": ["dynamodb:GetItem"],
            "Resource": arn,
            "Condition": {
                "ForAllValues:StringLike": {
                    "dynamodb:LeadingKeys": ["TENANT#${aws:PrincipalTag/org}#PRODUCT#*"]
                },
                "Null": {"dynamodb:LeadingKeys": "false"},
            },
        }
    ]


def test_what_is_no_tenant_s_is_said_to_be_so(capsys: Told) -> None:
    forms = "tablewright.catalog.forms.design:Forms"
    main(["explain", forms, "day_of_tenants"])
    assert "Rights, for keys that are no tenant's" in capsys.readouterr().out


def test_units_are_of_the_size_and_number_that_are_given(capsys: Told) -> None:
    main(["explain", SALES, "get_sale", "--bytes", "9000"])
    assert "an item: 1 call, 1.5 read units (floor 1.5)" in capsys.readouterr().out
    main(["explain", SALES, "put_sales", "--items", "60", "--bytes", "3000"])
    # Three units of the table, and one of each index, which carries no more than before.
    assert "60 items: 3 calls, 360 write units (floor 360)" in capsys.readouterr().out


def test_a_misspelt_pattern_is_told_what_was_meant(capsys: Told) -> None:
    told = refused([SALES, "get_sael"], capsys)
    assert "sales has no access pattern 'get_sael'. Did you mean 'get_sale'?" in told


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--bytes", "10"], "an item of Sale has at least"),
        (["--bytes", "500000"], "at most 409600 bytes, not 500000"),
        (["--items", "none"], "'none' is not a number from 1 to 1000000"),
        (["--page", "0"], "'0' is not a number from 1 to 1000000"),
    ],
)
def test_numbers_that_cannot_be_are_refused(given: list[str], says: str, capsys: Told) -> None:
    assert says in refused([SALES, "get_sale", *given], capsys)


def test_a_design_that_is_wrong_is_sent_to_check(capsys: Told) -> None:
    told = refused(["tests.unit.commands.test_explain:Wrong"], capsys)
    assert "`tablewright check` says it all" in told


class Thing(Entity, key=Key("{colour}")):
    id: Field[str] = Text()


class Wrong(Table, pk="PK"):
    thing = Get(Thing)


class Empty(Table, pk="PK"):
    """A table without anything."""


def test_a_design_without_patterns_is_said_to_have_none(capsys: Told) -> None:
    assert main(["explain", "tests.unit.commands.test_explain:Empty"]) == 0
    assert "empty has no access patterns" in capsys.readouterr().out
