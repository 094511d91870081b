"""The application on the local cloud, put there by the ordinary `cdk deploy`."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from local.emulator.connection import ACCOUNT, REGION, Connection, environment
from local.emulator.home import Home, LocalCloudError
from local.progress import Progress
from tablewright.testing import child
from toolchain import paths
from toolchain.paths import ROOT

STAGE = "local"
_EVENT = re.compile(r"^(\S+)\s*\|\s*(\d+/\d+)\s*\|")
_DONE = re.compile(r"^✅\s+(\S+)(.*)")
_WRONG = re.compile(r"❌|CREATE_FAILED|UPDATE_FAILED|[Ee]rror|failed")
_SHOWN_LINES = 12


class Deployment:
    """What the stacks gave out when they were deployed.

    Example::

        Deployment(home, connection).api_url("sales")
    """

    def __init__(self, home: Home, connection: Connection) -> None:
        self._connection = connection
        self.endpoint = connection.endpoint
        try:
            self.outputs: dict[str, dict[str, str]] = json.loads(home.outputs.read_text())
        except (FileNotFoundError, ValueError):
            raise LocalCloudError("Nothing is deployed yet. Deploy it: make local") from None

    def stack(self, system: str) -> str:
        """The name of a system's stack."""
        return f"tablewright-{STAGE}-{system}"

    def output(self, system: str, name: str) -> str:
        return self.outputs[self.stack(system)][name]

    def api_url(self, system: str) -> str:
        urls = self.api_urls()
        if system not in urls:
            known = ", ".join(urls)
            raise LocalCloudError(f"No system with an API is named '{system}'. There are: {known}")
        return urls[system]

    def api_urls(self) -> dict[str, str]:
        """The address of each system's API."""
        return {
            stack.removeprefix(f"tablewright-{STAGE}-"): self._connection.api_url(out["ApiUrl"])
            for stack, out in sorted(self.outputs.items())
            if "ApiUrl" in out
        }


def deploy(
    home: Home,
    connection: Connection,
    progress: Progress,
    settings: Mapping[str, str] | None = None,
    system: str | None = None,
) -> Deployment:
    """Deploy what has changed: the same stacks, by the same command, as on AWS.

    `settings` are variables of the stage, such as TABLEWRIGHT_REPLICAS. Of one `system`, its stack
    and those that it needs are deployed.
    """
    home.deploy_log.write_bytes(b"")
    replicas = (settings or {}).get("TABLEWRIGHT_REPLICAS", "").split(",")
    for region in filter(None, (REGION, *replicas)):
        if not _is_bootstrapped(connection, region):
            with progress.step("Preparing the account (cdk bootstrap)"):
                # Where there is no cdk.json: the application need not be synthesized for it.
                account = f"aws://{ACCOUNT}/{region}"
                _cdk(home, connection, progress, {}, "bootstrap", account, folder=home.root)
    with progress.step(f"Deploying (cdk deploy, stage {STAGE})"):
        stacks = f"tablewright-{STAGE}-{system}" if system else "--all"
        unattended = ("--require-approval", "never", "--outputs-file", str(home.outputs))
        _cdk(home, connection, progress, settings or {}, "deploy", stacks, *unattended)
    return Deployment(home, connection)


def _is_bootstrapped(connection: Connection, region: str) -> bool:
    try:
        cloudformation = connection.client("cloudformation", region)
        stacks = cloudformation.describe_stacks(StackName="CDKToolkit")
    except ClientError:
        return False
    return bool(stacks["Stacks"][0]["StackStatus"].endswith("_COMPLETE"))


def _cdk(
    home: Home,
    connection: Connection,
    progress: Progress,
    settings: Mapping[str, str],
    *command: str,
    folder: Path = ROOT,
) -> None:
    context = ("-c", f"stage={STAGE}", "-c", f"functions_python={paths.ministack_version()}")
    options = ("--no-notices", "--no-color", *context, "--output", str(home.cdk_out))
    variables = {
        **environment(connection.port),
        "CDK_HOME": str(home.cdk_home),
        "TABLEWRIGHT_SIGN_IN_URL": f"{connection.endpoint}/",
        # The same templates pass these checks in the tests, where they take their eight seconds.
        "CDK_VALIDATION": "false",
        **settings,
    }
    home.cdk_home.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    with (
        home.deploy_log.open("a") as log,
        _running((str(paths.cdk()), *command, *options), variables, folder) as cdk,
    ):
        for line in cdk.stdout:
            log.write(line)
            log.flush()
            lines.append(line.rstrip())
            _follow(line, progress)
        code = cdk.wait()
    if code:
        wrong = [line for line in lines if _WRONG.search(line)][-_SHOWN_LINES:]
        raise LocalCloudError(
            f"cdk {command[0]} ended with code {code}; all of its output is in "
            f"{home.deploy_log}. What went wrong:\n" + "\n".join(wrong or lines[-_SHOWN_LINES:])
        )


def _follow(line: str, progress: Progress) -> None:
    if event := _EVENT.match(line):
        progress.note(f"{event[1]} {event[2]}")
    elif done := _DONE.match(line):
        progress.say(f"{done[1]}{done[2].rstrip()}")


@contextmanager
def _running(command: tuple[str, ...], variables: dict[str, str], folder: Path) -> Iterator[Any]:
    process: subprocess.Popen[str] | None = None
    try:
        with child.uninterrupted():
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                # Together with what it starts: an interrupted deployment leaves nothing running.
                start_new_session=True,
            )
        yield process
    finally:
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            child.end_group(process.pid)
