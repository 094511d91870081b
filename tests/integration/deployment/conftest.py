"""A cloud to deploy to, and a stand-in for the CDK CLI that deploys small stacks to it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deployment.target import Target
from tests.integration.deployment.small_cdk import STAGE, SmallCdk
from tests.integration.gaps.clouds import HOME, Cloud, running


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    with running(Cloud(tmp_path / "state")) as started:
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
        yield started


@pytest.fixture
def target(cloud: Cloud) -> Target:
    return Target(STAGE, {"AWS_REGION": HOME})


@pytest.fixture
def cdk(cloud: Cloud, tmp_path: Path) -> Callable[..., SmallCdk]:
    """The CLI for a stage whose settings name these replicas."""
    return lambda *replicas, **more: SmallCdk(cloud, tmp_path / "cdk.out", *replicas, **more)
