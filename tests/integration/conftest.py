"""Databases of the kit's plugin, with stores of a fixed day."""

from datetime import UTC, datetime

import pytest

from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.testing import Database, StoreSettings

# On which nothing that tests store has expired, whenever they run.
TODAY = datetime(2026, 11, 17, tzinfo=UTC)
KEYS = KeyRing([b"integration-tests-cursor-signing-key"])
# Of a fixed time: two that are asked for alike are alike.
CURSORS = Cursors(KEYS, clock=lambda: 0.0)
SETTINGS = StoreSettings(cursors=CURSORS, now=lambda: TODAY)


@pytest.fixture
def dynamodb(dynamodb: Database) -> Database:
    dynamodb.settings.update(SETTINGS)
    return dynamodb


@pytest.fixture(scope="module")
def module_dynamodb(module_dynamodb: Database) -> Database:
    module_dynamodb.settings.update(SETTINGS)
    return module_dynamodb
