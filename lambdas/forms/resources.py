"""What the functions work with, made once for the life of a function's environment."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3

from tablewright.designs.forms import FORMS
from tablewright.runtime.dynamo import POOL_SIZE, Caller, Client, Dynamo, client_config
from tablewright.runtime.epochs import EpochCache
from tablewright.runtime.store import Store


class Resources:
    """Clients and stores, from the function's environment."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.executor = ThreadPoolExecutor(max_workers=POOL_SIZE)
        self.here: Caller = Dynamo(session.client("dynamodb", config=client_config()))
        self._epochs = EpochCache()

    @classmethod
    def from_environment(cls) -> "Resources":
        return cls(boto3.session.Session())

    @property
    def table_name(self) -> str:
        return os.environ["FORMS_TABLE"]

    def store(self, **options: Any) -> Store:
        return Store(
            FORMS,
            self.table_name,
            self.here,
            executor=self.executor,
            epochs=self._epochs,
            **options,
        )

    def functions(self) -> Caller:
        """Lambda itself, for a function that goes on in another run."""
        return Client(self.session.client("lambda", config=client_config()))
