"""The operations page as somebody follows it: its commands, run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

from local.emulator.connection import Connection, environment
from toolchain.paths import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text()


class Runbook:
    """Runs the page's commands against a local cloud, in a folder of its own.

    Example::

        runbook = Runbook(cloud.connection, tmp_path, STACK="tablewright-local-forms")
        runbook.run("Compare")
    """

    def __init__(self, connection: Connection, folder: Path, **variables: str) -> None:
        self._folder = folder
        self._assigned = "\n".join(f"{name}={value}" for name, value in variables.items())
        command = folder / "aws"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m tests.e2e.support.aws "$@"\n')
        command.chmod(0o755)
        path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._environment = {
            **environment(connection.port),
            "PATH": path,
            "PYTHONPATH": str(ROOT),
        }

    def run(self, heading: str, beginning: str = "") -> str:
        """Run the commands under a heading, or those of them that begin so; gives the output."""
        blocks = [block for block in _blocks(heading) if block.startswith(beginning)]
        script = "\n".join((*_blocks("When an alarm rings"), *_blocks("Get data back")))
        # The page's own values come first, those of this cloud in their place.
        script = re.sub(r"^(STACK|REGION)=.*$", "", script, flags=re.MULTILINE)
        script = "\n".join((self._assigned, script, *blocks))
        done = subprocess.run(
            ("/bin/sh", "-euc", script),
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def _blocks(heading: str) -> list[str]:
    """The commands directly under a heading, up to the next one of any depth."""
    (text,) = re.findall(
        rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", PAGE, re.MULTILINE | re.DOTALL
    )
    blocks: list[str] = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return blocks
