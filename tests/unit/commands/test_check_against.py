"""`tablewright check --against`: what changed, at its line, with what it asks of stored items."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tablewright.commands.command_line import main

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
SIZE = """    size: Field[str | None] = Text(default=None)
"""
Told = pytest.CaptureFixture[str]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Told) -> Path:
    """A shop with a lock, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    declare(SHOP)
    assert main(["lock", "compared_shop:Orders"]) == 0
    capsys.readouterr()
    return tmp_path


def declare(text: str) -> None:
    sys.modules.pop("compared_shop", None)
    Path("compared_shop.py").write_text(text)


def with_size() -> str:
    return SHOP.replace("customer: Field[str] = Text()\n", "customer: Field[str] = Text()\n" + SIZE)


def check(*more: str, against: str = "orders.lock.json") -> int:
    return main(["check", "compared_shop:Orders", "--against", against, *more])


def refused(capsys: Told, *more: str, against: str = "orders.lock.json") -> str:
    with pytest.raises(SystemExit) as stop:
        check(*more, against=against)
    assert stop.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def plan(**parts: Any) -> str:
    """A plan from the lock to the design as it is, but for these parts."""
    main(["export", "compared_shop:Orders", "--to", "json", "-o", "now.json"])
    ends = {"from": "orders.lock.json", "to": "now.json"}
    told = {name: json.loads(Path(file).read_text()) for name, file in ends.items()}
    return json.dumps({"format": 1, **told, "steps": [], **parts})


def test_a_design_that_did_not_change_passes(shop: Path, capsys: Told) -> None:
    assert check() == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == ("1 design: 0 errors, 0 warnings\nagainst orders.lock.json: no difference\n")


def test_a_safe_change_is_told_and_passes(shop: Path, capsys: Told) -> None:
    declare(with_size())
    assert check() == 0
    told = capsys.readouterr()
    (line,) = told.out.splitlines()
    assert line.startswith("compared_shop.py:8: safe: Orders: FIELD_ADDED: Order.size: it is new")
    assert told.err.splitlines()[1:] == ["against orders.lock.json: 1 safe"]


def test_a_change_that_asks_for_more_fails_with_its_line_and_reason(
    shop: Path, capsys: Told
) -> None:
    declare(SHOP + INDEX)
    assert check() == 1
    told = capsys.readouterr()
    index, pattern = told.out.splitlines()
    assert index.startswith("compared_shop.py:12: backfill: Orders: INDEX_ADDED_EMPTY: index by_c")
    assert "Items without an index's key attributes are not in it" in index
    assert pattern.startswith("compared_shop.py:13: safe: Orders: PATTERN_ADDED: ")
    assert told.err.splitlines()[1:] == [
        "against orders.lock.json: 1 safe, 1 backfill",
        "Orders, 1,000,000 items of 1,024 bytes: 5 steps, at most 375,000 read units, 4,000,000 "
        "write units, 1 h 8 min, $2.54",
        "`tablewright plan` orders the steps of what is not safe, and prices each",
    ]


def test_the_price_is_that_of_the_plan_for_as_many_items(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    size = ("--items", "5000", "--bytes", "2000000")
    assert check(*size, "--region", "eu-west-1") == 1
    price = capsys.readouterr().err.splitlines()[2]
    assert main(["plan", "compared_shop:Orders", *size, "--region", "eu-west-1"]) == 0
    assert price == f"Orders, 5,000 items of 400 bytes: {capsys.readouterr().out.splitlines()[-1]}"


def test_a_design_before_whose_classes_are_gone_has_no_price(shop: Path, capsys: Told) -> None:
    lock = shop / "orders.lock.json"
    told = json.loads(lock.read_text())
    told["entities"]["Order"]["fields"]["customer"]["kind"] = "gone_since:Colour"
    lock.write_text(json.dumps(told))
    declare(SHOP + INDEX)
    assert check() == 1
    assert "items of" not in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["plan", "compared_shop:Orders"])
    said = capsys.readouterr().err
    assert "entities.Order.fields.customer.kind is 'gone_since:Colour': no design that was" in said


def test_what_no_steps_lead_to_has_no_price(shop: Path, capsys: Told) -> None:
    declare(SHOP.replace('pk="PK"', 'pk="key"'))
    assert check() == 1
    assert "impossible" in capsys.readouterr().out
    assert "items of" not in capsys.readouterr().err


