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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError
from tqdm import tqdm

from tablewright.commands.progress import Progress, ProgressMismatch
from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.errors import StoreError, Throttled
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.records import Item

_PAGE = 250

Settle = Callable[[list[Item]], Counter[str]]


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


class Patient:
    """A caller that waits while it is throttled, which others need the table for."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        for _ in Backoff(attempts=10, first=0.1, longest=10):
            try:
                return self._caller.call(operation, params)
            except Throttled as error:
                throttled = error
        raise throttled


class Walk:
    """A scan in segments. What is found is settled page by page, and how far it came is kept.

    `request` has what is scanned; `settle` is given the items of a page, in several threads at
    once, and tells what became of them. It is given a page again after a kill.
    """

    def __init__(
        self, caller: Caller, request: Mapping[str, Any], settle: Settle, progress: Progress
    ) -> None:
        self._caller = caller
        self._request = {"Limit": _PAGE, **request}
        self._settle = settle
        self._progress = progress
        self._stopped = threading.Event()

    def run(self, bar: Any) -> Counter[str]:
        segments = self._progress.unfinished()
        with ThreadPoolExecutor(max_workers=max(1, len(segments))) as executor:
            try:
                for done in [executor.submit(self._segment, segment, bar) for segment in segments]:
                    done.result()
            finally:
                # Whatever ends one segment ends the others, after the page that they are at.
                self._stopped.set()
        return self._progress.counts

    def _segment(self, segment: int, bar: Any) -> None:
        position = self._progress.position(segment)
        try:
            while not self._stopped.is_set():
                page = self._caller.call("Scan", self._params(segment, position))
                counts = self._settle(page["Items"])
                position = page.get("LastEvaluatedKey")
                # Saved after the page's writes: a kill before this line does the page again,
                # which changes nothing.
                self._progress.advance(segment, position, counts)
                bar.update(page["ScannedCount"])  # also what a filter left out
                if position is None:
                    return
        except BaseException:
            self._stopped.set()
            raise

    def _params(self, segment: int, position: Item | None) -> dict[str, Any]:
        segments = {"Segment": segment, "TotalSegments": self._progress.segments}
        start = {"ExclusiveStartKey": position} if position else {}
        return {**self._request, **segments, **start}


def add_options(parser: argparse.ArgumentParser, state: str) -> None:
    """The options that these commands share; `state` says where progress is kept by default."""
    parser.add_argument("--dry-run", action="store_true", help="count what would be done, only")
    parser.add_argument("--segments", type=_count, default=4, help="parallel scans (%(default)s)")
    parser.add_argument("--rate", type=_rate, default=100.0, help="writes a second (%(default)s)")
    parser.add_argument("--state", help=f"where progress is kept ({state})")
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


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to 100")
    return int(text)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0
    if not 0 < rate <= 40_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0 and up to 40000")
    return rate
