"""What each function of the portal calls and what its role allows are the same, both ways."""

import pytest

from local.dynamodb_local import DynamoDbLocal
from tablewright.designs.events import EVENTS
from tests.infrastructure.synthesis import Assembly, environment, resources
from tests.integration.cloud import Cloud
from tests.integration.conftest import Database
from tests.integration.portal.newsroom import CONTENT_TABLE, Newsroom
from tests.integration.portal.uses import EVENTS_TABLE, EXPORTS, FILES, FUNCTIONS
from tests.integration.rights import Rights
from tests.integration.sentiment.http import metered
from tests.integration.session import Aws, start

NAMES = {
    "CONTENT_TABLE": CONTENT_TABLE,
    "SUBSCRIPTIONS_TABLE": "subscriptions",
    "NOTIFICATIONS_TABLE": "notifications",
    "EVENTS_TABLE": EVENTS_TABLE,
    "FILES_BUCKET": FILES,
    "EXPORT_BUCKET": EXPORTS,
    "FANOUT_QUEUE_URL": "queue",
    "CURSOR_SECRET_ARN": "cursor key",
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_allows_what_its_function_calls_and_nothing_else(
    function: str,
    database: Database,
    dynamodb_local: DynamoDbLocal,
    monkeypatch: pytest.MonkeyPatch,
    dev: Assembly,
) -> None:
    metered(monkeypatch)
    template = dev.template("portal")
    module, use, platform = FUNCTIONS[function]
    room = Newsroom(database)
    database.create(EVENTS, EVENTS_TABLE)
    aws = Aws(dynamodb_local, database, Cloud({"cursor key": "s" * 64}))
    start(monkeypatch, aws, environment(template, function), NAMES, module)
    use(aws, room)
    rights = Rights.of(template, function, NAMES, platform)
    assert rights.refused(aws) == set()
    assert rights.unused(aws) == set()
    assert not aws.before


def test_every_function_is_tried(dev: Assembly) -> None:
    made = resources(dev.template("portal"), "AWS::Lambda::Function")
    assert {id.rpartition("Function")[0] for id in made} == set(FUNCTIONS)
