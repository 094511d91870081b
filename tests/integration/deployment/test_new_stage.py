"""A new stage is one new file: it is deployed, gets a user, and is destroyed, by the commands."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deployment import __main__ as commands
from tests.integration.deployment.small_cdk import SmallCdk
from tests.integration.deployment.test_users import made_pool
from tests.integration.gaps.clouds import HOME, Cloud

Run = Callable[..., int]
STACK = "tablewright-qa-sentiment"


@pytest.fixture
def run(cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`python -m deployment`, with a folder of stages that has nothing but `qa.toml`."""

    def small_cdk(stage: str, settings: object) -> SmallCdk:
        return SmallCdk(cloud, tmp_path / "cdk.out", stage=stage)

    monkeypatch.setattr(commands, "Cdk", small_cdk)

    def run(command: str, *options: str, data: str = "throw-away") -> int:
        (tmp_path / "qa.toml").write_text(f'data = "{data}"\nregion = "{HOME}"\n')
        return commands.main([command, "--stage", "qa", *options], tmp_path)

    return run


def exists(cloud: Cloud) -> bool:
    stacks = cloud.client("cloudformation").list_stacks()["StackSummaries"]
    return any(
        stack["StackName"] == STACK and stack["StackStatus"] != "DELETE_COMPLETE"
        for stack in stacks
    )


def test_a_file_is_deployed_and_gets_a_user_and_is_destroyed(
    run: Run, cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("deploy", "--approve", "never") == 0
    assert exists(cloud)
    made_pool(cloud, "tablewright-qa-identity", HOME)
    assert run("user", "--email", "sam@acme.example", "--tenant", "acme") == 0
    assert "sam@acme.example is made" in capsys.readouterr().out
    assert run("destroy", "--approve", "never") == 0
    assert not exists(cloud)


def test_a_stage_that_protects_its_data_is_destroyed_when_that_is_confirmed(
    run: Run, cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    run("deploy", "--approve", "never")
    for confirm in ("", "destroy-prod"):
        assert run("destroy", "--approve", "never", "--confirm", confirm, data="protected") == 1
    assert "make destroy STAGE=qa CONFIRM=destroy-qa" in capsys.readouterr().err
    assert exists(cloud)
    confirmed = ("--approve", "never", "--confirm", "destroy-qa")
    assert run("destroy", *confirmed, data="protected") == 0
    assert not exists(cloud)


def test_a_stage_without_a_file_is_refused(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert commands.main(["deploy", "--stage", "prod"], tmp_path) == 1
    assert "stage 'prod' has no file stages/prod.toml" in capsys.readouterr().err


def test_an_account_of_the_file_is_the_only_one(
    cloud: Cloud, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qa.toml").write_text(f'account = "123456789012"\nregion = "{HOME}"\n')
    assert commands.main(["deploy", "--stage", "qa", "--approve", "never"], tmp_path) == 1
    said = "account in stages/qa.toml is 123456789012, but the credentials are of account"
    assert said in capsys.readouterr().err
