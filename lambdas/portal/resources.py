"""What the functions work with, made once for the life of a function's environment."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import boto3

from lambdas.portal.content.files import Files
from tablewright.catalog.portal.content import CONTENT_REGISTRY
from tablewright.model import Table
from tablewright.runtime.aws import POOL_SIZE, Caller, Client, connect
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.store.store import Store


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
        return connect(self.session, "dynamodb")

    @cached_property
    def sqs(self) -> Caller:
        return self.client("sqs")

    @cached_property
    def s3(self) -> Client:
        # Left to itself, boto3 signs addresses by a method that binds no headers, and for a host
        # that redirects to the bucket's region.
        style = {"addressing_style": "virtual"}
        return connect(self.session, "s3", signature_version="s3v4", s3=style)

    @cached_property
    def cursors(self) -> Cursors:
        secret = os.environ["CURSOR_SECRET_ARN"]
        return Cursors(SecretKeys(lambda: self.client("secretsmanager"), secret))

    def functions(self) -> Caller:
        """Lambda itself, for a function that goes on in another run."""
        return self.client("lambda")

    def files(self) -> Files:
        return Files(self.s3, self.s3.presign, os.environ["FILES_BUCKET"])

    def content(self, **options: Any) -> Store:
        return self.store(CONTENT_REGISTRY, "CONTENT_TABLE", **options)

    def store(self, design: Table, variable: str, **options: Any) -> Store:
        """The table that an environment variable names."""
        return Store(design, os.environ[variable], self.dynamo, executor=self.executor, **options)

    def client(self, service: str) -> Caller:
        return connect(self.session, service)
