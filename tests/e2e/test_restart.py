"""The local cloud keeps what it holds, and a deployment without changes changes nothing."""

import io
import signal

import pytest

from local.clients.api import Api
from local.clients.users import TENANTS, Users
from local.deployment import Deployment, deploy
from local.emulator.cloud import Cloud
from local.progress import Progress
from tests.e2e.support.sales import key_of, new_sale


def test_only_the_stack_that_changed_is_deployed(
    cloud: Cloud, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tests that ran before on this cloud may have left stacks that differ from the templates.
    deploy(cloud.home, cloud.connection, Progress(io.StringIO()))
    said = io.StringIO()
    with monkeypatch.context() as changed:
        changed.setenv("TABLEWRIGHT_ALARM_EMAIL", "ops@example.com")
        deploy(cloud.home, cloud.connection, Progress(said))
    assert "tablewright-local-operations\n" in said.getvalue()
    assert "tablewright-local-identity (no changes)" in said.getvalue()
    assert "tablewright-local-sales (no changes)" in said.getvalue()
    restored = deploy(cloud.home, cloud.connection, Progress(io.StringIO()))
    assert restored.outputs == deployment.outputs


def test_a_killed_cloud_starts_again_with_its_data(cloud: Cloud, acme: Api, users: Users) -> None:
    sale = new_sale()
    assert acme("POST", "/sales", sale).status == 201
    killed = cloud.process
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    cloud.start()
    assert cloud.process.pid != killed.pid
    # The old token and a new one, for what was stored before and what is stored now.
    assert acme("GET", "/sale", **key_of(sale)).status == 200
    assert users.create() == 0
    assert users.token(TENANTS[0])
    assert acme("POST", "/sales", new_sale()).status == 201


def test_a_stopped_cloud_starts_again_with_its_data(cloud: Cloud, acme: Api) -> None:
    sale = new_sale()
    assert acme("POST", "/sales", sale).status == 201
    cloud.stop()
    cloud.start()
    assert acme("GET", "/sale", **key_of(sale)).status == 200
