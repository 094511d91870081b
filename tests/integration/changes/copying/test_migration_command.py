"""`tablewright migration`, from the file to the contract."""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdk_app.settings import ROOT
from tablewright.commands.command_line import main
from tablewright.testing import Database

PAGE = (ROOT / "docs" / "copying.md").read_text()
ORDERS, GENERATED, *_ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [
    shlex.split(line)[1:] for line in re.findall(r"^\$ (tablewright .*)$", PAGE, re.MULTILINE)
]
CHANGED = (
    ORDERS.replace('"ORDER#{order_id}", "ORDER"', '"STATE#{state}", "ORDER#{order_id}"')
).replace("status:", "state:")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dynamodb: Database) -> Iterator[Path]:
    """A folder with the design of before, locked, and its table; then with the new design."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr("time.sleep", lambda _: None)
    for name, value in dynamodb.environment.items():
        monkeypatch.setenv(name, value)
    endpoint = dynamodb.environment["AWS_ENDPOINT_URL_DYNAMODB"]
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB_STREAMS", endpoint)
    dynamodb.reusable = False
    Path("shop_orders.py").write_text(ORDERS)
    try:
        assert main(["lock", "shop_orders:Orders"]) == 0
        url = ["--endpoint-url", endpoint]
        assert main(["table", "create", "shop_orders:Orders", "--name", "dev-orders", *url]) == 0
        Path("shop_orders.py").write_text(CHANGED)
        sys.modules.pop("shop_orders")
        yield tmp_path
    finally:
        sys.modules.pop("shop_orders", None)


def item(number: int) -> dict[str, Any]:
    key = {"PK": {"S": f"ORDER#o{number}"}, "SK": {"S": "ORDER"}}
    values = {"order_id": {"S": f"o{number}"}, "status": {"S": "due"}}
    return {**key, **values, "total": {"N": str(number)}}


FILE = "migrations/0001_orders_by_state.py"
NEW, RUN, VERIFY, CUT_OVER, FOLLOW, BACK, AGAIN, CONTRACT = COMMANDS


def test_the_commands_of_the_page_take_a_table_there_and_back_and_end(
    shop: Path, dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    client = dynamodb.client()
    url = ["--endpoint-url", dynamodb.environment["AWS_ENDPOINT_URL_DYNAMODB"]]

    def ended(command: list[str], *without: str) -> int:
        words = [word for word in command if word not in without]
        return main(words if command is NEW else [*words, *url])

    for number in range(5):
        client.put_item(TableName="dev-orders", Item=item(number))
    assert ended(NEW) == 0
    assert GENERATED in (shop / FILE).read_text()
    assert ended(RUN, "--create") == 2
    assert "there is no table dev-orders-2" in capsys.readouterr().err
    assert ended(RUN) == 0
    assert ended(VERIFY) == 0
    assert "compared 5 dev-orders, 5 dev-orders-2" in capsys.readouterr().out
    assert ended(CUT_OVER, "--writers-guarded") == 2
    assert "--writers-guarded" in capsys.readouterr().err
    assert ended(CONTRACT) == 2
    assert ended(CUT_OVER) == 0
    key = {"PK": {"S": "STATE#paid"}, "SK": {"S": "ORDER#o9"}}
    values = {"order_id": {"S": "o9"}, "state": {"S": "paid"}, "total": {"N": "9"}}
    client.put_item(TableName="dev-orders-2", Item={**key, **values})
    assert main(["migration", "status", *FOLLOW[2:], *url]) == 0
    assert "pointer: new" in capsys.readouterr().out
    assert ended(FOLLOW) == 0
    followed = {**item(9), "status": {"S": "paid"}}
    assert followed in client.scan(TableName="dev-orders")["Items"]
    assert ended(BACK) == 0
    assert ended(AGAIN) == 0
    assert ended(CONTRACT, "--readers-moved") == 2
    assert "--readers-moved" in capsys.readouterr().err
    assert ended(CONTRACT) == 0
    assert ended(FOLLOW) == 2
    assert ended(BACK) == 2
    assert client.scan(TableName="dev-orders")["Count"] == 6


def test_an_incomplete_function_stops_the_run_with_its_name(
    shop: Path, dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = CHANGED.replace("Field[int] = Whole()", "Field[str] = Text()")
    (shop / "shop_orders.py").write_text(changed)
    assert main(NEW) == 0
    assert 'total=designs.incomplete("Order.total", "Whole total' in (shop / FILE).read_text()
    url = ["--endpoint-url", dynamodb.environment["AWS_ENDPOINT_URL_DYNAMODB"]]
    assert main([*RUN, *url]) == 2
    assert "upgrade_order still calls incomplete" in capsys.readouterr().err
    assert "dev-orders-2" not in dynamodb.client().list_tables()["TableNames"]


def test_locks_are_data_and_the_second_migration_has_the_next_number(shop: Path) -> None:
    assert main(NEW) == 0
    assert main(NEW) == 0
    names = sorted(one.name for one in (shop / "migrations").iterdir())
    assert names == [
        f"000{number}_orders_by_state.{end}"
        for number in (1, 2)
        for end in ("new.json", "old.json", "py")
    ]
