"""A wrong setting stops the synthesis with one sentence that says what to do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cdk_app.settings import ROOT, SettingError, read
from tests.infrastructure.synthesis import context

NOTHING: dict[str, object] = {}


def message(environ: dict[str, str] | None = None, **asked: str) -> str:
    with pytest.raises(SettingError) as caught:
        read(asked.get, environ or {})
    return str(caught.value)


def test_a_stage_that_does_not_exist() -> None:
    assert message(stage="qa") == (
        "stage 'qa' is not one of local, dev, staging, prod: choose one with -c stage=dev"
    )


@pytest.mark.parametrize(
    ("setting", "wrong", "example"),
    [
        ("TABLEWRIGHT_ACCOUNT", "1234", "123456789012"),
        ("TABLEWRIGHT_REGION", "Ireland", "eu-west-1"),
        ("TABLEWRIGHT_ALARM_EMAIL", "ops", "ops@example.com"),
    ],
)
def test_a_setting_of_the_wrong_form(setting: str, wrong: str, example: str) -> None:
    expected = f"{setting} is '{wrong}': set it to something like {example}"
    assert message({setting: wrong}) == expected


def test_replicas_without_a_region_of_the_table_itself() -> None:
    assert "set TABLEWRIGHT_REGION too" in message({"TABLEWRIGHT_REPLICAS": "us-east-1"})


def test_a_replica_where_the_table_itself_is() -> None:
    here = {"TABLEWRIGHT_REGION": "eu-west-1", "TABLEWRIGHT_REPLICAS": "us-east-1,eu-west-1"}
    assert "leave it out" in message(here)


def test_the_default_is_dev_in_no_particular_account() -> None:
    stage = read(NOTHING.get, {})
    assert stage.name == "dev"
    assert (stage.environment.account, stage.environment.region) == (None, None)


def test_own_settings_win_over_the_credentials_in_use() -> None:
    both = {"CDK_DEFAULT_REGION": "us-east-1", "TABLEWRIGHT_REGION": "eu-west-1"}
    assert read(NOTHING.get, both).environment.region == "eu-west-1"
    assert read(NOTHING.get, {"CDK_DEFAULT_REGION": "us-east-1"}).environment.region == "us-east-1"


def test_the_app_says_the_sentence_and_nothing_else(tmp_path: Path) -> None:
    done = run_app(tmp_path, stage="qa")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("stage 'qa' is not one of")
    assert "Traceback" not in done.stderr


def test_prod_holds_before_the_rules_of_cloudformation_itself(tmp_path: Path) -> None:
    done = run_app(tmp_path, stage="prod", alarm_email="ops@example.com", validate=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tablewright-prod-sales.template.json").exists()


def run_app(
    outdir: Path, *, validate: bool = False, **asked: str
) -> subprocess.CompletedProcess[str]:
    """The app as the CDK CLI runs it."""
    flag = "@aws-cdk/core:validateAgainstDefaultRules"
    environ = {
        **os.environ,
        "CDK_OUTDIR": str(outdir),
        "CDK_CONTEXT_JSON": json.dumps(context(**asked, **{flag: validate})),
        "CDK_VALIDATION": "true" if validate else "false",
    }
    return subprocess.run(
        [sys.executable, "-m", "cdk_app"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
