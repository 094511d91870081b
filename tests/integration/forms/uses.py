"""Everything that each function of the form system does, in as few steps as can be, but for the
admin API; and for two tenants, so that what is allowed in all folders is seen to be needed so."""

import json
import os
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from hashlib import sha256
from typing import Any
from unittest.mock import patch

from lambdas.forms.contract import CREATED, SOURCE
from lambdas.forms.delivery import resources as delivery_resources
from lambdas.forms.destinations.webhook import WebhookDestination
from lambdas.forms.handlers import count_changes as count
from lambdas.forms.handlers import deliver, submit
from lambdas.forms.handlers import plan_shards as plan
from lambdas.forms.handlers import verify_domains as verify
from lambdas.forms.submission.signing import key_name, sign
from lambdas.forms.submission.uploads import UPLOADED
from lambdas.forms.tenants.domain_names import domain_key
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.catalog.forms.submissions import Request, Submission, payload_key
from tablewright.catalog.forms.tenants import (
    Destination,
    DomainClaim,
    DomainLookup,
    TenantConfig,
    TenantSecret,
)
from tablewright.model import Record
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.store.records import Item, Records
from tests.integration.forms.conftest import FormTable, key_of, submission
from tests.integration.forms.metrics.streaming import everything, passes
from tests.integration.forms.submission.submitting import event_of, path_of, value_of
from tests.integration.functions import TAKEN, Around, hurried, message
from tests.integration.http import Answer
from tests.integration.session import Aws

PAYLOADS, SECRETS = "payloads", "dev/forms/"
# One begins with the other.
TWO = ("acme", "acme-2")
JSON = "application/json"
SMALL = b'{"name":"Ada"}'


def tenant(aws: Aws, forms: FormTable, id: str, routes: Record) -> None:
    """A tenant with forms, a domain, a secret, and shards of its own."""
    store, now = forms.store(), datetime.now(UTC)
    made = {"created_at": iso_utc(now), "updated_at": iso_utc(now)}
    about: Record = {"state": "active", "name": id, "forms": routes, **made}
    store.put(Forms.put_config, TenantConfig(tenant_id=id, **about, requests_per_minute=600))
    domain = domain_key(f"{id}.example.com")
    store.put(Forms.put_domain, DomainLookup(**domain, tenant_id=id, created_at=iso_utc(now)))
    store.put(
        Forms.put_secret,
        TenantSecret(
            **{**TenantSecret.__entity__.example, "tenant_id": id, "key_id": "k1", **made}
        ),
    )
    aws.cloud.secrets[f"{SECRETS}{id}/k1"] = value_of(id, "k1")
    forms.set_epochs(id, (now - timedelta(days=90), 2))


def stored(
    aws: Aws, forms: FormTable, tenant_id: str, number: int = 0, **changes: Any
) -> Submission:
    """A submission whose payload is in the bucket."""
    about = {"tenant_id": tenant_id, "compressed": False, "original_size": len(SMALL)}
    made = submission(datetime.now(UTC), number, **about, **changes)
    place = payload_key(tenant_id, made.submission_id)
    aws.cloud.call("PutObject", {"Bucket": PAYLOADS, "Key": place, "Body": SMALL})
    outside = Submission(**{**made, "data": None, "payload_key": place})
    return forms.store().put(Forms.put_submission, outside)


def use_submit(aws: Aws, forms: FormTable) -> None:
    """Small ones and large ones, one more than once; an upload, and one that comes too late."""
    for id in TWO:
        tenant(aws, forms, id, {"contact": {}})
        first = signed(id, SMALL, origin=True)
        for _ in range(2):
            assert send(SMALL, first).status == 202
        large = json.dumps({"message": os.urandom(20_000).hex()}).encode()
        assert send(large, signed(id, large)).status == 202
        about = {"size": 14, "sha256": sha256(SMALL).hexdigest(), "content_type": JSON}
        announced = json.dumps(about).encode()
        offer = send(announced, signed(id, announced, to="uploads"), to="uploads").json
        there = {"Bucket": PAYLOADS, "Key": f"_uploads/{id}/{offer['upload_id']}", "Body": SMALL}
        aws.cloud.call("PutObject", there)
        named = json.dumps({"upload_id": offer["upload_id"], **about}).encode()
        for _ in range(2):
            sent = send(named, signed(id, named, kind=UPLOADED), kind=UPLOADED)
            assert sent.status == 202
        late = large.replace(b"message", b"another")
        aws.before["TransactWriteItems"] = partial(finish_all, forms)
        assert send(late, signed(id, late)).status == 202


