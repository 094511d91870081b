"""A database with the table of people."""

import pytest

from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tests.integration.conftest import Database
from tests.integration.runtime.secrets.people import TABLE, People, ring


@pytest.fixture
def people(database: Database) -> Database:
    database.create(People, TABLE)
    return database


@pytest.fixture
def store(people: Database) -> Store:
    return Store(People, TABLE, people.dynamo, secrets=Secrets(ring()))
