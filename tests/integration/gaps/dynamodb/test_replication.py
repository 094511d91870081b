"""A region can be lost, or cut off from the others, and what was held up is carried afterwards."""

from collections.abc import Iterator

import pytest
from botocore.config import Config
from botocore.exceptions import ReadTimeoutError

from local.emulator.faults import Faults
from local.emulator.home import Home
from tests.integration.gaps.clouds import HOME, Cloud, deploy, until
from tests.integration.gaps.dynamodb.test_global_tables import OTHER, _item, _put, _template


@pytest.fixture
def faults(cloud: Cloud) -> Iterator[Faults]:
    faults = Faults(Home(cloud.state))
    yield faults
    faults.clear()


def value(cloud: Cloud, table: str, region: str, key: str) -> str | None:
    found = _item(cloud, table, region, key)
    return str(found["value"]["S"]) if found else None


def test_what_was_held_up_is_carried_when_the_regions_reach_each_other(
    cloud: Cloud, faults: Faults
) -> None:
    deploy(cloud, "held", _template("held", HOME, OTHER))
    faults.add("replication", HOME, seconds=600)
    _put(cloud, "held", HOME, "away", "written at home")
    _put(cloud, "held", OTHER, "home", "written away")
    # Only what home writes is held up.
    assert value(cloud, "held", HOME, "home") == "written away"
    assert value(cloud, "held", OTHER, "away") is None
    faults.clear()
    until(lambda: value(cloud, "held", OTHER, "away") == "written at home")


def test_of_two_writes_the_later_stays_whichever_is_carried_last(
    cloud: Cloud, faults: Faults
) -> None:
    deploy(cloud, "later", _template("later", HOME, OTHER))
    for region in (HOME, OTHER):
        faults.add("replication", region, seconds=600)
    _put(cloud, "later", HOME, "key", "first")
    _put(cloud, "later", OTHER, "key", "second")
    _put(cloud, "later", HOME, "told", "last")
    faults.clear()
    until(lambda: value(cloud, "later", OTHER, "told") == "last")
    until(lambda: value(cloud, "later", HOME, "key") == "second")
    assert value(cloud, "later", OTHER, "key") == "second"


def test_a_lost_region_answers_nothing_and_gets_what_it_missed(
    cloud: Cloud, faults: Faults
) -> None:
    deploy(cloud, "lost", _template("lost", HOME, OTHER))
    faults.add("region", OTHER, seconds=600)
    once = Config(read_timeout=0.5, retries={"total_max_attempts": 1})
    dynamodb = cloud.client("dynamodb", region_name=OTHER, config=once)
    with pytest.raises(ReadTimeoutError):
        dynamodb.list_tables()
    _put(cloud, "lost", HOME, "key", "written meanwhile")
    faults.clear()
    until(lambda: value(cloud, "lost", OTHER, "key") == "written meanwhile")
