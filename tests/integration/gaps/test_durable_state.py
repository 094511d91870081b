"""A killed emulator has kept what it held a moment before."""

from collections.abc import Callable
from pathlib import Path

from tests.integration.gaps.clouds import Cloud, running, script, until

# Code of a function that is replaced and put back, with its state saved twice each time.
CODE = """
import os
os.environ["PERSIST_STATE"] = "1"
from ministack.services import lambda_svc
write, written = lambda_svc._write_code_blob, []

def counted(code_zip):
    written.append(code_zip.decode())
    return write(code_zip)

lambda_svc._write_code_blob = counted
from local.gaps import durable_state
durable_state.close()
for code in (first := b"first", b"second", first):
    lambda_svc._functions["one"] = {"code_zip": code}
    for _ in range(2):
        name = lambda_svc.get_state()["functions"]["one"]["code_zip"]["code_blob_ref"]
        assert lambda_svc._read_code_blob(name) == code
print(*written)
"""


def kill(cloud: Cloud) -> None:
    cloud.process.kill()
    cloud.process.wait()


def test_what_was_stored_survives_a_kill(tmp_path: Path) -> None:
    with running(Cloud(tmp_path / "state")) as cloud:
        cloud.client("ssm").put_parameter(Name="kept", Value="first", Type="String")
        cloud.client("ssm").put_parameter(
            Name="kept", Value="second", Type="String", Overwrite=True
        )
        file = cloud.state / "ssm.json"
        until(lambda: file.exists() and "second" in file.read_text())
        kill(cloud)
        cloud.start()
        found = cloud.client("ssm").get_parameter(Name="kept")["Parameter"]["Value"]
        assert found == "second"


def test_an_end_in_order_keeps_the_very_last_change(tmp_path: Path) -> None:
    with running(Cloud(tmp_path / "state")) as cloud:
        for number in range(50):
            cloud.client("ssm").put_parameter(Name=f"n{number}", Value="x", Type="String")
        cloud.stop()
        cloud.start()
        assert cloud.client("ssm").get_parameter(Name="n49")["Parameter"]["Value"] == "x"


def test_code_of_functions_is_written_when_it_is_new(tmp_path: Path) -> None:
    done = script(CODE, tmp_path)
    assert done.stdout == "first second first\n", done.stderr


def test_ministack_itself_writes_nothing_until_it_ends(
    cloud_without: Callable[[str], Cloud],
) -> None:
    other = cloud_without("durable_state")
    other.client("ssm").put_parameter(Name="lost", Value="x", Type="String")
    kill(other)
    assert not (other.state / "ssm.json").exists()
