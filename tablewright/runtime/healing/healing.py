"""Items that wait for work that was lost on its way are asked for again, until they are done.

Before an item is asked for, it is claimed: the moment before which it is not to be asked for again
is noted on it. When the topic has taken the request, the attempt is counted, and the next pause is
twice as long. So two runs at the same time do not both ask, whatever fails between two calls, and
what was asked for too often is parked instead of asked for for ever. Only what was taken counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import uuid4

from tablewright.model.fields.time import iso_utc, truncate_time
from tablewright.model.healing import Healable, HealingPlan
from tablewright.runtime.errors import Conflict, MalformedItem, NotFound, StoreError
from tablewright.runtime.messaging.topic import Message, TooLarge, Topic
from tablewright.runtime.parallel import try_in_parallel
from tablewright.runtime.store.reader import OnMalformed
from tablewright.runtime.store.records import Item, key_text
from tablewright.runtime.store.store import Store

# For each that a run may ask for: bounds what it reads where most of it is to be parked.
_LOOKED_AT = 10


class Rules(NamedTuple):
    """When an item is stale, and how it is healed."""

    threshold: timedelta = timedelta(hours=1)
    batch: int = 100
    pause: timedelta = timedelta(hours=1)
    attempts: int = 5

    @classmethod
    def from_environment(cls) -> Rules:
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
    """What a run did: items that were stale, asked for again, not asked for, and parked.

    `reasons` are those for which some could not be asked for, or not be asked for as planned.
    """

    found: int
    republished: int
    failed: int
    parked: int
    reasons: tuple[str, ...] = ()


H = TypeVar("H", bound=Healable)


class NoRequest(StoreError):
    """No request can be made of an item, for what it holds: it never can."""


# Failures that no other run can mend.
_FOR_EVER = (TooLarge, NoRequest)


class Healing(Generic[H]):
    """Heals the items of one table, as its plan says; `request` is what is published for one.

    Example::

        Healing(store, topic, PLAN, request=lambda item: Message(item["id"])).run(now)
    """

    def __init__(
        self,
        store: Store,
        topic: Topic,
        plan: HealingPlan[H],
        *,
        request: Callable[[H], Message],
        rules: Rules | None = None,
    ) -> None:
        self._store = store
        self._topic = topic
        self._plan = plan
        self._request = request
        self._rules = rules or Rules()
        self._run = ""
        self._malformed: list[MalformedItem] = []

    def run(self, now: datetime) -> Healed:
        """Ask again for the oldest of what is stale, as many as one run may."""
        # Tells our claim from that of a run at the same moment.
        self._run = uuid4().hex
        self._malformed = []
        hopeful, exhausted = self._chosen(now)
        parked = self._each(lambda one: self._park(one, now), exhausted)
        claimed = self._each(lambda one: self._claim(one, now), hopeful)
        mine = [one for one in claimed if isinstance(one, Healable)]
        offered = self._offer(mine)
        pairs = list(zip(mine, offered, strict=True))
        # What can never be taken is for an operator to see, at once.
        hopeless = [one for one, failure in pairs if isinstance(failure, _FOR_EVER)]
        parked += self._each(lambda one: self._park(one, now), hopeless)
        asked = [one for one, failure in pairs if failure is None]
        counted = self._each(self._count, asked)
        untaken = [one for one in offered if not isinstance(one, _FOR_EVER)]
        return Healed(
            found=len(hopeful) + len(exhausted) + len(self._malformed),
            republished=len(asked),
            failed=len(_failures([*parked, *claimed, *untaken, *self._malformed])),
            parked=sum(isinstance(one, Healable) for one in parked),
            reasons=_reasons([*parked, *claimed, *offered, *counted, *self._malformed]),
        )

    def _offer(self, items: Sequence[H]) -> list[StoreError | None]:
        """Publish the requests of items; return the failure of each, None for what was taken."""
        requests = [self._request_of(one) for one in items]
        offered = iter(self._topic.offer([one for one in requests if isinstance(one, Message)]))
        return [next(offered) if isinstance(one, Message) else one for one in requests]

    def _request_of(self, item: H) -> Message | NoRequest:
        try:
            return self._request(item)
        except Exception as error:  # of whatever another program stored
            key = ", ".join(map(str, key_of(self._plan, item).values()))
            return NoRequest(f"no request can be made of {key}: {error!r}")

    def _chosen(self, now: datetime) -> tuple[list[H], list[H]]:
        """What this run asks for, and what it parks: as many of each as it may.

        What is to be parked takes nobody's place. The rest of it waits for the next run.
        """
        hopeful: list[H] = []
        exhausted: list[H] = []
        for one in islice(self._stale(now), _LOOKED_AT * self._rules.batch):
            chosen = exhausted if _attempts(one) >= self._rules.attempts else hopeful
            if len(chosen) < self._rules.batch:
                chosen.append(one)
            if len(hopeful) == self._rules.batch:
                break
        return hopeful, exhausted

    def _each(
        self, work: Callable[[H], H | None], items: Sequence[H]
    ) -> list[H | StoreError | None]:
        """What came of each item: it as it is now, None when it is another's, or its failure."""
        return try_in_parallel(work, items)

    def _stale(self, now: datetime) -> Iterator[H]:
        """Items that wait for longer than the threshold and may be asked for, oldest first."""
        plan = self._plan
        field = plan.design.entity(plan.waiting).by_name[plan.age]
        # The bound is included, and an item of exactly that age is not yet stale.
        youngest = now - self._rules.threshold - timedelta(microseconds=1)
        until = field.check(truncate_time(youngest, getattr(field, "resolution", "us")))
        where = plan.where(plan.pending)
        keys = self._store.each(plan.waiting, where, until=until, at_once=self._rules.batch)
        moment = iso_utc(now)
        while page := list(islice(keys, self._rules.batch)):
            for item in whole(self._store, plan, page, self._skip):
                # The index that found it lags behind the table.
                if plan.waits(item) and (item.heal_after or "") <= moment:
                    yield item

    def _skip(self, item: Item, error: MalformedItem) -> None:
        self._malformed.append(error)

    def _claim(self, item: H, now: datetime) -> H | None:
        """Begin the pause of the next attempt; None when somebody else was first.

        It stands whatever becomes of the attempt: nothing is asked for twice within its pause.
        """
        pause = self._rules.pause_after(_attempts(item) + 1)
        return self._mark(item, {"heal_after": iso_utc(now + pause), "heal_run": self._run})

    def _count(self, item: H) -> H | None:
        """Count an attempt that was made; None when it has been answered meanwhile."""
        return self._mark(item, {"heal_attempts": _attempts(item) + 1})

    def _park(self, item: H, now: datetime) -> H | None:
        note = {**self._plan.parked, "parked_at": iso_utc(now), "heal_run": self._run}
        return self._mark(item, note)

    def _mark(self, item: H, changes: dict[str, Any]) -> H | None:
        names = (*self._plan.pending, "heal_attempts", "heal_run")
        expected = {name: item.get(name) for name in names}
        try:
            return self._store.update(
                self._plan.mark, key_of(self._plan, item), changes, when=expected
            )
        except (Conflict, NotFound) as error:
            # Done, gone, or asked for by another run.
            return error.current if error.is_own({**expected, **changes}) else None


def key_of(plan: HealingPlan[H], item: H) -> dict[str, Any]:
    return {name: item[name] for name in plan.design.entity(plan.read).key.fields}


def whole(
    store: Store, plan: HealingPlan[H], page: Sequence[H], on_malformed: OnMalformed = "raise"
) -> Iterator[H]:
    """The items of a page of keys, in its order; those that are gone are passed over."""
    keys = [key_of(plan, one) for one in page]
    items = store.get_many(plan.read, keys, on_malformed=on_malformed)
    found = {tuple(key_of(plan, item).values()): item for item in items}
    for key in keys:
        item = found.get(tuple(key.values()))
        if item is not None:
            yield item


def _attempts(item: Healable) -> int:
    return int(item.heal_attempts or 0)


def _failures(results: Iterable[object]) -> list[StoreError]:
    return [one for one in results if isinstance(one, StoreError)]


def _reasons(results: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_reason, _failures(results))))


def _reason(failure: StoreError) -> str:
    if isinstance(failure, MalformedItem):
        # An operator must find the item: its key is an id, and the value is left out.
        return f"{'/'.join(map(key_text, (failure.key or {}).values()))}: {failure.log_text}"
    return failure.log_text
