"""A table of one design, emptied for each test, and plain clients of boto3."""

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest

from tablewright.testing import Database
from tablewright.testing.database import REGION
from tests.integration.runtime.store.conftest import Orders


@pytest.fixture(scope="module")
def made(module_dynamodb: Database) -> Database:
    module_dynamodb.table(Orders)
    return module_dynamodb


@pytest.fixture
def orders(made: Database) -> Iterator[Database]:
    """The table of `Orders`, with nothing in it."""
    yield made
    made.empty()


@pytest.fixture(scope="module")
def client(made: Database) -> Any:
    """A plain client of boto3."""
    return made.client()


@pytest.fixture(scope="module")
def table(made: Database) -> Any:
    """A plain resource of boto3."""
    session = {"endpoint_url": made._endpoint, "region_name": REGION, **made._credentials}
    return boto3.resource("dynamodb", **session).Table("orders")


@pytest.fixture
def fresh(orders: Database) -> Callable[[], None]:
    return orders.empty
