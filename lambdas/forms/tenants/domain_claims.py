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
from tablewright.catalog.forms.design import FORMS
from tablewright.model import Record
from tablewright.model.fields.scalars import timestamp
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.store.store import Store

PENDING, VERIFIED, FAILED = "PENDING", "VERIFIED", "FAILED"
FIRST, LONGEST = timedelta(minutes=1), timedelta(hours=12)
# Six days and a half in all.
MOST_CHECKS = 20
AGAIN = timedelta(days=1)
GRACE = timedelta(days=7)
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
        failed: Callable[[Record, Exception], None] = lambda *_: None,
    ) -> dict[str, int]:
        """Check what is due, as long as there is time; gives how many have become what."""
        done = {PENDING: 0, VERIFIED: 0, FAILED: 0, "errors": 0}
        for state in (PENDING, VERIFIED):
            until = timestamp(now)
            for due in self._store.each(FORMS.due_claims, {"state": state}, until=until):
                if not in_time():
                    return done
                try:
                    claim = self.check(due["tenant_id"], due["domain"], now)
                    done[claim["state"]] += 1
                except NotFound:
                    continue  # it was given up meanwhile
                except Exception as error:  # others are waiting
                    done["errors"] += 1
                    failed(due, error)
        return done

    def check(self, tenant_id: str, domain: str, now: datetime) -> Record:
        """Look for the proof of one claim, and say what came of it; raises NotFound."""
        claim = self._claim(tenant_id, domain)
        missing = self._proof.missing(domain, claim["token"])
        if missing is None and not self._give(claim, now):
            missing = TAKEN
        changes = _proven(claim, now) if missing is None else _unproven(claim, missing, now)
        if changes["state"] == FAILED and claim["state"] == VERIFIED:
            self._take_back(claim)
        seen = {name: claim[name] for name in ("token", "updated_at")}
        try:
            return self._store.update(FORMS.update_claim, _key(claim), changes, expect=seen)
        except Conflict:
            return self._claim(tenant_id, domain)  # another check was first
        except NotFound:
            self._take_back(claim)  # given up while it was checked
            raise

    def _give(self, claim: Record, now: datetime) -> bool:
        """Have the domain looked up as the tenant's; False where it is another's."""
        key, moment = domain_key(claim["domain"]), timestamp(now)
        ours = {"tenant_id": claim["tenant_id"], "verified_at": moment}
        there = self._store.get(FORMS.get_domain, key)
        if there is None:
            try:
                self._store.put_along(
                    FORMS.put_domain,
                    {**key, **ours, "created_at": moment},
                    FORMS.update_claim,
                    _key(claim),
                    {"verified_at": moment},
                    expect={"token": claim["token"]},
                )
                return True
            except AlreadyExists:
                there = self._store.get(FORMS.get_domain, key)
            except Conflict:
                raise NotFound("the claim was given up") from None
        if there is None:
            raise Conflict("the domain is being given up by somebody else")
        if "verified_at" not in there:
            # Assigned before proof was asked for, to whomever.
            seen = {"tenant_id": there["tenant_id"], "verified_at": None}
            self._store.update(FORMS.update_domain, key, ours, expect=seen)
            return True
        return bool(there["tenant_id"] == claim["tenant_id"])

    def _take_back(self, claim: Record) -> None:
        # That it is another's by now is as good.
        with suppress(Conflict, NotFound):
            key, ours = domain_key(claim["domain"]), {"tenant_id": claim["tenant_id"]}
            self._store.delete(FORMS.delete_domain, key, expect=ours)

    def _claim(self, tenant_id: str, domain: str) -> Record:
        found = self._store.get(FORMS.get_claim, {"tenant_id": tenant_id, "domain": domain})
        if found is None:
            raise NotFound("no DomainClaim has this key")
        return found


def _proven(claim: Record, now: datetime) -> Record:
    moment = timestamp(now)
    return {
        "state": VERIFIED,
        "checks": 0,
        "check_at": timestamp(now + AGAIN),
        "verified_at": claim["verified_at"] if claim["state"] == VERIFIED else moment,
        "checked_at": moment,
        "updated_at": moment,
        "reason": None,
        "failing_since": None,
    }


def _unproven(claim: Record, reason: str, now: datetime) -> Record:
    checks, moment = int(claim["checks"]) + 1, timestamp(now)
    since = claim.get("failing_since", moment)
    state, wait = claim["state"], min(FIRST * 2 ** (checks - 1), LONGEST)
    over = state == VERIFIED and now - datetime.fromisoformat(since) >= GRACE
    if over or (state == PENDING and checks >= MOST_CHECKS):
        state = FAILED
    return {
        "state": state,
        "checks": min(checks, MOST_CHECKS),
        "check_at": timestamp(now + wait),
        "checked_at": moment,
        "updated_at": moment,
        "reason": reason,
        "failing_since": since,
    }


def _key(claim: Record) -> Record:
    return {name: claim[name] for name in ("tenant_id", "domain")}
