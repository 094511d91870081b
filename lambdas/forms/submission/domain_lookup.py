"""Domain lookup: the tenant of a web page, by the domain of the page."""

import time
from collections.abc import Callable

from lambdas.forms.tenants.domain_names import domain_key
from lambdas.forms.ttl_cache import TtlCache
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import DomainLookup
from tablewright.runtime.store.store import Store

# A domain that changes hands may be looked up as the former tenant's for this many seconds.
_LIFE = 30.0


class DomainLookupManager:
    """Finds tenants by domain: one read, kept for half a minute."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._cache = TtlCache(self._read, life=_LIFE, clock=clock)

    def lookup_tenant_by_domain(self, domain: str, *, refresh: bool = False) -> DomainLookup | None:
        """Return the item of a domain in any spelling, None if there is none.

        A table that does not answer raises an error; a text that is no domain, InvalidValue.
        """
        key = domain_key(domain)
        return self._cache.get((key["domain_hash"], key["domain"]), refresh=refresh)

    def _read(self, key: tuple[str, str]) -> DomainLookup | None:
        return self._store.get(Forms.get_domain, {"domain_hash": key[0], "domain": key[1]})
