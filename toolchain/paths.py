"""Paths of the tools that `make setup` puts in place."""

import os
from pathlib import Path

from tablewright.testing.engine import certificates

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BUILD = ROOT / ".build"
# Links to the tools in use, the machine's or ours: the record of what the set-up chose.
LINKS = BUILD / "bin"
NODE_MODULES = ROOT / "node_modules"
MINISTACK = BUILD / "ministack"
CHECKOV = BUILD / "checkov"
PEERS = BUILD / "peers"
# The Python that Lambda runs, if it is not that of the venv.
RUNTIME = BUILD / "runtime"
SPHINX = BUILD / "sphinx"
PACKAGING = BUILD / "packaging"


class ToolchainError(RuntimeError):
    """A tool is not in place."""


def python() -> Path:
    return _present(VENV / "bin" / "python")


def node() -> Path:
    return _present(LINKS / "node")


def npm() -> Path:
    return _present(LINKS / "npm")


def cdk() -> Path:
    """The CDK CLI: start it with `environment()`, which gives it its Node."""
    return _present(NODE_MODULES / ".bin" / "cdk")


def ministack_python() -> Path:
    """The Python that has the local cloud, and runs its functions."""
    return _present(MINISTACK / "bin" / "python")


def runtime_python() -> Path:
    """The Python that Lambda runs, with our packages."""
    return _present(RUNTIME / "bin" / "python")


def ministack_version() -> str:
    """The version of that Python, such as 3.13."""
    settings = _present(MINISTACK / "pyvenv.cfg").read_text()
    version = settings.partition("\nversion = ")[2].partition("\n")[0]
    return ".".join(version.split(".")[:2])


def environment() -> dict[str, str]:
    """This process's environment with the project's python, node, npm and cdk first on PATH.

    The CDK CLI is told not to call out on its own account.
    """
    own = [str(LINKS), str(VENV / "bin"), str(NODE_MODULES / ".bin")]
    others = [folder for folder in os.get_exec_path() if folder not in own]
    return {
        **os.environ,
        "PATH": os.pathsep.join(own + others),
        "VIRTUAL_ENV": str(VENV),
        # Without the bytecode of the CDK library every run would compile it again.
        "PYTHONDONTWRITEBYTECODE": "",
        "CDK_DISABLE_CLI_TELEMETRY": "1",
        "CDK_DISABLE_VERSION_CHECK": "1",
        **certificates.node_settings(os.environ),
    }


def _present(path: Path) -> Path:
    if not path.exists():
        raise ToolchainError(f"{path.relative_to(ROOT)} is not there. Run: make setup")
    return path
