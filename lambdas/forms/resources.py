"""What the functions work with, made once for the life of a function's environment."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import boto3

from tablewright.designs.forms import FORMS
from tablewright.runtime.dynamo import POOL_SIZE, Caller, Client, Dynamo, client_config
from tablewright.runtime.epochs import EpochCache
from tablewright.runtime.payload import Payloads
from tablewright.runtime.store import Store


class Resources:
    """Clients and stores, from the function's environment."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.executor = ThreadPoolExecutor(max_workers=POOL_SIZE)
        self.epochs = EpochCache()
        self.here: Caller = Dynamo(session.client("dynamodb", config=client_config()))

    @classmethod
    def from_environment(cls) -> "Resources":
        return cls(boto3.session.Session())

    def store(self) -> Store:
        table = os.environ["FORMS_TABLE"]
        return Store(FORMS, table, self.here, executor=self.executor, epochs=self.epochs)

    def payloads(self) -> Payloads:
        return Payloads(self.s3, os.environ["PAYLOADS_BUCKET"])

    def client(self, service: str) -> Caller:
        """A client that is made when it is first needed: many functions need few of them."""
        return Client(self.session.client(service, config=client_config()))

    @cached_property
    def s3(self) -> Caller:
        return self.client("s3")

    @cached_property
    def sqs(self) -> Caller:
        return self.client("sqs")

    @cached_property
    def secrets(self) -> Caller:
        return self.client("secretsmanager")
