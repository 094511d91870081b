"""The emulator's process: what it refuses to start with, and what it leaves behind."""

import os
import subprocess
from pathlib import Path

from local.gaps import expected
from tests.integration.gaps.clouds import PYTHON, ROOT, Cloud, running, script, until, zipped

OTHER_MINISTACK = """
from ministack.core import iam_evaluator
{change}
from local import gaps
gaps.close()
"""


def _closing(change: str, folder: Path) -> str:
    """What closing the gaps says about a ministack that was changed."""
    return script(OTHER_MINISTACK.format(change=change), folder).stderr


def test_a_ministack_without_what_a_gap_replaces_is_refused(tmp_path: Path) -> None:
    said = _closing("del iam_evaluator._conditions_met", tmp_path)
    assert "ministack.core.iam_evaluator has no _conditions_met" in said
    assert f"ministack {expected.VERSION}" in said


def test_a_ministack_with_another_signature_is_refused(tmp_path: Path) -> None:
    said = _closing("iam_evaluator._conditions_met = lambda conditions: True", tmp_path)
    assert "has no _conditions_met(conditions, ctx), but _conditions_met(conditions)" in said


def test_the_gaps_are_written_for_the_ministack_that_is_installed() -> None:
    wanted = (ROOT / "toolchain" / "ministack.in").read_text().splitlines()
    assert f"ministack=={expected.VERSION}" in wanted


def test_the_gaps_close_on_the_pinned_ministack(tmp_path: Path) -> None:
    assert _closing("", tmp_path) == ""


def test_an_unknown_gap_is_refused_by_name(tmp_path: Path) -> None:
    environment = {**os.environ, "STATE_DIR": str(tmp_path), "LOCAL_GAPS_WITHOUT": "iam, pipes"}
    ended = subprocess.run(
        (PYTHON, "-m", "local.emulator.server"),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ended.returncode != 0
    assert "no such gaps: iam" in ended.stderr


def test_functions_are_unpacked_in_the_state_folder_and_removed_at_the_end(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path / "state")
    with running(cloud):
        functions, iam = cloud.client("lambda"), cloud.client("iam")
        role = iam.create_role(RoleName="role", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
        functions.create_function(
            FunctionName="function",
            Runtime="python3.11",
            Role=role,
            Handler="index.handler",
            Code={"ZipFile": zipped("def handler(event, context): return __file__")},
        )
        answer = until(lambda: functions.invoke(FunctionName="function")["Payload"].read())
        assert str(cloud.state / "tmp") in answer.decode()
    assert not (cloud.state / "tmp").exists()


def test_only_the_loopback_address_is_listened_on(cloud: Cloud) -> None:
    listening = "0A"
    owned = {os.readlink(path) for path in Path(f"/proc/{cloud.process.pid}/fd").iterdir()}
    lines = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    addresses = [
        line[1].partition(":")[0]
        for line in lines
        if line[3] == listening and f"socket:[{line[9]}]" in owned
    ]
    assert addresses == ["0100007F"]
