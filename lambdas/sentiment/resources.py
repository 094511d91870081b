"""What the functions work with, made once for the life of a function's environment."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3

from lambdas.sentiment.tags import Watch
from tablewright.catalog.news.design import NEWS
from tablewright.catalog.sentiment.dashboard import DASHBOARD
from tablewright.catalog.sentiment.items import ITEMS
from tablewright.runtime.aws import POOL_SIZE, Caller, connect
from tablewright.runtime.messaging.topic import Topic
from tablewright.runtime.store.store import Store


def setting(name: str) -> Any:
    """A setting that the stack gives as JSON."""
    return json.loads(os.environ[name])


class Resources:
    """Clients and stores, from the function's environment.

    Items are written in the region that WRITE_REGION names: the home region, but for a failover.
    """

    def __init__(self, session: Any) -> None:
        self.session = session
        self.executor = ThreadPoolExecutor(max_workers=POOL_SIZE)
        self.here: Caller = connect(session, "dynamodb")

    @classmethod
    def from_environment(cls) -> "Resources":
        return cls(boto3.session.Session())

    def items(self) -> Store:
        return Store(ITEMS, os.environ["ITEMS_TABLE"], self.items_caller(), executor=self.executor)

    def items_caller(self) -> Caller:
        region = os.environ.get("WRITE_REGION")
        if not region or region == self.session.region_name:
            return self.here
        return connect(self.session, "dynamodb", region=region)

    def dashboard(self) -> Store:
        table = os.environ["DASHBOARD_TABLE"]
        return Store(DASHBOARD, table, self.here, executor=self.executor)

    def news(self, **options: Any) -> Store:
        table = os.environ["NEWS_TABLE"]
        return Store(NEWS, table, self.here, executor=self.executor, **options)

    def accelerated(self, endpoint: str) -> Caller:
        """The table through the cache at an endpoint, and past it when it does not answer."""
        from tablewright.runtime.dax import Accelerated

        return Accelerated(self.here, endpoint)

    def requests(self) -> Topic:
        return Topic(connect(self.session, "sns"), os.environ["TOPIC_ARN"])

    def watch(self) -> Watch:
        return Watch(setting("WATCH_TAGS"))

    def secret(self, arn: str) -> str:
        return str(self.secrets().call("GetSecretValue", {"SecretId": arn})["SecretString"])

    def secrets(self) -> Caller:
        return connect(self.session, "secretsmanager")
