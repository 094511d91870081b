"""Runs the steps of the set-up, each once for the same inputs."""

import fcntl
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tablewright.testing.engine import certificates
from tablewright.testing.engine.tools import Shell, ToolError
from toolchain.paths import BUILD, ROOT, VENV

LOGS = BUILD / "logs"

# Inside the venv, so that they go when it goes.
STAMPS = VENV / ".setup"


@dataclass(frozen=True)
class Step:
    name: str
    title: str
    key: str
    products: Sequence[Path]
    action: Callable[[Shell], None]
    advice: str
    spoiled_by: Path | None = None
    # Where the stamp is, if not with those of the venv.
    stamps: Path | None = None

    @property
    def stamp(self) -> Path:
        return (self.stamps or STAMPS) / self.name

    def done(self) -> bool:
        if self.spoiled_by is not None and self.spoiled_by.exists():
            return False
        try:
            return self.stamp.read_text() == self.key and all(p.exists() for p in self.products)
        except FileNotFoundError:
            return False


def run_all(steps: Sequence[Step]) -> bool:
    """Run the steps that are not done; False when one failed."""
    with _alone() as lock:
        for number, step in enumerate(steps, start=1):
            if not step.done() and not _run(step, f"[{number}/{len(steps)}]", lock):
                return False
    return True


def fingerprint(*inputs: str | Path) -> str:
    """One short text for strings and the contents of files."""
    digest = hashlib.sha256()
    for part in inputs:
        content = part.read_bytes() if isinstance(part, Path) else part.encode()
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def _run(step: Step, place: str, lock: int) -> bool:
    started = time.monotonic()
    shell = Shell(LOGS / f"{step.name}.log", lock, ROOT)
    print(f"{place} {step.title} ... ", end="", flush=True)
    # Gone before the work starts: going back to the old inputs must not find it.
    step.stamp.unlink(missing_ok=True)
    try:
        step.action(shell)
    except (OSError, ToolError) as error:
        print(f"failed after {time.monotonic() - started:.0f} s\n{shell.tail()}")
        advice = step.advice
        if certificates.distrusted(shell.output()):
            advice = certificates.advice("make setup")
        print(f"{error} The full output is in {shell.log.relative_to(ROOT)}.\n{advice}")
        return False
    step.stamp.parent.mkdir(exist_ok=True)
    unfinished = step.stamp.with_suffix(".new")
    unfinished.write_text(step.key)
    unfinished.replace(step.stamp)
    print(f"{time.monotonic() - started:.0f} s", flush=True)
    return True


@contextmanager
def _alone() -> Iterator[int]:
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another set-up of this folder to end ...", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()
