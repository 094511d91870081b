"""Clients of AWS, and the table and payloads behind them, for the life of a function."""

from functools import cached_property
from typing import Any

from lambdas.forms.contract import TableEnvironment
from tablewright.catalog.forms.design import Forms
from tablewright.runtime.aws import Caller, connect, own_session
from tablewright.runtime.deferred_client import DeferredClient
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.store import Store


class Clients:
    """Clients with the function's own credentials, each made when it is first used."""

    def __init__(self, session: Any, table_name: str) -> None:
        self.session = session
        self.table_name = table_name
        # One for all stores: each epoch is read once a minute, not once a store.
        self.epochs = EpochCache()

    @classmethod
    def of(cls, environment: TableEnvironment) -> "Clients":
        return cls(own_session(), environment.forms_table)

    @cached_property
    def dynamo(self) -> Caller:
        return connect(self.session, "dynamodb")

    @cached_property
    def secrets(self) -> Caller:
        return self.client("secretsmanager")

    @cached_property
    def sqs(self) -> Caller:
        return self.client("sqs")

    @cached_property
    def s3(self) -> DeferredClient:
        return self.files()

    def store(self) -> Store:
        """The form table."""
        return Store(Forms, self.table_name, self.dynamo, epochs=self.epochs)

    def client(self, service: str, **settings: Any) -> Caller:
        return connect(self.session, service, **settings)

    def files(self, **settings: Any) -> DeferredClient:
        """S3, for addresses too that others use. Few submissions have a payload there."""
        return DeferredClient(self.session, "s3", **settings)
