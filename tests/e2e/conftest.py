"""One local cloud for the whole run, on a port and in a folder of its own, freshly deployed."""

import io
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from local.clients.api import Api
from local.clients.users import PEOPLE, Person, Users
from local.deployment import Deployment, deploy
from local.emulator.cloud import Cloud, free_port
from local.emulator.home import Home
from local.progress import Progress
from tests.e2e.support import assets

NewUser = Callable[..., str]


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    home = Home(tmp_path_factory.mktemp("cloud"))
    with Cloud(home, port=free_port()) as cloud:
        yield cloud


@pytest.fixture(scope="session")
def deployment(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    deployment = deploy(cloud.home, cloud.connection, Progress(io.StringIO()))
    assets.keep(cloud.home, tmp_path_factory)
    return deployment


@pytest.fixture(scope="session")
def users(cloud: Cloud, deployment: Deployment) -> Users:
    users = Users(cloud.home, cloud.connection, deployment)
    assert users.create() == len(PEOPLE)
    return users


@pytest.fixture(scope="session")
def new_tenant(users: Users) -> NewUser:
    """Makes tenants, each with a user of its own, of the same name: no other test has them."""
    numbers = count(1)

    def made() -> str:
        name = f"tenant-{next(numbers)}"
        users.add(name, Person(f"sam@{name}.example", name, ("writers",)))
        return name

    return made


@pytest.fixture(scope="session")
def new_reader(users: Users) -> NewUser:
    """Makes readers of the portal whom nobody else tells anything."""
    numbers = count(1)

    def made() -> str:
        name = f"reader-{next(numbers)}"
        users.add(name, Person(f"{name}@portal.example", groups=("readers",)))
        return name

    return made


@pytest.fixture
def anyone(deployment: Deployment) -> Api:
    return Api(deployment.api_url("sales"))


@pytest.fixture(scope="session")
def acme(deployment: Deployment, users: Users) -> Api:
    return Api(deployment.api_url("sales"), users.token("acme"))


@pytest.fixture(scope="session")
def globex(deployment: Deployment, users: Users) -> Api:
    return Api(deployment.api_url("sales"), users.token("globex"))
