"""The admin API: tenants, their configuration and their domains."""

from decimal import Decimal
from typing import Any

import pytest

from lambdas.forms.tenants.configuration import MOST_FORMS
from lambdas.forms.tenants.destinations import MOST_DESTINATIONS
from lambdas.forms.tenants.domains import MOST_DOMAINS
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.model.sizes import item_bytes
from tests.integration.forms.admin.administration import (
    ADA,
    EVE,
    OPERATOR,
    WEBHOOK,
    Admin,
    conforms,
    etag,
    problem,
)
from tests.integration.forms.conftest import FormTable
from tests.integration.http import Answer

ACME = {"tenant_id": "acme", "name": "Acme", "forms": {"contact": {"honeypot": ["website"]}}}


@pytest.fixture
def admin(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> Admin:
    return Admin(forms, monkeypatch)


def test_a_tenant_is_created_by_an_operator_and_read_by_its_users(admin: Admin) -> None:
    made = admin("POST", "/tenants", ACME, claims=OPERATOR)
    assert made.status == 201
    assert conforms(made, "Config")
    assert made.json["state"] == "active"
    read = admin("GET", "/config")
    assert (read.status, read.json) == (200, made.json)
    assert etag(read) == etag(made)
    # Written and read with the tenant's own credentials.
    assert set(admin.sessions) == {"acme"}
    assert admin.own == set()


def test_creating_a_tenant_again_is_safe_and_another_with_its_id_is_a_conflict(
    admin: Admin,
) -> None:
    first = admin("POST", "/tenants", ACME, claims=OPERATOR)
    admin.wait(hours=1)
    again = admin("POST", "/tenants", ACME, claims=OPERATOR)
    assert (first.status, again.status) == (201, 200)
    assert again.json == first.json
    problem(admin("POST", "/tenants", {**ACME, "name": "Other"}, claims=OPERATOR), 409)
    assert admin("GET", "/config").json == first.json


def test_a_day_of_the_most_forms_domains_and_destinations_is_counted_in_one_item(
    admin: Admin,
) -> None:
    forms: dict[str, Any] = {f"f{number:063}": {} for number in range(MOST_FORMS)}
    assert admin.tenant(forms=forms)["forms"] == forms
    more = {**ACME, "tenant_id": "more", "forms": {**forms, "one-more": {}}}
    assert problem(admin("POST", "/tenants", more, claims=OPERATOR), 400) == {
        "/forms": f"must have at most {MOST_FORMS} forms"
    }
    large = Decimal(10**9)
    day = {
        **DailyMetrics.__entity__.example,
        "form_stats": dict.fromkeys(forms, large),
        "domain_stats": dict.fromkeys((f"{n:0250}.ab" for n in range(MOST_DOMAINS)), large),
        "destination_stats": dict.fromkeys((f"{n:064}" for n in range(MOST_DESTINATIONS)), large),
    }
    assert item_bytes(Forms.__design__.attributes(DailyMetrics.__entity__, day)) < 100_000


def test_what_is_kept_for_no_day_is_refused_and_not_kept_for_ever(admin: Admin) -> None:
    reasons = {"/retention_days": "must be a whole number from 1 to 99999"}
    body = {**ACME, "retention_days": 0}
    assert problem(admin("POST", "/tenants", body, claims=OPERATOR), 400) == reasons
    made = admin.tenant()
    change = {"retention_days": 0, "updated_at": made["updated_at"]}
    assert problem(admin("PATCH", "/config", change), 400) == reasons


def test_a_bad_tenant_is_refused_with_every_reason_and_nothing_is_stored(admin: Admin) -> None:
    bad = {
        "tenant_id": "a#b",
        "forms": {"a/b": {"destinations": "crm"}, "c": {"robots": 1}, "d": 5},
        "retention_days": -1,
        "state": "disabled",
        "colour": "red",
    }
    found = problem(admin("POST", "/tenants", bad, claims=OPERATOR), 400)
    assert set(found) == {
        "/tenant_id",
        "/name",
        "/forms/a~1b",
        "/forms/a~1b/destinations",
        "/forms/c/robots",
        "/forms/d",
        "/retention_days",
        "/state",
        "/colour",
    }
    assert found["/name"] == "is required"
    for body in ("{", "[]", "NaN", "", '"x"'):
        problem(admin("POST", "/tenants", body, claims=OPERATOR), 400)
    assert admin.forms.database.items() == []
    assert admin.sessions == []


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/tenants"), ("POST", "/tenants"), ("GET", "/metrics/tenants")]
)
def test_what_is_about_all_tenants_is_for_operators_only(
    admin: Admin, method: str, path: str
) -> None:
    for claims in (ADA, {**ADA, "cognito:groups": "[operator, operators2]"}):
        problem(admin(method, path, ACME, claims=claims), 403)
    assert admin.own == set()


