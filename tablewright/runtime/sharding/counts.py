"""Changing how many shards a tenant has: one more epoch, in the future, one planner at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from tablewright.model import Epoch, Epochs
from tablewright.model.declaration import Entity
from tablewright.model.fields.time import iso_utc
from tablewright.model.patterns import Get, Put, Update
from tablewright.model.sharding.epochs import EpochListField, read_epochs
from tablewright.runtime.errors import AlreadyExists, Conflict, StoreError
from tablewright.runtime.sharding.epochs import EpochTiming
from tablewright.runtime.store.store import Store

_MILLISECOND = timedelta(milliseconds=1)


class EpochTooLate(StoreError):
    """An epoch took longer to be written than is allowed for: writers may not have known of it."""


E = TypeVar("E", bound=Entity)


class ShardCounts(Generic[E]):
    """Reads and changes the shard counts of tenants.

    `read`, `begin` and `append` are the patterns of the design that get, create and update the
    entity with the epochs. Two that change a count at once do not both succeed: one gets Conflict.

    Example::

        counts = ShardCounts(store, Forms.get_shards, Forms.begin_shards, Forms.append_shards)
        counts.change("acme", 10)       # ids that are made from some minutes on have ten shards
    """

    def __init__(
        self,
        store: Store,
        read: Get[E],
        begin: Put[E],
        append: Update[E],
        *,
        timing: EpochTiming | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._entity: type[E] = read.of
        entity = store.design.entity(read)
        (self._whose,) = entity.key.fields
        (self._list,) = (f.name for f in entity.fields if isinstance(f, EpochListField))
        self._store = store
        self._patterns = read, begin, append
        self._timing = timing or EpochTiming()
        self._clock = clock

    def of(self, tenant: str) -> Epochs:
        """The tenant's epochs as they are stored now, those to come included."""
        record = self._store.get(self._patterns[0], {self._whose: tenant})
        return read_epochs(record[self._list]) if record else Epochs()

    def change(
        self,
        tenant: str,
        count: int,
        *,
        since: datetime | None = None,
        expected: Epochs | None = None,
        **fields: Any,
    ) -> Epochs:
        """Let the tenant have so many shards as soon as can be, or from a later moment on.

        Other `fields` of the entity are stored with it. Gives the epochs, in which nothing is new
        when the last of them has this count already. Raises ValueError for a moment that is too
        early, and Conflict when the epochs are no longer those that the caller decided by.
        """
        old = self.of(tenant)
        if expected is not None and old != expected:
            raise Conflict(f"the shards of {tenant} were changed by another")
        if old.last == count:
            return old
        begun = self._clock()
        epoch = Epoch(self._start(old, begun, since), count)
        new = old.followed_by(epoch, earliest=self._earliest(begun))
        self._write(tenant, old, {**fields, self._list: new})
        if self._clock() - begun > self._timing.patience:
            raise EpochTooLate(
                f"the epoch of {tenant} from {epoch.since} was stored too late to be known "
                "everywhere by then: look for items made since that are not where their id tells"
            )
        return new

    def _earliest(self, begun: float) -> str:
        moment = datetime.fromtimestamp(begun, UTC) + timedelta(seconds=self._timing.lead)
        return iso_utc(moment + _MILLISECOND)

    def _start(self, old: Epochs, begun: float, since: datetime | None) -> str:
        if since is not None:
            return iso_utc(since)
        start = self._earliest(begun)
        if not old.epochs:
            return start
        last = datetime.fromisoformat(old.epochs[-1].since)
        return max(start, iso_utc(last + _MILLISECOND))

    def _write(self, tenant: str, old: Epochs, changes: dict[str, Any]) -> None:
        _, begin, append = self._patterns
        key = {self._whose: tenant}
        try:
            if old.epochs:
                self._store.update(append, key, changes, when={self._list: old})
            else:
                self._store.put(begin, self._entity(**key, **changes))
        except (AlreadyExists, Conflict) as error:
            # Ours, when it was stored and its answer lost; or another's, who was first.
            if not error.maybe_applied or self.of(tenant) != changes[self._list]:
                raise Conflict(f"the shards of {tenant} were changed by another") from None
