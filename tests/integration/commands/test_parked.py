"""The command that lists what is parked and releases it."""

import json
from datetime import timedelta
from typing import Any

import pytest

from tablewright.catalog.news.design import PARKED, News, SparseNews, news_healing
from tablewright.catalog.sentiment.items import PENDING
from tablewright.commands.operations.parked import main
from tablewright.testing import Database
from tests.integration.healing.conftest import NOW, World, news

SPARSE = "tests.integration.commands.test_parked:SPARSE_PLAN"
SPARSE_PLAN = news_healing(SparseNews)


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    for name, value in dynamodb.environment.items():
        monkeypatch.setenv(name, value)
    dynamodb.table(News)
    return World(dynamodb)


TABLE = "financial-news"
PLAN = ("--plan", "tablewright.catalog.news.design:news_healing")


def run(*options: str) -> int:
    return main([*PLAN, "--table", TABLE, "--region", "eu-west-1", *options])


def put(world: World) -> None:
    aside: dict[str, Any] = {"status": PARKED, "heal_attempts": 5, "parked_at": NOW}
    world.put(*(news(n, **aside) for n in (1, 2, 3)), news(4))


def statuses(world: World) -> list[str]:
    return [item.status for _, item in sorted(world.items().items())]


def test_what_is_parked_is_listed_line_by_line(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    put(world)
    assert run() == 0
    printed = capsys.readouterr()
    first, *rest = map(json.loads, printed.out.splitlines())
    assert first == {
        "source_id": "tiingo:000001",
        "timestamp": news(1).timestamp,
        "heal_attempts": 5,
        "parked_at": "2099-03-04T12:00:00.000Z",
    }
    assert len(rest) == 2
    assert printed.err == "3 parked\n"


def test_those_that_are_named_are_released(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    put(world)
    assert run("--release", "tiingo:000001", "tiingo:000003") == 0
    assert capsys.readouterr().err == "2 released, 0 not parked\n"
    assert statuses(world) == [PENDING, PARKED, PENDING, PENDING]
    assert world.heal(NOW + timedelta(hours=1)).republished == 3


def test_one_that_is_not_there_is_told_and_the_others_are_released(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    put(world)
    assert run("--release", "tiingo:9", "tiingo:000002") == 1
    said = capsys.readouterr().err
    assert 'Not parked: {"source_id": "tiingo:9"}' in said
    assert "1 released, 1 not parked" in said
    assert statuses(world) == [PARKED, PENDING, PARKED, PENDING]


def test_all_are_released_at_once(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    put(world)
    assert run("--release-all") == 0
    assert set(statuses(world)) == {PENDING}
    assert run() == 0
    assert capsys.readouterr().err.endswith("0 parked\n")


def test_another_plan_can_be_named(
    dynamodb: Database, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    dynamodb.clear()
    dynamodb.table(SparseNews, TABLE)
    sparse = World(dynamodb, SparseNews)
    put(sparse)
    assert run("--plan", SPARSE, "--release-all") == 0
    assert set(statuses(sparse)) == {PENDING}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--plan", "nowhere:plan"], "there is nothing at 'nowhere:plan'"),
        (["--plan", "builtins:dict"], "is no plan of healing"),
        (["--release", "not an id"], "source_id must be a source, ':' and an id"),
        (["--release", "a", "--release-all"], "not allowed with argument"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_done(
    world: World, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    put(world)
    with pytest.raises(SystemExit) as ended:
        run(*options)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert statuses(world) == [PARKED, PARKED, PARKED, PENDING]


def test_a_table_that_is_not_there_is_an_error_of_its_own(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*PLAN, "--table", "another", "--region", "eu-west-1"]) == 2
    assert "Stopped" in capsys.readouterr().err
