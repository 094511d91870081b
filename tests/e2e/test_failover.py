"""The failover drill: writes move to another region's replica and back.

On a cloud of its own, because the tables change under it.
"""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from local.clients.api import Api
from local.clients.users import Users
from local.deployment import Deployment, deploy
from local.emulator.cloud import Cloud, free_port
from local.emulator.home import Home
from local.progress import Progress
from tests.e2e.support.items import new_item
from tests.e2e.support.polling import eventually

HOME, AWAY = "eu-west-1", "us-west-2"
REPLICATED = {"TABLEWRIGHT_REPLICAS": AWAY}
Items = list[dict[str, Any]]


class Drill:
    """The deployed system, with its writes here or there."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._users: Users | None = None
        self.deployment: Deployment

    def deploy(self, **settings: str) -> None:
        progress = Progress(io.StringIO())
        self.deployment = deploy(
            self._cloud.home,
            self._cloud.connection,
            progress,
            {**REPLICATED, **settings},
            system="sentiment",
        )
        if self._users is None:
            self._users = Users(self._cloud.home, self._cloud.connection, self.deployment)
            self._users.create()
        self.api = Api(self.deployment.api_url("sentiment"), self._users.token("acme"))

    def hand_in(self, items: Items) -> dict[str, Any]:
        answer = self.api("POST", "/items", {"items": items})
        assert answer.status == 202, answer.text
        found: dict[str, Any] = answer.json
        return found

    def shown(self) -> list[str]:
        items = self.api("GET", "/items", limit=100).json["items"]
        return sorted(item["source_id"] for item in items)

    def counted(self) -> int:
        return sum(self.api("GET", "/summary", hours=2).json["distribution"].values())

    def stored(self, region: str) -> list[dict[str, Any]]:
        """The items in a region's replica, without their guards."""
        dynamodb = self._cloud.connection.client("dynamodb", region)
        table = self.deployment.output("sentiment", "ItemsTable")
        found = dynamodb.scan(TableName=table)["Items"]
        return sorted((one for one in found if "status" in one), key=repr)


@pytest.fixture
def drill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drill]:
    with Cloud(Home(tmp_path_factory.mktemp("drill")), port=free_port()) as cloud:
        yield Drill(cloud)


def test_writes_move_away_and_back_and_nothing_is_lost_or_doubled(drill: Drill) -> None:
    at_home, away, back = ([new_item() for _ in range(6)] for _ in range(3))

    drill.deploy()
    assert drill.hand_in(at_home)["stored"] == 6
    assert eventually(lambda: drill.shown() == ids(at_home))
    assert eventually(lambda: drill.stored(AWAY) == drill.stored(HOME))

    drill.deploy(TABLEWRIGHT_WRITE_REGION=AWAY)
    # Known at home is known here: the guards are replicated with the items.
    assert drill.hand_in([*at_home[:3], *away]) == {"stored": 6, "duplicates": 3, "rejected": []}
    # The one consumer, at home, projects what was written away.
    assert eventually(lambda: drill.shown() == ids(at_home + away))

    drill.deploy()
    assert drill.hand_in([*away, *back])["stored"] == 6
    assert eventually(lambda: drill.shown() == ids(at_home + away + back))
    assert eventually(lambda: drill.counted() == 18)
    assert len(drill.stored(HOME)) == 18
    assert eventually(lambda: drill.stored(AWAY) == drill.stored(HOME))


def ids(items: Items) -> list[str]:
    return sorted(item["source_id"] for item in items)
