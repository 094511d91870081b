"""The home region is lost, another one goes on, and the way back: the drill, on its own cloud."""

from pathlib import Path

import pytest

from local.drill import AWAY, RegionDrill, ids
from local.emulator.cloud import Cloud, free_port
from local.emulator.home import Home
from tests.e2e.support import assets
from tests.e2e.support.runbook import Runbook

HEADING = "Move to another region"


class Followed(RegionDrill):
    """The drill, in which whoever moves the switch follows the operations page."""

    # Of a machine that runs other tests at the same time.
    within_seconds = 600

    def __init__(self, home: Home, cloud: Cloud, folder: Path, said: list[str]) -> None:
        self._folder = folder
        self.shown: list[str] = []
        super().__init__(home, cloud.connection, said.append)

    def move(self, region: str) -> None:
        stack = self.deployment.stack(f"sentiment-{AWAY}")
        runbook = Runbook(
            self._connection,
            self._folder,
            REGION=AWAY,
            AWS_REGION=AWAY,
            AWS_DEFAULT_REGION=AWAY,
            STACK=stack,
            TO=region,
        )
        self.shown.append(runbook.run(HEADING, "tablewright"))


def test_a_lost_region_loses_nothing_but_what_replication_had_not_carried(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    said: list[str] = []
    home = Home(tmp_path_factory.mktemp("drill"))
    assets.take(home, tmp_path_factory)
    with Cloud(home, port=free_port()) as cloud:
        drill = Followed(home, cloud, tmp_path_factory.mktemp("page"), said)
        ledger = drill.run(4)
    assert len(ledger.taken_in) == 14
    assert ledger.lost == []
    # They were offered again after the switch, where nobody knew of them.
    assert ledger.doubled == ids(ledger.not_carried)
    assert len(ledger.not_carried) == 2
    assert any("page and all" in line for line in said)
    away, back = drill.shown
    assert "Nothing was changed." in away
    assert f"sentiment is active in {AWAY} since" in away
    assert "version 2" in back
