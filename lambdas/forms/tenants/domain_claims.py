"""Claims of domains: proven before they are used, and looked at again as long as they are.

A claim that is not proven is checked ever more seldom, and given up after `MOST_CHECKS`. One that
is proven is checked once a day; when its proof is gone it stays in use for `GRACE`, and ends then.
The domain is looked up by an item of its own, which is there only while a claim is proven: of two
tenants who can prove a domain, the first has it until its own proof ends.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol

from lambdas.forms.tenants.domain_names import domain_key
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import DomainClaim, DomainLookup
from tablewright.model import Record, key_of
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import Conflict, NotFound, TransactionRefused
from tablewright.runtime.store.store import Store

PENDING, VERIFIED, FAILED = "PENDING", "VERIFIED", "FAILED"
FIRST, LONGEST = timedelta(minutes=1), timedelta(hours=12)
# Six days and a half in all.
MOST_CHECKS = 20
AGAIN = timedelta(days=1)
GRACE = timedelta(days=7)
# The position of the lookup in the transaction that makes it.
_LOOKUP = 0
TAKEN = "another tenant has proven that the domain is its own"


class Proof(Protocol):
    """Whatever can say why a domain is not proven, None where it is."""

    def missing(self, domain: str, token: str) -> str | None: ...


class DomainClaims:
    """Checks the claims of all tenants."""

    def __init__(self, store: Store, proof: Proof) -> None:
        self._store = store
        self._proof = proof

    def run(
        self,
        now: datetime,
        *,
        in_time: Callable[[], bool] = lambda: True,
        failed: Callable[[DomainClaim, Exception], None] = lambda *_: None,
    ) -> dict[str, int]:
        """Check what is due, as long as there is time; gives how many have become what."""
        done = {PENDING: 0, VERIFIED: 0, FAILED: 0, "errors": 0}
        for state in (PENDING, VERIFIED):
            until = iso_utc(now)
            for due in self._store.each(Forms.due_claims, {"state": state}, until=until):
                if not in_time():
                    return done
                try:
                    claim = self.check(due.tenant_id, due.domain, now)
                    done[claim.state] += 1
                except NotFound:
                    continue  # it was given up meanwhile
                except Exception as error:  # others are waiting
                    done["errors"] += 1
                    failed(due, error)
        return done

    def check(self, tenant_id: str, domain: str, now: datetime) -> DomainClaim:
        """Look for the proof of one claim, and say what came of it; raises NotFound."""
        claim = self._claim(tenant_id, domain)
        missing = self._proof.missing(domain, claim.token)
        if missing is None and not self._give(claim, now):
            missing = TAKEN
        changes = _proven(claim, now) if missing is None else _unproven(claim, missing, now)
        if changes["state"] == FAILED and claim.state == VERIFIED:
            self._take_back(claim)
        seen = {"token": claim.token, "updated_at": claim.updated_at}
        try:
            return self._store.update(Forms.update_claim, key_of(claim), changes, when=seen)
        except Conflict:
            return self._claim(tenant_id, domain)  # another check was first
        except NotFound:
            self._take_back(claim)  # given up while it was checked
            raise

    def _give(self, claim: DomainClaim, now: datetime) -> bool:
        """Have the domain looked up as the tenant's; False where it is another's."""
        key, moment = domain_key(claim.domain), iso_utc(now)
        ours = {"tenant_id": claim.tenant_id, "verified_at": moment}
        there = self._store.get(Forms.get_domain, key)
        if there is None:
            try:
                lookup = DomainLookup(**key, **ours, created_at=moment)
                proved = DomainClaim.verified_at.set(moment)
                same = DomainClaim.token == claim.token
                self._store.transact_write(
                    self._store.to_put(Forms.put_domain, lookup),
                    self._store.to_update(Forms.update_claim, key_of(claim), proved, when=same),
                )
                return True
            except TransactionRefused as refused:
                if _LOOKUP not in refused.problems:
                    raise NotFound("the claim was given up") from None
                there = self._store.get(Forms.get_domain, key)
        if there is None:
            raise Conflict("the domain is being given up by somebody else")
        if there.verified_at is None:
            # Assigned before proof was asked for, to whomever.
            seen = {"tenant_id": there.tenant_id, "verified_at": None}
            try:
                self._store.update(Forms.update_domain, key, ours, when=seen)
            except Conflict as error:
                if not error.is_own(ours):
                    raise
            return True
        return there.tenant_id == claim.tenant_id

    def _take_back(self, claim: DomainClaim) -> None:
        # That it is another's by now is as good.
        with suppress(Conflict, NotFound):
            key, ours = domain_key(claim.domain), {"tenant_id": claim.tenant_id}
            self._store.delete(Forms.delete_domain, key, when=ours)

    def _claim(self, tenant_id: str, domain: str) -> DomainClaim:
        found = self._store.get(Forms.get_claim, {"tenant_id": tenant_id, "domain": domain})
        if found is None:
            raise NotFound("no DomainClaim has this key")
        return found


def _proven(claim: DomainClaim, now: datetime) -> Record:
    moment = iso_utc(now)
    return {
        "state": VERIFIED,
        "checks": 0,
        "check_at": iso_utc(now + AGAIN),
        "verified_at": claim.verified_at if claim.state == VERIFIED else moment,
        "checked_at": moment,
        "updated_at": moment,
        "reason": None,
        "failing_since": None,
    }


def _unproven(claim: DomainClaim, reason: str, now: datetime) -> Record:
    checks, moment = claim.checks + 1, iso_utc(now)
    since = claim.failing_since or moment
    state, wait = claim.state, min(FIRST * 2 ** (checks - 1), LONGEST)
    over = state == VERIFIED and now - datetime.fromisoformat(since) >= GRACE
    if over or (state == PENDING and checks >= MOST_CHECKS):
        state = FAILED
    return {
        "state": state,
        "checks": min(checks, MOST_CHECKS),
        "check_at": iso_utc(now + wait),
        "checked_at": moment,
        "updated_at": moment,
        "reason": reason,
        "failing_since": since,
    }
