"""Items that wait for work that was lost on its way are asked for again, until they are done.

Before an item is asked for, the attempt is noted on it together with the moment before which it is
not to be asked for again; the pause grows with each attempt. So two runs at the same time do not
both ask, and what can never be done is parked after some attempts instead of asked for for ever.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple
from uuid import uuid4

from tablewright.designs import Record
from tablewright.designs.fields import timestamp
from tablewright.designs.healing import HealingPlan
from tablewright.runtime.bulk import in_parallel
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store import Store
from tablewright.runtime.topic import Message, Topic


class Rules(NamedTuple):
    """When an item is stale, and how it is healed."""

    threshold: timedelta = timedelta(hours=1)
    batch: int = 100
    pause: timedelta = timedelta(hours=1)
    attempts: int = 5

    @classmethod
    def from_environment(cls) -> "Rules":
        """The rules that the construct `SelfHealing` gives to its function."""
        given = os.environ
        return cls(
            timedelta(seconds=int(given["HEALING_THRESHOLD_SECONDS"])),
            int(given["HEALING_BATCH"]),
            timedelta(seconds=int(given["HEALING_PAUSE_SECONDS"])),
            int(given["HEALING_ATTEMPTS"]),
        )

    def pause_after(self, attempt: int) -> timedelta:
        """How long to wait after an attempt: twice as long as after the one before."""
        return self.pause * (1 << (attempt - 1))


class Healed(NamedTuple):
    """What a run did: items that were stale, asked for again, not taken, and parked."""

    found: int
    republished: int
    failed: int
    parked: int


class Healing:
    """Heals the items of one table, as its plan says; `request` is what is published for one.

    Example::

        Healing(store, topic, PLAN, request=lambda item: Message(item["id"])).run(now)
    """

    def __init__(
        self,
        store: Store,
        topic: Topic,
        plan: HealingPlan,
        *,
        request: Callable[[Record], Message],
        rules: Rules | None = None,
    ) -> None:
        self._store = store
        self._topic = topic
        self._plan = plan
        self._request = request
        self._rules = rules or Rules()
        self._run = ""

    def run(self, now: datetime) -> Healed:
        """Ask again for the oldest of what is stale, as many as one run may."""
        # Tells our note from that of a run at the same moment.
        self._run = uuid4().hex
        stale = list(islice(self._stale(now), self._rules.batch))
        exhausted = [one for one in stale if _attempts(one) >= self._rules.attempts]
        hopeful = [one for one in stale if _attempts(one) < self._rules.attempts]
        executor = self._store.executor
        parked = sum(in_parallel(executor, lambda one: self._park(one, now), exhausted))
        noted = in_parallel(executor, lambda one: self._note(one, now), hopeful)
        mine = [one for one in noted if one is not None]
        failed = self._publish(mine)
        return Healed(len(stale), len(mine) - failed, failed, parked)

    def _stale(self, now: datetime) -> Iterator[Record]:
        """Items that wait for longer than the threshold and may be asked for, oldest first."""
        plan = self._plan
        field = plan.design.entity(plan.waiting).by_name[plan.age]
        # The bound is included, and an item of exactly that age is not yet stale.
        until = field.check(now - self._rules.threshold - timedelta(microseconds=1))
        where = plan.where(plan.pending)
        keys = self._store.each(plan.waiting, where, until=until, at_once=self._rules.batch)
        moment = timestamp(now)
        while page := list(islice(keys, self._rules.batch)):
            for item in whole(self._store, plan, page):
                # The index that found it lags behind the table.
                if plan.waits(item) and item.get("heal_after", "") <= moment:
                    yield item

    def _note(self, item: Record, now: datetime) -> Record | None:
        """Note an attempt; gives the item with it, None when somebody else was first."""
        attempt = _attempts(item) + 1
        after = timestamp(now + self._rules.pause_after(attempt))
        note = {"heal_attempts": attempt, "heal_after": after, "heal_run": self._run}
        return self._mark(item, note)

    def _park(self, item: Record, now: datetime) -> bool:
        note = {**self._plan.parked, "parked_at": timestamp(now), "heal_run": self._run}
        return self._mark(item, note) is not None

    def _mark(self, item: Record, changes: dict[str, Any]) -> Record | None:
        names = (*self._plan.pending, "heal_attempts", "heal_run")
        expected = {name: item.get(name) for name in names}
        try:
            return self._store.update(
                self._plan.mark, key_of(self._plan, item), changes, expect=expected
            )
        except (Conflict, NotFound):
            return None  # done, gone, or asked for by another run

    def _publish(self, items: Sequence[Record]) -> int:
        """Publish the requests; what is not taken may be asked for at the next run."""
        pairs = [(self._request(one), one) for one in items]
        left = {id(message) for message in self._topic.offer([message for message, _ in pairs])}
        failed = [one for message, one in pairs if id(message) in left]
        in_parallel(self._store.executor, self._give_back, failed)
        return len(failed)

    def _give_back(self, item: Record) -> None:
        """Take back the note of an attempt that was not made."""
        before = _attempts(item) - 1
        self._mark(item, {"heal_attempts": before or None, "heal_after": None, "heal_run": None})


def key_of(plan: HealingPlan, item: Record) -> Record:
    return {name: item[name] for name in plan.design.entity(plan.read).key.fields}


def whole(store: Store, plan: HealingPlan, page: Sequence[Record]) -> Iterator[Record]:
    """The items of a page of keys, in its order; those that are gone are passed over."""
    keys = [key_of(plan, one) for one in page]
    found = {tuple(key_of(plan, one).values()): one for one in store.get_many(plan.read, keys)}
    for key in keys:
        item = found.get(tuple(key.values()))
        if item is not None:
            yield item


def _attempts(item: Record) -> int:
    return int(item.get("heal_attempts", 0))
