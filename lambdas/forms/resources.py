"""What the functions work with, made once for the life of a function's environment."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import boto3

from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.forms.payload_dictionary import DICTIONARIES
from tablewright.runtime.aws import POOL_SIZE, Caller, Client, connect
from tablewright.runtime.payload import Payloads
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.store import Store


class Resources:
    """Clients and stores, from the function's environment; a client is made when first used."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.executor = ThreadPoolExecutor(max_workers=POOL_SIZE)
        # One for all stores: each epoch is read once a minute, not once a store.
        self.epochs = EpochCache()

    @classmethod
    def from_environment(cls) -> "Resources":
        return cls(boto3.session.Session())

    @property
    def table_name(self) -> str:
        return os.environ["FORMS_TABLE"]

    @property
    def bucket(self) -> str:
        return os.environ["PAYLOADS_BUCKET"]

    @cached_property
    def here(self) -> Caller:
        """DynamoDB with the function's own credentials."""
        return connect(self.session, "dynamodb")

    @cached_property
    def secrets(self) -> Caller:
        return self.client("secretsmanager")

    @cached_property
    def sqs(self) -> Caller:
        return self.client("sqs")

    @cached_property
    def s3(self) -> Caller:
        return self.client("s3")

    def functions(self) -> Caller:
        """Lambda itself, for a function that goes on in another run."""
        return self.client("lambda")

    def store(self, caller: Caller | None = None, **options: Any) -> Store:
        """The form table; `caller` is DynamoDB with other credentials than the function's."""
        return Store(
            FORMS,
            self.table_name,
            caller or self.here,
            executor=self.executor,
            epochs=self.epochs,
            **options,
        )

    def payloads(self) -> Payloads:
        return Payloads(self.s3, self.bucket, dictionaries=DICTIONARIES)

    def client(self, service: str, **settings: Any) -> Client:
        return connect(self.session, service, **settings)
