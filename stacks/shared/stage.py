"""Stage: what a stack must know about where it is deployed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aws_cdk import Duration, Environment, RemovalPolicy
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns

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


@dataclass(frozen=True, kw_only=True)
class SentimentSettings:
    """How the sentiment system of a stage differs from that of others."""

    watch_tags: tuple[str, ...]
    accelerated: bool = False
    # Where DAX stands; none for the first two zones that the account has.
    zones: tuple[str, ...] = ()
    # No sources: nothing is polled, items come by event and HTTP alone.
    sources: tuple[str, ...] = ()
    # The companies that financial sources are asked for.
    tickers: tuple[str, ...] = ()
    poll_minutes: int = 15
    heal_minutes: int = 15
    window_seconds: int = 5
    # So long items are kept in the table; none: for good.
    item_days: int | None = None
    show_capacity: bool = True
    # "read" or "on": what is encrypted can be read, or that and new ones are. Else: in clear.
    encrypted_fields: str | None = None
    sign_in_url: str | None = None


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
    plan_hours: int = 1
    window_seconds: int = 5


@dataclass(frozen=True, kw_only=True)
class PortalSettings:
    """How the portal of a stage differs from that of others."""

    # Over how many partitions a day of events is spread; one by default.
    event_shards: int | None = None
    calendar_minutes: int = 15
    window_seconds: int = 5


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
    capacity: Capacity
    platform: Platform
    log_retention: logs.RetentionDays
    sentiment: SentimentSettings
    forms: FormsSettings = FormsSettings()
    portal: PortalSettings = PortalSettings()
    replicas: Replicas = Replicas()
    # In US dollars a month, each told when it is reached and when it will be; none: not at all.
    cost_limits: tuple[float, ...] = (10, 15, 20)
    alarms: AlarmLevel = AlarmLevel.ALL
    alarm_email: str | None = None
    # Whose pages may call the APIs, upload and download, from browsers.
    cors_origins: tuple[str, ...] = ()
    # How many calls may be worked on at once of each function that wants no token.
    open_concurrency: int | None = None
    # Scripts sign in with a plain password; people's browsers prove it without sending it.
    password_sign_in: bool = False
    threat_protection: bool = True
    # What expires, and events of the portal, are kept in files.
    archived: bool = True
    # How long an archive's function waits for more to put into one object.
    archive_window_seconds: int = 300
    # How long the consumers of streams may be down without anything being left to do by hand.
    stream_outage_hours: int = 6

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

    def table_options(
        self,
        table_name: str,
        *,
        tags: Mapping[str, str],
        alarm_topic: sns.ITopic | None,
        system: str | None = None,
    ) -> TableOptions:
        """What a table of the stage is given; one of a `system`, with the system's replicas."""
        return {
            "replicas": self.replicas.of(system, table_name) if system else (),
            "table_name": table_name,
            "protection": self.protection,
            "capacity": self.capacity,
            "alarm_topic": alarm_topic,
            "tags": tags,
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
