"""What the functions work with, made once for the life of a function's environment."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import boto3

from lambdas.portal.content.files import Files
from tablewright.designs import Table
from tablewright.designs.content_registry import CONTENT_REGISTRY
from tablewright.runtime.aws import POOL_SIZE, Caller, Client, Dynamo, client_config
from tablewright.runtime.cursor import Cursors
from tablewright.runtime.secret_keys import SecretKeys
from tablewright.runtime.store import Store


class Resources:
    """Clients and stores, from the function's environment; a client is made when first used."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.executor = ThreadPoolExecutor(max_workers=POOL_SIZE)

    @classmethod
    def from_environment(cls) -> "Resources":
        return cls(boto3.session.Session())

    @cached_property
    def dynamo(self) -> Caller:
        return Dynamo(self.session.client("dynamodb", config=client_config()))

    @cached_property
    def sqs(self) -> Caller:
        return self.client("sqs")

    @cached_property
    def s3(self) -> Caller:
        return Client(self.s3_client)

    @cached_property
    def s3_client(self) -> Any:
        # Left to itself, boto3 signs addresses by a method that binds no headers, and for a host
        # that redirects to the bucket's region.
        signed = client_config(signature_version="s3v4", s3={"addressing_style": "virtual"})
        return self.session.client("s3", config=signed)

    @cached_property
    def cursors(self) -> Cursors:
        return Cursors(SecretKeys(self.session, os.environ["CURSOR_SECRET_ARN"]))

    def functions(self) -> Caller:
        """Lambda itself, for a function that goes on in another run."""
        return self.client("lambda")

    def files(self) -> Files:
        def presign(operation: str, params: dict[str, Any], seconds: int) -> str:
            return str(self.s3_client.generate_presigned_url(operation, params, seconds))

        return Files(self.s3, presign, os.environ["FILES_BUCKET"])

    def content(self, **options: Any) -> Store:
        return self.store(CONTENT_REGISTRY, "CONTENT_TABLE", **options)

    def store(self, design: Table, variable: str, **options: Any) -> Store:
        """The table that an environment variable names."""
        return Store(design, os.environ[variable], self.dynamo, executor=self.executor, **options)

    def client(self, service: str) -> Caller:
        return Client(self.session.client(service, config=client_config()))
