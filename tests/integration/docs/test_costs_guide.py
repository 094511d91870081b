"""The chapter on costs: its commands print what it shows."""

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
from tablewright.commands.command_line import main
from tablewright.costs.price_lists import PRICE_LISTS
from tablewright.testing.dynamodb_local import DynamoDbLocal

PAGE = (ROOT / "docs" / "guide" / "costs.md").read_text()
COMMANDS = re.findall(r"```console\n\$ tablewright (.*?)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def shop(
    tmp_path: Path, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The page's files in a folder of their own, and an engine that runs."""
    (tmp_path / "shop.py").write_text(
        "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    )
    (traffic,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "traffic.toml").write_text(traffic)

    @contextmanager
    def running() -> Iterator[DynamoDbLocal]:
        yield dynamodb_local

    monkeypatch.setattr("tablewright.commands.designs.measure.DynamoDbLocal", running)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    yield
    sys.modules.pop("shop", None)


@pytest.mark.usefixtures("shop")
def test_the_commands_print_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert [command.split()[0] for command, _ in COMMANDS] == ["measure", "cost"]
    for command, shown in COMMANDS:
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out == shown
    # Nothing got dearer than what was just measured.
    assert main(["measure", "shop:Orders", "shop:orders", "--check", "orders.capacity.json"]) == 0


def test_the_page_says_of_how_many_regions_there_are_prices() -> None:
    assert f"Prices are of {len(PRICE_LISTS)} commercial regions" in PAGE
