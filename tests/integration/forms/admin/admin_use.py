"""Everything that the admin API does, for two tenants, in as few requests as can be."""

from functools import partial
from typing import Any
from unittest.mock import patch

from lambdas.forms.contract import ADMIN_ROUTES
from lambdas.forms.handlers import admin
from lambdas.forms.submission import payload_links
from tablewright.catalog.forms.design import Forms
from tests.integration.forms.admin.administration import CONTRACT, OPERATOR, WEBHOOK
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.uses import TWO, stored
from tests.integration.http import Requests
from tests.integration.session import Aws

ANY = {"if-match": "*"}
ARCHIVE = {
    "destination_id": "archive",
    "destination_type": "s3",
    "settings": {"bucket": "acme-forms"},
}


def use_admin(aws: Aws, forms: FormTable) -> None:
    """Every route, what is repeated, what others change meanwhile, and the second page of lists."""
    routes = set()
    for id in TWO:
        ask = Requests(admin.handler, CONTRACT, {"sub": "ada", "custom:tenant": id})
        manage(ask, aws, forms, id)
        deliver(ask, aws, forms, id)
        routes |= ask.routes
    ask = Requests(admin.handler, CONTRACT, OPERATOR)
    pages(ask, "/tenants")
    ask("GET", "/metrics/tenants")
    ask("GET", "/openapi.json")
    assert routes | ask.routes == set(ADMIN_ROUTES)


def manage(ask: Requests, aws: Aws, forms: FormTable, id: str) -> None:
    """A tenant with its configuration, domains and secrets."""
    for status in (201, 200):
        body = {"tenant_id": id, "name": id}
        ask("POST", "/tenants", body, claims=OPERATOR, expect=status)
    ask("GET", "/config")
    change = partial(forms.store().update, Forms.update_config, {"tenant_id": id})
    aws.before["UpdateItem"] = partial(change, {"updated_at": "2025-01-26T12:00:00.000Z"})
    ask("PATCH", "/config", {"name": "Mine"}, headers=ANY, expect=412)
    for domain in (f"{id}.example.com", f"{id}.example.org"):
        for status in (201, 200):
            ask("POST", "/domains", {"domain": domain}, expect=status)
    pages(ask, "/domains")
    ask("POST", f"/domains/{id}.example.com/verify")
    failed = {"state": "FAILED"}
    key = {"tenant_id": id, "domain": f"{id}.example.com"}
    forms.store().update(Forms.update_claim, key, failed)
    ask("POST", "/domains", {"domain": f"{id}.example.com"})
    ask("DELETE", f"/domains/{id}.example.org", expect=204)
    for status in (201, 200):
        made = ask("POST", "/secrets", expect=status)
    ask("GET", "/secrets")
    ask("DELETE", f"/secrets/{made['key_id']}", expect=204)
    ask("GET", "/metrics")


def deliver(ask: Requests, aws: Aws, forms: FormTable, id: str) -> None:
    """Destinations, and submissions on their way to them."""
    for status in (201, 200):
        ask("POST", "/destinations", WEBHOOK, expect=status)
    ask("POST", "/destinations", ARCHIVE, expect=201)
    routed = {"contact": {"destinations": ["crm"]}}
    ask("PATCH", "/config", {"forms": routed}, headers=ANY)
    pages(ask, "/destinations")
    ask("GET", "/destinations", type="s3")
    ask("GET", "/destinations/crm")
    ask("PATCH", "/destinations/crm", {"name": "CRM"}, headers=ANY)
    for status in (201, 200):
        ask("POST", "/destinations/crm/secret", expect=status)
    ask("POST", "/destinations/crm/test", expect=202)
    ask("GET", "/destinations/crm/attempts", status="FAILED")
    ask("DELETE", "/destinations/archive", expect=204)
    made = [stored(aws, forms, id, number, status="QUARANTINED") for number in range(2)]
    lists: list[dict[str, Any]] = [{}, {"status": "QUARANTINED"}, {"form_id": "contact"}]
    for query in lists:
        pages(ask, "/submissions", **query)
    for other in made:
        one = f"/submissions/{other['submission_id']}"
        assert ask("GET", one)["payload"]
        with patch.object(payload_links, "LARGEST_ANSWER", 10):
            assert f"/_links/{id}/" in ask("GET", one)["payload_url"]
    ask("GET", f"{one}/attempts")
    ask("POST", f"{one}/redeliver", expect=202)
    ask("POST", f"{one}/redeliver", {"destination_id": "crm"}, expect=202)
    ask("DELETE", "/destinations/crm", expect=204)


def pages(ask: Requests, path: str, **query: Any) -> None:
    """Two pages of a list."""
    first = ask("GET", path, limit=1, **query)
    ask("GET", path, limit=1, cursor=first["next_cursor"], **query)
