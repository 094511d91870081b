"""Which domains are a tenant's. A domain is one tenant's only."""

from datetime import datetime
from typing import Any

from lambdas.forms.domains import domain_key, refuse_public
from lambdas.http.given import only
from lambdas.http.problems import Problem
from tablewright.designs import InvalidValue, Record
from tablewright.designs.fields import timestamp
from tablewright.designs.forms import FORMS
from tablewright.runtime.errors import AlreadyExists, Conflict
from tablewright.runtime.reader import Page
from tablewright.runtime.store import Store


class Domains:
    """The domains of one tenant; `lookup` is the table with rights to the domains of all."""

    def __init__(self, store: Store, lookup: Store, tenant: str) -> None:
        self._store = store
        self._lookup = lookup
        self._tenant = tenant

    def assign(self, body: Any, now: datetime) -> tuple[Record, bool]:
        """Give the tenant a domain; gives it and whether it is new."""
        key = _key_in(only(body, ("domain",)).get("domain"), new=True)
        lookup = {**key, "tenant_id": self._tenant, "created_at": timestamp(now)}
        try:
            return self._lookup.put(FORMS.put_domain, lookup), True
        except AlreadyExists:
            there = self._lookup.get(FORMS.get_domain, key)
            if there is None or there["tenant_id"] != self._tenant:
                raise _taken(key["domain"]) from None
            return there, False

    def give_up(self, domain: str) -> None:
        """Take a domain from the tenant; one that is nobody's has been taken already."""
        key = _key_in(domain)
        try:
            self._lookup.delete(FORMS.delete_domain, key, expect={"tenant_id": self._tenant})
        except Conflict:
            raise _taken(key["domain"]) from None

    def page(self, **paging: Any) -> Page:
        return self._store.query(FORMS.tenant_domains, {"tenant_id": self._tenant}, **paging)


def _key_in(domain: Any, *, new: bool = False) -> dict[str, str]:
    try:
        if not isinstance(domain, str):
            raise InvalidValue("domain", "must be a domain name, such as example.com")
        key = domain_key(domain)
        if new:
            refuse_public(key["domain"])
        return key
    except InvalidValue as problem:
        detail = "The domain is not valid."
        raise Problem(400, detail, [("/domain", problem.reason)]) from None


def _taken(domain: str) -> Problem:
    # Not whose: that is nobody else's business.
    return Problem(409, f"The domain '{domain}' belongs to somebody else.")
