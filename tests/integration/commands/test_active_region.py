"""The command that shows and moves the active region."""

from typing import Any

import pytest

from tablewright.commands.operations import active_region
from tablewright.commands.operations.active_region import main
from tablewright.model.regions import ActiveRegion, RegionSwitch
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.store import Store
from tablewright.testing import Database, survives_every_fault

HOME, AWAY = "eu-west-1", "us-west-2"
TABLE = "region-switch"


class Replicated:
    """The engine, which has no replicas, as a table with one in each of two regions."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        answer = self._caller.call(operation, params)
        if operation == "DescribeTable":
            answer["Table"]["Replicas"] = [{"RegionName": name} for name in (HOME, AWAY)]
        return answer


@pytest.fixture
def switch(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> Store:
    dynamodb.table(RegionSwitch)
    replicated = Replicated(dynamodb.caller)
    monkeypatch.setattr(active_region, "connect", lambda *_, **__: replicated)
    return dynamodb.store(RegionSwitch)


def run(*options: str) -> int:
    named = ("--table", TABLE, "--region", AWAY, "--system", "sentiment", "--by", "sam")
    return main([*named, *options])


def active(switch: Store) -> ActiveRegion | None:
    return switch.get(RegionSwitch.active_region, system="sentiment")


def chosen(switch: Store) -> tuple[str, int, str]:
    there = active(switch)
    assert there is not None
    return there.region, there.version, there.by


def test_it_moves_away_and_back_and_says_so(
    switch: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--to", AWAY) == 0
    assert chosen(switch) == (AWAY, 1, "sam")
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "sentiment is active at home: it was never moved."
    assert said[1].startswith(f"sentiment is active in {AWAY} since 20")
    assert run("--to", HOME, "--by", "olga") == 0
    assert chosen(switch) == (HOME, 2, "olga")


def test_a_dry_run_and_a_look_change_nothing(
    switch: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 0
    assert run("--to", AWAY, "--dry-run") == 0
    assert f"Would make {AWAY} active. Nothing was changed." in capsys.readouterr().out
    assert active(switch) is None


def test_to_where_it_is_already_it_is_not_moved(switch: Store) -> None:
    run("--to", AWAY)
    first = active(switch)
    assert run("--to", AWAY) == 0
    assert active(switch) == first


def test_a_region_without_a_replica_is_refused(
    switch: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--to", "ap-south-1") == 1
    assert f"no replica in ap-south-1, only in {HOME}, {AWAY}" in capsys.readouterr().out
    assert active(switch) is None


@pytest.mark.parametrize("moved_before", [False, True])
def test_whoever_moved_it_meanwhile_is_not_overruled(
    switch: Store,
    moved_before: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if moved_before:
        run("--to", AWAY)
    look = active_region._replicas

    def slow(*arguments: Any) -> list[str]:
        monkeypatch.setattr(active_region, "_replicas", look)
        assert run("--to", HOME, "--by", "olga") == 0
        return look(*arguments)

    monkeypatch.setattr(active_region, "_replicas", slow)
    assert run("--to", HOME if moved_before else AWAY, "--by", "late") == 1
    assert "Somebody else moved it" in capsys.readouterr().out
    assert chosen(switch) == (HOME, 1 + moved_before, "olga")


def test_a_table_that_is_not_there_ends_with_two(
    switch: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--table", "another", "--to", AWAY) == 2
    assert "Stopped" in capsys.readouterr().out


@pytest.mark.parametrize("moved_before", [False, True])
def test_every_fault_at_every_call_ends_in_one_move(
    dynamodb: Database, switch: Store, moved_before: bool
) -> None:
    options = active_region._parser().parse_args(
        [
            "--table",
            "region-switch",
            "--region",
            HOME,
            "--system",
            "sentiment",
            "--to",
            AWAY,
            "--by",
            "sam",
        ]
    )
    before = ActiveRegion(**{**ActiveRegion.__entity__.example, "region": HOME, "version": 1})

    def fresh() -> Caller:
        dynamodb.empty()
        if moved_before:
            switch.put(RegionSwitch.first_move, before)
        return Replicated(dynamodb.caller)

    def outcome() -> tuple[str, int, str]:
        return chosen(switch)

    calls = survives_every_fault(
        lambda caller: active_region._run(options, caller), outcome, fresh=fresh
    )
    assert len(calls) == 3
    assert outcome() == (AWAY, 1 + moved_before, "sam")
