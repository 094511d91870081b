"""Clients of the portal's functions: one session, each client made when it is first used."""

from functools import cached_property
from typing import Any

from tablewright.model import Table
from tablewright.runtime.aws import Caller, connect, own_session
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.deferred_client import DeferredClient
from tablewright.runtime.store.store import Store


class Clients:
    """What the resources of a function are made from."""

    def __init__(self, session: Any = None) -> None:
        self._session = session or own_session()

    @cached_property
    def dynamo(self) -> Caller:
        return self.client("dynamodb")

    @cached_property
    def s3(self) -> DeferredClient:
        # Left to itself, boto3 signs addresses by a method that binds no headers, and for a host
        # that redirects to the bucket's region.
        style = {"addressing_style": "virtual"}
        return DeferredClient(self._session, "s3", signature_version="s3v4", s3=style)

    def client(self, service: str) -> Caller:
        return connect(self._session, service)

    def cursors(self, secret_arn: str) -> Cursors:
        keys = SecretKeys(lambda: self.client("secretsmanager"), secret_arn, purpose="portal")
        return Cursors(keys)

    def store(self, table: type[Table], table_name: str, cursors: Cursors | None = None) -> Store:
        return Store(table, table_name, self.dynamo, cursors=cursors)
