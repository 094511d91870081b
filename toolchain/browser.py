"""`python3 -m toolchain.browser`: the browser that the tests of the dashboard page drive."""

import fcntl
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolchain import machine
from toolchain.paths import BUILD, ToolchainError

# The one without windows first: the same browser, at a third of the CPU.
NAMES = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable", "chrome"),
)
# Where installers put a browser without a name on PATH.
PLACES = (
    Path("/usr/lib/chromium/chromium"),
    Path("/opt/google/chrome/chrome"),
    Path("/snap/bin/chromium"),
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)
PACKAGE = "chromium-headless-shell"
LOCK_SECONDS = 300
ADVICE = (
    "Install Chromium or Google Chrome so that one of "
    f"{', '.join(NAMES)} is on PATH (on Debian: apt-get install chromium)."
)


class BrowserMissing(ToolchainError):
    """No browser is installed, and none could be."""


def find() -> Path | None:
    """The machine's browser."""
    named = (machine.on_path(name) for name in NAMES)
    found = [Path(name) for name in named if name] + [place for place in PLACES if place.exists()]
    return found[0] if found else None


def ensure() -> Path:
    """The machine's browser, installed first where that needs nobody to be asked."""
    if browser := find():
        return browser
    apt = _apt()
    if apt is None:
        raise BrowserMissing(f"There is no browser. {ADVICE}")
    with _alone():
        if browser := find():  # another process was faster
            return browser
        _install(apt)
    if browser := find():
        return browser
    raise BrowserMissing(f"The package {PACKAGE} brought no browser. {ADVICE}")


def _apt() -> list[str] | None:
    """The command that installs packages here without a question, if there is one.

    On Debian only: Ubuntu's package of the same name is a snap, which containers cannot run.
    """
    apt = machine.on_path("apt-get")
    if apt is None or _distribution() != "debian":
        return None
    if os.geteuid() == 0:
        return [apt]
    sudo = machine.on_path("sudo")
    if sudo and subprocess.run((sudo, "-n", "true"), capture_output=True).returncode == 0:
        return [sudo, "-n", apt]
    return None


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release()["ID"]
    except OSError:
        return ""


@contextmanager
def _alone() -> Iterator[None]:
    """One installation at a time: several test processes find out at once that there is none."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "browser.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(apt: list[str]) -> None:
    started = time.monotonic()
    print(f"Installing Debian's {PACKAGE} with apt-get ... ", end="", flush=True)
    quiet = ("-qq", "-o", f"DPkg::Lock::Timeout={LOCK_SECONDS}")
    # The lists first: an image often comes without them, or with versions that are gone.
    for command in (("update",), ("install", "--yes", "--no-install-recommends", PACKAGE)):
        ended = subprocess.run(
            [*apt, *quiet, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        )
        if ended.returncode != 0:
            print("failed", flush=True)
            last = (ended.stdout.strip().splitlines() or ["It said nothing."])[-1]
            raise BrowserMissing(f"apt-get {command[0]} failed: {last} {ADVICE}")
    print(f"{time.monotonic() - started:.0f} s", flush=True)


def main() -> int:
    try:
        print(ensure())
    except BrowserMissing as missing:
        print(missing)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