def test_tenants_are_listed_by_state_page_by_page(admin: Admin) -> None:
    for number in range(7):
        admin.tenant(f"t{number}")
    admin("PATCH", "/config", {"state": "disabled"}, claims=OPERATOR, tenant_id="t3", **ANY)
    active = admin.all("/tenants", "TenantPage", 2, claims=OPERATOR)
    assert [one["tenant_id"] for one in active] == ["t0", "t1", "t2", "t4", "t5", "t6"]
    disabled = admin.all("/tenants", "TenantPage", 2, claims=OPERATOR, state="disabled")
    assert [one["tenant_id"] for one in disabled] == ["t3"]
    assert problem(admin("GET", "/tenants", claims=OPERATOR, state="gone"), 400).keys() == {"state"}
    # With the function's own rights, the index alone is read: no tenant's items.
    assert admin.own == {("Query", "GSI1")}


ANY: dict[str, Any] = {"headers": {"if-match": "*"}}


def test_users_act_for_their_own_tenant_and_operators_for_any_that_they_name(
    admin: Admin,
) -> None:
    admin.tenant("acme")
    admin.tenant("acme-2")
    assert admin("GET", "/config", claims=EVE).json["tenant_id"] == "acme-2"
    assert admin("GET", "/config", tenant_id="acme").json["tenant_id"] == "acme"
    named = admin("GET", "/config", claims=OPERATOR, tenant_id="acme-2")
    assert named.json["tenant_id"] == "acme-2"
    problem(admin("GET", "/config", tenant_id="acme-2"), 403)
    problem(admin("GET", "/config", claims=EVE, tenant_id="acme"), 403)
    assert problem(admin("GET", "/config", claims=OPERATOR), 400).keys() == {"tenant_id"}
    for bad in ("a#b", "", "*"):
        problem(admin("GET", "/config", claims=OPERATOR, tenant_id=bad), 400)
    problem(admin("GET", "/config", claims={"sub": "nobody"}), 403)
    problem(admin("GET", "/config", claims={"custom:tenant": "acme"}), 403)
    problem(admin("GET", "/config", claims={"sub": "x", "custom:tenant": "acme#1"}), 403)
    assert set(admin.sessions) == {"acme", "acme-2"}


def test_what_there_is_not_is_not_found(admin: Admin) -> None:
    problem(admin("GET", "/config"), 404)
    problem(admin("PATCH", "/config", {"name": "x"}, **ANY), 404)
    for path, body in (
        ("/domains", {"domain": "example.com"}),
        ("/destinations", {}),
        ("/secrets", None),
    ):
        problem(admin("POST", path, body), 404)
    problem(admin("GET", "/nothing"), 404)
    assert admin.forms.database.items() == []
    assert admin.cloud.secrets == {}


def test_a_configuration_is_changed_by_whoever_has_read_it(admin: Admin) -> None:
    made = admin.tenant(retention_days=30)
    for id in ("crm", "archive"):
        admin("POST", "/destinations", {**WEBHOOK, "destination_id": id})
    read = admin("GET", "/config")
    admin.wait(seconds=1)
    forms = {"contact": {"destinations": ["crm", "archive"], "honeypot": ["website"]}}
    change = {"forms": forms, "retention_days": None}
    changed = admin("PATCH", "/config", change, headers={"if-match": etag(read)})
    assert changed.status == 200
    assert conforms(changed, "Config")
    assert changed.json["forms"] == forms
    assert "retention_days" not in changed.json
    assert changed.json["updated_at"] > made["updated_at"]
    assert etag(changed) != etag(read)
    # By the version in the body as well.
    again = {"name": "New", "updated_at": changed.json["updated_at"]}
    assert admin("PATCH", "/config", again).json["name"] == "New"


