"""Tools that fetch packages, pip and npm: run with their output in a log, and a sign of life."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tablewright.testing.engine import certificates
from tablewright.testing.engine.machine import answer

# Compiling all that a package has would double the time: Python compiles what is imported.
PIP_QUICK = ("--no-compile", "--no-input", "--progress-bar", "off", "--disable-pip-version-check")
NPM_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier")
# By its own settings npm waits 70 seconds before it says that a registry cannot be reached.
NPM_QUICK = (
    *("--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"),
    "--fetch-timeout=60000",
)

_TAIL_LINES = 15
_DOT_SECONDS = 5.0


class ToolError(Exception):
    """A tool ended with an error."""


class Shell:
    """Runs commands from a folder with their output in a log file."""

    def __init__(self, log: Path, lock: int, folder: Path) -> None:
        self.log = log
        self._lock = lock
        self._folder = folder
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(b"")

    def run(
        self,
        *command: str | Path,
        env: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Run a command to its end, in another folder if one is given. Raises ToolError when it
        fails."""
        with (
            self.log.open("ab") as output,
            subprocess.Popen(
                command,
                cwd=folder or self._folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # A tool that outlives a killed set-up keeps the lock until it ends as well.
                pass_fds=(self._lock,),
            ) as process,
        ):
            code = _awaited(process)
        if code != 0:
            raise ToolError(f"{Path(command[0]).name} ended with code {code}.")

    def output(self) -> str:
        """What the commands have written."""
        return self.log.read_text(errors="replace")

    def tail(self) -> str:
        """The last lines of that, indented."""
        lines = self.output().splitlines()[-_TAIL_LINES:]
        return "\n".join(f"    {line}" for line in lines)


def npm_environment(python: str | Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Variables for npm: it trusts whom the machine trusts, and whom this Python's pip does."""
    own = {**environ, **certificates.node_settings(environ)}
    pip_trusts = answer(python, "-I", "-m", "pip", "config", "get", "global.cert").strip()
    if pip_trusts and "NODE_EXTRA_CA_CERTS" not in os.environ:
        own["NODE_EXTRA_CA_CERTS"] = pip_trusts
    return own


def _awaited(process: subprocess.Popen[bytes]) -> int:
    """The code that the process ends with; a dot every few seconds says that it still works."""
    while True:
        try:
            return process.wait(_DOT_SECONDS)
        except subprocess.TimeoutExpired:
            print(".", end="", flush=True)
