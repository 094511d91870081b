"""Batches that replace sales while others remove and make the same ones."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lambdas.sales.batch import BatchResult, write_batch
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.model import key_of
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.sales.conftest import sale

BEFORE = sale(0)
OURS = sale(0, category="shoe")
THEIRS = sale(0, category="hat")


class Meanwhile:
    """A caller before whose calls of an operation somebody else does something."""

    def __init__(self, caller: Caller, others: Mapping[str, Callable[[], Any]]) -> None:
        self._caller = caller
        self._others = others

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self._others.get(operation, lambda: None)()
        return self._caller.call(operation, params)


def race(database: Database, **others: Callable[[Store], Any]) -> tuple[BatchResult, Sale | None]:
    """What became of a batch, and of the sale that was there when it came."""
    dynamo = Boto3Client(database.client())
    store = Store(Sales, "sales", dynamo)
    store.put(Sales.put_sale, BEFORE)
    acting = {name: partial(act, store) for name, act in others.items()}
    racing = Store(Sales, "sales", Meanwhile(dynamo, acting))
    done = write_batch(racing, [OURS], replace=True)
    return done, store.get(Sales.get_sale, key_of(BEFORE))


def removed(store: Store) -> None:
    store.delete(Sales.delete_sale, BEFORE)


def made_anew(store: Store) -> None:
    store.put(Sales.put_sale, THEIRS)


def test_a_sale_that_is_removed_before_it_is_replaced_is_stored(sales_database: Database) -> None:
    done, left = race(sales_database, UpdateItem=removed)
    assert done == BatchResult(stored=1, unchanged=0, replaced=0, conflicts=[])
    assert left == OURS


def test_one_that_is_made_anew_meanwhile_is_left_and_told(sales_database: Database) -> None:
    done, left = race(sales_database, UpdateItem=removed, PutItem=made_anew)
    assert done == BatchResult(stored=0, unchanged=0, replaced=0, conflicts=[0])
    assert left == THEIRS
