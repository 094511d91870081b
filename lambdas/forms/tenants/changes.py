"""Changes of one record, each of the version that somebody has read.

Every change moves `updated_at` on, so that it tells one version from another.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from lambdas.forms.tenants.versions import VERSION, next_version
from lambdas.http.versions import Version, Versioned
from tablewright.catalog.forms.tenants import Destination, TenantConfig
from tablewright.model import Entity, Get, Update
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store.store import Store

CONFIGS = Versioned(TenantConfig, VERSION)
DESTINATIONS = Versioned(Destination, VERSION)


E = TypeVar("E", bound=Entity)


class RecordChange(NamedTuple, Generic[E]):
    """A change of one record, by its design's patterns. `read` is consistent."""

    store: Store
    read: Get[E]
    update: Update[E]
    key: Mapping[str, Any]

    def apply(self, version: Version, now: datetime, decide: Callable[[E], Mapping[str, Any]]) -> E:
        """Make the changes that `decide` finds for the record, if it is of the version.

        A change that is in place already is done, so that it can be repeated.
        """
        versioned = Versioned(self.update.of, VERSION)
        before = self._now()
        changes = decide(before)
        if _holds(before, changes):
            return before
        versioned.require(version, before)
        new = {**changes, VERSION: next_version(before[VERSION], now)}
        try:
            expected = {VERSION: before[VERSION]}
            return self.store.update(self.update, self.key, new, when=expected)
        except Conflict:
            meanwhile = self._now()
            if _holds(meanwhile, changes):
                return meanwhile
            raise versioned.stale(version, meanwhile) from None

    def _now(self) -> E:
        record = self.store.get(self.read, self.key)
        if record is None:
            raise NotFound(f"no {self.update.entity} has this key")
        return record


def _holds(record: Mapping[str, Any], changes: Mapping[str, Any]) -> bool:
    return all(record.get(name) == value for name, value in changes.items())