def test_a_form_is_routed_to_destinations_that_there_are_and_to_no_others(admin: Admin) -> None:
    routes = {"contact": {"destinations": ["crm", "lost", "gone"]}, "news": {"destinations": []}}
    reasons = {"/forms/contact/destinations": "must name destinations that there are, not {}"}

    def refused(answer: Answer, names: str) -> None:
        assert problem(answer, 400) == {at: why.format(names) for at, why in reasons.items()}

    body = {**ACME, "forms": routes}
    refused(admin("POST", "/tenants", body, claims=OPERATOR), "crm, gone, lost")
    made = admin.tenant()
    for id in ("crm", "gone"):
        admin("POST", "/destinations", {**WEBHOOK, "destination_id": id})
    anyhow: dict[str, Any] = {"headers": {"if-match": "*"}}
    refused(admin("PATCH", "/config", {"forms": routes}, **anyhow), "lost")
    assert admin("GET", "/config").json == made
    routes["contact"] = {"destinations": ["crm", "gone"]}
    assert admin("PATCH", "/config", {"forms": routes}, **anyhow).status == 200
    # What is removed stays in its route, and is in the way of no other change.
    admin("DELETE", "/destinations/gone")
    routes["news"] = {"destinations": ["crm"]}
    assert admin("PATCH", "/config", {"forms": routes}, **anyhow).status == 200


def test_a_stale_change_is_refused_and_shown_what_there_is_now(admin: Admin) -> None:
    made = admin.tenant()
    old = f'"{made["updated_at"]}"'
    # In the same millisecond: versions are told apart all the same.
    current = admin("PATCH", "/config", {"name": "One"}, headers={"if-match": old})
    refused = admin("PATCH", "/config", {"name": "Two"}, headers={"if-match": old})
    problem(refused, 412)
    assert refused.json["current"] == current.json
    assert etag(refused) == etag(current)
    stated = admin("PATCH", "/config", {"name": "Two", "updated_at": made["updated_at"]})
    problem(stated, 409)
    assert stated.json["current"] == current.json
    problem(admin("PATCH", "/config", {"name": "Two"}), 428)
    problem(admin("PATCH", "/config", {"name": "Two"}, headers={"if-match": "W/" + old}), 412)
    for bad in ("", "yesterday", 1, None):
        stated = admin("PATCH", "/config", {"name": "One", "updated_at": bad})
        assert problem(stated, 400).keys() == {"/updated_at"}
    assert admin("GET", "/config").json == current.json
    tags = f"{old}, {etag(current)}"
    assert admin("PATCH", "/config", {"name": "Two"}, headers={"if-match": tags}).status == 200


def test_a_change_whose_answer_was_lost_can_be_repeated(admin: Admin) -> None:
    made = admin.tenant()
    change: dict[str, Any] = {"headers": {"if-match": f'"{made["updated_at"]}"'}}
    first = admin("PATCH", "/config", {"name": "New"}, **change)
    admin.wait(minutes=1)
    again = admin("PATCH", "/config", {"name": "New"}, **change)
    assert (again.status, again.json) == (200, first.json)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"name": None}, "/name"),
        ({"name": ""}, "/name"),
        ({"tenant_id": "other"}, "/tenant_id"),
        ({"created_at": "2025-01-01T00:00:00.000Z"}, "/created_at"),
        ({"forms": []}, "/forms"),
        ({"forms": {"a": {"destinations": ["x", "x"]}}}, "/forms/a/destinations"),
        ({"forms": {"a": {"destinations": ["#"]}}}, "/forms/a/destinations"),
        ({"requests_per_minute": 10**6}, "/requests_per_minute"),
        ({}, ""),
        ([], ""),
    ],
)
def test_a_bad_change_is_refused_and_changes_nothing(
    admin: Admin, change: Any, pointer: str
) -> None:
    made = admin.tenant()
    found = problem(
        admin("PATCH", "/config", change, claims={**OPERATOR, "custom:tenant": "acme"}, **ANY), 400
    )
    assert found.keys() == {pointer}
    assert admin("GET", "/config").json == made


@pytest.mark.parametrize("change", [{"state": "disabled"}, {"requests_per_minute": 5}])
def test_a_tenant_cannot_let_itself_in_or_lift_its_limits(
    admin: Admin, change: dict[str, Any]
) -> None:
    admin.tenant()
    problem(admin("PATCH", "/config", change, **ANY), 403)
    changed = admin("PATCH", "/config", change, claims=OPERATOR, tenant_id="acme", **ANY)
    assert changed.status == 200
    assert changed.json.items() >= change.items()


