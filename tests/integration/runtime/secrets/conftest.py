"""A database with the table of people."""

import pytest

from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.secrets.people import TABLE, People, ring


@pytest.fixture
def people(dynamodb: Database) -> Database:
    dynamodb.table(People, TABLE)
    return dynamodb


@pytest.fixture
def store(people: Database) -> Store:
    return Store(People, TABLE, people.caller, secrets=Secrets(ring()))
