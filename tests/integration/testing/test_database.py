"""Databases that the plugin lends to tests."""

from decimal import Decimal
from pathlib import Path

import pytest

from tablewright.model import Entity, Field, Get, Key, Number, Put, Table, Text
from tablewright.testing import Database, Databases


class Order(Entity, key=Key("ORDER#{id}")):
    id: Field[str] = Text()
    total: Field[Decimal] = Number(default=Decimal(0))


class Orders(Table, pk="PK", stream="NEW_AND_OLD_IMAGES"):
    place = Put(Order)
    order = Get(Order)


class Bills(Table, pk="PK"):
    place = Put(Order)


def test_a_store_works_at_once(dynamodb: Database) -> None:
    dynamodb.store(Orders).put(Orders.place, Order(id="o1"))
    assert dynamodb.store(Orders).get(Orders.order, id="o1") == Order(id="o1")
    assert dynamodb.items() == dynamodb.items(Orders) == dynamodb.items("orders")


def test_a_table_keeps_the_name_that_it_was_given(dynamodb: Database) -> None:
    assert dynamodb.table(Orders, "dev-orders") == dynamodb.table(Orders) == "dev-orders"
    assert dynamodb.store(Orders).table_name == "dev-orders"
    assert dynamodb.table(Orders, "another") == "another"
    assert dynamodb.table(Orders) == "dev-orders"


def test_where_there_are_two_tables_one_must_be_named(dynamodb: Database) -> None:
    with pytest.raises(ValueError, match="say which table: there are none"):
        dynamodb.items()
    dynamodb.table(Orders)
    dynamodb.table(Bills)
    with pytest.raises(ValueError, match="say which table: there are bills, orders"):
        dynamodb.items()


def test_some_items_are_removed(dynamodb: Database) -> None:
    store = dynamodb.store(Orders)
    for number in range(30):
        store.put(Orders.place, Order(id=str(number), total=Decimal(number)))
    dynamodb.empty(of=lambda item: int(item["total"]["N"]) > 1)
    assert len(dynamodb.items()) == 2
    dynamodb.empty(Orders)
    assert dynamodb.items(Orders) == []


def test_a_table_without_a_stream_says_how_to_have_one(dynamodb: Database) -> None:
    dynamodb.table(Orders)
    with pytest.raises(ValueError, match=r"'orders' has no stream: make it with table\(…, stream"):
        dynamodb.changes()


def test_a_database_is_emptied_and_lent_again(dynamodb_databases: Databases) -> None:
    with dynamodb_databases.lent() as first:
        first.table(Orders)
        with dynamodb_databases.lent() as beside:
            assert beside.environment != first.environment
    with dynamodb_databases.lent() as again:
        assert again.environment == first.environment
        assert again.client().list_tables()["TableNames"] == []


def test_one_that_had_a_stream_is_not_lent_again(dynamodb_databases: Databases) -> None:
    with dynamodb_databases.lent() as first:
        first.table(Orders, stream=True)
    with dynamodb_databases.lent() as other:
        assert other.environment != first.environment


def test_a_run_without_an_engine_says_which_command_installs_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    pytester.makepyfile("def test_it(dynamodb): ...")
    done = pytester.runpytest_inprocess("-p", "tablewright.testing.plugin", "-p", "no:xdist")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(
        ["*DynamoDB Local is not installed. Run: tablewright install-engine*"]
    )
    done.stdout.no_fnmatch_line("*Traceback*")
