"""Resources of the sentiment functions: clients and stores, by the names in an environment."""

from typing import Any, Generic, TypeVar

import boto3

from lambdas.contract import Environment
from lambdas.sentiment.contract import (
    CursorEnvironment,
    DashboardEnvironment,
    ItemsEnvironment,
    NewsEnvironment,
    TopicEnvironment,
)
from tablewright.catalog.news.design import News
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.messaging.topic import Topic
from tablewright.runtime.store.store import Store

E = TypeVar("E", bound=Environment, covariant=True)


class Resources(Generic[E]):
    """Opens what a function's environment names. Kept for the life of the function's environment.

    Example::

        Resources.of(HealEnvironment.read()).news()
    """

    def __init__(self, environment: E, session: Any) -> None:
        self.environment = environment
        self._session = session
        self.dynamodb: Caller = connect(session, "dynamodb")

    @classmethod
    def of(cls, environment: E) -> "Resources[E]":  # type: ignore[misc]  # makes, never takes
        return cls(environment, boto3.session.Session())

    def items(self: "Resources[ItemsEnvironment]") -> Store:
        region = self.environment.write_region
        # The home region, but for a failover.
        is_here = not region or region == self._session.region_name
        caller = self.dynamodb if is_here else connect(self._session, "dynamodb", region=region)
        return Store(Items, self.environment.items_table, caller)

    def dashboard(self: "Resources[DashboardEnvironment]") -> Store:
        table = self.environment.dashboard_table
        return Store(Dashboard, table, self.dynamodb)

    def news(self: "Resources[NewsEnvironment]", cursors: Cursors | None = None) -> Store:
        table = self.environment.news_table
        return Store(News, table, self.dynamodb, cursors=cursors)

    def analysis_requests(self: "Resources[TopicEnvironment]") -> Topic:
        return Topic(connect(self._session, "sns"), self.environment.topic_arn)

    def cursors(self: "Resources[CursorEnvironment]") -> Cursors:
        secret = self.environment.cursor_secret_arn
        return Cursors(SecretKeys(lambda: connect(self._session, "secretsmanager"), secret))

    def secret(self, arn: str) -> str:
        secrets = connect(self._session, "secretsmanager")
        return str(secrets.call("GetSecretValue", {"SecretId": arn})["SecretString"])
