"""A domain is used once its owner has proven it, and as long as the proof stands."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lambdas.forms.tenants.dns_proof import DnsProof, NoRecords, NotAnswered
from lambdas.forms.tenants.domain_claims import (
    FAILED,
    GRACE,
    MOST_CHECKS,
    PENDING,
    VERIFIED,
    DomainClaims,
)
from lambdas.forms.tenants.domain_names import domain_key
from lambdas.forms.tenants.domains import Domains
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import DomainClaim, DomainLookup
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import NotFound
from tablewright.testing import survives_every_fault
from tests.integration.forms.conftest import FormTable

NOW = datetime(2099, 1, 26, 12, tzinfo=UTC)
DOMAIN = "example.com"


class Dns:
    """The records that there are, and what is done when they are asked for."""

    def __init__(self) -> None:
        self.records: dict[str, list[str]] = {}
        self.meanwhile: Callable[[], Any] = lambda: None

    def __call__(self, name: str) -> list[str]:
        self.meanwhile()
        if name not in self.records:
            raise NoRecords(name)
        return self.records[name]


class Registry:
    """Claims of tenants, and what is published."""

    def __init__(self, forms: FormTable) -> None:
        self.forms = forms
        self.dns = Dns()
        self.now = NOW

    def domains(self, tenant: str = "acme", caller: Caller | None = None) -> Domains:
        store = self.forms.store(caller)
        return Domains(store, store, tenant)

    def claims(self, caller: Caller | None = None) -> DomainClaims:
        return DomainClaims(self.forms.store(caller), DnsProof(self.dns))

    def claim(self, tenant: str = "acme") -> DomainClaim:
        return self.domains(tenant).claim({"domain": DOMAIN}, self.now)[0]

    def publish(self, *claims: DomainClaim) -> None:
        values = [f"tablewright-domain={one.token}" for one in claims]
        self.dns.records[f"_tablewright.{DOMAIN}"] = ["v=spf1 -all", *values]

    def check(self, tenant: str = "acme") -> DomainClaim:
        return self.claims().check(tenant, DOMAIN, self.now)

    def owner(self) -> str | None:
        found = self.forms.store().get(Forms.get_domain, domain_key(DOMAIN))
        return found.tenant_id if found else None


@pytest.fixture
def registry(forms: FormTable) -> Registry:
    forms.clock.moment = NOW
    return Registry(forms)


def test_a_domain_is_its_tenant_s_when_its_record_is_found_and_not_before(
    registry: Registry,
) -> None:
    claim = registry.claim()
    assert (claim["state"], registry.owner()) == (PENDING, None)
    checked = registry.check()
    assert (checked["state"], checked["checks"]) == (PENDING, 1)
    assert checked["reason"] == "there is no TXT record _tablewright.example.com"
    registry.dns.records["_tablewright.example.com"] = ["tablewright-domain=" + "0" * 32]
    assert f"tablewright-domain={claim['token']}" in registry.check()["reason"]
    assert registry.owner() is None
    registry.publish(claim)
    proven = registry.check()
    assert (proven["state"], proven["verified_at"]) == (VERIFIED, iso_utc(NOW))
    assert "reason" not in proven
    assert registry.owner() == "acme"


def test_a_claim_is_checked_ever_more_seldom_and_given_up(registry: Registry) -> None:
    registry.claim()
    waits = []
    for _ in range(MOST_CHECKS):
        claim = registry.check()
        waits.append(datetime.fromisoformat(claim["check_at"]) - registry.now)
        registry.now += waits[-1]
    assert waits[:3] == [timedelta(minutes=m) for m in (1, 2, 4)]
    assert waits == sorted(waits)
    assert max(waits) == timedelta(hours=12)
    assert claim["state"] == FAILED
    assert registry.claims().run(registry.now + timedelta(days=99)) == {
        PENDING: 0,
        VERIFIED: 0,
        FAILED: 0,
        "errors": 0,
    }
    # Claimed again it begins anew, with the record that may be published by now.
    again = registry.claim()
    assert (again["state"], again["token"], again["checks"]) == (PENDING, claim["token"], 0)


def test_only_what_is_due_is_checked(registry: Registry) -> None:
    registry.publish(registry.claim())
    assert registry.claims().run(NOW - timedelta(minutes=1))[VERIFIED] == 0
    assert registry.claims().run(NOW)[VERIFIED] == 1
    assert registry.claims().run(NOW + timedelta(hours=23))[VERIFIED] == 0
    assert registry.claims().run(NOW + timedelta(hours=24))[VERIFIED] == 1


def test_a_proof_that_is_gone_ends_the_claim_after_a_week(registry: Registry) -> None:
    claim = registry.claim()
    registry.publish(claim)
    registry.check()
    registry.dns.records.clear()
    registry.now += timedelta(days=1)
    begun = registry.now
    while registry.now < begun + GRACE:
        missing = registry.check()
        assert (missing["state"], registry.owner()) == (VERIFIED, "acme")
        assert "no TXT record" in missing["reason"]
        registry.now += timedelta(hours=12)
    assert registry.check()["state"] == FAILED
    assert registry.owner() is None


def test_a_proof_that_comes_back_in_time_is_as_good_as_before(registry: Registry) -> None:
    claim = registry.claim()
    registry.publish(claim)
    registry.check()
    records, registry.dns.records = registry.dns.records, {}
    registry.check()
    registry.dns.records = records
    registry.now += GRACE * 2
    back = registry.check()
    assert (back["state"], registry.owner()) == (VERIFIED, "acme")
    assert "failing_since" not in back


def test_of_two_tenants_with_proof_the_first_has_the_domain_until_its_proof_ends(
    registry: Registry,
) -> None:
    ours, theirs = registry.claim("acme"), registry.claim("globex")
    registry.publish(ours, theirs)
    registry.check("acme")
    second = registry.check("globex")
    assert (second["state"], registry.owner()) == (PENDING, "acme")
    assert second["reason"] == "another tenant has proven that the domain is its own"
    registry.domains("acme").give_up(DOMAIN)
    assert registry.check("globex")["state"] == VERIFIED
    assert registry.owner() == "globex"
    # Whoever gave it up, or never had it, takes nothing away.
    registry.domains("acme").give_up(DOMAIN)
    assert registry.owner() == "globex"


def test_eight_tenants_who_prove_a_domain_at_once_leave_one_owner(registry: Registry) -> None:
    tenants = [f"t{number}" for number in range(8)]
    registry.publish(*map(registry.claim, tenants))
    with ThreadPoolExecutor(8) as checks:
        states = dict(zip(tenants, checks.map(registry.check, tenants), strict=True))
    (owner,) = (tenant for tenant, claim in states.items() if claim["state"] == VERIFIED)
    assert registry.owner() == owner


def test_a_domain_that_was_assigned_without_proof_is_whoever_proves_it(registry: Registry) -> None:
    before = {**domain_key(DOMAIN), "tenant_id": "squatter", "created_at": iso_utc(NOW)}
    registry.forms.store().put(Forms.put_domain, DomainLookup(**before))
    claim = registry.claim()
    registry.check()
    assert registry.owner() == "squatter"
    registry.publish(claim)
    assert registry.check()["state"] == VERIFIED
    assert registry.owner() == "acme"


def test_what_is_given_up_while_it_is_checked_is_nobody_s(registry: Registry) -> None:
    registry.publish(registry.claim())
    registry.dns.meanwhile = lambda: registry.domains().give_up(DOMAIN)
    with pytest.raises(NotFound):
        registry.check()
    assert registry.owner() is None


def test_a_claim_that_cannot_be_checked_stops_no_other(registry: Registry) -> None:
    claims = [registry.claim(tenant) for tenant in ("a", "b", "c")]
    registry.publish(*claims[1:2])
    answers = iter([RuntimeError("broken"), None, NotAnswered("b")])

    def meanwhile() -> None:
        trouble = next(answers)
        if trouble:
            raise trouble

    registry.dns.meanwhile = meanwhile
    failures: list[str] = []
    done = registry.claims().run(NOW, failed=lambda claim, _: failures.append(claim["tenant_id"]))
    assert (done["errors"], done[PENDING] + done[VERIFIED]) == (1, 2)
    assert len(failures) == 1


def test_a_check_ends_the_same_whatever_fails_on_the_way(registry: Registry) -> None:
    dynamo = registry.forms.database.caller

    def fresh() -> Caller:
        registry.forms.database.empty()
        registry.publish(registry.claim())
        return dynamo

    def work(caller: Caller) -> None:
        registry.claims(caller).check("acme", DOMAIN, NOW)

    def outcome() -> Any:
        return sorted(
            {name: value for name, value in item.items() if name != "token"}.items()
            for item in registry.forms.database.items()
        )

    assert len(survives_every_fault(work, lambda: str(outcome()), fresh=fresh)) >= 4
    assert registry.owner() == "acme"


def test_the_end_of_a_claim_is_the_same_whatever_fails_on_the_way(registry: Registry) -> None:
    dynamo = registry.forms.database.caller

    def fresh() -> Caller:
        registry.forms.database.empty()
        registry.now = NOW
        registry.publish(registry.claim())
        registry.check()
        registry.dns.records.clear()
        registry.check()
        registry.now += GRACE
        return dynamo

    def work(caller: Caller) -> None:
        registry.claims(caller).check("acme", DOMAIN, registry.now)

    def outcome() -> str:
        claim = registry.forms.store().get(Forms.get_claim, {"tenant_id": "acme", "domain": DOMAIN})
        assert claim
        return f"{claim['state']} {registry.owner()}"

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 3
    assert outcome() == "FAILED None"


def test_reserved_domains_need_no_proof_where_nothing_else_can_be_reached(
    registry: Registry,
) -> None:
    here = DnsProof(registry.dns, local=True)
    assert here.missing("acme.example", "0" * 32) is None
    assert here.missing("acme.example.com", "0" * 32)
    assert DnsProof(registry.dns).missing("acme.example", "0" * 32)
