"""Plugin of pytest: databases on DynamoDB Local, as fixtures.

The engine is started when a test first asks for a database, and ends with the run. Nothing else of
the library is imported before that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tablewright.testing.database import Database, Databases
    from tablewright.testing.dynamodb_local import DynamoDbLocal


@pytest.fixture(scope="session")
def dynamodb_local(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DynamoDbLocal]:
    """DynamoDB Local, the engine itself: one for all processes of a run."""
    from tablewright.testing.dynamodb_local import DynamoDbLocalError
    from tablewright.testing.shared_engine import shared_engine

    own = tmp_path_factory.getbasetemp()
    # Processes of pytest-xdist share the folder above their own.
    folder = own.parent if hasattr(request.config, "workerinput") else own
    with ExitStack() as opened:
        try:
            engine = opened.enter_context(shared_engine(folder))
        except DynamoDbLocalError as error:
            pytest.fail(str(error), pytrace=False)
        yield engine


@pytest.fixture(scope="session")
def dynamodb_databases(dynamodb_local: DynamoDbLocal) -> Databases:
    """The engine's databases, for fixtures that need one of another scope, or two."""
    from tablewright.testing.database import Databases

    return Databases(dynamodb_local)


@pytest.fixture
def dynamodb(dynamodb_databases: Databases) -> Iterator[Database]:
    """An empty database of DynamoDB Local, for one test."""
    with dynamodb_databases.lent() as database:
        yield database


@pytest.fixture(scope="module")
def module_dynamodb(dynamodb_databases: Databases) -> Iterator[Database]:
    """One for all tests of a module that only read, or that put back what they change."""
    with dynamodb_databases.lent() as database:
        yield database
