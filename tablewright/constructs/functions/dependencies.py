"""Locked dependencies for Lambda, installed once into a cache. Standard library only."""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

_PIP_LINES = 12


class BundlingError(RuntimeError):
    """The code of a function could not be put together."""


@dataclass(frozen=True, kw_only=True)
class Platform:
    """Where code will run: a processor and a version of Python.

    Example::

        Platform()                  # Lambda on Graviton, the default
        Platform.host()             # this machine, for a cloud that runs on it
    """

    machine: str = "aarch64"
    python: str = "3.13"

    @classmethod
    def host(cls) -> "Platform":
        """The platform that this program runs on."""
        machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(_machine(), _machine())
        return cls(machine=machine, python=f"{sys.version_info[0]}.{sys.version_info[1]}")

    @property
    def pip_options(self) -> list[str]:
        """The options by which pip finds wheels for the platform."""
        return [
            "--only-binary=:all:",
            f"--platform=manylinux2014_{self.machine}",
            # What Lambda's Pythons since 3.12 run on has a newer glibc than that.
            f"--platform=manylinux_2_28_{self.machine}",
            f"--python-version={self.python}",
            "--implementation=cp",
        ]


LAMBDA = Platform()


def cache_folder() -> Path:
    """TABLEWRIGHT_CACHE, or the place where this user's programs keep caches."""
    named = os.environ.get("TABLEWRIGHT_CACHE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tablewright"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablewright"


def dependencies(requirements: Path, platform: Platform | None = None) -> Path:
    """A folder with the locked dependencies; needs the network only the first time.

    Example::

        dependencies(Path("lambdas/requirements.txt"))
    """
    platform = platform or LAMBDA
    try:
        lock = requirements.read_bytes()
    except OSError as error:
        raise BundlingError(f"{requirements} cannot be read: {error.strerror}") from None
    options = "\n".join(platform.pip_options).encode()
    key = hashlib.sha256(lock + b"\0" + options).hexdigest()[:32]
    folder = cache_folder() / "dependencies" / key
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Filled beside its place and renamed into it, so that a kill leaves no half-filled cache.
    partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    try:
        _install(requirements, platform, partial)
        # mkdtemp is for its owner only; Lambda must be able to read the folder.
        partial.chmod(0o755)
        try:
            partial.rename(folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process was first, with the same content
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def _install(requirements: Path, platform: Platform, target: Path) -> None:
    command = [
        *(sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"),
        *("--no-compile", "--require-hashes", "--no-deps", f"--target={target}"),
        *platform.pip_options,
        f"--requirement={requirements}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()[-_PIP_LINES:]
        raise BundlingError(
            f"pip could not install {requirements} for {platform.machine} and "
            f"Python {platform.python}:\n  " + "\n  ".join(lines)
        )


def _machine() -> str:
    return os.uname().machine.lower()


def main() -> None:
    parser = argparse.ArgumentParser(description="Install locked dependencies into the cache.")
    parser.add_argument("requirements", type=Path)
    parser.add_argument("--host", metavar="PYTHON", help="for this machine and this Python")
    chosen = parser.parse_args()
    from tablewright.constructs.functions import bytecode

    platform = replace(Platform.host(), python=chosen.host) if chosen.host else LAMBDA
    try:
        bytecode.prepare(platform.python)
        print(dependencies(chosen.requirements, platform))
    except BundlingError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
