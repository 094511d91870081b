"""The stages, and what is read from context and environment for each."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aws_cdk import Environment
from aws_cdk import aws_logs as logs

from cdk_app.asking import SettingError, asked_in, checked, either, listed
from cdk_app.keeping import archived, item_days
from cdk_app.origins import origin_form
from cdk_app.replicas import NONE, REGION, replicas_of
from cdk_app.watch_tags import watch_tags_of
from cdk_app.zones import zones_of
from lambdas.sentiment.contract import ENCRYPT, READ
from stacks.shared.stage import FormsSettings, PortalSettings, SentimentSettings, Stage
from tablewright.catalog.news.design import SOURCE_TYPES as NEWS_SOURCES
from tablewright.catalog.sentiment.items import SOURCE_TYPES
from tablewright.constructs import AlarmLevel, Capacity, Platform, Protection
from tablewright.constructs.functions.dependencies import LAMBDA
from tablewright.constructs.tables.write_table import REPLICAS

ROOT = Path(__file__).resolve().parent.parent

_ACCOUNT = re.compile(r"\d{12}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_ALARMS = re.compile("|".join(AlarmLevel))
_SWITCH = re.compile(r"on|off")
_FIELDS = re.compile(f"off|{READ}|{ENCRYPT}")
_WINDOW = re.compile(r"[12]?[0-9]?[0-9]|300")
_HOURS = re.compile(r"[1-9]|1[0-9]|2[0-3]")
_ADDRESS = re.compile(r"https?://[^\s/;,'\"]+/?")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_BUS = re.compile(r"[A-Za-z0-9._-]{1,256}|arn:[a-z-]+:events:[a-z0-9-]+:\d{12}:event-bus/\S{1,256}")
_CONCURRENCY = re.compile(r"[1-9]\d{0,3}")
_SHARDS = re.compile(r"[1-9]\d?|100")
_DOLLARS = re.compile(r"(?!0+(\.0+)?$)\d{1,7}(\.\d{1,2})?")

LOCAL_ACCOUNT = "0" * 12
TICKERS = ("AAPL", "AMZN", "GOOGL", "META", "MSFT", "NVDA", "TSLA")
SOURCES = (*SOURCE_TYPES, *NEWS_SOURCES)
_SOURCE = re.compile("|".join(SOURCES))
_TICKER = re.compile(r"[A-Z0-9.\-]{1,12}")

Asked = Callable[[str], str | None]


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """What is always so in a stage."""

    protection: Callable[[], Protection]
    log_retention: logs.RetentionDays
    alarms: AlarmLevel = AlarmLevel.ALL
    # Above what the stage costs while nobody uses it: docs/idle-cost.md.
    cost_limits: tuple[float, ...] = Stage.cost_limits
    password_sign_in: bool = False
    threat_protection: bool = False
    on_this_machine: bool = False
    show_capacity: bool = True
    replicas: tuple[str, ...] = ()
    sources: tuple[str, ...] = SOURCES
    window_seconds: int = 5
    archive_window_seconds: int = Stage.archive_window_seconds
    # So long items of the sentiment system are kept in their table.
    item_days: int = 30
    # What is thrown away as a whole is not worth an archive.
    archived: bool = True


_STAGES = {
    "local": _Kind(
        protection=Protection.throw_away,
        log_retention=logs.RetentionDays.ONE_DAY,
        password_sign_in=True,
        on_this_machine=True,
        sources=(),
        window_seconds=0,
        archive_window_seconds=0,
    ),
    "dev": _Kind(
        protection=Protection.throw_away,
        log_retention=logs.RetentionDays.ONE_WEEK,
        alarms=AlarmLevel.ESSENTIAL,
        password_sign_in=True,
        archived=False,
    ),
    "staging": _Kind(
        protection=Protection.recoverable,
        log_retention=logs.RetentionDays.ONE_MONTH,
        alarms=AlarmLevel.ESSENTIAL,
    ),
    "prod": _Kind(
        protection=Protection.protected,
        log_retention=logs.RetentionDays.ONE_YEAR,
        cost_limits=(50, 75, 100),
        threat_protection=True,
        show_capacity=False,
        replicas=REPLICAS,
        item_days=90,
    ),
}
STAGES = tuple(_STAGES)


def read(
    context: Callable[[str], object],
    environ: Mapping[str, str],
    *,
    root: Path = ROOT,
    host: Platform | None = None,
) -> Stage:
    """The stage that context (`-c stage=dev`) and environment ask for."""
    name = str(context("stage") or "dev")
    if name not in _STAGES:
        raise SettingError(
            f"stage '{name}' is not one of {', '.join(STAGES)}: choose one with -c stage=dev"
        )
    kind = _STAGES[name]

    def asked(setting: str) -> str | None:
        return asked_in(context, environ, setting)

    region = checked(REGION, "TABLEWRIGHT_REGION", either(environ, "REGION"), "eu-west-1")
    account = checked(_ACCOUNT, "TABLEWRIGHT_ACCOUNT", either(environ, "ACCOUNT"), "123456789012")
    return Stage(
        name=name,
        root=root,
        environment=Environment(
            account=_on_this_machine(account) if kind.on_this_machine else account, region=region
        ),
        protection=kind.protection(),
        capacity=Capacity.on_demand(),
        platform=(host or Platform.host()) if kind.on_this_machine else LAMBDA,
        log_retention=kind.log_retention,
        sentiment=_sentiment(kind, asked, region),
        replicas=replicas_of(asked, kind.replicas, region),
        forms=_forms(kind, asked),
        portal=_portal(kind, asked),
        cost_limits=_cost_limits(kind, asked("cost_limits")),
        alarms=_alarms(kind, asked),
        alarm_email=checked(
            _EMAIL, "TABLEWRIGHT_ALARM_EMAIL", asked("alarm_email"), "ops@example.com"
        ),
        cors_origins=_cors_origins(kind, asked("cors_origins")),
        open_concurrency=_open_concurrency(asked("open_concurrency")),
        password_sign_in=kind.password_sign_in,
        threat_protection=kind.threat_protection,
        stream_outage_hours=_outage(asked("stream_outage")),
        archived=archived(asked("archive"), kind.archived),
        archive_window_seconds=kind.archive_window_seconds,
    )


def _sentiment(kind: _Kind, asked: Asked, region: str | None) -> SentimentSettings:
    accelerated = checked(_SWITCH, "TABLEWRIGHT_ACCELERATOR", asked("accelerator"), "on") == "on"
    return SentimentSettings(
        watch_tags=watch_tags_of(asked("watch_tags")),
        accelerated=accelerated,
        zones=zones_of(asked("zones"), region),
        tickers=_tickers(asked("tickers")),
        sources=_sources(asked("sources"), kind.sources),
        window_seconds=_window(kind, asked),
        item_days=item_days(asked("item_days"), kind.item_days),
        show_capacity=kind.show_capacity,
        encrypted_fields=checked(
            _FIELDS, "TABLEWRIGHT_ENCRYPTED_FIELDS", asked("encrypted_fields"), "read, on or off"
        ),
        sign_in_url=checked(
            _ADDRESS, "TABLEWRIGHT_SIGN_IN_URL", asked("sign_in_url"), "https://sign-in.example.com"
        ),
    )


def _forms(kind: _Kind, asked: Asked) -> FormsSettings:
    buckets, buses = asked("form_buckets"), asked("form_buses")
    return FormsSettings(
        mail_from=checked(
            _EMAIL, "TABLEWRIGHT_FORM_MAIL_FROM", asked("form_mail_from"), "forms@example.com"
        ),
        buckets=listed("FORM_BUCKETS", buckets, _BUCKET, "acme-submissions") if buckets else (),
        buses=listed("FORM_BUSES", buses, _BUS, "acme-events") if buses else (),
        # Whoever tries it on this machine has no public address, and no time to wait.
        local_webhooks=kind.on_this_machine,
        retry_first_seconds=1 if kind.on_this_machine else FormsSettings.retry_first_seconds,
        window_seconds=_window(kind, asked),
    )


def _portal(kind: _Kind, asked: Asked) -> PortalSettings:
    shards = checked(_SHARDS, "TABLEWRIGHT_EVENT_SHARDS", asked("event_shards"), "10")
    return PortalSettings(
        event_shards=int(shards) if shards else None, window_seconds=_window(kind, asked)
    )


def _window(kind: _Kind, asked: Asked) -> int:
    window = checked(
        _WINDOW, "TABLEWRIGHT_STREAM_WINDOW", asked("stream_window"), "5 (seconds, at most 300)"
    )
    return kind.window_seconds if window is None else int(window)


def _outage(text: str | None) -> int:
    hours = checked(_HOURS, "TABLEWRIGHT_STREAM_OUTAGE", text, "6 (hours, at most 23)")
    return int(hours) if hours else Stage.stream_outage_hours


def _alarms(kind: _Kind, asked: Asked) -> AlarmLevel:
    level = checked(_ALARMS, "TABLEWRIGHT_ALARMS", asked("alarms"), "essential, all or none")
    return AlarmLevel(level) if level else kind.alarms


def _cost_limits(kind: _Kind, text: str | None) -> tuple[float, ...]:
    if text is None:
        return kind.cost_limits
    if text == NONE:
        return ()
    return tuple(map(float, listed("COST_LIMITS", text, _DOLLARS, f"10,15,20 or {NONE}")))


def _on_this_machine(account: str | None) -> str:
    """The local cloud's account: AWS has none of that number, so nothing of it gets there."""
    if account not in (None, LOCAL_ACCOUNT):
        raise SettingError(
            f"stage 'local' is for the local cloud, not for account {account} of AWS: "
            "run make local, or choose another stage, for example STAGE=dev"
        )
    return LOCAL_ACCOUNT


def _cors_origins(kind: _Kind, text: str | None) -> tuple[str, ...]:
    form = origin_form(own_machine=kind.password_sign_in)
    return () if text is None else listed("CORS_ORIGINS", text, *form)


def _open_concurrency(text: str | None) -> int | None:
    many = checked(_CONCURRENCY, "TABLEWRIGHT_OPEN_CONCURRENCY", text, "50")
    return int(many) if many else None


def _tickers(text: str | None) -> tuple[str, ...]:
    return TICKERS if text is None else listed("TICKERS", text, _TICKER, "AAPL,MSFT")


def _sources(text: str | None, default: tuple[str, ...]) -> tuple[str, ...]:
    if text is None:
        return default
    return () if text == NONE else listed("SOURCES", text, _SOURCE, f"newsapi,reddit or {NONE}")
