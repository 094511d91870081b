"""What the APIs answer is what their OpenAPI documents say: the portal's, and the others' too."""

import hashlib
from collections.abc import Callable
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from local.clients.api import Answer, Api
from local.clients.users import OPERATOR, Users
from local.deployment import Deployment
from tests.e2e.support.contract import Contract, Values, name_of
from tests.e2e.support.polling import eventually
from tests.e2e.support.sales import new_sale

# Makes, for an operation, what its requests can find: each has its own, since some remove it.
Things = Callable[[str], Values]
FILE = b"What a reader needs to know."


def of_the_portal(api: Api) -> Things:
    kept = _with_a_file(api)

    def make(operation: str) -> Values:
        content = done(api("POST", "/content", _content(operation)))
        subscription = done(api("POST", "/subscriptions", {"tags": [operation]}))
        return {
            **content,
            **subscription,
            **(kept if operation == "download_file" else {}),
            "notification_id": kept["notification_id"],
            "If-Match": '"1"',
        }

    return make


def of_sales(api: Api) -> Things:
    names = {"product_id": "productId", "sale_date": "saleDate", "sale_id": "saleId"}

    def make(operation: str) -> Values:
        sale = done(api("POST", "/sales", new_sale(category="contract")))
        return {name: sale[stored] for name, stored in names.items()}

    return make


def of_sentiment(api: Api) -> Things:
    return lambda operation: {}


def of_forms(api: Api) -> Things:
    tenant: dict[str, Any] = {"tenant_id": "contract"}
    done(api("POST", "/tenants", {**tenant, "name": "Contract"}))

    def make(operation: str) -> Values:
        id = operation.replace("_", "-")
        # Where nobody listens.
        hook = {"destination_type": "webhook", "settings": {"url": "http://127.0.0.1:9/"}}
        return {
            **tenant,
            **done(api("POST", "/destinations", {"destination_id": id, **hook}, **tenant)),
            **done(api("POST", "/domains", {"domain": f"{id}.example"}, **tenant)),
            **done(api("POST", "/secrets", **tenant)),
            "If-Match": "*",
        }

    return make


@pytest.mark.parametrize(
    ("system", "user", "things", "at_bounds", "beyond"),
    [
        # An event's id tells when it happened, of which only the last day is taken.
        pytest.param("portal", "admin", of_the_portal, 25, {"store_events"}, id="portal"),
        # A batch may meet only sales that were made up before it, and replaces none of them.
        pytest.param("sales", "acme", of_sales, 10, {"create_sales"}, id="sales"),
        # An item's id begins with its type, which its schema cannot say.
        pytest.param("sentiment", "acme", of_sentiment, 10, {"add_items"}, id="sentiment"),
        # A domain is a name that its schema cannot describe, and nothing was submitted.
        pytest.param(
            *("forms", OPERATOR, of_forms, 10),
            {"claim_domain", "get_submission", "redeliver"},
            id="forms",
        ),
    ],
)
def test_every_request_is_answered_as_the_document_says(
    deployment: Deployment,
    users: Users,
    system: str,
    user: str,
    things: Callable[[Api], Things],
    at_bounds: int,
    beyond: set[str],
) -> None:
    url, token = deployment.api_url(system), users.token(user)
    contract = Contract(url, token, at_bounds=at_bounds, at_random=3)
    # Its answers are events, which other tests look at.
    asked = [one for one in contract.operations if name_of(one) != "news_events"]
    make = things(Api(url, token))
    for operation in asked:
        contract.hold(operation, make(name_of(operation)))
    # It proves little where everything was refused.
    refused = {name_of(one) for one in asked} - contract.done()
    assert beyond - {"create_sales"} <= refused <= beyond, contract.answers


@pytest.mark.parametrize("system", ["portal", "sales", "sentiment", "forms"])
def test_strangers_are_refused_as_the_document_says(
    deployment: Deployment, users: Users, system: str
) -> None:
    contract = Contract(deployment.api_url(system), users.token("admin"), at_bounds=0, at_random=0)
    guarded = [one for one in contract.operations if one.definition.raw.get("security") != []]
    for operation in guarded:
        contract.refuse_strangers(operation)
    assert len(guarded) >= len(contract.operations) - 1


def done(answer: Answer) -> Any:
    assert answer.status in (200, 201), answer.text
    return answer.json


def _content(id: str) -> dict[str, Any]:
    return {"content_id": id, "title": "A contract", "summary": "Held to", "tags": ["kept"]}


def _with_a_file(api: Api) -> dict[str, str]:
    """Approved content with a file, of which its owner was told."""
    done(api("POST", "/subscriptions", {"tags": ["kept"]}))
    address = f"/content/{done(api('POST', '/content', _content('kept')))['content_id']}"
    file = {
        "file_name": "a.txt",
        "content_type": "text/plain",
        "size_bytes": len(FILE),
        "sha256": hashlib.sha256(FILE).hexdigest(),
    }
    upload = done(api("POST", f"{address}/file", file))
    request = Request(upload["url"], FILE, upload["headers"], method=upload["method"])  # noqa: S310
    with build_opener(ProxyHandler({})).open(request, timeout=60) as stored:
        assert stored.status == 200
    assert eventually(lambda: api("GET", f"{address}/file").status == 200)
    version = done(api("GET", address))["version"]
    done(api("POST", f"{address}/status", {"status": "Approved", "version": version}))
    assert eventually(lambda: bool(done(api("GET", "/notifications"))["items"]))
    told = done(api("GET", "/notifications"))["items"][0]
    return {"content_id": "kept", "notification_id": told["notification_id"]}
