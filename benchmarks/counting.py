"""Counts of a process's work: instructions where valgrind is there, CPU otherwise.

The process says what is to be counted, `counted(work, times)`, and `tell()` at its end; the
benchmark reads it by `counts(command)`. All of its threads are counted, and nothing of its start.
Instructions are those of callgrind, which are the same on a busy machine.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

UNIT = "Instructions" if shutil.which("valgrind") else "CPU"
ROUNDS = 5
# A call of libc that nobody else makes: callgrind writes down its count at each.
_MARK = "getpgid"
_WARM_UP = 5
# Set in processes that callgrind runs.
_UNDER = "BENCHMARK_UNDER_CALLGRIND"

_told: list[float] = []


def counted(work: Callable[[], Any], times: int) -> None:
    """Do this so many times, and have it counted."""
    if not _told and _UNDER in os.environ:
        _begin()
    for _ in range(_WARM_UP):
        work()
    os.getpgid(0)
    start = process_time()
    for _ in range(times):
        work()
    _told.append((process_time() - start) / times)
    os.getpgid(0)


def _begin() -> None:
    """Have callgrind count from now on: what is not counted runs six times as fast."""
    asked = ["callgrind_control", "-i", "on", str(os.getpid())]
    asking = subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # It hears of it while it runs, not while it waits.
    while asking.poll() is None:
        pass
    if asking.returncode:
        raise RuntimeError("callgrind_control cannot reach this process")


def tell() -> None:
    """Tell who started this process what was counted."""
    sys.stdout.write(json.dumps(_told))


def counts(
    command: Sequence[str | Path],
    times: Sequence[int],
    env: Mapping[str, str] | None = None,
) -> list[float]:
    """Of each work that the command has counted so many `times`: instructions or CPU of one."""
    if UNIT == "CPU":
        rounds = [json.loads(_output(command, env)) for _ in range(ROUNDS)]
        return [median(one) for one in zip(*rounds, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        out = f"--callgrind-out-file={folder}/out"
        tool = ("valgrind", "--tool=callgrind", out, f"--dump-before={_MARK}")
        told = {**(os.environ if env is None else env), _UNDER: "1"}
        _output([*tool, "--instr-atstart=no", *command], told)
        files = [Path(folder, f"out.{number}") for number in range(2, 2 * len(times) + 1, 2)]
        return [_total(file) / each for file, each in zip(files, times, strict=True)]


def instructions(command: Sequence[str | Path], env: Mapping[str, str], cwd: Path) -> int:
    """Of a process whole; only where valgrind is there."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        tool = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}")
        _output([*tool, *command], env, cwd)
        return _total(out)


def _output(
    command: Sequence[str | Path], env: Mapping[str, str] | None, cwd: Path | None = None
) -> str:
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def _total(file: Path) -> int:
    (line,) = (line for line in file.read_text().splitlines() if line.startswith("totals:"))
    return int(line.rpartition(":")[2])
