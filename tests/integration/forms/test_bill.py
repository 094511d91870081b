"""What one submission takes, from its request to its destinations, as the functions run."""

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from docs.bills import forms as bills
from docs.generate import DOCUMENTS
from docs.scenarios.forms_scales import DESTINATIONS, scale
from lambdas.forms.contract import CREATED, ON, SOURCE
from lambdas.forms.handlers import count_changes, deliver, submit
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import Destination
from tablewright.model.fields.time import iso_utc
from tablewright.pages.cost_chapter import usage
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.metrics.streaming import everything, passes
from tests.integration.forms.uses import PAYLOADS, SECRETS, outcomes, send, signed, tenant
from tests.integration.functions import TAKEN, Around, message
from tests.integration.sentiment.http import metered
from tests.integration.sentiment.sources.server import Answer, running
from tests.integration.session import Aws, start
from tests.integration.tally import Tally

TOLD = {
    "FORMS_TABLE": "forms",
    "PAYLOADS_BUCKET": PAYLOADS,
    "DELIVERIES_QUEUE_URL": "queue",
    "EVENT_BUS_NAME": "bus",
    "SECRETS_PREFIX": SECRETS,
    "MAIL_FROM": "",
    "RETRY_FIRST_SECONDS": "15",
    "LOCAL_WEBHOOKS": ON,
}
# Two kilobytes that become about 700 bytes.
BODY = json.dumps({"message": random.Random(1).randbytes(600).hex() + 840 * "x"}).encode()


@pytest.fixture
def submitted(
    dynamodb: Database, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> Tally:
    """A submission that is taken, sent on, delivered and counted, each for the first time."""
    forms = FormTable(dynamodb, stream=True)
    forms.clock.moment = datetime.now(UTC) + timedelta(hours=1)
    metered(monkeypatch)
    cloud = Cloud()
    aws = Aws(dynamodb_local, dynamodb, cloud)
    start(monkeypatch, aws, TOLD, {}, submit, deliver, count_changes)
    names = [f"hook-{number}" for number in range(DESTINATIONS)]
    with running() as server:
        server.will_answer(*(Answer() for _ in names))
        tenant(aws, forms, "acme", {"contact": {"destinations": names}})
        for name in names:
            forms.store().put(Forms.put_destination, _webhook(name, f"{server.url}/hook"))
            cloud.secrets[f"{SECRETS}acme/{name}"] = "secret"
        tally = Tally({"forms": Forms})
        with tally.counting():
            answer = send(BODY, signed("acme", BODY, origin=True))
            made = {"tenant_id": "acme", "submission_id": answer.json["submission_id"]}
            created = {"source": SOURCE, "detail-type": CREATED, "detail": made}
            _deliver(json.dumps(created), tally)
            for asked in cloud.messages:
                _deliver(asked, tally)
        records = list(filter(passes, everything(dynamodb)))
        with tally.counting():
            for record in records:
                tally.runs["Count"] += 1
                assert count_changes.handler({"Records": [record]}, Around()) == TAKEN
    assert outcomes(forms) == {"SUCCEEDED"}
    return tally


def _deliver(body: str, tally: Tally) -> None:
    tally.runs["Deliver"] += 1
    assert deliver.handler(message(body), Around()) == TAKEN


def _webhook(name: str, url: str) -> Destination:
    now = iso_utc(datetime.now(UTC))
    about: dict[str, Any] = {
        **Destination.__entity__.example,
        "tenant_id": "acme",
        "destination_id": name,
        "destination_type": "webhook",
        "settings": {"url": url},
        "key_id": name,
        "updated_at": now,
    }
    return Destination(**about)


def test_a_submission_takes_the_units_of_its_scale(submitted: Tally) -> None:
    document = DOCUMENTS["forms"]
    one = usage(document.design, document.recorded(), scale(1))
    assert submitted.written("forms") == one.write_units
    assert submitted.read("forms") == one.read_units


def test_a_submission_makes_the_calls_that_are_billed(submitted: Tally) -> None:
    assert submitted.other_calls() == bills.CALLS
