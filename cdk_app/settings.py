"""The stage that context and environment ask for."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from aws_cdk import Environment, RemovalPolicy

from cdk_app.declared import SETTINGS, every, forms, portal, sales, sentiment
from cdk_app.origins import is_own_machine
from cdk_app.setting import Asked, SettingError
from cdk_app.stages import STAGES, Kind
from stacks.shared.stage import (
    FormsSettings,
    PortalSettings,
    Replicas,
    SalesSettings,
    SentimentSettings,
    Stage,
)
from tablewright.constructs import Platform, Protection
from tablewright.constructs.functions.dependencies import LAMBDA

ROOT = Path(__file__).resolve().parent.parent
LOCAL_ACCOUNT = "0" * 12
# By which `make deploy` says where tables are that get their replicas one update after another.
_ON_THE_WAY = "replicas_on_the_way"


def read(
    context: Callable[[str], object],
    environ: Mapping[str, str],
    *,
    root: Path = ROOT,
    host: Platform | None = None,
) -> Stage:
    """The stage that context (`-c stage=dev`) and environment ask for.

    Raises SettingError, which tells all that is wrong.
    """
    name = str(context("stage") or "dev")
    if name not in STAGES:
        raise SettingError(
            f"stage '{name}' is not one of {', '.join(STAGES)}: choose one with -c stage=dev"
        )
    kind = STAGES[name]
    asked = Asked(name, context, environ)
    region = asked[every.REGION]
    stage = Stage(
        name=name,
        root=root,
        environment=Environment(account=_account(kind, asked), region=region),
        protection=_protection(kind, asked),
        capacity=asked[every.CAPACITY],
        platform=(host or Platform.host()) if kind.on_this_machine else LAMBDA,
        log_retention=asked[every.LOG_DAYS],
        customer_keys=_customer_keys(asked, region),
        api_rate=asked[every.API_RATE],
        page_limit=asked[every.PAGE_LIMIT],
        concurrency=asked[every.CONCURRENCY],
        open_concurrency=asked[every.OPEN_CONCURRENCY],
        replicas=_replicas(asked, region, str(context(_ON_THE_WAY) or "{}")),
        sentiment=_sentiment(kind, asked, region),
        sales=SalesSettings(
            category_shards=asked[sales.CATEGORY_SHARDS],
            embedding_shards=asked[sales.EMBEDDING_SHARDS],
            years=asked[sales.SALE_YEARS],
            projection=asked[sales.SALE_PROJECTION],
        ),
        forms=_forms(kind, asked),
        portal=PortalSettings(
            event_shards=asked[portal.EVENT_SHARDS],
            event_days=asked[portal.EVENT_DAYS],
            calendar_minutes=asked[portal.CALENDAR_MINUTES],
        ),
        cost_limits=asked[every.COST_LIMITS],
        alarms=asked[every.ALARMS],
        alarm_email=asked[every.ALARM_EMAIL],
        cors_origins=_cors_origins(kind, asked),
        client=asked[every.CLIENT],
        connections=asked[every.CONNECTIONS],
        password_sign_in=kind.developing,
        threat_protection=asked[every.THREAT_PROTECTION],
        stream_window_seconds=asked[every.STREAM_WINDOW],
        stream_outage_hours=asked[every.STREAM_OUTAGE],
        recommended_from=asked[every.RECOMMENDATIONS],
        archived=asked[every.ARCHIVE],
        archive_window_seconds=asked[every.ARCHIVE_WINDOW],
        audited=asked[every.AUDIT],
    )
    asked.check(chain.from_iterable(SETTINGS.values()))
    return stage


def _sentiment(kind: Kind, asked: Asked, region: str | None) -> SentimentSettings:
    return SentimentSettings(
        watch_tags=asked[sentiment.WATCH_TAGS],
        accelerated=asked[sentiment.ACCELERATOR],
        accelerator_nodes=asked[sentiment.ACCELERATOR_NODES],
        accelerator_node_type=asked[sentiment.ACCELERATOR_NODE_TYPE],
        zones=_zones(asked, region),
        tickers=asked[sentiment.TICKERS],
        sources=asked[sentiment.SOURCES],
        poll_minutes=asked[sentiment.POLL_MINUTES],
        heal_minutes=asked[sentiment.HEAL_MINUTES],
        item_days=asked[sentiment.ITEM_DAYS],
        news_days=asked[sentiment.NEWS_DAYS],
        show_capacity=kind.show_capacity,
        encrypted_fields=asked[sentiment.ENCRYPTED_FIELDS],
        sign_in_url=asked[sentiment.SIGN_IN_URL],
    )


def _forms(kind: Kind, asked: Asked) -> FormsSettings:
    return FormsSettings(
        mail_from=asked[forms.FORM_MAIL_FROM],
        buckets=asked[forms.FORM_BUCKETS],
        buses=asked[forms.FORM_BUSES],
        # Whoever tries it on this machine has no public address.
        local_webhooks=kind.on_this_machine,
        retry_first_seconds=asked[forms.FORM_RETRY_SECONDS],
        submission_days=asked[forms.SUBMISSION_DAYS],
        shard_rules=asked[forms.SHARD_RULES],
        plan_hours=asked[forms.PLAN_HOURS],
    )


def _account(kind: Kind, asked: Asked) -> str | None:
    account = asked[every.ACCOUNT]
    if not kind.on_this_machine:
        return account
    if account not in (None, LOCAL_ACCOUNT):
        asked.refuse(
            f"stage 'local' is for the local cloud, not for account {account} of AWS: "
            "run make local, or choose another stage, for example STAGE=dev"
        )
    # AWS has none of that number, so nothing of the local cloud gets there.
    return LOCAL_ACCOUNT


def _protection(kind: Kind, asked: Asked) -> Protection:
    protection, days = kind.protection(), asked[every.RECOVERY_DAYS]
    if days is None and protection.removal_policy is not RemovalPolicy.DESTROY:
        asked.refuse(every.RECOVERY_DAYS.wrong("none", f"data of {asked.stage} is kept"))
    return replace(protection, recovery_days=days, backups=asked[every.BACKUP_DAYS])


def _customer_keys(asked: Asked, region: str | None) -> tuple[str, ...]:
    systems = asked[every.CUSTOMER_KEYS]
    if systems and region is None:
        _needs_region(asked, every.CUSTOMER_KEYS.variable)
    return systems


def _replicas(asked: Asked, region: str | None, on_the_way: str) -> Replicas:
    regions = asked[every.REPLICAS]
    if asked.text(every.REPLICAS) is None:
        # Without a region of their own, tables can have no replica.
        regions = tuple(one for one in regions if region and one != region)
    elif regions and region is None:
        _needs_region(asked, every.REPLICAS.variable)
    elif region in regions:
        asked.refuse(
            f"TABLEWRIGHT_REPLICAS has {region}, where the tables themselves are: leave it out"
        )
    found = json.loads(on_the_way)
    return Replicas(
        regions=regions,
        systems=asked[every.REPLICATED],
        on_the_way={name: tuple(there) for name, there in found.items()},
    )


def _needs_region(asked: Asked, variable: str) -> None:
    asked.refuse(
        f"{variable} is set, but not the region of the tables themselves: "
        "set TABLEWRIGHT_REGION too, for example to eu-west-1"
    )


def _zones(asked: Asked, region: str | None) -> tuple[str, ...]:
    zones = asked[sentiment.ZONES]
    own = re.compile(rf"{region or '[a-z0-9-]+'}[a-z]")
    if zones and not (2 <= len(zones) <= 4 and all(map(own.fullmatch, zones))):
        of = region or "one region"
        asked.refuse(sentiment.ZONES.wrong(",".join(zones), f"two to four of {of} are needed"))
    return zones


def _cors_origins(kind: Kind, asked: Asked) -> tuple[str, ...]:
    origins = asked[every.CORS_ORIGINS]
    for origin in origins:
        if is_own_machine(origin) and not kind.developing:
            asked.refuse(every.CORS_ORIGINS.wrong(origin, f"{asked.stage} is no place to develop"))
    return origins
