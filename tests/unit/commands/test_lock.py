"""`tablewright lock`: the meaning of designs in files beside them, and whether these are stale."""

import json
import sys
from pathlib import Path

import pytest

from tablewright.commands.command_line import main
from tablewright.designs import describe
from tests.every_design import EVERY_DESIGN

SHOP = '''
from tablewright.model import Entity, Field, Key, Put, Table, Text


class Order(Entity, key=Key("ORDER#{order_id}")):
    order_id: Field[str] = Text()


class Orders(Table, pk="PK"):
    """Größen."""

    place = Put(Order)


class OpenOrders(Table, pk="PK"):
    place = Put(Order)


class Twin(Table, pk="PK", id="orders"):
    place = Put(Order)


class Wrong(Table, pk="PK", sk="SK"):
    place = Put(Order)
'''
Told = pytest.CaptureFixture[str]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    for name in ("locked_shop", "locked_shop.orders"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "locked_shop").mkdir()
    (tmp_path / "locked_shop" / "orders.py").write_text(SHOP, encoding="utf-8")
    return tmp_path


def lock(*more: str) -> int:
    return main(["lock", "locked_shop.orders:Orders", *more])


def test_a_lock_is_written_next_to_its_module(shop: Path, capsys: Told) -> None:
    assert lock("locked_shop.orders:OpenOrders") == 0
    assert capsys.readouterr().out.splitlines() == [
        "wrote locked_shop/orders.lock.json",
        "wrote locked_shop/open-orders.lock.json",
    ]
    text = (shop / "locked_shop" / "orders.lock.json").read_text(encoding="utf-8")
    assert json.loads(text)["describes"] == "Größen."
    assert "Größen" in text
    assert text.endswith("}\n")


def test_a_lock_is_what_export_writes(shop: Path, capsys: Told) -> None:
    lock()
    main(["export", "locked_shop.orders:Orders", "--to", "json", "-o", "exported.json"])
    assert (shop / "exported.json").read_bytes() == (
        shop / "locked_shop" / "orders.lock.json"
    ).read_bytes()


def test_a_lock_that_is_as_its_design_says_is_left_alone(shop: Path, capsys: Told) -> None:
    lock()
    capsys.readouterr()
    assert lock() == 0
    assert capsys.readouterr().out == "locked_shop/orders.lock.json is what Orders says\n"


def test_a_stale_lock_fails_the_check_and_is_not_written(shop: Path, capsys: Told) -> None:
    file = shop / "locked_shop" / "orders.lock.json"
    assert lock("--check") == 1
    assert f"{file.relative_to(shop)} is not there" in capsys.readouterr().err
    lock()
    assert lock("--check") == 0
    file.write_text(file.read_text().replace("ORDER#", "O#"))
    stale = file.read_text()
    assert lock("--check") == 1
    assert f"{file.relative_to(shop)} is not what Orders says" in capsys.readouterr().err
    assert file.read_text() == stale
    assert lock() == 0
    assert lock("--check") == 0


def test_programs_get_json(shop: Path, capsys: Told) -> None:
    assert lock("--check", "--json") == 1
    assert json.loads(capsys.readouterr().out) == [
        {"design": "Orders", "file": "locked_shop/orders.lock.json", "state": "missing"}
    ]


@pytest.mark.parametrize(
    ("design", "says"),
    [
        ("Twin", "Orders and Twin have the same lock"),
        ("Wrong", "`tablewright check` says it all"),
        ("Nothing", "there is nothing at 'locked_shop.orders:Nothing'"),
    ],
)
def test_what_cannot_be_locked_is_told_and_nothing_is_written(
    design: str, says: str, shop: Path, capsys: Told
) -> None:
    with pytest.raises(SystemExit) as stop:
        lock(f"locked_shop.orders:{design}")
    assert stop.value.code == 2
    assert says in capsys.readouterr().err
    assert not list(shop.rglob("*.lock.json"))


def test_every_design_of_the_examples_can_be_locked_and_compared(
    tmp_path: Path, capsys: Told
) -> None:
    examples = [one for one in EVERY_DESIGN if one.__module__.startswith("examples.")]
    assert len(examples) > 10
    places = [f"{one.__module__}:{one.__name__}" for one in examples]
    assert main(["lock", *places, "--folder", str(tmp_path / "locks")]) == 0
    written = {path.name: json.loads(path.read_text()) for path in tmp_path.rglob("*.json")}
    assert written == {f"{one.__design__.id}.lock.json": describe(one) for one in examples}
    assert main(["check", *places, "--against", str(tmp_path / "locks")]) == 0
    assert "locks: no difference" in capsys.readouterr().err
