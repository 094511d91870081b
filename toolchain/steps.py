"""Runs the steps of the set-up, each once for the same inputs."""

import fcntl
import hashlib
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from toolchain import certificates
from toolchain.paths import BUILD, ROOT, VENV

LOGS = BUILD / "logs"
TAIL_LINES = 15
DOT_SECONDS = 5.0

# Inside the venv, so that they go when it goes.
STAMPS = VENV / ".setup"


class StepError(Exception):
    """A tool that a step runs ended with an error."""


@dataclass(frozen=True)
class Step:
    name: str
    title: str
    key: str
    products: Sequence[Path]
    action: Callable[["Shell"], None]
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


class Shell:
    """Runs commands from the root of the project with their output in a log file."""

    def __init__(self, log: Path, lock: int) -> None:
        self.log = log
        self._lock = lock
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(b"")

    def run(self, *command: str | Path, env: Mapping[str, str] | None = None) -> None:
        with (
            self.log.open("ab") as output,
            subprocess.Popen(
                command,
                cwd=ROOT,
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
            raise StepError(f"{Path(command[0]).name} ended with code {code}.")

    def answer(self, *command: str | Path) -> str:
        """What a command says, or nothing when it fails."""
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return ended.stdout.strip() if ended.returncode == 0 else ""

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def tail(self) -> str:
        lines = self.output().splitlines()[-TAIL_LINES:]
        return "\n".join(f"    {line}" for line in lines)


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


def _awaited(process: subprocess.Popen[bytes]) -> int:
    """The code that the process ends with; a dot every few seconds says that it still works."""
    while True:
        try:
            return process.wait(DOT_SECONDS)
        except subprocess.TimeoutExpired:
            print(".", end="", flush=True)


def _run(step: Step, place: str, lock: int) -> bool:
    started = time.monotonic()
    shell = Shell(LOGS / f"{step.name}.log", lock)
    print(f"{place} {step.title} ... ", end="", flush=True)
    # Gone before the work starts: going back to the old inputs must not find it.
    step.stamp.unlink(missing_ok=True)
    try:
        step.action(shell)
    except (OSError, StepError) as error:
        print(f"failed after {time.monotonic() - started:.0f} s\n{shell.tail()}")
        advice = certificates.ADVICE if certificates.distrusted(shell.output()) else step.advice
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
