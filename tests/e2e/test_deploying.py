"""What `make deploy` and `make user` run, on the deployed application."""

import subprocess
import sys

import pytest

from local.clients.api import Api
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from local.emulator.connection import environment
from toolchain.paths import ROOT

EMAIL = "new@initech.example"
PASSWORD = "Aa1!" + "z" * 12


class Command:
    """`python -m deployment`, with the settings that the application was deployed with."""

    def __init__(self, cloud: Cloud) -> None:
        self._environ = {
            **environment(cloud.connection.port),
            "CDK_HOME": str(cloud.home.cdk_home),
            "TABLEWRIGHT_SIGN_IN_URL": f"{cloud.connection.endpoint}/",
            "CDK_VALIDATION": "false",
        }

    def __call__(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        name, *rest = arguments
        return subprocess.run(
            [sys.executable, "-m", "deployment", name, "--stage", "local", *rest],
            cwd=ROOT,
            env={**self._environ, **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def command(cloud: Cloud, deployment: Deployment) -> Command:
    return Command(cloud)


def test_a_user_that_was_made_signs_in_and_reads_what_is_the_tenant_s(
    cloud: Cloud, deployment: Deployment, command: Command
) -> None:
    asked = ("user", "--email", EMAIL, "--tenant", "initech", "--groups", "writers")
    made = command(*asked)
    assert made.returncode == 0, made.stderr
    assert f"{EMAIL} is made, for tenant initech, in writers." in made.stdout
    assert "is there, for tenant initech" in command(*asked).stdout
    other = command("user", "--email", EMAIL, "--tenant", "acme")
    assert (other.returncode, other.stdout) == (1, "")
    assert "cannot be changed" in other.stderr

    cognito = cloud.connection.client("cognito-idp")
    pool = deployment.output("identity", "UserPoolId")
    cognito.admin_set_user_password(
        UserPoolId=pool, Username=EMAIL, Password=PASSWORD, Permanent=True
    )
    signed_in = cognito.initiate_auth(
        ClientId=deployment.output("identity", "UserPoolClientId"),
        AuthFlow="USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": EMAIL, "PASSWORD": PASSWORD},
    )
    api = Api(deployment.api_url("sales"), signed_in["AuthenticationResult"]["IdToken"])
    assert api("GET", "/embeddings", limit=1).json["items"] == []


def test_nothing_is_changed_without_somebody_to_ask(command: Command) -> None:
    for name in ("deploy", "destroy"):
        refused = command(name)
        assert refused.returncode == 1
        assert "There is no terminal" in refused.stderr
        assert f"make {name} STAGE=local APPROVE=never" in refused.stderr


def test_a_stage_that_is_as_it_should_be_stays_so(command: Command) -> None:
    done = command("deploy", "--approve", "never")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "1 of 1: The stacks are deployed." in done.stdout
    assert done.stdout.rstrip().endswith("local is deployed.")
    assert "CREATE_IN_PROGRESS" not in done.stderr


def test_the_local_stage_is_not_for_aws(command: Command) -> None:
    refused = command("deploy", "--approve", "never", TABLEWRIGHT_ACCOUNT="123456789012")
    assert refused.returncode == 1
    assert "the credentials are of account 000000000000" in refused.stderr
