"""Least privilege: what each function of the form system calls is what its role allows."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lambdas.forms.admin import resources as admin_resources
from lambdas.forms.contract import SESSION_TAG
from lambdas.forms.handlers import (
    admin,
    count_changes,
    deliver,
    plan_shards,
    submit,
    verify_domains,
)
from tablewright.testing import least_privilege
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.privileges.platform import (
    FAILED_EVENTS,
    FAILURES,
    LOGS_AND_TRACES,
    QUEUE,
    STREAM,
)
from tests.infrastructure.synthesis import Assembly, environment, resources, synthesize_stage
from tests.integration.cloud import Cloud
from tests.integration.forms.admin.admin_use import use_admin
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.uses import (
    OWN,
    PAYLOADS,
    THEIRS,
    TWO,
    use_count,
    use_deliver,
    use_plan,
    use_submit,
    use_verify,
)
from tests.integration.functions import Function
from tests.integration.sentiment.http import metered
from tests.integration.session import Aws, start

STREAMED = True
NAMES = {
    "FORMS_TABLE": "forms",
    "PAYLOADS_BUCKET": PAYLOADS,
    "DELIVERIES_QUEUE_URL": "queue",
    "EVENT_BUS_NAME": "bus",
    "TENANT_ROLE_ARN": "tenants",
    "VERIFY_FUNCTION": "verify",
    "CURSOR_SECRET_ARN": "cursor key",
}
FUNCTIONS = {
    "Submit": Function(submit, use_submit),
    "DeliveriesDeliver": Function(deliver, use_deliver, QUEUE),
    "Count": Function(count_changes, use_count, STREAM | FAILURES),
    "Plan": Function(plan_shards, use_plan, FAILED_EVENTS),
    "Verify": Function(verify_domains, use_verify, FAILED_EVENTS),
    "Admin": Function(admin, use_admin),
}


@pytest.fixture
def aws(forms: FormTable, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch) -> Aws:
    metered(monkeypatch)
    # What the tests store themselves is not of the future.
    # Not to be reached by the end of the test, however long that takes.
    forms.clock.moment = datetime.now(UTC) + timedelta(hours=1)
    return Aws(dynamodb_local, forms.database, Cloud({"cursor key": "s" * 64}))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_allows_what_its_function_calls_and_nothing_else(
    function: str, aws: Aws, forms: FormTable, monkeypatch: pytest.MonkeyPatch, dev: Assembly
) -> None:
    template = dev.template("forms")
    tried = FUNCTIONS[function]
    start(monkeypatch, aws, environment(template, function), NAMES, tried.module, admin_resources)
    tried.use(aws, forms)
    least_privilege(
        template, f"{function}Function", names=NAMES, platform=tried.platform, calls=aws
    ).assert_exact()
    assert not aws.before


@pytest.mark.parametrize("tenant", TWO)
def test_a_tenant_s_session_allows_what_is_called_in_it_and_nothing_else(
    tenant: str, aws: Aws, forms: FormTable, monkeypatch: pytest.MonkeyPatch, dev: Assembly
) -> None:
    template = dev.template("forms")
    start(monkeypatch, aws, environment(template, "Admin"), NAMES, admin, admin_resources)
    use_admin(aws, forms)
    tags = {SESSION_TAG: tenant}
    rights = least_privilege(template, "TenantAccessRole", names=NAMES, tags=tags, calls=aws)
    rights.assert_exact()
    aws.sessions.pop(f"{SESSION_TAG}={tenant}")
    # The same, done for the other tenant, is not allowed in this one's.
    (theirs,) = aws.sessions.values()
    assert theirs.keys
    assert not [one for one in theirs.keys if rights.allows(*one)]


def test_destinations_of_tenants_are_reached_where_the_stage_names_them_and_no_others(
    aws: Aws, forms: FormTable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    named = {
        "TABLEWRIGHT_FORM_MAIL_FROM": "forms@example.com",
        "TABLEWRIGHT_FORM_BUCKETS": "acme-forms",
        "TABLEWRIGHT_FORM_BUSES": "acme-events",
    }
    template = synthesize_stage("dev", tmp_path, named).template("forms")
    function = "DeliveriesDeliver"
    start(monkeypatch, aws, environment(template, function), NAMES, deliver)
    use_deliver(aws, forms, {**OWN, **THEIRS})
    platform = LOGS_AND_TRACES | QUEUE
    rights = least_privilege(
        template, f"{function}Function", names=NAMES, platform=platform, calls=aws
    )
    assert rights.refused == set()
    # SES goes by the domain where it does not know the address.
    assert rights.unused == {("ses:SendEmail", "example.com")}


def test_every_function_is_tried(dev: Assembly) -> None:
    made = resources(dev.template("forms"), "AWS::Lambda::Function")
    assert {id.rpartition("Function")[0] for id in made} == set(FUNCTIONS)
