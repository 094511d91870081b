"""Drill of a lost region: the sentiment system goes on from another one, and comes back.

On a cloud of its own, because regions are lost in it. Every step says how long it took; at the end
a ledger says what was taken in, lost and doubled.
"""

import io
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from local.clients.api import Answer, Api
from local.clients.users import TENANTS, Users
from local.deployment import deploy
from local.emulator.cloud import Cloud, free_port
from local.emulator.connection import REGION, Connection, environment
from local.emulator.faults import Faults
from local.emulator.home import Home, LocalCloudError
from local.progress import Progress
from local.samples.items import item

AWAY = "us-west-2"
SYSTEM = "sentiment"
_PATIENCE_SECONDS = 120
_LOST_FOR_SECONDS = 3600
_POLL_SECONDS = 0.2

Say = Callable[[str], None]
Offered = list[dict[str, Any]]


@dataclass
class Ledger:
    """What was offered, by when, and what became of it."""

    at_home: Offered = field(default_factory=list)
    not_carried: Offered = field(default_factory=list)
    away: Offered = field(default_factory=list)
    back: Offered = field(default_factory=list)
    # Sources by the number of items that each has in the end.
    items: Counter[str] = field(default_factory=Counter)

    @property
    def taken_in(self) -> list[str]:
        """Every source that an API has said to have taken in."""
        return ids((*self.at_home, *self.not_carried, *self.away, *self.back))

    @property
    def lost(self) -> list[str]:
        return sorted(set(self.taken_in) - self.items.keys())

    @property
    def doubled(self) -> list[str]:
        return sorted(source for source, count in self.items.items() if count > 1)

    def lines(self) -> Iterable[str]:
        rows = {
            "taken in before the loss": len(self.at_home) + len(self.not_carried),
            "of these, not carried by replication": len(self.not_carried),
            "taken in after the switch": len(self.away),
            "taken in after the way back": len(self.back),
            "lost": len(self.lost),
            "doubled, all of them not carried": len(self.doubled),
        }
        yield from (f"  {what:<38}{count:>4}" for what, count in rows.items())


