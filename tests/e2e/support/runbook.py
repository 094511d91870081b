"""Pages for operators as somebody follows them: their commands, run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

from local.emulator.connection import Connection, environment
from toolchain.paths import ROOT


class Runbook:
    """Runs the page's commands against a local cloud, in a folder of its own.

    Example::

        runbook = Runbook(cloud.connection, tmp_path, STACK="tablewright-local-forms")
        runbook.run("Compare")
    """

    def __init__(
        self,
        connection: Connection,
        folder: Path,
        *,
        page: str = "operations.md",
        first: tuple[str, ...] = ("When an alarm rings", "Get data back"),
        **variables: str,
    ) -> None:
        self._folder = folder
        self._page = (ROOT / "docs" / page).read_text()
        self._first = first
        self._assigned = "\n".join(f"{name}={value}" for name, value in variables.items())
        for name, module in (("aws", "tests.e2e.support.aws"), ("tablewright", "tablewright")):
            command = folder / name
            command.write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
            command.chmod(0o755)
        path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._environment = {
            **environment(connection.port),
            "PATH": path,
            "PYTHONPATH": str(ROOT),
        }

    def run(self, heading: str, beginning: str = "") -> str:
        """Run the commands under a heading, or those of them that begin so; gives the output."""
        blocks = [block for block in self._blocks(heading) if block.startswith(beginning)]
        script = "\n".join(block for first in self._first for block in self._blocks(first))
        # The page's own values come first, those of this cloud in their place.
        script = re.sub(r"^(STACK|REGION)=.*$", "", script, flags=re.MULTILINE)
        own = (block.replace("tablewright-prod-", "tablewright-local-") for block in blocks)
        script = "\n".join((self._assigned, script, *own))
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

    def _blocks(self, heading: str) -> list[str]:
        """The commands directly under a heading, up to the next one of any depth."""
        (text,) = re.findall(
            rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", self._page, re.MULTILINE | re.DOTALL
        )
        blocks: list[str] = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        return blocks