def signed(
    id: str, body: bytes, to: str = "submissions", *, origin: bool = False, kind: str = JSON
) -> Any:
    """The headers of a request: of a key, or of a page of the tenant's domain."""
    key = None if origin else key_name(id, "k1")
    about = (value_of(id, "k1"), "POST", path_of("contact", to), body)
    headers = sign(*about, now=datetime.now(UTC), key=key, content_type=kind)
    return {**headers, **({"Origin": f"https://{id}.example.com"} if origin else {})}


def send(body: bytes, headers: Any, to: str = "submissions", kind: str = JSON) -> Answer:
    event = event_of(body, "contact", {"Content-Type": kind, **headers}, to)
    return Answer(submit.handler(event, Around()))


def finish_all(forms: FormTable) -> None:
    """Say of every request that its submission is stored, as another may do meanwhile."""
    for item in forms.database.items():
        if item["SK"]["S"].startswith("REQUEST"):
            found = Records(Forms.__design__, Request.__entity__).to_record(item)
            key = {name: found[name] for name in ("tenant_id", "key_digest")}
            changes = {"stored_at": iso_utc(datetime.now(UTC))}
            forms.store().update(Forms.finish_request, key, changes)


# None of them leads out of this machine: the first is refused, the second has no address.
HOOK = {"destination_type": "webhook", "settings": {"url": "https://inside.example.com/"}}
NOWHERE = {"destination_type": "webhook", "settings": {"url": "https://nowhere.example.com/"}}
BUS = {"destination_type": "eventbridge", "settings": {}}
MAIL = {"destination_type": "email", "settings": {"to": ["ada@example.com"]}}
OWN = {"hook": HOOK, "nowhere": NOWHERE, "bus": BUS, "mail": MAIL}
# What a tenant names, and a stage must name too.
THEIRS = {
    "archive": {"destination_type": "s3", "settings": {"bucket": "acme-forms"}},
    "their-bus": {"destination_type": "eventbridge", "settings": {"bus": "acme-events"}},
}


def resolver(host: str, port: int) -> list[str]:
    if host.startswith("nowhere"):
        raise OSError
    return ["127.0.0.1"]


@patch.object(
    delivery_resources, "WebhookDestination", partial(WebhookDestination, resolver=resolver)
)
def use_deliver(aws: Aws, forms: FormTable, destinations: dict[str, Any] = OWN) -> None:
    """Every kind of destination: what is taken, what is refused, what is to be tried again."""
    for id in TWO:
        routes: Record = {"contact": {"destinations": list(destinations)}, "empty": {}}
        tenant(aws, forms, id, routes)
        for name, settings in destinations.items():
            example = Destination.__entity__.example
            made = {**example, **settings, "tenant_id": id, "destination_id": name}
            forms.store().put(
                Forms.put_destination, Destination(**{**made, "key_id": f"hook-{name}"})
            )
            aws.cloud.secrets[f"{SECRETS}{id}/hook-{name}"] = "secret"
        for number, form in enumerate(routes):
            sent = stored(aws, forms, id, number, form_id=form)
            event = {"source": SOURCE, "detail-type": CREATED, "detail": dict(sent)}
            body = json.dumps(event, default=str)
            assert deliver.handler(message(body), Around()) == TAKEN
    for _ in range(2):
        waiting, aws.cloud.messages = aws.cloud.messages, []
        for body in waiting:
            deliver.handler(message(body), Around())
    assert outcomes(forms) == {"SUCCEEDED", "RETRYING", "FAILED"}


