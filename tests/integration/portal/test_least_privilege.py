"""What each function of the portal calls and what its role allows are the same, both ways."""

from collections.abc import Callable

import pytest

from lambdas.portal.contract import EventsEnvironment
from lambdas.portal.events.log import table_of
from tablewright.testing import Database, least_privilege
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.infrastructure.synthesis import (
    Assembly,
    Template,
    environment,
    resources,
    synthesize_stage,
)
from tests.integration.cloud import Cloud
from tests.integration.portal.fan_out.fan_out_world import CONTENT_TABLE, SEARCH_TABLE, FanOutWorld
from tests.integration.portal.uses import EVENTS_TABLE, FILES, FUNCTIONS
from tests.integration.sentiment.http import metered
from tests.integration.session import Aws, start

NAMES = {
    "CONTENT_TABLE": CONTENT_TABLE,
    "SUBSCRIPTIONS_TABLE": "subscriptions",
    "NOTIFICATIONS_TABLE": "notifications",
    "EVENTS_TABLE": EVENTS_TABLE,
    "SEARCH_TABLE": SEARCH_TABLE,
    "FILES_BUCKET": FILES,
    "FANOUT_QUEUE_URL": "queue",
    "CURSOR_SECRET_ARN": "cursor key",
}


Held = Callable[[Template, str], None]


@pytest.fixture
def held(
    dynamodb: Database, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> Held:
    """Holds what a function of a template calls, and what its role allows, against one another."""

    def hold(template: Template, function: str) -> None:
        tried = FUNCTIONS[function]
        aws = Aws(dynamodb_local, dynamodb, Cloud({"cursor key": "s" * 64}))
        start(monkeypatch, aws, environment(template, function), NAMES, tried.module)
        room = FanOutWorld(dynamodb)
        shards = environment(template, function).get("EVENT_SHARDS")
        events = EventsEnvironment(events_table=EVENTS_TABLE, event_shards=shards)
        dynamodb.table(table_of(events), EVENTS_TABLE)
        tried.use(aws, room)
        least_privilege(
            template, f"{function}Function", names=NAMES, platform=tried.platform, calls=aws
        ).assert_exact()
        assert not aws.before

    metered(monkeypatch)
    return hold


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_allows_what_its_function_calls_and_nothing_else(
    function: str, held: Held, dev: Assembly
) -> None:
    held(dev.template("portal"), function)


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Template:
    folder = tmp_path_factory.mktemp("sharded")
    return synthesize_stage("dev", folder, {"TABLEWRIGHT_EVENT_SHARDS": "3"}).template("portal")


def test_so_does_one_for_events_in_shards(held: Held, sharded: Template) -> None:
    assert environment(sharded, "EventsApi")["EVENT_SHARDS"] == "3"
    held(sharded, "EventsApi")


def test_every_function_is_tried(dev: Assembly) -> None:
    made = resources(dev.template("portal"), "AWS::Lambda::Function")
    assert {id.rpartition("Function")[0] for id in made} == set(FUNCTIONS)
