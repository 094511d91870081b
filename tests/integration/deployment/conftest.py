"""A cloud to deploy to, and a stand-in for the CDK CLI that deploys small stacks to it."""

import http.client
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cdk_app.stage_file import StageFile
from deployment.target import Target
from tests.integration.deployment.small_cdk import STAGE, SmallCdk
from tests.integration.gaps.clouds import HOME, Cloud, running


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with running(Cloud(tmp_path_factory.mktemp("cloud") / "state")) as cloud:
        yield cloud


@pytest.fixture
def cloud(started: Cloud, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    """Empty, and the one that credentials and endpoints of this process lead to."""
    host = started.endpoint.removeprefix("http://")
    with closing(http.client.HTTPConnection(host, timeout=30)) as connection:
        connection.request("POST", "/_ministack/reset")
        assert connection.getresponse().status == 200
    environ = {
        "AWS_ENDPOINT_URL": started.endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_REGION": HOME,
    }
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return started


@pytest.fixture
def target(cloud: Cloud) -> Target:
    return Target(StageFile(STAGE, {}), {"AWS_REGION": HOME})


@pytest.fixture
def cdk(cloud: Cloud, tmp_path: Path) -> Callable[..., SmallCdk]:
    """The CLI for a stage whose settings name these replicas."""
    return lambda *replicas, **more: SmallCdk(cloud, tmp_path / "cdk.out", *replicas, **more)
