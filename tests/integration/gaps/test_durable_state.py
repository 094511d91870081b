"""A killed emulator has kept what it held a moment before."""

from collections.abc import Callable
from pathlib import Path

from tests.integration.gaps.clouds import Cloud, running, until


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


def test_ministack_itself_writes_nothing_until_it_ends(
    cloud_without: Callable[[str], Cloud],
) -> None:
    other = cloud_without("durable_state")
    other.client("ssm").put_parameter(Name="lost", Value="x", Type="String")
    kill(other)
    assert not (other.state / "ssm.json").exists()