def test_what_is_gone_is_told_at_the_class_that_had_it(shop: Path, capsys: Told) -> None:
    declare(SHOP.replace("    customer: Field[str] = Text()\n", ""))
    assert check() == 0
    assert capsys.readouterr().out.startswith("compared_shop.py:5: safe: Orders: FIELD_REMOVED: ")


def test_programs_get_json(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    assert check("--json") == 1
    index, _ = json.loads(capsys.readouterr().out)
    assert (index["rule"], index["kind"]) == ("INDEX_ADDED_EMPTY", "backfill")
    assert (index["subject"], index["line"], index["planned"]) == ("index by_customer", 12, False)


def test_a_plan_beside_the_lock_lets_a_change_pass(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    (shop / "orders.plan.json").write_text(plan())
    assert check() == 0
    told = capsys.readouterr()
    assert "backfill (planned): Orders: INDEX_ADDED_EMPTY" in told.out
    assert told.err.splitlines()[1] == "against orders.lock.json: 1 safe, 1 backfill (planned)"
    assert "tablewright plan" not in told.err


@pytest.mark.parametrize("end", ["from", "to"])
def test_a_plan_of_another_change_does_not(end: str, shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    whole = json.loads(plan())
    other = {"from": whole["to"], "to": whole["from"]}[end]
    (shop / "orders.plan.json").write_text(plan(**{end: other}))
    assert check() == 1


def test_another_plan_can_be_named(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    (shop / "other.json").write_text(plan())
    assert check() == 1
    assert check("--plan", "other.json") == 0


def test_a_folder_of_locks_has_those_of_all_designs(shop: Path, capsys: Told) -> None:
    main(["lock", "compared_shop:Orders", "--folder", "locks"])
    declare(SHOP + INDEX)
    assert check(against="locks") == 1
    assert "against locks: 1 safe, 1 backfill" in capsys.readouterr().err


def test_a_design_with_an_error_is_told_of_the_error_alone(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX.replace("{customer}", "{colour}"))
    assert check() == 1
    assert " error: Orders: " in (told := capsys.readouterr()).out
    assert "INDEX_ADDED" not in told.out


def test_bad_input_gets_a_sentence(shop: Path, capsys: Told) -> None:
    (shop / "text.json").write_text("Orders")
    said = refused(capsys, against="text.json")
    assert "text.json is no lock file: it is not JSON in UTF-8. `tablewright lock` writes" in said
    (shop / "other.json").write_text('{"orders": 1}')
    assert "other.json is no lock file" in refused(capsys, against="other.json")
    lock = json.loads((shop / "orders.lock.json").read_text())
    (shop / "newer.json").write_text(json.dumps({**lock, "format": 99}))
    assert "newer.json is no lock file: format is 99: this version reads format 1" in refused(
        capsys, against="newer.json"
    )
    del lock["entities"]["Order"]["fields"]
    (shop / "cut.json").write_text(json.dumps(lock))
    assert "entities.Order is an object: it must have 'fields'" in refused(
        capsys, against="cut.json"
    )
    (shop / "empty").mkdir()
    assert "there is no empty/orders.lock.json" in refused(capsys, against="empty")
    assert "none.json is no plan: it cannot be read" in refused(capsys, "--plan", "none.json")
    assert "other.json is no plan" in refused(capsys, "--plan", "other.json")
    assert "'nowhere' is no file or folder, and no revision" in refused(capsys, against="nowhere")


def git(*arguments: str) -> None:
    own = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *own, *arguments], check=True, capture_output=True)  # noqa: S607


def test_a_design_is_compared_with_itself_at_a_revision(shop: Path, capsys: Told) -> None:
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "orders")
    declare(SHOP + INDEX + "\n\nclass Visits(Table, pk='PK'):\n    visit = Put(Order)\n")
    assert check(against="HEAD") == 1
    assert "INDEX_ADDED_EMPTY" in capsys.readouterr().out
    (shop / "orders.plan.json").write_text(plan())
    assert check(against="HEAD") == 0
    capsys.readouterr()
    # What was not there then has no items.
    assert main(["check", "compared_shop:Visits", "--against", "HEAD"]) == 0
    assert "Visits was not there before" in capsys.readouterr().err
    assert "no revision that can be compared with" in refused(capsys, against="v99")
