"""Faults at every call that the form system's functions make: of DynamoDB, STS, Secrets Manager,
S3, SQS and Lambda. Deliveries and submissions have tests of their own, over one seam."""

import json
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest

from lambdas.forms.admin import resources as admin_resources
from lambdas.forms.handlers import admin, count_changes, plan_shards
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import Destination
from tablewright.testing import survives_every_fault
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.cloud import Cloud
from tests.integration.forms.admin.administration import CONTRACT, WEBHOOK
from tests.integration.forms.conftest import FormTable, key_of
from tests.integration.forms.metrics.streaming import everything, passes
from tests.integration.forms.uses import PAYLOADS, SECRETS, busy_day, stored, tenant
from tests.integration.functions import Around, answered, consumed, hurried
from tests.integration.sentiment.http import metered
from tests.integration.session import Aws, start

STREAMED = True
TOLD = {
    "FORMS_TABLE": "forms",
    "PAYLOADS_BUCKET": PAYLOADS,
    "DELIVERIES_QUEUE_URL": "queue",
    "EVENT_BUS_NAME": "bus",
    "TENANT_ROLE_ARN": "tenants",
    "CURSOR_SECRET_ARN": "cursor key",
    "SECRETS_PREFIX": SECRETS,
    "SHARD_RULES": "{}",
    "VERIFY_FUNCTION": "verify",
}
CLAIMS = {"sub": "ada", "custom:tenant": "acme"}
# What is of each run: moments, and values that are made up.
CHANGING = ("created_at", "updated_at", "GSI1SK", "shard_mapping")


class Trial:
    """Functions that begin anew for every fault, in a world with one tenant."""

    def __init__(self, forms: FormTable, engine: DynamoDbLocal, patch: pytest.MonkeyPatch) -> None:
        self.forms = forms
        self.cloud = Cloud()
        self.aws = Aws(engine, forms.database, self.cloud)
        self._patch = patch

    def begin(self, *modules: ModuleType) -> None:
        self.forms.database.empty()
        self.cloud.__init__({"cursor key": "s" * 64})  # type: ignore[misc]
        tenant(self.aws, self.forms, "acme", {"contact": {}})
        start(self._patch, self.aws, TOLD, {}, *modules)

    def stored(self) -> list[Any]:
        found = self.forms.database.items()
        return [{n: v for n, v in one.items() if n not in CHANGING} for one in found]


@pytest.fixture
def trial(
    forms: FormTable, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> Trial:
    metered(monkeypatch)
    # Not to be reached by the end of the test, however long that takes.
    forms.clock.moment = datetime.now(UTC) + timedelta(hours=1)
    return Trial(forms, dynamodb_local, monkeypatch)


def ask(method: str, path: str, body: Any = None, *expected: int) -> Any:
    event = CONTRACT.event(method, path, body, claims=CLAIMS, query={}, headers={"if-match": "*"})
    answer = admin.handler(event, Around())
    status = answer["statusCode"]
    return answered(answer, status if status in expected else expected[0])


def test_a_destination_is_made_once_whatever_fails(trial: Trial) -> None:
    """With a secret that is told, and told again when the request is repeated."""

    def outcome() -> Any:
        kinds = sorted(one["SK"]["S"].partition("#")[0] for one in trial.stored())
        return kinds, len(trial.cloud.secrets)

    calls = survives_every_fault(
        lambda: ask("POST", "/destinations", WEBHOOK, 201, 200),
        outcome,
        fresh=lambda: trial.begin(admin, admin_resources),
    )
    assert len(calls) >= 4


def test_a_submission_is_sent_on_whatever_fails(trial: Trial) -> None:
    """Messages may come twice: whoever carries them out makes the attempt once."""
    sent: list[Any] = []

    def fresh() -> None:
        trial.begin(admin, admin_resources)
        example = Destination.__entity__.example
        crm = {**example, **WEBHOOK, "tenant_id": "acme", "destination_id": "crm", "key_id": "h"}
        trial.forms.store().put(Forms.put_destination, Destination(**crm))
        routes = {"forms": {"contact": {"destinations": ["crm"]}}}
        trial.forms.store().update(Forms.update_config, {"tenant_id": "acme"}, routes)
        sent[:] = [stored(trial.aws, trial.forms, "acme", status="QUARANTINED")]

    def work() -> None:
        ask("POST", f"/submissions/{sent[0]['submission_id']}/redeliver", None, 202)

    def outcome() -> Any:
        bodies = [json.loads(message) for message in trial.cloud.messages]
        asked = {json.dumps(_without_moments(body), sort_keys=True) for body in bodies}
        return len(asked), len(trial.stored())

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 4


def _without_moments(body: Any) -> Any:
    if isinstance(body, dict):
        return {n: _without_moments(v) for n, v in body.items() if n not in ("since", "attempt")}
    return body


def test_submissions_are_counted_once_and_their_payloads_forgotten_whatever_fails(
    trial: Trial,
) -> None:
    trial.begin(count_changes)
    made = stored(trial.aws, trial.forms, "acme")
    trial.forms.store().delete(Forms.delete_submission, key_of(made))
    records = [record for record in everything(trial.forms.database) if passes(record)]
    objects = dict(trial.cloud.objects)
    assert objects

    def fresh() -> None:
        trial.begin(count_changes)
        trial.cloud.objects.update(objects)

    calls = survives_every_fault(
        lambda: consumed(count_changes.handler({"Records": records}, Around())),
        lambda: (trial.stored(), set(trial.cloud.objects)),
        fresh=fresh,
    )
    assert len(calls) >= 4


def test_shards_are_planned_once_whatever_fails(trial: Trial) -> None:
    """Runs that call the next, each out of time. What one could not do is told, and done the next
    day."""

    def fresh() -> None:
        trial.begin(plan_shards)
        tenant(trial.aws, trial.forms, "globex", {})
        for id in ("acme", "globex"):
            trial.forms.database.write([busy_day(id)])

    def work() -> None:
        for _ in range(2):
            plan_shards.handler({}, hurried())
            while trial.cloud.invoked:
                plan_shards.handler(trial.cloud.next_event(), hurried())

    def outcome() -> list[tuple[str, int]]:
        found = [one for one in trial.forms.database.items() if "shard_mapping" in one]
        return sorted((one["PK"]["S"], len(one["shard_mapping"]["L"])) for one in found)

    calls = survives_every_fault(work, outcome, fresh=fresh)
    assert len(calls) >= 6
    assert [epochs for _, epochs in outcome()] == [2, 2]
