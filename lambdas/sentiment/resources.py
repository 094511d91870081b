"""Resources of the sentiment functions: clients and stores, by the names in an environment."""

from functools import cached_property
from typing import Any, Generic, TypeVar

from lambdas.contract import Environment
from lambdas.sentiment.contract import (
    MIGRATE,
    READ,
    SYSTEM,
    CursorEnvironment,
    DashboardKeysEnvironment,
    ItemsEnvironment,
    ItemsKeysEnvironment,
    KeysEnvironment,
    NewsEnvironment,
    RegionsEnvironment,
    TopicEnvironment,
)
from tablewright.catalog.news.design import DAYS_KEPT, News, news_table
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import items_table
from tablewright.model.regions import RegionSwitch
from tablewright.runtime.aws import Caller, connect, own_session
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.deferred_client import DeferredClient
from tablewright.runtime.messaging.topic import Topic
from tablewright.runtime.regions import RegionalCaller, Regions
from tablewright.runtime.secrets.keys import DataKeys
from tablewright.runtime.secrets.secrets import Secrets
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
        return cls(environment, own_session())

    def is_active(self) -> bool:
        """Whether the function's own region is the active one."""
        return self._regions is None or self._regions.active() == self._here

    @cached_property
    def active(self) -> Caller:
        """DynamoDB in the active region; where that cannot be reached, in the next one."""
        return RegionalCaller(self._regions.order, self._in) if self._regions else self.dynamodb

    @cached_property
    def _regions(self) -> Regions | None:
        told = self.environment
        if not isinstance(told, RegionsEnvironment) or not (told.regions and told.switch_table):
            return None
        names = told.regions.split(",")
        nearest = (self._here, *(name for name in names if name != self._here))
        # Read where the function is, or else where it can be.
        caller = RegionalCaller(lambda: nearest, self._in)
        return Regions(Store(RegionSwitch, told.switch_table, caller), SYSTEM, names)

    @property
    def _here(self) -> str:
        return str(self._session.region_name)

    def _in(self, region: str) -> Caller:
        is_here = region == self._here
        return self.dynamodb if is_here else connect(self._session, "dynamodb", region=region)

    def items(self: "Resources[ItemsEnvironment]", secrets: Secrets) -> Store:
        """The items of the active region, to be written."""
        days = self.environment.item_days
        table = items_table(days=int(days) if days else None)
        return Store(table, self.environment.items_table, self.active, secrets=secrets)

    def dashboard(self: "Resources[DashboardKeysEnvironment]") -> Store:
        table = self.environment.dashboard_table
        return Store(Dashboard, table, self.dynamodb, secrets=self.dashboard_secrets())

    def items_secrets(self: "Resources[ItemsKeysEnvironment]") -> Secrets:
        return self._secrets(
            self.environment.items_table, self.environment.items_keys_secret_arn, self.environment
        )

    def dashboard_secrets(self: "Resources[DashboardKeysEnvironment]") -> Secrets:
        env = self.environment
        return self._secrets(env.dashboard_table, env.dashboard_keys_secret_arn, env)

    def _secrets(self, table: str, ring: str | None, env: KeysEnvironment) -> Secrets:
        """What becomes of the secret fields of a table, by the ARN of its ring of keys."""
        if ring is None or env.fields_kms_key_arn is None:
            return Secrets.in_clear()
        keys = DataKeys(
            table,
            ring,
            env.fields_kms_key_arn,
            secretsmanager=lambda: connect(self._session, "secretsmanager"),
            kms=lambda: connect(self._session, "kms"),
        )
        mode = env.encrypted_fields
        return Secrets(keys, writes=mode != READ, clear=mode == MIGRATE)

    def news(self: "Resources[NewsEnvironment]", cursors: Cursors | None = None) -> Store:
        """The news of the function's own region, to be read."""
        return Store(News, self.environment.news_table, self.dynamodb, cursors=cursors)

    def active_news(self: "Resources[NewsEnvironment]") -> Store:
        """The news of the active region, to be written."""
        table = news_table(days=int(self.environment.news_days or DAYS_KEPT))
        return Store(table, self.environment.news_table, self.active)

    def analysis_requests(self: "Resources[TopicEnvironment]") -> Topic:
        return Topic(DeferredClient(self._session, "sns"), self.environment.topic_arn)

    def cursors(self: "Resources[CursorEnvironment]") -> Cursors:
        keys = SecretKeys(
            lambda: connect(self._session, "secretsmanager"),
            self.environment.cursor_secret_arn,
            purpose="sentiment",
        )
        return Cursors(keys)

    def secret(self, arn: str) -> str:
        secrets = connect(self._session, "secretsmanager")
        return str(secrets.call("GetSecretValue", {"SecretId": arn})["SecretString"])
