"""The stage that a stage file describes, with its overrides."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aws_cdk import Environment, RemovalPolicy

from cdk_app.declared import SECTIONS, every, forms, kind, portal, sales, sentiment
from cdk_app.deployable_regions import missing_service
from cdk_app.origins import is_own_machine
from cdk_app.setting import Setting
from cdk_app.stage_file import FOLDER, StageFile
from cdk_app.values import StageValues
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
# Context by which `make deploy` names the stacks that it creates, separated by spaces.
_NEW_STACKS = "new_stacks"
# Context by which a local cloud names the Python that it runs functions on.
_FUNCTIONS_PYTHON = "functions_python"
# Context by which `make deploy` maps names of retained keys and secrets to ARNs, as JSON.
_ADOPTED = "adopted"


def read(
    context: Callable[[str], object],
    environ: Mapping[str, str],
    *,
    root: Path = ROOT,
    folder: Path = FOLDER,
    host: Platform | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Stage:
    """The stage that `-c stage=dev` names, as its file in the folder describes it.

    Context and environment may override settings; `report` gets a line for each that they do.
    Raises SettingError, which has all problems.
    """
    name = str(context("stage") or "dev")
    asked = StageValues(StageFile.load(name, folder), SECTIONS, context, environ)
    local = asked[kind.TARGET]
    region = asked[every.REGION]
    _check_regions(asked, region)
    stage = Stage(
        name=name,
        root=root,
        environment=Environment(account=_account(local, asked), region=region),
        protection=_protection(asked),
        capacity=asked[every.CAPACITY],
        platform=(host or _host(context)) if local else LAMBDA,
        log_retention=asked[every.LOG_DAYS],
        customer_keys=_customer_keys(asked, region),
        api_rate=asked[every.API_RATE],
        firewall=_firewall(asked, region),
        page_limit=asked[every.PAGE_LIMIT],
        concurrency=asked[every.CONCURRENCY],
        open_concurrency=asked[every.OPEN_CONCURRENCY],
        replicas=_replicas(asked, region, str(context(_ON_THE_WAY) or "{}")),
        sentiment=_sentiment(asked, region),
        sales=SalesSettings(
            category_shards=asked[sales.CATEGORY_SHARDS],
            embedding_shards=asked[sales.EMBEDDING_SHARDS],
            years=asked[sales.SALE_YEARS],
            projection=asked[sales.SALE_PROJECTION],
            category_shard_function=asked[sales.CATEGORY_SHARD_FUNCTION],
            embedding_bucket=asked[sales.EMBEDDING_BUCKET],
        ),
        forms=_forms(local, asked),
        portal=PortalSettings(
            event_shards=asked[portal.EVENT_SHARDS],
            event_days=asked[portal.EVENT_DAYS],
            calendar_minutes=asked[portal.CALENDAR_MINUTES],
            review=asked[portal.REVIEW],
        ),
        cost_limits=asked[every.COST_LIMITS],
        alarms=asked[every.ALARMS],
        contributor_insights=asked[every.CONTRIBUTOR_INSIGHTS],
        call_logs=asked[every.CALL_LOGS],
        traces=asked[every.TRACES],
        alarm_email=asked[every.ALARM_EMAIL],
        cors_origins=_cors_origins(asked),
        client=asked[every.CLIENT],
        connections=asked[every.CONNECTIONS],
        password_sign_in=asked[kind.DEVELOPMENT],
        threat_protection=asked[every.THREAT_PROTECTION],
        stream_window_seconds=asked[every.STREAM_WINDOW],
        stream_outage_hours=asked[every.STREAM_OUTAGE],
        recommended_from=asked[every.RECOMMENDATIONS],
        archived=asked[every.ARCHIVE],
        archive_window_seconds=asked[every.ARCHIVE_WINDOW],
        audited=asked[every.AUDIT],
        adopted=json.loads(str(context(_ADOPTED) or "{}")),
        new_stacks=tuple(str(context(_NEW_STACKS) or "").split()),
    )
    # It is for `make deploy`, and checked here with the rest.
    _ = asked[kind.REMOVALS]
    asked.check()
    for line in asked.overrides():
        report(line)
    return stage


def _check_regions(asked: StageValues, home: str | None) -> None:
    for setting, regions in (
        (every.REGION, [home] if home else []),
        (every.REPLICAS, asked[every.REPLICAS]),
    ):
        for region in regions:
            if service := missing_service(region, replica=setting is every.REPLICAS):
                asked.refuse(
                    f"{asked.name(setting)} is {region}, which lacks {service}: choose a region "
                    "of docs/deployable-regions.md"
                )


def _sentiment(asked: StageValues, region: str | None) -> SentimentSettings:
    return SentimentSettings(
        watch_tags=asked[sentiment.WATCH_TAGS],
        standby=asked[sentiment.STANDBY],
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
        show_capacity=asked[sentiment.SHOW_CAPACITY],
        encrypted_fields=asked[sentiment.ENCRYPTED_FIELDS],
        sign_in_url=asked[sentiment.SIGN_IN_URL],
    )


def _forms(local: bool, asked: StageValues) -> FormsSettings:
    return FormsSettings(
        mail_from=asked[forms.FORM_MAIL_FROM],
        buckets=asked[forms.FORM_BUCKETS],
        buses=asked[forms.FORM_BUSES],
        # Whoever tries it on this machine has no public address.
        local_webhooks=local,
        retry_first_seconds=asked[forms.FORM_RETRY_SECONDS],
        submission_days=asked[forms.SUBMISSION_DAYS],
        shard_rules=asked[forms.SHARD_RULES],
        plan_hours=asked[forms.PLAN_HOURS],
    )


def _host(context: Callable[[str], object]) -> Platform:
    """This machine, and the Python that its cloud runs functions on."""
    host = Platform.host()
    return replace(host, python=str(context(_FUNCTIONS_PYTHON) or host.python))


def _account(local: bool, asked: StageValues) -> str | None:
    account = asked[every.ACCOUNT]
    if not local:
        return account
    if account not in (None, LOCAL_ACCOUNT):
        asked.refuse(
            f"stage '{asked.stage}' is for the local cloud, not for account {account} of AWS: "
            "run make local, or choose another stage, for example STAGE=dev"
        )
    # AWS has none of that number, so nothing of the local cloud gets there.
    return LOCAL_ACCOUNT


def _protection(asked: StageValues) -> Protection:
    protection, days = asked[kind.DATA], asked[every.RECOVERY_DAYS]
    if days is None and protection.removal_policy is not RemovalPolicy.DESTROY:
        asked.refuse_value(every.RECOVERY_DAYS, f"data of {asked.stage} is kept")
    return replace(protection, recovery_days=days, backups=asked[every.BACKUP_DAYS])


def _customer_keys(asked: StageValues, region: str | None) -> tuple[str, ...]:
    systems = asked[every.CUSTOMER_KEYS]
    if systems and region is None:
        _needs_region(asked, every.CUSTOMER_KEYS)
    return systems


def _firewall(asked: StageValues, region: str | None) -> bool:
    firewall = asked[every.FIREWALL]
    if firewall and asked[kind.TARGET]:
        asked.refuse_value(every.FIREWALL, "the local cloud has no CloudFront")
    elif firewall and region is None:
        _needs_region(asked, every.FIREWALL)
    return firewall


def _replicas(asked: StageValues, region: str | None, on_the_way: str) -> Replicas:
    regions = asked[every.REPLICAS]
    if asked.override(every.REPLICAS) is None:
        # The file is for any region; without a region of their own, tables can have no replica.
        regions = tuple(one for one in regions if region and one != region)
    elif regions and region is None:
        _needs_region(asked, every.REPLICAS)
    elif region in regions:
        asked.refuse(
            f"{asked.name(every.REPLICAS)} has {region}, where the tables themselves are: "
            "leave it out"
        )
    found = json.loads(on_the_way)
    return Replicas(
        regions=regions,
        systems=asked[every.REPLICATED],
        on_the_way={name: tuple(there) for name, there in found.items()},
    )


def _needs_region(asked: StageValues, setting: Setting[Any]) -> None:
    asked.refuse(
        f"{asked.name(setting)} is set, but not the region of the tables themselves: "
        f'set region in stages/{asked.stage}.toml, for example region = "eu-west-1"'
    )


def _zones(asked: StageValues, region: str | None) -> tuple[str, ...]:
    zones = asked[sentiment.ZONES]
    own = re.compile(rf"{region or '[a-z0-9-]+'}[a-z]")
    if zones and not (2 <= len(zones) <= 4 and all(map(own.fullmatch, zones))):
        of = region or "one region"
        asked.refuse_value(sentiment.ZONES, f"two to four of {of} are needed")
    return zones


def _cors_origins(asked: StageValues) -> tuple[str, ...]:
    origins = asked[every.CORS_ORIGINS]
    for origin in origins:
        if is_own_machine(origin) and not asked[kind.DEVELOPMENT]:
            reason = f"{origin} needs development = true in stages/{asked.stage}.toml"
            asked.refuse_value(every.CORS_ORIGINS, reason)
    return origins