def outcomes(forms: FormTable) -> set[str]:
    """What came of all attempts."""
    items = forms.database.items()
    return {item["status"]["S"] for item in items if "#ATTEMPT#" in item["SK"]["S"]}


def use_count(aws: Aws, forms: FormTable) -> None:
    """Submissions that come and go, told of twice; and one that was unsound, given up before."""
    made = [stored(aws, forms, id) for id in TWO]
    for one in made:
        forms.store().delete(Forms.delete_submission, key_of(one))
    records = [record for record in everything(forms.database) if passes(record)]
    assert len(records) == 4
    for _ in range(2):
        assert count.handler({"Records": records}, Around()) == TAKEN
    assert not aws.cloud.objects
    first = json.loads(json.dumps(records[0]))
    first["dynamodb"]["NewImage"]["form_id"] = {"M": {}}
    assert count.handler({"Records": [first], "redrive": True}, Around()) == TAKEN


def use_verify(aws: Aws, forms: FormTable) -> None:
    """A domain that is proven, one that was assigned before, one whose proof ends; one at once."""
    now, store = datetime.now(UTC), forms.store()
    before, ended = domain_key("before.example.com"), domain_key("ended.example.com")
    about = {"created_at": iso_utc(now), "updated_at": iso_utc(now)}
    made = {"created_at": iso_utc(now), "tenant_id": "acme"}
    store.put(Forms.put_domain, DomainLookup(**{**before, **made}))
    proven = {"tenant_id": "acme-2", "verified_at": iso_utc(now)}
    store.put(Forms.put_domain, DomainLookup(**{**ended, **made, **proven}))
    over = {"state": "VERIFIED", "failing_since": iso_utc(now - timedelta(days=8))}
    for id, domain, fields in (
        ("acme", "new.example.com", {}),
        ("acme", "before.example.com", {}),
        ("acme-2", "ended.example.com", over),
    ):
        claim: Record = {
            **DomainClaim.__entity__.example,
            "tenant_id": id,
            "domain": domain,
            **about,
            **fields,
        }
        store.put(Forms.put_claim, DomainClaim(**{**claim, "check_at": iso_utc(now)}))
    value = f"tablewright-domain={DomainClaim.__entity__.example['token']}"
    found = {f"_tablewright.{name}.example.com": [value] for name in ("new", "before")}
    with patch.object(verify, "texts", lambda name: found.get(name, [])):
        done = verify.handler({}, Around())
        assert done == {"PENDING": 0, "VERIFIED": 2, "FAILED": 1, "errors": 0}
        asked = {"tenant_id": "acme", "domain": "new.example.com"}
        assert verify.handler(asked, Around()) == {"state": "VERIFIED"}


def busy_day(tenant_id: str) -> Item:
    """The counts of today, of a tenant that needs more shards."""
    today = datetime.now(UTC).date().isoformat()
    day = DailyMetrics(tenant_id=tenant_id, date=today, submission_count=Decimal(20_000))
    return Records(Forms.__design__, DailyMetrics.__entity__).to_item(day)


def use_plan(aws: Aws, forms: FormTable) -> None:
    """Tenants that need more shards, with and without some; and one that another plans for."""
    for id in ("acme", "globex", "initech"):
        config = TenantConfig.__entity__.example
        forms.store().put(Forms.put_config, TenantConfig(**{**config, "tenant_id": id}))
        forms.database.write([busy_day(id)])
    long_ago = datetime.now(UTC) - timedelta(days=90)
    forms.set_epochs("acme", (long_ago, 2))
    aws.before["PutItem"] = partial(forms.set_epochs, "globex", (long_ago, 3))
    answers = [plan.handler({}, hurried())]
    while aws.cloud.invoked:
        answers.append(plan.handler(aws.cloud.next_event(), hurried()))
    assert [(one["appended"], one["conflicts"]) for one in answers] == [(1, 0), (0, 1), (1, 0)]
