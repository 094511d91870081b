"""Domains of a tenant: which it says are its own, and how far that is proven."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from math import ceil
from typing import Any
from uuid import uuid4

from lambdas.errors import InvalidRequest, RequestConflict, TooOften
from lambdas.forms.tenants.dns_proof import record_name, record_value
from lambdas.forms.tenants.domain_claims import FAILED, PENDING
from lambdas.forms.tenants.domain_names import domain_key, refuse_public
from lambdas.http.bodies import only
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import DomainClaim
from tablewright.model import InvalidValue, Record
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

# Each is counted by itself in the tenant's counts of a day, which are one item.
MOST_DOMAINS = 100
# Between two checks that somebody asks for.
PAUSE = timedelta(seconds=10)
SHOWN = ("domain", "state", "reason", "created_at", "checked_at", "verified_at")

# Checks the claim of a tenant to a domain at once.
Check = Callable[[str, str], None]


class Domains:
    """The domains of one tenant; `shared` is the table with rights to what is no tenant's."""

    def __init__(self, store: Store, shared: Store, tenant: str) -> None:
        self._store = store
        self._shared = shared
        self._tenant = tenant

    def claim(self, body: Any, now: datetime) -> tuple[DomainClaim, bool]:
        """Claim a domain; gives the claim and whether it is new. One that has failed begins anew,
        with the record that it had."""
        domain = _name_in(only(body, ("domain",)).get("domain"), new=True)
        there = self._one(domain)
        if there is None:
            self._refuse_more()
            moment = iso_utc(now)
            made = {**self._key(domain), "token": uuid4().hex, **_begun(moment)}
            try:
                return self._store.put(
                    Forms.put_claim, DomainClaim(**made, created_at=moment)
                ), True
            except AlreadyExists:
                there = self._must(domain)
        if there.state != FAILED:
            return there, False
        begun = {**_begun(iso_utc(now)), "reason": None, "failing_since": None}
        seen = {"updated_at": there.updated_at}
        try:
            claim = self._store.update(Forms.update_claim, self._key(domain), begun, when=seen)
        except Conflict as error:
            if not error.is_own(begun):
                raise
            claim = error.current
        return claim, False

    def verify(self, domain: str, now: datetime, check: Check) -> DomainClaim:
        """Have a claim checked at once, and give what came of it."""
        name = _name_in(domain)
        claim = self._must(name)
        last = claim.checked_at
        left = datetime.fromisoformat(last) + PAUSE - now if last else timedelta()
        if left > timedelta():
            seconds = ceil(left.total_seconds())
            raise TooOften("The domain was checked a moment ago.", retry_after=seconds)
        check(self._tenant, name)
        return self._must(name)

    def give_up(self, domain: str) -> None:
        """Give a domain up; one that is not the tenant's has been given up already."""
        name = _name_in(domain)
        # First the claim: without it nobody can have the domain looked up as the tenant's again.
        self._store.delete(Forms.delete_claim, self._key(name))
        try:
            ours = {"tenant_id": self._tenant}
            self._shared.delete(Forms.delete_domain, domain_key(name), when=ours)
        except Conflict:
            return  # it is another's

    def page(self, **paging: Any) -> Page[DomainClaim]:
        return self._store.query(Forms.tenant_domains, {"tenant_id": self._tenant}, **paging)

    def _refuse_more(self) -> None:
        claims = self._store.each(Forms.tenant_domains, {"tenant_id": self._tenant})
        if sum(1 for _ in islice(claims, MOST_DOMAINS)) == MOST_DOMAINS:
            raise RequestConflict(f"A tenant may have {MOST_DOMAINS} domains: give one up first.")

    def _one(self, domain: str) -> DomainClaim | None:
        return self._store.get(Forms.get_claim, self._key(domain))

    def _must(self, domain: str) -> DomainClaim:
        found = self._one(domain)
        if found is None:
            raise NotFound("no DomainClaim has this key")
        return found

    def _key(self, domain: str) -> dict[str, str]:
        return {"tenant_id": self._tenant, "domain": domain}


def shown(claim: DomainClaim) -> Record:
    """A claim as its tenant sees it, with the record that proves it."""
    seen = {name: claim[name] for name in SHOWN if name in claim}
    name, value = record_name(claim.domain), record_value(claim.token)
    return {**seen, "record": {"type": "TXT", "name": name, "value": value}}


def _begun(moment: str) -> Record:
    return {"state": PENDING, "checks": 0, "check_at": moment, "updated_at": moment}


def _name_in(domain: Any, *, new: bool = False) -> str:
    try:
        if not isinstance(domain, str):
            raise InvalidValue("domain", "must be a domain name, such as example.com")
        name = domain_key(domain)["domain"]
        if new:
            refuse_public(name)
        return name
    except InvalidValue as problem:
        detail = "The domain is not valid."
        raise InvalidRequest(detail, [("/domain", problem.reason)]) from None
