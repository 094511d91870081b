"""`tablewright check --against`: the outcome of a change, and each finding at its line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tablewright.changes import Kind, Step
from tablewright.changes.plan.plan import FORMAT
from tablewright.commands.command_line import main
from tablewright.model.table_form import TableForm

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
FORM = TableForm((("PK", "S"),), (), {}, {}, None, None)
STEPS = [
    Step(kind=Kind.VERIFY, says="Verify.", form=FORM, code="any code", undo="nothing").to_json()
]


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
    return json.dumps(
        {"format": FORMAT, **told, "was": {}, "start": FORM.to_json(), "steps": []} | parts
    )


def test_an_unchanged_design_passes(shop: Path, capsys: Told) -> None:
    assert check() == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        "1 design: 0 errors, 0 warnings\nOrders against orders.lock.json: no difference\n"
    )


def test_a_compatible_change_passes_with_its_notes(shop: Path, capsys: Told) -> None:
    declare(with_size())
    assert check() == 0
    told = capsys.readouterr()
    (line,) = told.out.splitlines()
    assert line.startswith("compared_shop.py:8: note: Orders: field-dropped: Order.size: Old code")
    assert told.err.splitlines()[1:] == ["Orders against orders.lock.json: compatible"]


def test_a_change_that_asks_for_more_fails_with_an_example(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    assert check() == 1
    told = capsys.readouterr()
    query, refusal, added = told.out.splitlines()
    assert query == (
        "compared_shop.py:13: writers first: Orders: hidden: query of_customer: The item exists, "
        "and the other version does not find it. Example: Order(order_id='a') has no CPK. Keep "
        "the key, or declare a new index beside the old one."
    )
    assert ": note: Orders: text-refused: Order: A stored value may have a text" in refusal
    assert added.startswith("compared_shop.py:12: note: Orders: index-added: index by_customer: ")
    assert told.err.splitlines()[1:] == [
        "Orders against orders.lock.json: writers first",
        "Orders, 1,000,000 items of 1,024 bytes: 5 steps, at most 375,000 read units, 3,000,000 "
        "write units, 1 h 41 min, $1.92",
        "docs/changes.md says what each outcome asks for",
    ]


def test_the_price_is_that_of_the_plan_for_as_many_items(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    size = ("--items", "5000", "--bytes", "2000000")
    assert check(*size, "--region", "eu-west-1") == 1
    price = capsys.readouterr().err.splitlines()[2]
    assert main(["plan", "compared_shop:Orders", *size, "--region", "eu-west-1"]) == 0
    assert price == f"Orders, 5,000 items of 400 bytes: {capsys.readouterr().out.splitlines()[-1]}"


def test_a_lock_whose_classes_are_gone_cannot_be_compared(shop: Path, capsys: Told) -> None:
    lock = shop / "orders.lock.json"
    told = json.loads(lock.read_text())
    told["entities"]["Order"]["fields"]["customer"]["kind"] = "gone_since:Colour"
    lock.write_text(json.dumps(told))
    said = refused(capsys)
    assert "the design of orders.lock.json cannot be built: entities.Order.fields.customer" in said
    assert "gone_since:Colour" in said


def test_a_new_table_has_no_price_and_no_plan(shop: Path, capsys: Told) -> None:
    (shop / "orders.plan.json").write_text(plan())
    declare(SHOP.replace('pk="PK"', 'pk="key"'))
    (shop / "orders.plan.json").write_text(plan(steps=STEPS))
    assert check() == 1
    told = capsys.readouterr()
    assert "new table: Orders: table-changed: key: " in told.out
    assert "items of" not in told.err
    assert "(planned)" not in told.err


def test_a_renaming_is_named_by_an_option(shop: Path, capsys: Told) -> None:
    declare(SHOP.replace("customer: Field[str] = Text()", "buyer: Field[str] = Text()"))
    assert check() == 1
    assert "value-missing: Order.buyer" in capsys.readouterr().out
    assert check("--was", "Order.buyer=Order.customer") == 1
    told = capsys.readouterr().out
    assert "Order(order_id='a') raises" in told
    assert "value-missing" not in told
    assert "'Order.colour' is no entity, part or field" in refused(capsys, "--was", "Order.colour=")
    assert "--was buyer: write the new name" in refused(capsys, "--was", "buyer")


def test_programs_get_json(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    assert check("--json") == 1
    query, *_ = json.loads(capsys.readouterr().out)
    assert (query["code"], query["kind"]) == ("hidden", "writers first")
    assert query["example"] == "Order(order_id='a') has no CPK"
    assert (query["subject"], query["line"]) == ("query of_customer", 13)
    assert query["planned"] is False


def test_a_plan_with_steps_lets_a_change_in_place_pass(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    (shop / "orders.plan.json").write_text(plan(steps=STEPS))
    assert check() == 0
    told = capsys.readouterr()
    assert told.err.splitlines()[1] == "Orders against orders.lock.json: writers first (planned)"
    assert "docs/changes.md" not in told.err


def test_a_plan_without_steps_does_not(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    (shop / "orders.plan.json").write_text(plan())
    assert check() == 1
    assert "Orders against orders.lock.json: writers first\n" in capsys.readouterr().err


def test_a_plan_does_not_let_a_copy_pass(shop: Path, capsys: Told) -> None:
    declare(SHOP.replace("ORDER#", "O#"))
    (shop / "orders.plan.json").write_text(plan(steps=STEPS))
    assert check() == 1
    assert "Orders against orders.lock.json: migrate\n" in capsys.readouterr().err


@pytest.mark.parametrize("end", ["from", "to"])
def test_a_plan_of_another_change_does_not(end: str, shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    whole = json.loads(plan(steps=STEPS))
    other = {"from": whole["to"], "to": whole["from"]}[end]
    (shop / "orders.plan.json").write_text(plan(**{end: other, "steps": STEPS}))
    assert check() == 1


def test_another_plan_can_be_named(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX)
    (shop / "other.json").write_text(plan(steps=STEPS))
    assert check() == 1
    assert check("--plan", "other.json") == 0


def test_a_folder_of_locks_has_those_of_all_designs(shop: Path, capsys: Told) -> None:
    main(["lock", "compared_shop:Orders", "--folder", "locks"])
    declare(SHOP + INDEX)
    assert check(against="locks") == 1
    assert "Orders against locks: writers first" in capsys.readouterr().err


def test_a_design_with_an_error_is_told_of_the_error_alone(shop: Path, capsys: Told) -> None:
    declare(SHOP + INDEX.replace("{customer}", "{colour}"))
    assert check() == 1
    assert " error: Orders: " in (told := capsys.readouterr()).out
    assert "against" not in told.err


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
    assert "hidden: query of_customer" in capsys.readouterr().out
    (shop / "orders.plan.json").write_text(plan(steps=STEPS))
    assert check(against="HEAD") == 0
    capsys.readouterr()
    # What was not there then has no items.
    assert main(["check", "compared_shop:Visits", "--against", "HEAD"]) == 0
    assert "Visits is new" in capsys.readouterr().err
    assert "no revision that can be compared with" in refused(capsys, against="v99")
