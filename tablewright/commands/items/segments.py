"""Parallel scans of a whole table, for commands that look at every item.

They scan it in segments, side by side, write at a limited rate, and can be stopped at any moment:
the same command goes on where it was. They end with 0, with 1 when something was left that
somebody must look at, with 2 when they could not go on.
"""

import argparse
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError
from tqdm import tqdm

from tablewright.commands.numbers import per_second, whole
from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.errors import StoreError
from tablewright.runtime.segments.progress import Progress, ProgressMismatch
from tablewright.runtime.segments.walk import Patient, Settle, Walk


class Rate:
    """Lets so many writes a second through, over all threads."""

    def __init__(self, per_second: float) -> None:
        self._interval = 1 / per_second
        self._next = time.monotonic()
        self._lock = threading.Lock()

    def wait(self) -> None:
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._interval
        time.sleep(turn - now)


def add_options(
    parser: argparse.ArgumentParser, state: str, rate: str = "writes a second (%(default)s)"
) -> None:
    """The options that these commands share; `state` says where progress is kept by default."""
    parser.add_argument("--dry-run", action="store_true", help="count what would be done, only")
    parser.add_argument("--state", help=f"where progress is kept ({state})")
    add_scan_options(parser, rate)


def add_scan_options(parser: argparse.ArgumentParser, rate: str) -> None:
    """Those of any scan; `rate` says what its rate is of."""
    parser.add_argument(
        "--segments", type=whole(1, 100), default=4, help="parallel scans (%(default)s)"
    )
    parser.add_argument("--rate", type=per_second, default=100.0, help=rate)
    parser.add_argument("--endpoint-url", help="another cloud than AWS, such as a local one")


def patient_caller(options: argparse.Namespace) -> Caller:
    session = boto3.session.Session(region_name=options.region)
    return Patient(connect(session, "dynamodb", endpoint_url=options.endpoint_url))


def go_through(
    options: argparse.Namespace,
    caller: Caller,
    request: Mapping[str, Any],
    settle: Settle,
    *,
    of: str,
    state: str,
    items: int,
) -> Counter[str]:
    """Walk, show it, and begin or go on as the options say; `of` tells one job from another."""
    file = Path(options.state or state)
    if options.dry_run:
        progress = Progress(None, of, options.segments)
    else:
        progress = Progress.open(file, of, options.segments)
    if progress.resumed:
        say(f"Going on where {file} says the last run stopped.")
    done = sum(progress.counts.values())
    # DynamoDB counts its items about every six hours, so the end may come early or late.
    with tqdm(total=items or None, initial=done, unit="item") as bar:
        counts = Walk(caller, request, settle, progress).run(bar)
    progress.finish()
    return counts


def carry_out(work: Callable[[], int]) -> int:
    """Do the work; gives the code to end with."""
    try:
        return work()
    except ProgressMismatch as error:
        say(f"Stopped: {error}")
        return 2
    except (StoreError, BotoCoreError) as error:
        say(f"Stopped: {error}")
        say("Nothing is lost: the same command goes on from here.")
        return 2
    except KeyboardInterrupt:
        say("Stopped. The same command goes on from here.")
        return 130


def summary(counts: Counter[str], outcomes: Mapping[str, str], *, dry_run: bool) -> None:
    """What became of the items, in the words of `outcomes`."""
    total = sum(counts.values())
    say(f"{total} items looked at" + (", none changed (dry run):" if dry_run else ":"))
    for outcome, words in outcomes.items():
        if counts[outcome]:
            say(f"  {counts[outcome]:10} {words}")


def say(text: str) -> None:
    print(text, file=sys.stderr)
