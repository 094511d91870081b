"""`up` brings everything up in one go, and nothing of it stays when it ends, in whichever way."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator.home import Home, Running
from local.guide import SYSTEMS
from tests.e2e.support import assets
from tests.e2e.support.polling import eventually
from toolchain.paths import ROOT

READY = "Ctrl-C stops it"
# What a person who works with AWS has set: none of it may matter, least of all be used.
NOT_OURS = {
    "AWS_PROFILE": "production",
    "AWS_CONFIG_FILE": "/nowhere",
    "AWS_SESSION_TOKEN": "real",
    "AWS_REGION": "us-east-1",
    "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
    "TABLEWRIGHT_ACCOUNT": "123456789012",
    "TABLEWRIGHT_REGION": "us-east-1",
}


class Terminal:
    """Runs `python -m local` for one folder, as a person in a terminal would."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder)
        self._command = (sys.executable, "-m", "local", "--folder", str(folder))
        self._environment = {**os.environ, **NOT_OURS}

    def up(self) -> tuple[subprocess.Popen[str], str]:
        """Start it and read on until it is ready; gives what it said."""
        process = subprocess.Popen(
            (*self._command, "up"),
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = []
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if READY in line:
                return process, "".join(said)
        raise AssertionError("".join(said))

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (*self._command, *command),
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def running(self) -> Running:
        running = self.home.running()
        assert running is not None
        return running


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path_factory.mktemp("up"))
    assets.take(terminal.home, tmp_path_factory)
    yield terminal
    terminal.run("down")


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_up_deploys_says_what_to_try_and_survives_a_kill(terminal: Terminal) -> None:
    before = terminal.run("status")
    assert (before.returncode, before.stderr) == (
        1,
        "The local cloud is not running. Start it: make local\n",
    )
    process, said = terminal.up()
    assert "480 sales stored" in said
    _require_tables(terminal, said)
    _try(said)
    given_out = json.loads(terminal.home.outputs.read_text())
    server = terminal.running().server
    process.kill()
    process.wait()
    assert eventually(lambda: is_gone(server))

    again, said = terminal.up()
    assert len(given_out) == 6
    assert all(f"{stack} (no changes)" in said for stack in given_out), said
    assert json.loads(terminal.home.outputs.read_text()) == given_out
    assert "sales stored" not in said
    server = terminal.running().server
    down = terminal.run("down")
    assert (down.returncode, down.stdout) == (0, "Stopped. Its data is kept.\n")
    assert again.wait() == 0
    assert eventually(lambda: is_gone(server))
    assert terminal.run("down").stdout == "The local cloud was not running.\n"


def test_ctrl_c_stops_a_start_that_is_under_way(terminal: Terminal) -> None:
    command = (sys.executable, "-m", "local", "--folder", str(terminal.home.root), "up")
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Deploying"):
                break
        server = terminal.running().server
        process.send_signal(signal.SIGINT)
        assert "Deploying (cdk deploy, stage local): interrupted" in process.stdout.read()
        assert process.wait() == 130
    assert eventually(lambda: is_gone(server))


def test_reset_leaves_nothing(terminal: Terminal) -> None:
    terminal.home.state.mkdir(parents=True, exist_ok=True)
    assert terminal.run("reset").returncode == 0
    assert not terminal.home.root.exists()


def _try(said: str) -> None:
    """Paste the commands into a shell."""
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    requests = said.partition("read a trend:")[2].partition("Deliver a form")[0]
    indented = re.findall(r"^  (.+)$", requests, re.MULTILINE)
    commands = re.findall(r"^  Try +(.+)$", said, re.MULTILINE)
    assert len(commands) == 3
    script = "\n".join([*indented, *commands]).replace(
        "curl ", "curl --silent --show-error --fail "
    )
    done = subprocess.run(
        ("/bin/sh", "-euc", script), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"saleId": "sale_abc"' in done.stdout
    assert '"periods": [{' in done.stdout


def _require_tables(terminal: Terminal, said: str) -> None:
    """All tables that the guide names exist."""
    deployed = terminal.run("tables").stdout
    names = [name for system in SYSTEMS for name in system.tables]
    assert all(name in said and name in deployed for name in names), (said, deployed)
