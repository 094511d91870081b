"""Items that healing has parked: counted, listed and released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Generic, TypeVar

from tablewright.model.healing import HEALING_FIELDS, Healable, HealingPlan
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.healing.healing import whole
from tablewright.runtime.store.store import Store

_PAGE = 100


H = TypeVar("H", bound=Healable)


class Parked(Generic[H]):
    """The parked items of one table, oldest first.

    Example::

        parked = Parked(store, PLAN)
        for item in parked:
            parked.release(item)
    """

    def __init__(self, store: Store, plan: HealingPlan[H]) -> None:
        self._store = store
        self._plan = plan

    def count(self) -> int:
        """How many there are, from the index alone."""
        return sum(1 for _ in self._keys())

    def __iter__(self) -> Iterator[H]:
        keys = self._keys()
        while page := list(islice(keys, _PAGE)):
            yield from whole(self._store, self._plan, page)

    def release(self, key: Mapping[str, Any]) -> bool:
        """Let an item be healed again from the beginning; False when it is done or gone."""
        changes = {**self._plan.pending, **dict.fromkeys(HEALING_FIELDS)}
        names = self._plan.design.entity(self._plan.mark).key.fields
        try:
            self._store.update(
                self._plan.mark,
                {name: key[name] for name in names},
                changes,
                when=self._plan.parked,
            )
        except (Conflict, NotFound) as error:
            # A repeated release finds the item released.
            item = error.current or {}
            return bool(item) and all(item.get(name) == value for name, value in changes.items())
        return True

    def _keys(self) -> Iterator[H]:
        return self._store.each(self._plan.waiting, self._plan.where(self._plan.parked))