def test_a_domain_is_claimed_in_one_spelling_and_given_up(admin: Admin) -> None:
    admin.tenant()
    made = admin("POST", "/domains", {"domain": "WWW.Example.com."})
    assert made.status == 201
    assert conforms(made, "Domain")
    assert (made.json["domain"], made.json["state"]) == ("example.com", "PENDING")
    assert made.json["record"]["name"] == "_tablewright.example.com"
    again = admin("POST", "/domains", {"domain": "example.com"})
    assert (again.status, again.json) == (200, made.json)
    for name in ("münchen.example", "a.example", "b.example"):
        assert admin("POST", "/domains", {"domain": name}).status == 201
    listed = admin.all("/domains", "DomainPage", 3)
    assert [one["domain"] for one in listed] == [
        "a.example",
        "b.example",
        "example.com",
        "xn--mnchen-3ya.example",
    ]
    for _ in range(2):
        assert admin("DELETE", "/domains/Example.COM").status == 204
    assert len(admin.all("/domains", "DomainPage", 10)) == 3


def test_a_domain_is_verified_when_it_is_asked_for_and_not_all_the_time(admin: Admin) -> None:
    admin.tenant()
    record = admin("POST", "/domains", {"domain": "example.com"}).json["record"]
    missing = admin("POST", "/domains/example.com/verify")
    assert missing.status == 200
    assert conforms(missing, "Domain")
    assert missing.json["state"] == "PENDING"
    assert record["value"] in missing.json["reason"]
    refused = admin("POST", "/domains/example.com/verify")
    problem(refused, 429)
    admin.records[record["name"]] = [record["value"]]
    admin.wait(seconds=10)
    proven = admin("POST", "/domains/Example.com/verify")
    assert proven.json["state"] == "VERIFIED"
    assert "reason" not in proven.json
    problem(admin("POST", "/domains/other.example/verify"), 404)


def test_a_claim_of_another_tenant_is_neither_told_nor_taken(admin: Admin) -> None:
    admin.tenant("acme")
    admin.tenant("acme-2")
    ours = admin("POST", "/domains", {"domain": "example.com"}).json["record"]
    admin.records[ours["name"]] = [ours["value"]]
    assert admin("POST", "/domains/example.com/verify").json["state"] == "VERIFIED"
    theirs = admin("POST", "/domains", {"domain": "example.com"}, claims=EVE)
    assert theirs.status == 201
    assert theirs.json["record"]["value"] != ours["value"]
    assert admin("POST", "/domains/example.com/verify", claims=EVE).json["state"] == "PENDING"
    assert admin("DELETE", "/domains/example.com", claims=EVE).status == 204
    (kept,) = admin.all("/domains", "DomainPage", 10)
    assert kept["state"] == "VERIFIED"


@pytest.mark.parametrize("domain", ["co.uk", "github.io", "www.com", "com"])
def test_a_domain_of_many_cannot_be_claimed(admin: Admin, domain: str) -> None:
    admin.tenant()
    status = 201 if domain == "www.com" else 400
    assert admin("POST", "/domains", {"domain": domain}).status == status


def test_a_tenant_may_have_a_hundred_domains(admin: Admin) -> None:
    admin.tenant()
    for number in range(MOST_DOMAINS):
        assert admin("POST", "/domains", {"domain": f"d{number}.example"}).status == 201
    problem(admin("POST", "/domains", {"domain": "more.example"}), 409)
    assert admin("POST", "/domains", {"domain": "d7.example"}).status == 200
    assert admin("DELETE", "/domains/d7.example").status == 204
    assert admin("POST", "/domains", {"domain": "more.example"}).status == 201


@pytest.mark.parametrize(
    "body", [{}, {"domain": 5}, {"domain": "x"}, {"domain": "a b.com"}, {"domain": None}, [], None]
)
def test_what_is_no_domain_is_refused(admin: Admin, body: Any) -> None:
    admin.tenant()
    problem(admin("POST", "/domains", body), 400)
    problem(admin("DELETE", "/domains/localhost"), 400)
    assert admin.all("/domains", "DomainPage", 10) == []