class RegionDrill:
    """The deployed system in two regions, of which the first is lost and comes back.

    Example::

        with Cloud(home, port=free_port()) as cloud:
            RegionDrill(home, cloud.connection, print).run(6)
    """

    # By which items must be taken in and shown from the other region, counted from the loss.
    within_seconds = 60

    def __init__(self, home: Home, connection: Connection, say: Say) -> None:
        self._connection = connection
        self._faults = Faults(home)
        self._say = say
        self._random = random.Random()
        progress = Progress(io.StringIO())
        settings = {
            "TABLEWRIGHT_REPLICAS": AWAY,
            "TABLEWRIGHT_STANDBY": "on",
            "TABLEWRIGHT_ARCHIVE": "off",
        }
        with _timed(say, f"deployed in {REGION} and {AWAY}"):
            self.deployment = deploy(
                home, connection, progress, settings, system=f"{SYSTEM}-{AWAY}"
            )
        self.home = self._api(home, None)
        self.away = self._api(home, AWAY)
        self.ledger = Ledger()

    def run(self, count: int) -> Ledger:
        """Lose the home region and come back; `count` items are offered in each part."""
        ledger, say = self.ledger, self._say
        # By both regions, of which the other has learned that home is active.
        ledger.at_home = self._taken_in(self.home, count // 2)
        ledger.at_home += self._taken_in(self.away, count - count // 2)
        with _timed(say, f"{count} items taken in for {REGION}, shown from both regions"):
            for api in (self.home, self.away):
                self._shown(api, ledger.at_home)
        self._faults.add("replication", REGION, seconds=_LOST_FOR_SECONDS)
        ledger.not_carried = self._taken_in(self.home, count // 2)
        self._shown(self.home, ledger.not_carried)
        say(f"{len(ledger.not_carried)} more, which replication has not carried")
        self._lose_home(count)
        self._come_back(count)
        self._count()
        return ledger

    def _lose_home(self, count: int) -> None:
        ledger, say = self.ledger, self._say
        self._faults.add("region", REGION, seconds=_LOST_FOR_SECONDS)
        lost = time.monotonic()
        self._check_lost()
        say(f"{REGION} is lost: its API answers nothing")
        with _timed(say, f"the switch says {AWAY}"):
            self.move(AWAY)
        # What was known at home is known here, but for what was not carried.
        ledger.away = self._new(count)
        again = [*ledger.at_home, *ledger.not_carried]
        answer = self._accepted(self.away, [*ledger.away, *again])
        say(f"{answer['stored']} taken in by {AWAY}, {answer['duplicates']} known there")
        self._shown(self.away, [*ledger.away, *again])
        page = self.away("GET", "/")
        if page.status != 200:
            raise LocalCloudError(f"The page of {AWAY} answers {page.status}: {page.text}")
        took = time.monotonic() - lost
        say(f"{AWAY} takes in and shows, page and all, {took:.1f} s after the loss")
        if took > self.within_seconds:
            raise LocalCloudError(f"That is more than {self.within_seconds} s.")

    def _check_lost(self) -> None:
        try:
            answer = Api(self.deployment.api_url(SYSTEM), timeout=1)("GET", "/")
        except OSError:
            return
        raise LocalCloudError(f"{REGION} was to be lost, and answers {answer.status}.")

    def _come_back(self, count: int) -> None:
        ledger, say = self.ledger, self._say
        self._faults.clear()
        with _timed(say, f"{REGION} is back, and has caught up"):
            self._until(lambda: self._stored(REGION) == self._stored(AWAY), "tables to agree")
            self._shown(self.home, ledger.away)
        with _timed(say, f"the switch says {REGION}"):
            self.move(REGION)
        with _timed(say, f"{count} items taken in by {REGION} again, shown from both regions"):
            ledger.back = self._taken_in(self.home, count)
            for api in (self.home, self.away):
                self._shown(api, ledger.back)

    def _count(self) -> None:
        self._until(lambda: self._stored(REGION) == self._stored(AWAY), "tables to agree")
        items = (one for one in self._stored(AWAY) if "status" in one)
        self.ledger.items = Counter(one["source_id"]["S"] for one in items)
        for line in self.ledger.lines():
            self._say(line)

    def _api(self, home: Home, region: str | None) -> Api:
        users = Users(home, self._connection, self.deployment, region)
        users.create()
        system = f"{SYSTEM}-{region}" if region else SYSTEM
        return Api(self.deployment.api_url(system), users.token(TENANTS[0]))

    def _new(self, count: int) -> Offered:
        return [item(f"{self._random.getrandbits(64):x}", self._random) for _ in range(count)]

    def _taken_in(self, api: Api, count: int) -> Offered:
        offered = self._new(count)
        self._accepted(api, offered)
        return offered

    def _accepted(self, api: Api, offered: Offered) -> dict[str, Any]:
        """What the API says of them, once it has taken them all in: offering again is safe."""
        answers: list[Answer] = []

        def accepted() -> bool:
            answers.append(api("POST", "/items", {"items": offered}))
            return answers[-1].status == 202

        self._until(accepted, "items to be taken in")
        found: dict[str, Any] = answers[-1].json
        return found

    def _shown(self, api: Api, offered: Offered) -> None:
        def shown() -> bool:
            answer = api("GET", "/items", limit=100)
            return answer.status == 200 and set(ids(offered)) <= set(ids(answer.json["items"]))

        self._until(shown, "items to be shown")

    def _stored(self, region: str) -> list[dict[str, Any]]:
        """All that is in a region's table, guards too."""
        table = self.deployment.output(SYSTEM, "ItemsTable")
        found = self._connection.client("dynamodb", region).scan(TableName=table)["Items"]
        return sorted(found, key=repr)

    def move(self, region: str) -> None:
        """Move the switch as an operator does, in a region that answers."""
        words = ("--region", AWAY, "--system", SYSTEM, "--to", region, "--by", "drill")
        table = self.deployment.output(SYSTEM, "SwitchTable")
        done = subprocess.run(
            (sys.executable, "-m", "tablewright", "active-region", "--table", table, *words),
            env=environment(self._connection.port),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise LocalCloudError(f"The switch was not moved: {done.stdout}{done.stderr}")

    def _until(self, done: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not done():
            if time.monotonic() > deadline:
                raise LocalCloudError(f"Waited {_PATIENCE_SECONDS} s for {what}, in vain.")
            time.sleep(_POLL_SECONDS)


def drill(home: Home, say: Say, count: int) -> None:
    """Run the drill on a cloud that is made for it and goes with it."""
    shutil.rmtree(home.root, ignore_errors=True)
    with Cloud(home, port=free_port()) as cloud:
        ledger = RegionDrill(home, cloud.connection, say).run(count)
    if ledger.lost or set(ledger.doubled) - set(ids(ledger.not_carried)):
        raise LocalCloudError("Items were lost, or doubled after the switch: see the ledger.")


def ids(items: Iterable[dict[str, Any]]) -> list[str]:
    return sorted(one["source_id"] for one in items)


@contextmanager
def _timed(say: Say, what: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    say(f"{what}: {time.monotonic() - started:.1f} s")
