"""Stage: what a stack must know about where it is deployed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from aws_cdk import Duration, Environment, RemovalPolicy, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.contract import PAGE_LIMIT
from lambdas.portal.contract import ROLE
from stacks.shared.by_name import ByName
from stacks.shared.table_key import TableKey
from tablewright.catalog.news.design import DAYS_KEPT as NEWS_DAYS
from tablewright.catalog.portal.events import DAYS_KEPT
from tablewright.catalog.sales.design import (
    CATEGORY_SHARDS,
    EMBEDDING_SHARDS,
    PROJECTION,
    YEARS_KEPT,
)
from tablewright.constructs import (
    LIBRARY_SOURCES,
    AlarmLevel,
    Capacity,
    Platform,
    Protection,
    Source,
)
from tablewright.constructs.functions.bundling import PythonCode
from tablewright.constructs.tables.table import TableOptions

# Tables of systems that have several, as settings name them.
TABLES = (
    *("sentiment.items", "sentiment.dashboard", "sentiment.news", "sentiment.switch"),
    *("portal.content", "portal.notifications", "portal.subscriptions", "portal.events"),
    "portal.search",
)


def unless(usual: int | str, value: int | str) -> str | None:
    """What a function is told of a setting: nothing where it is the usual one."""
    return None if value == usual else str(value)


@dataclass(frozen=True)
class Throttle:
    """What an API takes: requests a second, and at once."""

    requests_per_second: int = 100
    burst: int = 200


@dataclass(frozen=True, kw_only=True)
class SentimentSettings:
    """How the sentiment system of a stage differs from that of others."""

    watch_tags: tuple[str, ...]
    # The system also runs from the regions of its replicas.
    standby: bool = False
    accelerated: bool = False
    accelerator_nodes: int = 3
    accelerator_node_type: str = "dax.t3.small"
    # Where DAX stands; none for the first three zones that the account has.
    zones: tuple[str, ...] = ()
    # No sources: nothing is polled, items come by event and HTTP alone.
    sources: tuple[str, ...] = ()
    # The companies that financial sources are asked for.
    tickers: tuple[str, ...] = ()
    poll_minutes: int = 15
    heal_minutes: int = 15
    # So long items are kept in the table; none: for good.
    item_days: int | None = None
    news_days: int = NEWS_DAYS
    show_capacity: bool = True
    # "read" or "on": what is encrypted can be read, or that and new ones are. Else: in clear.
    encrypted_fields: str = "off"
    sign_in_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class SalesSettings:
    """How the sales system of a stage differs from that of others."""

    category_shards: int = CATEGORY_SHARDS
    embedding_shards: int = EMBEDDING_SHARDS
    years: int = YEARS_KEPT
    # What the indexes of categories and of brands carry.
    projection: str = PROJECTION
    # "uniform", or "last_character" as published.
    category_shard_function: str = "uniform"
    # For the addresses of embeddings; none: bg-remover-{stage}-embeddings.
    embedding_bucket: str | None = None


@dataclass(frozen=True, kw_only=True)
class FormsSettings:
    """How the form system of a stage differs from that of others."""

    # The address that e-mail is sent from, which SES must know; without it none is sent.
    mail_from: str | None = None
    # What tenants may have submissions delivered to, beside the application's own bus.
    buckets: tuple[str, ...] = ()
    buses: tuple[str, ...] = ()
    # Tenants' webhooks may be on this machine: where there is nothing else to be reached by them.
    local_webhooks: bool = False
    retry_first_seconds: int = 15
    # So long submissions are kept of tenants that do not say; none: for good.
    submission_days: int | None = None
    # As JSON, which `ShardRules` takes.
    shard_rules: str = "{}"
    plan_hours: int = 1


@dataclass(frozen=True, kw_only=True)
class PortalSettings:
    """How the portal of a stage differs from that of others."""

    # Over how many partitions a day of events is spread; one by default.
    event_shards: int | None = None
    event_days: int = DAYS_KEPT
    calendar_minutes: int = 15
    # role or two-person.
    review: str = ROLE


@dataclass(frozen=True, kw_only=True)
class Replicas:
    """The other regions that tables are in, and the systems whose tables are."""

    # In the order in which calls try them when the active region cannot be reached.
    regions: tuple[str, ...] = ()
    systems: tuple[str, ...] = ("sentiment",)
    # Tables that are in other regions for the length of one update, on their way to all of them.
    on_the_way: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, system: str, table_name: str) -> tuple[str, ...]:
        """The other regions of a system's table."""
        if system not in self.systems:
            return ()
        return self.on_the_way.get(table_name, self.regions)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One deployment of the whole application; `root` is the folder of the project."""

    name: str
    root: Path
    environment: Environment
    protection: Protection
    capacity: ByName[Capacity]
    platform: Platform
    log_retention: logs.RetentionDays
    sentiment: SentimentSettings
    sales: SalesSettings = SalesSettings()
    forms: FormsSettings = FormsSettings()
    portal: PortalSettings = PortalSettings()
    replicas: Replicas = Replicas()
    # In US dollars a month, each told when it is reached and when it will be; none: not at all.
    cost_limits: tuple[float, ...] = (20, 30, 40)
    # Savings, in US dollars a month, that are told; none: nobody looks for any.
    recommended_from: int | None = None
    alarms: AlarmLevel = AlarmLevel.ALL
    # Keys that CloudWatch counts for each table, index and replica; none: it counts nothing.
    contributor_insights: dynamodb.ContributorInsightsMode | None = None
    # Lambda logs the start and the report of each call.
    call_logs: bool = True
    # X-Ray traces the functions of a system.
    traces: ByName[bool] = field(default_factory=lambda: ByName(True))
    alarm_email: str | None = None
    # Whose pages may call the APIs, upload and download, from browsers.
    cors_origins: tuple[str, ...] = ()
    # Systems whose tables are encrypted with keys of their own.
    customer_keys: tuple[str, ...] = ()
    # CloudFront and a web ACL are in front of the APIs.
    firewall: bool = False
    api_rate: ByName[Throttle] = field(default_factory=lambda: ByName(Throttle()))
    # Entries of a page whose request does not say.
    page_limit: int = PAGE_LIMIT
    # How many calls may be worked on at once of functions, by `system.module`, and of each other
    # that wants no token.
    concurrency: Mapping[str, int] = field(default_factory=dict)
    open_concurrency: int | None = None
    # Scripts sign in with a plain password; people's browsers prove it without sending it.
    password_sign_in: bool = False
    threat_protection: bool = True
    # "boto3" where functions are to call by boto3's clients alone.
    client: str | None = None
    # How many calls functions make side by side, where it is not what they do by themselves.
    connections: str | None = None
    # What expires, and events of the portal, are kept in files.
    archived: bool = True
    # What is deployed is compared with its templates every week.
    audited: bool = True
    # How long an archive's function waits for more to put into one object.
    archive_window_seconds: int = 300
    stream_window_seconds: int = 5
    # How long the consumers of streams may be down without anything being left to do by hand.
    stream_outage_hours: int = 6
    # Stacks that this deployment creates. Their tables and user pools get deletion protection by
    # the update that follows: CloudFormation could not roll a failed creation back otherwise.
    new_stacks: tuple[str, ...] = ()
    # ARNs of keys and secrets that earlier stacks retained, by `stack/name`.
    adopted: Mapping[str, str] = field(default_factory=dict)

    def protection_in(self, scope: Construct) -> Protection:
        """Return the protection of the data in a construct's stack."""
        if Stack.of(scope).stack_name in self.new_stacks:
            return replace(self.protection, deletion_protection=False)
        return self.protection

    @property
    def told_page_limit(self) -> str | None:
        return unless(PAGE_LIMIT, self.page_limit)

    @property
    def stream_window(self) -> Duration:
        return Duration.seconds(self.stream_window_seconds)

    @property
    def give_up_after(self) -> Duration:
        return Duration.hours(self.stream_outage_hours)

    @property
    def log_removal(self) -> RemovalPolicy:
        return self.protection.removal_policy

    @property
    def metrics_namespace(self) -> str:
        """Where the functions count: stages of one account must not see each other's numbers."""
        return f"Tablewright/{self.name}"

    def reserved_concurrency(self, handler: str, *, wants_token: bool = True) -> int | None:
        """What is reserved for a function, by its handler: ``lambdas.forms.handlers.deliver``."""
        _, system, _, module = handler.split(".")[:4]
        otherwise = None if wants_token else self.open_concurrency
        return self.concurrency.get(f"{system}.{module}", otherwise)

    def table_options(
        self,
        scope: Construct,
        table_name: str,
        *,
        system: str,
        part: str | None = None,
        replicated: bool = True,
        tags: Mapping[str, str] | None = None,
        key: TableKey | None,
        alarm_topic: sns.ITopic | None,
    ) -> TableOptions:
        """What a system's table is given, `part` being its name where the system has several."""
        replicas = self.replicas.of(system, table_name) if replicated else ()
        encrypted: TableOptions = {}
        if key:
            arns = key.arns(scope, replicas)
            encrypted = {"encryption_key": key.key, "replica_key_arns": arns}
        return {
            **encrypted,
            "replicas": replicas,
            "table_name": table_name,
            "protection": self.protection_in(scope),
            "capacity": self.capacity.of(system, part),
            "contributor_insights": self.contributor_insights,
            "alarm_topic": alarm_topic,
            "tags": tags or {"stage": self.name},
        }

    def stack_name(self, system: str, region: str | None = None) -> str:
        """The name of a system's stack: at home, or in another region."""
        return "-".join(filter(None, ("tablewright", self.name, system, region)))

    def code(
        self, system: str, *, services: tuple[str, ...], requirements: str = "requirements.txt"
    ) -> PythonCode:
        """The code of one system's functions: its own folder, what all share, and the library.

        `requirements` names the lock file, beneath the folder of all functions.
        """
        lambdas = self.root / "lambdas"
        return PythonCode(
            sources=(
                *(Source(path, f"lambdas/{path.name}") for path in sorted(lambdas.glob("*.py"))),
                Source(lambdas / "http", "lambdas/http"),
                Source(lambdas / system, f"lambdas/{system}"),
                *LIBRARY_SOURCES,
            ),
            requirements=lambdas / requirements,
            services=services,
            platform=self.platform,
        )

    def files(self, *paths: str) -> PythonCode:
        """Code of these files and folders of the project, which need Python and nothing else."""
        return PythonCode(
            sources=[Source(self.root / path, path) for path in paths], platform=self.platform
        )
