"""Rate limit: how many requests a tenant may make in a minute.

Counted in the table, by one conditional addition to the item of the tenant's minute: exact whatever
number of functions count at once. Tenants without a limit are not counted. A minute that is full is
remembered, so that whoever sends on costs nothing.
"""

import threading
from datetime import UTC, datetime, timedelta

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import RequestWindow
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.store import Store

# An item takes a thousand writes a second; half of that leaves room for bursts. A limit beyond is
# taken in blocks of several requests, each for one function to use up.
_WRITES_PER_MINUTE = 30_000


class TooManyRequests(Exception):
    """The tenant has made as many requests as it may in this minute, which ends in `seconds`."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"the limit is reached for {seconds} seconds")


class RateLimit:
    """Admits requests up to a limit a minute, over all functions that use the table."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._minute = ""
        self._full: set[str] = set()
        self._left: dict[str, int] = {}

    def admit(self, tenant_id: str, per_minute: int, now: datetime) -> None:
        """Count a request; raises TooManyRequests for one that is beyond the limit."""
        begun = now.astimezone(UTC).replace(second=0, microsecond=0)
        minute = str(RequestWindow.minute.check(begun))
        if not self._admitted(tenant_id, per_minute, minute):
            left = begun + timedelta(minutes=1) - now
            raise TooManyRequests(-(-left // timedelta(seconds=1)))

    def _admitted(self, tenant_id: str, per_minute: int, minute: str) -> bool:
        with self._lock:
            if minute != self._minute:
                self._minute, self._full, self._left = minute, set(), {}
            if self._left.get(tenant_id):
                self._left[tenant_id] -= 1
                return True
            if tenant_id in self._full:
                return False
        block = -(-per_minute // _WRITES_PER_MINUTE)
        taken = per_minute > 0 and self._take(tenant_id, minute, block, per_minute)
        with self._lock:
            if minute == self._minute:
                if taken:
                    self._left[tenant_id] = self._left.get(tenant_id, 0) + block - 1
                else:
                    self._full.add(tenant_id)
        return taken

    def _take(self, tenant_id: str, minute: str, block: int, per_minute: int) -> bool:
        window = {"tenant_id": tenant_id, "minute": minute}
        fits = RequestWindow.requests <= per_minute - block
        try:
            self._store.upsert(
                Forms.count_request, window, RequestWindow.requests.add(block), when=fits
            )
        except Conflict:
            return False
        return True
